"""A band of triangles between two borders that run side by side.

Of all ways to go along both, a triangle at a time, the one of least area (Fuchs, Kedem and Uselton 1977).
"""

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel

Array = NDArray[np.float64]

EDGES_WEIGH = 0.05  # a squared edge, against an area: of equals those that are no slivers


def banded(
    positions: Array, first: list[int], second: list[int], taken: set[tuple[int, int]]
) -> list[tuple[int, int, int]] | None:
    """Return triangles between two closed borders, each in the turn of the triangles that it lacks, without edges (low, high)
    that are taken; None where there are none."""
    one, other = np.array(first), np.array(second[::-1])
    gaps = ((positions[one][:, None] - positions[other][None]) ** 2).sum(axis=2)
    shut = np.array([[(min(a, b), max(a, b)) in taken for b in other.tolist()] for a in one.tolist()])
    gaps[shut] = np.inf
    i, j = np.unravel_index(gaps.argmin(), gaps.shape)
    one, other = (np.append(np.roll(way, -start), way[start]) for way, start in ((one, i), (other, j)))
    shut = np.pad(np.roll(shut, (-i, -j), axis=(0, 1)), ((0, 1), (0, 1)), mode="wrap")
    steps = _steps(positions[one], positions[other], EDGES_WEIGH, shut)
    if not len(steps):
        return None
    result, a, b = [], 0, 0
    for along in steps:
        if along:
            result.append((int(one[a]), int(one[a + 1]), int(other[b])))
            a += 1
        else:
            result.append((int(one[a]), int(other[b + 1]), int(other[b])))
            b += 1
    return result


@kernel
def _steps(one, other, weigh, shut):  # type: ignore[no-untyped-def]
    """Whether each triangle has its side on the first border (n,) or on the second (m,); nothing where all ways are shut.

    shut (n, m): which edges from one to the other there may not be.
    """
    n, m = len(one), len(other)
    cost, along = np.full((n, m), np.inf), np.zeros((n, m), dtype=np.bool_)
    cost[0, 0] = 0.0
    for i in range(n):
        for j in range(m):
            if shut[i, j]:
                continue
            base = weigh * ((one[i] - other[j]) ** 2).sum()
            if i > 0:
                there = cost[i - 1, j] + _area(one[i - 1], one[i], other[j]) + base
                if there < cost[i, j]:
                    cost[i, j], along[i, j] = there, True
            if j > 0:
                there = cost[i, j - 1] + _area(other[j - 1], other[j], one[i]) + base
                if there < cost[i, j]:
                    cost[i, j], along[i, j] = there, False
    if cost[n - 1, m - 1] == np.inf:
        return np.zeros(0, dtype=np.bool_)
    steps = np.zeros(n + m - 2, dtype=np.bool_)
    i, j = n - 1, m - 1
    for k in range(n + m - 3, -1, -1):
        steps[k] = along[i, j]
        if along[i, j]:
            i -= 1
        else:
            j -= 1
    return steps


@kernel
def _area(a, b, c):  # type: ignore[no-untyped-def]
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    x, y, z = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    return 0.5 * np.sqrt(x * x + y * y + z * z)
