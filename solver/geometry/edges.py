"""Edges of a triangle surface: welding, open and non-manifold edges. Without numba, so that it runs in Blender at once."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .measures import bounding_box

FEW = 1000  # points of which parts are found sooner by passing the smallest on than by building a graph
WELD = 1e-7  # of the largest side: closer corners are one, as in a soup of split triangles


class Edges(NamedTuple):
    """Every edge of every triangle, sorted so that equal edges follow each other.

    order    : (3t,) int64, side 3 * triangle + k, from corner k to the next
    triangle : (3t,) int32; forward: (3t,) bool, walked from the smaller to the larger vertex
    first    : (e + 1,) int, start of each group of equal edges
    vertices : (e, 2) int32, of each group
    """

    order: NDArray[np.int64]
    triangle: NDArray[np.int32]
    forward: NDArray[np.bool_]
    first: NDArray[np.int64]
    vertices: NDArray[np.int32]

    @property
    def counts(self) -> NDArray[np.int64]:
        """(e,) how many triangles share each edge: 1 is open, over 2 non-manifold."""
        return np.diff(self.first)

    @property
    def open_edges(self) -> int:
        return int((self.counts == 1).sum())

    @property
    def non_manifold_edges(self) -> int:
        return int((self.counts > 2).sum())


def used_vertices(triangles: NDArray[np.int32], count: int) -> NDArray[np.int64]:
    """Those of so many vertices that are corners of triangles, rising: without sorting, as np.unique does."""
    used = np.zeros(count, dtype=bool)
    used[triangles] = True
    return np.flatnonzero(used)


def welded(positions: NDArray[np.float64], triangles: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the triangles (t, 3) with coincident vertices named by the first of them."""
    lower, upper = bounding_box(positions)
    scale = max(float((upper - lower).max()) * WELD, np.finfo(float).tiny)
    along = np.round((positions[:, 0] - lower[0]) / scale).astype(np.int64)
    order, alike = np.argsort(along), np.zeros(len(along) + 1, dtype=bool)
    alike[1:-1] = along[order[1:]] == along[order[:-1]]
    some = np.sort(order[alike[1:] | alike[:-1]])  # the others are one by one along the first axis already
    name = np.arange(len(order), dtype=np.int32)
    if not len(some):
        return name[triangles]
    cells = np.round((positions[some] - lower) / scale).astype(np.int64)
    order = np.lexsort((cells[:, 2], cells[:, 1], cells[:, 0]))
    fresh = np.arange(len(order)) == 0
    for axis in cells.T:
        fresh[1:] |= axis[order[1:]] != axis[order[:-1]]
    first = np.minimum.reduceat(order, np.flatnonzero(fresh))
    name[some[order]] = some[first[np.cumsum(fresh) - 1]]
    return name[triangles]


def edges_of(triangles: NDArray[np.int32]) -> Edges:
    """Return the edges of (t, 3) triangles."""
    ends = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2)
    low, high = ends.min(axis=1), ends.max(axis=1)
    order = np.lexsort((high, low))
    low, high = low[order], high[order]
    fresh = np.ones(len(order), dtype=bool)
    fresh[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    starts = np.flatnonzero(fresh)
    return Edges(
        order,
        (order // 3).astype(np.int32),
        (ends[order, 0] == low),
        np.append(starts, len(order)),
        np.stack([low[starts], high[starts]], axis=1).astype(np.int32),
    )


def unpaired_edges(triangles: NDArray[np.int32]) -> int:
    """Return how many edges of (t, 3) triangles do not have exactly two of them, one walked to and one fro."""
    edges = edges_of(triangles)
    forward = np.add.reduceat(edges.forward.astype(np.int64), edges.first[:-1])
    return int(((edges.counts != 2) | (forward != 1)).sum())


def hole_area(positions: NDArray[np.float64], triangles: NDArray[np.int32], edges: Edges) -> float:
    """Return the area that it takes to close a surface [m^2]: of each connected border the area vector's length.

    `triangles` are welded and consistently turned, `edges` theirs. Summed border by border, since the two ends of a tube
    cancel in the surface's total area vector.
    """
    sides = edges.order[edges.first[:-1][edges.counts == 1]]
    if not len(sides):
        return 0.0
    start = triangles[sides // 3, sides % 3]
    stop = triangles[sides // 3, (sides + 1) % 3]
    names, numbered = np.unique(np.concatenate([start, stop]), return_inverse=True)
    border = connected(numbered.reshape(2, -1), len(names))[numbered[: len(start)]]
    middle = positions[names].mean(axis=0)
    vectors = 0.5 * np.cross(positions[start] - middle, positions[stop] - middle)
    sums = np.stack([np.bincount(border, weights=vectors[:, a]) for a in range(3)], axis=1)
    return float(np.sqrt((sums * sums).sum(axis=1)).sum())


def components(ends: NDArray[np.integer], count: int) -> tuple[int, NDArray[np.int64]]:
    """Return how many parts `count` points hang together in by edges (2, e), and the part (count,) of each, in the order of
    their first points.

    Not by scipy's way from edges to a matrix, which takes longer than all else here.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    order = np.argsort(ends[0], kind="stable")
    start = np.zeros(count + 1, np.int32)
    np.cumsum(np.bincount(ends[0], minlength=count), out=start[1:])
    graph = csr_matrix((np.ones(len(order)), ends[1, order].astype(np.int32), start), shape=(count, count))
    parts, part = connected_components(graph, directed=False)
    return int(parts), np.asarray(part, dtype=np.int64)


def connected(ends: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return for each of `count` points the smallest point it is connected to by edges (2, e)."""
    if count > FEW:
        parts, part = components(ends, count)
        first = np.empty(parts, dtype=np.int64)
        first[part[::-1]] = np.arange(count)[::-1]
        return first[part]
    label = np.arange(count)
    while True:
        least = label.copy()
        np.minimum.at(least, ends[0], label[ends[1]])
        np.minimum.at(least, ends[1], label[ends[0]])
        least = least[least]  # two steps at once, so that long borders take few rounds
        if np.array_equal(least, label):
            return label
        label = least
