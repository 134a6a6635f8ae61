"""Where a surface passes through itself: edges through triangles with which they have no vertex in common."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel
from .chunks import in_chunks
from .tree import STACK, items_near
from .triangle import segment_crossing
from .triangle_tree import TriangleTree


class Crossings(NamedTuple):
    """Where edges of a surface pass through its triangles.

    pairs  : (k, 2) int64, the triangle whose edge passes, and the one that it passes through; an edge is of two triangles,
             and stands for that in which it runs from the lower of its vertices to the higher
    places : (k, 3) where it does [m]
    """

    pairs: NDArray[np.int64]
    places: NDArray[np.float64]


def crossing_vertices(surface: TriangleTree) -> NDArray[np.int64]:
    """Return the vertices, rising, of the triangles that another one passes through, and of those that pass."""
    return np.unique(surface.triangles[crossings(surface).pairs])


def crossings(surface: TriangleTree) -> Crossings:
    """Return where a surface passes through itself."""
    parts = in_chunks(_crossings, len(surface.triangles), surface)
    return Crossings(np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts]))


@kernel
def _crossings(first, last, surface):  # type: ignore[no-untyped-def]
    positions, triangles = surface.positions, surface.triangles
    stack, near = np.empty(STACK, dtype=np.int32), np.empty(256, dtype=np.int32)
    pairs, places, count = np.empty((32, 2), dtype=np.int64), np.empty((32, 3)), 0
    low, high = np.empty(3), np.empty(3)
    for t in range(first, last):
        for side in range(3):
            i, j = triangles[t, side], triangles[t, (side + 1) % 3]
            if i > j:  # its other triangle looks at it
                continue
            for a in range(3):
                low[a], high[a] = min(positions[i, a], positions[j, a]), max(positions[i, a], positions[j, a])
            there = items_near(surface.tree, low, high, stack, near)
            if there > len(near):
                near = np.empty(2 * there, dtype=np.int32)
                items_near(surface.tree, low, high, stack, near)
            for n in range(there):
                share = _pierces(positions, triangles, i, j, near[n])
                if share < 0.0:
                    continue
                if count == len(pairs):
                    pairs = np.concatenate((pairs, np.empty((count, 2), dtype=np.int64)))
                    places = np.concatenate((places, np.empty((count, 3))))
                pairs[count, 0], pairs[count, 1] = t, near[n]
                places[count] = positions[i] + share * (positions[j] - positions[i])
                count += 1
    return pairs[:count].copy(), places[:count].copy()


@kernel
def _pierces(positions, triangles, i, j, t):  # type: ignore[no-untyped-def]
    """The share of the edge from node i to node j at which it passes through triangle t; -1 where it does not.

    Nor does it where it has a corner in common with it.
    """
    for m in range(3):
        if triangles[t, m] == i or triangles[t, m] == j:
            return -1.0
    a, b, c = positions[triangles[t, 0]], positions[triangles[t, 1]], positions[triangles[t, 2]]
    p, q = positions[i], positions[j]
    return segment_crossing(p[0], p[1], p[2], q[0] - p[0], q[1] - p[1], q[2] - p[2], a, b, c)
