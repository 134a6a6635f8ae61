"""Where a surface passes through itself: edges through triangles with which they have no vertex in common."""

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel
from .chunks import in_chunks
from .edges import connected
from .self_crossing import pierces
from .tree import STACK, items_near
from .triangle import segment_crossing
from .triangle_tree import TriangleTree, triangle_tree


def crossing_vertices(surface: TriangleTree) -> NDArray[np.int64]:
    """Return the vertices, rising, of the triangles that another one passes through, and of those that pass."""
    return np.unique(surface.triangles[crossing_pairs(surface)])


def crossing_pairs(surface: TriangleTree) -> NDArray[np.int64]:
    """Return pairs (k, 2) of triangles of which an edge of the first passes through the second; some of them twice."""
    return np.concatenate(in_chunks(_crossings, len(surface.triangles), surface)).reshape(-1, 2)


def passes_through_itself(positions: NDArray[np.float64], triangles: NDArray[np.int32]) -> bool:
    """Whether an edge of a closed surface passes through a triangle of it, by what `self_crossing.pierces` calls so; however
    dense it is."""
    return bool(len(piercing_pairs(positions, triangles)))


def piercing_pairs(positions: NDArray[np.float64], triangles: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return those of the `crossing_pairs` that `self_crossing.pierces` calls so: faces of one plane only touch."""
    pairs = crossing_pairs(triangle_tree(positions, triangles))
    first, second = (positions[triangles[pairs[:, k]]] for k in range(2))
    through = np.zeros(len(pairs), dtype=bool)
    for side in range(3):
        through |= pierces(first[:, side], first[:, (side + 1) % 3], second)
    return pairs[through]


def pairs_of_shells(positions: NDArray[np.float64], triangles: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return pairs (k, 2) of triangles (t, 3) of one connected shell that pass through each other; some of them twice."""
    pairs = crossing_pairs(triangle_tree(positions, triangles))
    if not len(pairs):
        return pairs
    ends = np.stack([triangles, np.roll(triangles, -1, axis=1)]).reshape(2, -1)
    shell = connected(ends, len(positions))[triangles[pairs, 0]]
    return pairs[shell[:, 0] == shell[:, 1]]


@kernel
def _crossings(first, last, surface):  # type: ignore[no-untyped-def]
    """Both triangles (2k,) of each crossing of an edge of triangles first .. last - 1."""
    positions, triangles = surface.positions, surface.triangles
    stack, near = np.empty(STACK, dtype=np.int32), np.empty(256, dtype=np.int32)
    found, count = np.empty(64, dtype=np.int64), 0
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
                if _pierces(positions, triangles, i, j, near[n]):
                    if count + 2 > len(found):
                        found = np.concatenate((found, np.empty(count, dtype=np.int64)))
                    found[count], found[count + 1] = t, near[n]
                    count += 2
    return found[:count].copy()


@kernel
def _pierces(positions, triangles, i, j, t):  # type: ignore[no-untyped-def]
    """Whether the edge from node i to node j passes through triangle t, having no corner in common with it."""
    for m in range(3):
        if triangles[t, m] == i or triangles[t, m] == j:
            return False
    a, b, c = positions[triangles[t, 0]], positions[triangles[t, 1]], positions[triangles[t, 2]]
    p, q = positions[i], positions[j]
    return segment_crossing(p[0], p[1], p[2], q[0] - p[0], q[1] - p[1], q[2] - p[2], a, b, c) >= 0.0
