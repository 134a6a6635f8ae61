"""Creases of a body that merges, closed where its surface passes through itself, or is about to.

Nothing keeps apart the two sides of such a crease. So the faces in it are taken out, as far as a ball does not get to them that
rolls around the body, and with them what is inside out or enclosed twice; and the borders that are left are joined by
a band from side to side. Faces, vertices and all that lies on them stay as they are everywhere else, to the last bit.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..geometry.banding import banded
from ..geometry.edge_crossings import Crossings, crossings
from ..geometry.edges import connected, edges_of, unpaired_edges
from ..geometry.hole_filling import borders, filled
from ..geometry.measures import area_vectors
from ..geometry.triangle_tree import closest_points, triangle_tree
from ..geometry.winding import winding_numbers, winding_tree
from ..surface import Surface
from ..tearing.surface_cut import Sources, SurfaceCut, clamped_weights

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Lengths in elements
BALL = 0.3  # radius of the ball
TIGHT = 0.9  # share of it within which something else lies, in a crease
ALONG = 0.7  # from where the surface crosses itself up to which a crease is closed
BESIDE = 0.01  # from a face to where it is asked whether it is enclosed twice
ISLAND = 1.0  # across which what is left in the middle of a crease goes as well
ROUNDS = 5  # in which more is taken out, a ring of faces at a time, where what is left still crosses itself


def crossing_itself(seen: Surface) -> Crossings:
    """Return where a surface passes through its own shells."""
    ends = np.stack([seen.triangles, np.roll(seen.triangles, -1, axis=1)]).reshape(2, -1)
    shell = connected(ends, len(seen.positions))[seen.triangles[:, 0]]
    found = crossings(triangle_tree(seen.positions, seen.triangles))
    own = shell[found.pairs[:, 0]] == shell[found.pairs[:, 1]]
    return Crossings(found.pairs[own], found.places[own])


def creases_closed(seen: Surface, soon: Array, element_size: float) -> SurfaceCut | None:
    """Return a surface's change where its creases are closed, given its vertices `soon` (n, 3); None where none is.

    element_size [m] is that of the tets. What comes of it crosses itself less than it did, as a rule nowhere.
    """
    met, ahead = crossing_itself(seen), crossing_itself(Surface(soon, seen.triangles))
    pairs = np.concatenate([met.pairs, ahead.pairs])
    if not len(pairs) or unpaired_edges(seen.triangles):
        return None
    closer = _Closer(seen, pairs, element_size)
    best, least, out = None, len(np.unique(met.pairs)), closer.creases()
    for _ in range(ROUNDS):
        out = closer.tidied(out)
        made = closer.closed(out)
        if made is not None:
            left = len(np.unique(crossing_itself(Surface(seen.positions, np.concatenate([seen.triangles[~out], made]))).pairs))
            if left < least or (left == 0 and best is None):
                best, least = (out, made), left
            if left == 0:
                break
        out = out | out[closer.beside].any(axis=1)
    return None if best is None else _change(seen, *best)


class _Closer:
    """A surface that passes through itself by some pairs (k, 2) of triangles."""

    def __init__(self, seen: Surface, pairs: NDArray[np.int64], element_size: float) -> None:
        self.seen, self.pairs, self.size = seen, pairs, element_size
        count, edges = len(seen.triangles), edges_of(seen.triangles)
        self.beside = np.empty((count, 3), dtype=np.int64)  # the triangle across each side
        sides = edges.order.reshape(-1, 2)
        self.beside[sides // 3, sides % 3] = sides[:, ::-1] // 3
        self.middles = seen.positions[seen.triangles].mean(axis=1)

    def creases(self) -> Flags:
        """Which triangles (t,) lie in the creases that close."""
        seen, crossing = self.seen, np.unique(self.pairs)
        vectors = area_vectors(seen.positions, seen.triangles)
        normals = vectors / np.maximum(np.sqrt((vectors**2).sum(axis=1, keepdims=True)), 1e-300)
        tree = triangle_tree(seen.positions, seen.triangles)
        wound = winding_tree(tree)
        away = cKDTree(self.middles[crossing]).query(self.middles, distance_upper_bound=4.0 * self.size)[0]
        asked = np.flatnonzero(away < 4.0 * self.size)
        ball, places = BALL * self.size, self.middles[asked]
        inside = winding_numbers(wound, places - BESIDE * self.size * normals[asked])
        centres = places + ball * normals[asked]
        tight = (closest_points(tree, centres, ball).distance < TIGHT * ball) | (winding_numbers(wound, centres) > 0.5)
        wanted = np.zeros(len(seen.triangles), dtype=bool)
        wanted[asked] = (np.abs(inside - 1.0) > 0.5) | (tight & (away[asked] < ALONG * self.size))
        wanted[crossing] = True
        name = self._patches(wanted)
        return wanted & np.isin(name, name[crossing])

    def tidied(self, out: Flags) -> Flags:
        """Some triangles (t,) without dents, and such that no border touches another or itself, nor what is left is small."""
        triangles, out = self.seen.triangles, out.copy()
        while True:
            more = ~out & (out[self.beside].sum(axis=1) > 1)
            border = out[:, None] & ~out[self.beside]
            ends = np.stack([triangles[border], np.roll(triangles, -1, axis=1)[border]])
            pinched = np.bincount(ends.ravel(), minlength=len(self.seen.positions)) > 2
            more |= ~out & pinched[triangles].any(axis=1)
            if not more.any():
                break
            out |= more
        name = self._patches(~out)
        count = np.bincount(name[~out], minlength=len(name))
        kept = [label for label in np.unique(name[~out & out[self.beside].any(axis=1)])]
        for label in kept:
            own = name == label
            if count[label] < count.max() and np.ptp(self.middles[own], axis=0).max() < ISLAND * self.size:
                out |= own & ~out
        return out

    def closed(self, out: Flags) -> NDArray[np.int32] | None:
        """The triangles (k, 3) that join what is left of the surface where some (t,) are taken out; None where none do."""
        triangles, positions = self.seen.triangles, self.seen.positions
        patch, own = self._linked(out), ~out[:, None] & out[self.beside]
        if not own.any():
            return np.zeros((0, 3), dtype=np.int32) if out.any() else None
        rows, sides = np.nonzero(own)
        across = {
            (int(a), int(b)): int(label)
            for a, b, label in zip(
                triangles[rows, (sides + 1) % 3], triangles[rows, sides], patch[self.beside[rows, sides]], strict=True
            )
        }
        groups: dict[int, list[list[int]]] = {}
        for way in borders(triangles, 3 * rows + sides):
            groups.setdefault(across[way[0], way[1]], []).append(way)
        edges = edges_of(triangles[~out]).vertices
        taken = {(int(a), int(b)) for a, b in edges}
        made = list[tuple[int, int, int]]()
        for ways in groups.values():
            if len(ways) == 2:
                made += banded(positions, *ways)
                continue
            found = filled(positions, _as_one(positions, ways), taken)
            if found is None:
                return None
            made += found
        new = np.array(made, dtype=np.int32).reshape(-1, 3)
        return None if unpaired_edges(np.concatenate([triangles[~out], new])) else new

    def _patches(self, chosen: Flags) -> NDArray[np.int64]:
        """The name (t,) of the patch of chosen triangles that each is of."""
        both = chosen[:, None] & chosen[self.beside]
        rows, sides = np.nonzero(both)
        return connected(np.stack([rows, self.beside[rows, sides]]), len(chosen))

    def _linked(self, out: Flags) -> NDArray[np.int64]:
        """The name (t,) of the patch that each triangle which is taken out is of, one for all that meet each other."""
        patch, which = self._patches(out), np.flatnonzero(out)
        near = cKDTree(self.middles[which]).query_pairs(BALL * self.size, output_type="ndarray")
        links = np.concatenate([self.pairs[out[self.pairs].all(axis=1)], which[near]])
        return connected(patch[links].T, len(patch))[patch]


def _as_one(positions: Array, ways: list[list[int]]) -> list[int]:
    """Several borders as one, joined one after another where they are nearest, there and back."""
    whole, left = list(ways[0]), [list(way) for way in ways[1:]]
    while left:
        gaps = [((positions[whole][:, None] - positions[way][None]) ** 2).sum(axis=2) for way in left]
        k = int(np.argmin([gap.min() for gap in gaps]))
        i, j = (int(n) for n in np.unravel_index(gaps[k].argmin(), gaps[k].shape))
        way = left.pop(k)
        whole = [*whole[: i + 1], *way[j:], *way[: j + 1], *whole[i:]]
    return whole


def _change(seen: Surface, out: Flags, made: NDArray[np.int32]) -> SurfaceCut:
    """The surface's change: some triangles (t,) go, others (k, 3) come, which take all from the one that they are nearest to."""
    middle = 0.5 * (seen.positions.min(axis=0) + seen.positions.max(axis=0))
    places, left = seen.positions - middle, np.flatnonzero(~out)
    found = closest_points(triangle_tree(places, seen.triangles), np.ascontiguousarray(places[made].mean(axis=1)))
    origin = np.concatenate([left, found.triangle])
    order = np.argsort(origin, kind="stable")
    whole = np.arange(len(origin)) < len(left)
    triangles = np.concatenate([seen.triangles[left], made])[order]
    loose = np.setdiff1d(np.arange(len(places)), seen.triangles)
    kept = np.union1d(triangles, loose)
    weights = np.tile(np.eye(3), (len(origin), 1, 1))
    weights[~whole] = clamped_weights(places[seen.triangles[found.triangle]], places[made])
    origin, whole, weights = origin[order].astype(np.int32), whole[order], weights[order]
    return SurfaceCut(
        kept.astype(np.int32), seen.positions[kept], np.searchsorted(kept, triangles).astype(np.int32), seen.triangles,
        origin, whole, Sources(np.zeros(0, dtype=np.int32), np.zeros((0, 3))),
        Sources(np.repeat(origin[:, None], 3, axis=1), weights),
        float(np.sqrt((area_vectors(places, seen.triangles) ** 2).sum(axis=1)).sum()),
    )  # fmt: skip
