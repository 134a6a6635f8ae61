"""The search for pairs that may come close, made with room to spare so that it holds for many Newton iterations.

A search is made for a straight way of all nodes. While there is a place on that way, the same share of it for all of them, from
which no node is further away than half of `spare` along any axis, a pair that was not found stays further apart than its reach.
All is seen from the middle of the bodies concerned, so that a fall together needs no new search, and pairs are told by how they
move against each other.
"""

import numpy as np
from numpy.typing import NDArray

from ...jit import kernel
from .overlap import Boxes, overlapping
from .pairs import may_meet, no_pairs, pairs_of
from .surface import ContactSurface

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

SPARE = 0.25  # mean edges that nodes may leave their way, one towards the other, until the next search
EDGES = 0.1  # weight of two edges against a vertex and a triangle, which carry what lies flat; edges carry ridges


class SurfaceBoxes:
    """The trees over one body's vertices, triangles and edges."""

    def __init__(self, surface: ContactSurface, rest: Array) -> None:
        self.surface = surface
        self.vertices = Boxes(surface.vertices, rest)
        self.triangles = Boxes(surface.triangles, rest)
        self.edges = Boxes(surface.edges, rest)
        ends = rest[surface.edges]
        self.edge_length = float(np.sqrt(((ends[:, 1] - ends[:, 0]) ** 2).sum(axis=1)).mean())

    def fit(self, lower: Array, upper: Array, move: Array | None = None) -> None:
        """Take boxes (n, 3) of the nodes, and the way (n, 3) that each goes; None: they stay."""
        for boxes in (self.vertices, self.triangles, self.edges):
            boxes.fit(lower, upper, move)

    def around(self, before: Array, after: Array) -> tuple[Array, Array]:
        """Lower and upper corner (3,) of the box around the body at two places (n, 3)."""
        corners = np.empty((2, 3))
        _box_around(self.surface.vertices, before, after, corners[0], corners[1])
        return corners[0], corners[1]


class Neighbourhood:
    """The pairs of two bodies, or of one with itself."""

    def __init__(
        self, first: SurfaceBoxes, second: SurfaceBoxes, rest: Array, reach: float, modulus: float, friction: float
    ) -> None:
        """reach [m]; modulus [Pa] that sizes the barrier; friction coefficient; rest (n, 3) the nodes' places at rest."""
        self.first, self.second, self.rest = first, second, rest
        self.own, self.reach = first is second, reach
        self.modulus, self.friction = modulus, friction
        self.spare = SPARE * min(first.edge_length, second.edge_length)
        self.sides = [first] if self.own else [first, second]
        self.nodes = np.concatenate([side.surface.vertices for side in self.sides])
        self.start, self.way = np.full((2, len(self.nodes), 3), np.nan)  # what was searched; nan: nothing yet
        self.pairs = no_pairs()

    def cover(self, before: Array, after: Array) -> bool:
        """See to it that `pairs` holds for nodes anywhere between two places (n, 3); whether it had to be changed."""
        if not self.own and self._apart(before, after):
            changed = len(self.pairs.nodes) > 0
            self.pairs, self.start[:] = no_pairs(), np.nan
            return changed
        centers = np.empty((2, 3))
        _middle(self.nodes, before, centers[0])
        _middle(self.nodes, after, centers[1])
        if all(
            _on_the_way(self.nodes, positions, center, self.start, self.way, 0.5 * self.spare)
            for positions, center in zip((before, after), centers, strict=True)
        ):
            return False
        self._search(before - centers[0], after - centers[1])
        return True

    def _apart(self, before: Array, after: Array) -> bool:
        """Whether the bodies' own boxes are too far apart for any contact on the way."""
        low, high = self.first.around(before, after)
        other_low, other_high = self.second.around(before, after)
        return bool(((low > other_high + self.reach) | (other_low > high + self.reach)).any())

    def _search(self, before: Array, after: Array) -> None:
        pad, way = 0.5 * (self.reach + self.spare), after - before
        for side in self.sides:
            side.fit(before - pad, before + pad, way)
        nodes, points, areas, corners = self._overlaps()
        kept = np.empty(len(nodes), dtype=bool)
        may_meet(before, way, 0.5 * np.sqrt(3.0) * self.spare, self.reach, nodes, points, kept)
        stiffness = self.modulus * areas[kept] / self.reach
        self.pairs = pairs_of(
            nodes[kept], int(kept[:points].sum()), self.rest, self.own, self.reach, stiffness, self.friction, corners[kept]
        )
        self.start, self.way = before[self.nodes], way[self.nodes]

    def _overlaps(self) -> tuple[IntArray, int, Array, Array]:
        """Pairs (k, 4) whose boxes overlap, how many are of a vertex and a triangle, areas (k,) [m^2] and corners (k, 3)."""
        first, second = self.first, self.second
        nodes, areas, corners, points = [], [], [], 0
        for one, other in ((first, second),) if self.own else ((first, second), (second, first)):
            found = overlapping(one.vertices, other.triangles)
            nodes.append(np.concatenate([one.vertices.items[found[:, 0]], other.triangles.items[found[:, 1]]], axis=1))
            areas.append(one.surface.vertex_areas[found[:, 0]])
            corners.append(other.surface.corner_shares[found[:, 1]])
            points += len(found)
        found = overlapping(first.edges, second.edges)
        nodes.append(np.concatenate([first.edges.items[found[:, 0]], second.edges.items[found[:, 1]]], axis=1))
        areas.append(0.5 * EDGES * (first.surface.edge_areas[found[:, 0]] + second.surface.edge_areas[found[:, 1]]))
        corners.append(np.zeros((len(found), 3)))
        return np.concatenate(nodes), points, np.concatenate(areas), np.concatenate(corners)


@kernel
def _middle(nodes, positions, center):  # type: ignore[no-untyped-def]
    """Fill center (3,) with the mean of the nodes' positions, taken from the first of them so that no digits are lost."""
    x, y, z = 0.0, 0.0, 0.0
    first = positions[nodes[0]]
    for k in range(len(nodes)):
        i = nodes[k]
        x, y, z = x + positions[i, 0] - first[0], y + positions[i, 1] - first[1], z + positions[i, 2] - first[2]
    center[0], center[1], center[2] = first[0] + x / len(nodes), first[1] + y / len(nodes), first[2] + z / len(nodes)


@kernel
def _on_the_way(nodes, positions, center, start, way, most):  # type: ignore[no-untyped-def]
    """Whether all nodes, seen from the centre, are at the same share of their ways from the start, but for `most` an axis."""
    along, square = 0.0, 0.0
    for k in range(len(nodes)):
        for axis in range(3):
            along += (positions[nodes[k], axis] - center[axis] - start[k, axis]) * way[k, axis]
            square += way[k, axis] * way[k, axis]
    share = min(max(along / square, 0.0), 1.0) if square > 0.0 else 0.0
    for k in range(len(nodes)):
        for axis in range(3):
            off = positions[nodes[k], axis] - center[axis] - start[k, axis] - share * way[k, axis]
            if not (off >= -most and off <= most):
                return False
    return True


@kernel
def _box_around(nodes, before, after, lower, upper):  # type: ignore[no-untyped-def]
    for axis in range(3):
        low, high = np.inf, -np.inf
        for k in range(len(nodes)):
            x, y = before[nodes[k], axis], after[nodes[k], axis]
            low, high = min(low, x, y), max(high, x, y)
        lower[axis], upper[axis] = low, high
