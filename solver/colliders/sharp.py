"""The sharp edges of a collider, which sink into a flat face of a body between its contact points. numpy only."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..geometry.edges import connected, edges_of
from ..geometry.measures import area_vectors

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

SHARP = np.cos(np.radians(20.0))  # of two faces' normals: what turns by less, contact points do not straddle deeply
MOST_LOOKS = 9  # at a shape that changes


@dataclass(frozen=True)
class Sharp:
    """Sharp edges by the numbers of the collider's vertices; e edges.

    ends (e, 2)  : of each
    wings (e, 2) : the third corners of the triangles to both sides, -1 where there is none: between them the edge stands out
    beside (e, 2) : the triangles to both sides, as the wings are
    triangles (t, 3) : all of the collider's
    joined (j, 2) : triangles that have an edge between them that is not sharp
    """

    ends: IntArray
    wings: IntArray
    beside: NDArray[np.int64]
    triangles: IntArray
    joined: NDArray[np.int64]

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


def sharp_edges(shapes: list[Array], triangles: IntArray, sheet: bool) -> Sharp | None:
    """Those of welded triangles (t, 3), turned outwards, in any of some shapes (n, 3); None where there are none.

    Two faces make one where they turn by more than 20 degrees, to the outside, or of a sheet to either. Open rims count, and
    so do edges of more than two faces.
    """
    edges = edges_of(triangles)
    first, counts = edges.first[:-1], edges.counts
    sides = np.stack([edges.order[first], edges.order[np.minimum(first + 1, len(edges.order) - 1)]], axis=1)
    wings = triangles[sides // 3, (sides + 2) % 3]
    kept = counts != 2
    for positions in shapes:
        kept |= _sharp(positions, triangles, sides // 3, wings, sheet)
    wings[counts == 1, 1] = -1
    wings[counts > 2] = -1
    if not kept.any():
        return None
    beside = np.where(wings < 0, -1, sides // 3)
    return Sharp(edges.vertices[kept], wings[kept].astype(np.int32), beside[kept], triangles, sides[~kept] // 3)


def _sharp(positions: Array, triangles: IntArray, faces: NDArray[np.int64], wings: IntArray, sheet: bool) -> NDArray[np.bool_]:
    """Whether pairs (e, 2) of faces turn enough, the right way, the corners that they do not share being wings (e, 2)."""
    vectors = area_vectors(positions, triangles)
    lengths = np.sqrt((vectors**2).sum(axis=1))
    one, other = (vectors[faces[:, k]] / np.maximum(lengths[faces[:, k]], 1e-300)[:, None] for k in (0, 1))
    turned: NDArray[np.bool_] = (one * other).sum(axis=1) < SHARP
    if sheet:
        return turned
    across = positions[wings[:, 1]] - positions[wings[:, 0]]
    return turned & ((across * one).sum(axis=1) < 0.0)


def looks(count: int) -> NDArray[np.int64]:
    """Which of so many samples of a shape are looked at."""
    return np.unique(np.linspace(0, count - 1, min(count, MOST_LOOKS)).astype(np.int64))


def box_edges() -> tuple[Array, Sharp]:
    """The corners (8, 3) of the box from -1 to 1, and its edges."""
    corners = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    ends, wings, beside, triangles = [], [], [], []
    for axis in range(3):
        along, (one, other) = 4 >> axis, (4 >> k for k in _others(axis))
        for corner in range(8):
            if not corner & along:
                ends.append((corner, corner | along))
                wings.append((corner ^ one, corner ^ other))
                # Triangles come axis by axis, two a face: the one to the side of a wing lies across the other axis
                beside.append([4 * k + 2 * bool(corner & (4 >> k)) for k in _others(axis)[::-1]])
        for corner in (0, 4 >> axis):
            a, b = (4 >> k for k in _others(axis))
            triangles += [(corner, corner | a, corner | a | b), (corner, corner | a | b, corner | b)]
    return corners, Sharp(
        np.array(ends, np.int32), np.array(wings, np.int32), np.array(beside), np.array(triangles, np.int32),
        np.arange(12).reshape(6, 2),
    )  # fmt: skip


def _others(axis: int) -> list[int]:
    """The two other axes, rising."""
    return [k for k in range(3) if k != axis]
