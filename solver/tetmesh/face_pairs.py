"""Which faces of a tet mesh are shared, by sorting them into buckets of their smallest vertex."""

import numpy as np

from ..jit import inline, kernel

WIDTH = np.int64(32)  # bits of a vertex number


@kernel
def pair_faces(first, last, tets, neighbours):  # type: ignore[no-untyped-def]
    """Set of neighbours (m, 4), which come as -1, those across faces whose smallest vertex is one of first .. last - 1.

    Of tet t neighbours[t, i] is the tet across face i, opposite corner i. The first two of a bucket that have their other
    vertices in common are neighbours.
    """
    low, high = np.int64(first), np.int64(last)
    start = np.zeros(last - first + 1, dtype=np.int64)
    for t in range(np.uint64(len(tets))):
        for smallest in _smallest(tets[t, 0], tets[t, 1], tets[t, 2], tets[t, 3]):
            if low <= smallest < high:
                start[np.uint64(smallest - low + 1)] += 1
    for v in range(last - first):
        start[v + 1] += start[v]
    end, waiting = start.copy(), np.empty((start[last - first], 2), dtype=np.int64)
    for t in range(np.uint64(len(tets))):
        a, b, c, d = np.int64(tets[t, 0]), np.int64(tets[t, 1]), np.int64(tets[t, 2]), np.int64(tets[t, 3])
        least, most, whole = _smallest(a, b, c, d), _smallest(-a, -b, -c, -d), a + b + c + d
        _pair(4 * t, low, high, least[0], -most[0], whole - a, start, end, waiting, neighbours)
        _pair(4 * t + 1, low, high, least[1], -most[1], whole - b, start, end, waiting, neighbours)
        _pair(4 * t + 2, low, high, least[2], -most[2], whole - c, start, end, waiting, neighbours)
        _pair(4 * t + 3, low, high, least[3], -most[3], whole - d, start, end, waiting, neighbours)


@inline
def _smallest(a, b, c, d):  # type: ignore[no-untyped-def]
    """The smallest of a tet's vertices on each of its faces."""
    low, high = min(a, b), min(c, d)
    return min(b, high), min(a, high), min(low, d), min(low, c)


@inline
def _pair(face, low, high, smallest, largest, total, start, end, waiting, neighbours):  # type: ignore[no-untyped-def]
    """Find the face among those that wait in the bucket of its smallest vertex, if that is one from low to high - 1, or let it
    wait there."""
    if smallest < low or smallest >= high:
        return
    v, other = np.uint64(smallest - low), (largest << WIDTH) + total  # the sum tells the third vertex
    n, last = np.uint64(start[v]), np.uint64(end[v])
    while n < last and waiting[n, 1] != other:
        n += np.uint64(1)
    if n == last:
        waiting[n, 0], waiting[n, 1] = face, other
        end[v] += 1
        return
    s = np.uint64(waiting[n, 0])
    neighbours[np.uint64(face) >> 2, np.uint64(face) & 3], neighbours[s >> 2, s & 3] = s >> 2, np.uint64(face) >> 2
    waiting[n, 0], waiting[n, 1] = waiting[last - np.uint64(1), 0], waiting[last - np.uint64(1), 1]
    end[v] -= 1
