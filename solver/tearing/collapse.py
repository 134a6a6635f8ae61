"""What of the thin parts of a solid hangs on its thick ones by more than one side: films and threads.

A mesh of tets is collapsed: a face of one tet only goes with the tet, an edge of one triangle with the triangle, an end of one
edge with the edge (elementary collapses, which keep how a complex hangs together: Cohen 1973, "A Course in Simple-Homotopy
Theory"). Thick tets are held. Corners, fins and stumps go to the last bit; of a film across an opening triangles are left, of
a thread between two places of what is held edges.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel
from ..tetmesh.boundary import FACES, face_table

IntArray = NDArray[np.int32]
Array = NDArray[np.float64]

SIDES = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])


class Left(NamedTuple):
    """Triangles (f, 3) of films and edges (g, 2) of threads, by nodes."""

    triangles: IntArray
    edges: IntArray


def collapsed(tets: IntArray, held: NDArray[np.bool_], depth: Array) -> Left:
    """What is left of tets (m, 4) that are not held (m,), the shallowest first; depth (m,) [m]."""
    table = face_table(tets)
    faces = np.take(tets, np.arange(len(tets)), axis=0)[:, FACES]  # (m, 4, 3)
    other = table.neighbours
    first = (other < 0) | (np.arange(len(tets))[:, None] < other)
    number = np.full(other.shape, -1)
    number[first] = np.arange(int(first.sum()))
    t, i = np.nonzero(~first)
    back = (other[other[t, i]] == t[:, None]).argmax(axis=1)
    number[t, i] = number[other[t, i], back]
    triangles = np.sort(faces[first], axis=1)
    kept, gone = _without_tets(other, number, held, depth, len(triangles))
    stays = np.zeros(len(triangles), dtype=bool)  # faces of what is held, or of tets that no way leads to
    stays[number[kept]] = True
    loose = np.flatnonzero(~stays & ~gone)
    edges, sides = _edges_of(triangles)
    solid = np.zeros(len(edges), dtype=bool)
    solid[sides[stays]] = True
    left, gone_edges = _without_free(sides[loose], solid)
    ends = edges[~gone_edges]
    firm = np.zeros(int(tets.max()) + 1, dtype=bool)
    firm[tets[kept]] = True
    of_film = np.zeros(len(edges), dtype=bool)
    of_film[sides[loose[left]]] = True
    bare = ~(solid | of_film)[~gone_edges]
    firm[edges[of_film]] = True
    threads, _ = _without_free(ends[bare], firm)
    return Left(triangles[loose[left]].astype(np.int32), ends[bare][threads].astype(np.int32))


def _edges_of(triangles: IntArray) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The edges (e, 2) of triangles (f, 3) with rising corners, and each one's three (f, 3)."""
    ends = triangles[:, [[0, 1], [0, 2], [1, 2]]].reshape(-1, 2).astype(np.int64)
    base = int(triangles.max()) + 1
    keys, found = np.unique(ends[:, 0] * base + ends[:, 1], return_inverse=True)
    return np.stack([keys // base, keys % base], axis=1), found.reshape(-1, 3)


@kernel
def _without_tets(other, number, held, depth, faces):  # type: ignore[no-untyped-def]
    """Which tets (m,) stay when all that have a free face go with it, the shallowest first, and which faces are gone with one.

    other (m, 4): the tet across each face, -1 for none; number (m, 4): the faces' numbers.
    """
    count = len(held)
    kept, gone = np.ones(count, np.bool_), np.zeros(faces, np.bool_)
    heap, size = np.empty(4 * count + 1, np.int64), 0
    for t in range(count):
        if not held[t] and (other[t] < 0).any():
            size = _push(heap, size, depth, t)
    while size > 0:
        t, size = _pop(heap, size, depth)
        if not kept[t]:
            continue
        for i in range(4):
            n = other[t, i]
            if n < 0 or not kept[n]:
                kept[t] = False
                gone[number[t, i]] = True
                break
        if kept[t]:
            continue
        for i in range(4):
            n = other[t, i]
            if n >= 0 and kept[n] and not held[n]:
                size = _push(heap, size, depth, n)
    return kept, gone


@kernel
def _push(heap, size, depth, t):  # type: ignore[no-untyped-def]
    """Put a tet into a heap, the shallowest first, of two alike the lower number; return its size."""
    at = size
    while at > 0:
        above = (at - 1) // 2
        if not _before(depth, t, heap[above]):
            break
        heap[at] = heap[above]
        at = above
    heap[at] = t
    return size + 1


@kernel
def _pop(heap, size, depth):  # type: ignore[no-untyped-def]
    """Take the shallowest out; return it and the heap's size."""
    top, last = heap[0], heap[size - 1]
    size -= 1
    at = 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and _before(depth, heap[below + 1], heap[below]):
            below += 1
        if not _before(depth, heap[below], last):
            break
        heap[at] = heap[below]
        at = below
    heap[at] = last
    return top, size


@kernel
def _before(depth, a, b):  # type: ignore[no-untyped-def]
    return depth[a] < depth[b] or (depth[a] == depth[b] and a < b)


@kernel
def _without_free(sides, firm):  # type: ignore[no-untyped-def]
    """Which cells (f,) are left when those with a free side go with it, and which sides (e,) are gone.

    sides (f, k) of each; a side is free where one cell is left at it, unless it is firm (e,).
    """
    count, width = sides.shape
    degree, total, gone = np.zeros(len(firm), np.int64), np.zeros(len(firm), np.int64), np.zeros(len(firm), np.bool_)
    for f in range(count):
        for k in range(width):
            degree[sides[f, k]] += 1
            total[sides[f, k]] += f  # of the cells at a side: with one left, its number
    left, waiting, size = np.ones(count, np.bool_), np.empty(width * count + len(firm), np.int64), 0
    for e in range(len(firm)):
        if degree[e] == 1 and not firm[e]:
            waiting[size] = e
            size += 1
    while size > 0:
        size -= 1
        e = waiting[size]
        if degree[e] != 1:
            continue
        f = total[e]
        left[f], gone[e] = False, True
        for k in range(width):
            side = sides[f, k]
            degree[side] -= 1
            total[side] -= f
            if degree[side] == 1 and not firm[side]:
                waiting[size] = side
                size += 1
    return left, gone
