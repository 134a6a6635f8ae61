"""What of a collider stands out so far that contact points of a body straddle it: sharp edges, bumps, what is thin."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..geometry.edges import connected, edges_of
from ..geometry.measures import area_vectors
from .bumps import bumps, one_a_cell

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

SHARP = np.radians(20.0)  # between the normals of two faces: an edge that turns by more is sharp for every body
FLAT = np.radians(1.0)  # what turns by less does not turn
ROUND = 1.5  # element sizes: what bends more narrowly sinks into a flat face between contact points by more than 2 %
SHORT = 0.15  # element sizes: of edges that are no longer and bend only narrowly, corners stand for what is between
APART = 0.1  # element sizes that bumps are apart; at 0.15 what is between sank into a face that ends there by up to 4 %
MOST_LOOKS = 9  # at a shape that changes
WIDER, COARSER = 4.0, 2.0  # from one scale of bends to the next: how much wider they are, and what is asked of them coarser
FIRST_WIDE = 2.0  # and the first beyond ROUND, where half as close together is close enough
SPAN = 0.08  # 8 x 1 %: a bend of edge^2 / SPAN [element sizes] is 1 % of one deep in the middle of an edge, drawn out 2 %


@dataclass(frozen=True)
class Sharp:
    """Edges that stand out for bodies of a size of tets, by the numbers of the collider's vertices; e edges.

    ends (e, 2)  : of each
    wings (e, 2) : the third corners of the triangles to both sides, -1 where there is none: between them the edge stands out
    beside (e, 2) : the triangles to both sides, as the wings are
    triangles (t, 3) : all of the collider's
    joined (j, 2) : triangles that have an edge between them that is none of these
    crossed (e,) bool : whether edges of a body that cross it touch it; the others only say where to it goes out at corners
    corners (c,) : vertices that faces of a body touch
    """

    ends: IntArray
    wings: IntArray
    beside: NDArray[np.int64]
    triangles: IntArray
    joined: NDArray[np.int64]
    crossed: NDArray[np.bool_]
    corners: IntArray

    @cached_property
    def faces(self) -> NDArray[np.int64]:
        """Of each triangle (t,) the first of the face that it is of, which ends at sharp edges only."""
        return connected(self.joined.T, len(self.triangles))

    def widths(self, corners: Array) -> Array:
        """How wide (e, 2) [m] what belongs to an edge is of the faces to its sides, with the vertices at (v, 3); 0 for none.

        A face belongs to its sharp edges by their lengths, and so half of a bar's face to each of its long edges.
        """
        areas, count = area_vectors(corners, self.triangles), len(self.triangles)
        area = np.bincount(self.faces, np.sqrt((areas**2).sum(axis=1)), count)
        along = corners[self.ends[:, 1]] - corners[self.ends[:, 0]]
        known, sides, lengths = self.beside >= 0, self.faces[self.beside], np.sqrt((along**2).sum(axis=1))
        around = np.bincount(sides[known], np.repeat(lengths, 2)[known.ravel()], count)
        return np.where(known, area[sides] / np.maximum(around[sides], 1e-300), 0.0)


@dataclass
class StandingOut:
    """All edges of a collider at which its surface turns outwards; e edges, as in `Sharp`.

    shapes          : its vertices (v, 3) [m], as they are looked at
    flat (j, 2)     : pairs of triangles with an edge between them that turns inwards or not at all
    radii (e,)      : of the circle that its bend lies on [m], the narrowest in any shape; 0 for what is sharp, a rim, or more
                      than two faces
    sheet           : whether it is solid from both sides
    """

    shapes: list[Array]
    triangles: IntArray
    ends: IntArray
    wings: IntArray
    beside: NDArray[np.int64]
    flat: NDArray[np.int64]
    radii: Array
    sheet: bool
    known: dict[tuple[float, float], Sharp | None] = field(default_factory=dict)

    def among(self, element: float, span: float = 0.0) -> Sharp | None:
        """What stands out for a body of tets of a size [m], faces of which are seen with edges up to a span [m]; None where
        nothing does."""
        if (element, span) not in self.known:
            self.known[element, span] = self._among(element, span)
        return self.known[element, span]

    def _among(self, element: float, span: float) -> Sharp | None:
        along = self.shapes[0][self.ends]
        lengths = np.sqrt(((along[:, 1] - along[:, 0]) ** 2).sum(axis=1))
        crossed, wider, fine = self.radii == 0.0, 0.0, list[IntArray]()
        for radius, short, apart in _scales(element, span):
            own = ~crossed & (self.radii >= wider) & (self.radii < radius) & (lengths >= short)
            own[own] = one_a_cell(along[own].mean(axis=1), short)
            crossed, wider = crossed | own, radius
            narrow = ~crossed & (self.radii < radius)
            fine += [self._fine(shape, narrow, radius, short, apart) for shape in self.shapes]
        corners = np.unique(np.concatenate([self.ends[crossed].ravel(), *fine])).astype(np.int32)
        if not len(corners):
            return None
        at_corner = np.zeros(len(self.shapes[0]), dtype=bool)
        at_corner[corners] = True
        kept = crossed | at_corner[self.ends].any(axis=1)
        joined = np.concatenate([self.beside[~kept], self.flat])
        return Sharp(self.ends[kept], self.wings[kept], self.beside[kept], self.triangles, joined, crossed[kept], corners)

    def _fine(self, shape: Array, narrow: NDArray[np.bool_], radius: float, short: float, apart: float) -> IntArray:
        """Vertices that stand for what bends narrowly by edges that are many to a tet, and not by chance alone."""
        if not narrow.any():
            return np.zeros(0, np.int32)
        asked = np.zeros(len(shape), dtype=bool)
        asked[self.ends[narrow]] = True
        return bumps(shape, self.triangles, asked, radius, short, apart, self.sheet).astype(np.int32)


def _scales(element: float, span: float) -> list[tuple[float, float, float]]:
    """Up to what radius bends count, from what length on their edges do by themselves, and how far apart bumps are, all [m].

    Contact points leave room of 0.4 elements between them. But what is seen of a body is flat in a face with edges up to a
    span, so that what bends more gently sinks into its middle too; the wider it bends the fewer places keep it out.
    """
    scales = [(ROUND * element, SHORT * element, APART * element)]
    widest = span * span / (SPAN * element) if element > 0.0 else 0.0
    apart = FIRST_WIDE * SHORT * element
    while scales[-1][0] < widest:
        scales.append((min(WIDER * scales[-1][0], widest), apart, apart))
        apart *= COARSER
    return scales


def standing_out(shapes: list[Array], triangles: IntArray, sheet: bool) -> StandingOut:
    """The edges of welded triangles (t, 3), turned outwards, that turn to the outside in any of some shapes (n, 3).

    Of a sheet those that turn to either side. Open rims count, and so do edges of more than two faces.
    """
    edges = edges_of(triangles)
    first, counts = edges.first[:-1], edges.counts
    sides = np.stack([edges.order[first], edges.order[np.minimum(first + 1, len(edges.order) - 1)]], axis=1)
    wings = triangles[sides // 3, (sides + 2) % 3]
    radii = np.full(len(counts), np.inf)
    for positions in shapes:
        np.minimum(radii, _radii(positions, triangles, edges.vertices, sides // 3, wings, sheet), out=radii)
    radii[counts != 2] = 0.0
    wings[counts == 1, 1] = -1
    wings[counts > 2] = -1
    kept, beside = np.isfinite(radii), np.where(wings < 0, -1, sides // 3)
    return StandingOut(
        shapes, triangles, edges.vertices[kept], wings[kept].astype(np.int32), beside[kept], sides[~kept] // 3, radii[kept],
        sheet,
    )  # fmt: skip


def _radii(
    positions: Array, triangles: IntArray, ends: IntArray, faces: NDArray[np.int64], wings: IntArray, sheet: bool
) -> Array:  # fmt: skip
    """Of the circles (e,) [m] that pairs of faces (e, 2) bend on, the corners that they do not share being wings (e, 2).

    Infinite where they do not turn the right way, 0 where they turn sharply.
    """
    vectors = area_vectors(positions, triangles)
    sizes = np.sqrt((vectors**2).sum(axis=1))
    one, other = (vectors[faces[:, k]] / np.maximum(sizes[faces[:, k]], 1e-300)[:, None] for k in (0, 1))
    turn = np.arctan2(np.sqrt((np.cross(one, other) ** 2).sum(axis=1)), (one * other).sum(axis=1))
    length = np.sqrt(((positions[ends[:, 1]] - positions[ends[:, 0]]) ** 2).sum(axis=1))
    # Of the heights over the edge: 0.33 of their sum lies between the middles of triangles, 0.5 between those of quadrangles
    wide = 0.8 * sizes[faces].sum(axis=1) / np.maximum(length, 1e-300)
    radii = np.where(turn > FLAT, wide / np.maximum(turn, FLAT), np.inf)
    radii[turn > SHARP] = 0.0
    if not sheet:
        across = positions[wings[:, 1]] - positions[wings[:, 0]]
        radii[(across * one).sum(axis=1) >= 0.0] = np.inf
    return radii


def looks(count: int) -> NDArray[np.int64]:
    """Which of so many samples of a shape are looked at."""
    return np.unique(np.linspace(0, count - 1, min(count, MOST_LOOKS)).astype(np.int64))
