"""Points of a crowd that keep their distance from each other."""

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel


def thinned(points: NDArray[np.float64], order: NDArray[np.int64], apart: float) -> NDArray[np.int64]:
    """Return the indices, rising, of those of points (k, 3) that lie at least `apart` from all chosen before them.

    order : (c,) indices of the points that may be chosen, the first ones first. Each of them is within `apart` of one chosen
    """
    if not len(order):
        return order
    cells = np.floor((points[order] - points[order].min(axis=0)) / apart).astype(np.int64) + 1
    _, height, depth = cells.max(axis=0) + 2
    keys, cell = np.unique((cells[:, 0] * height + cells[:, 1]) * depth + cells[:, 2], return_inverse=True)
    steps = np.array([(i * height + j) * depth + k for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1)])
    around = np.searchsorted(keys, keys[:, None] + steps)
    around[keys[np.minimum(around, len(keys) - 1)] != keys[:, None] + steps] = len(keys)  # of the empty ones
    kept = np.zeros(len(order), dtype=np.bool_)
    _keep(np.ascontiguousarray(points[order]), cell.reshape(-1), around, apart, kept)
    return np.sort(order[kept])


@kernel
def _keep(points, cell, around, apart, kept):  # type: ignore[no-untyped-def]
    """Set kept (c,) of points (c, 3) in their cells (c,), whose neighbours and themselves are around[cell]."""
    newest, before = np.full(len(around) + 1, -1), np.full(len(points), -1)  # each cell's chosen points, chained
    for i in range(len(points)):
        free = True
        for n in range(around.shape[1]):
            j = newest[around[cell[i], n]]
            while j >= 0 and free:
                square = 0.0
                for a in range(3):
                    square += (points[i, a] - points[j, a]) ** 2
                free = square >= apart * apart * (1.0 - 1e-6)  # points of a grid are in if their distance is `apart`
                j = before[j]
        if free:
            kept[i] = True
            before[i], newest[cell[i]] = newest[cell[i]], i
