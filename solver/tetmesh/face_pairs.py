"""Which faces of a tet mesh are shared, by sorting them into buckets of their smallest vertex."""

import numpy as np

from ..jit import inline, kernel


@kernel
def pair_faces(part, parts, tets, vertices, neighbours):  # type: ignore[no-untyped-def]
    """Set of neighbours (m, 4), which come as -1, those across faces whose smallest vertex is `part` and a multiple of `parts`.

    Of tet t neighbours[t, i] is the tet across face i, opposite corner i.
    """
    own = (vertices - part + parts - 1) // parts
    start = np.zeros(own + 1, dtype=np.int64)
    for t in range(len(tets)):
        for i in range(4):
            v = _smallest(tets, t, i)
            if v % parts == part:
                start[v // parts + 1] += 1
    for v in range(own):
        start[v + 1] += start[v]
    fill = start.copy()
    faces = np.empty(start[own], dtype=np.int64)
    for t in range(len(tets)):
        for i in range(4):
            smallest = _smallest(tets, t, i)
            if smallest % parts != part:
                continue
            v = smallest // parts
            largest, total = _rest(tets, t, i)
            for n in range(start[v], fill[v]):
                s, j = faces[n] // 4, faces[n] % 4
                if neighbours[s, j] >= 0:
                    continue
                other_largest, other_total = _rest(tets, s, j)
                # With the smallest and the largest vertex, the sum gives the third.
                if other_largest == largest and other_total == total:
                    neighbours[t, i], neighbours[s, j] = s, t
                    break
            else:
                faces[fill[v]] = 4 * t + i
                fill[v] += 1


@inline
def _smallest(tets, t, i):  # type: ignore[no-untyped-def]
    return min(min(tets[t, (i + 1) % 4], tets[t, (i + 2) % 4]), tets[t, (i + 3) % 4])


@inline
def _rest(tets, t, i):  # type: ignore[no-untyped-def]
    a, b, c = tets[t, (i + 1) % 4], tets[t, (i + 2) % 4], tets[t, (i + 3) % 4]
    return max(max(a, b), c), a + b + c
