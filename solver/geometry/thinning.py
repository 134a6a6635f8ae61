"""Points of a crowd that keep their distance from each other."""

import numpy as np
from numpy.typing import NDArray

from ..jit import inline, kernel
from .measures import bounding_box


def thinned(points: NDArray[np.float64], order: NDArray[np.int64], apart: float) -> NDArray[np.int64]:
    """Return the indices, rising, of those of points (k, 3) that lie at least `apart` from all chosen before them.

    order : (c,) indices of the points that may be chosen, the first ones first. Each of them is within `apart` of one chosen
    """
    if not len(order):
        return order
    chosen = np.ascontiguousarray(points[order])
    kept = np.zeros(len(order), dtype=np.bool_)
    _keep(chosen, bounding_box(chosen)[0], apart, 1 << (2 * len(order)).bit_length(), kept)
    return np.sort(order[kept])


@kernel
def _keep(points, lower, apart, buckets, kept):  # type: ignore[no-untyped-def]
    """Set kept (c,) of points (c, 3). Those chosen are chained by the bucket of their cell, whose side is `apart`.

    Cells that share a bucket cost time, but change nothing.
    """
    newest, before = np.full(buckets, -1), np.full(len(points), -1)
    least = apart * apart * (1.0 - 1e-6)  # points of a grid are in if their distance is `apart`
    for i in range(len(points)):
        x, y = np.int64(np.floor((points[i, 0] - lower[0]) / apart)), np.int64(np.floor((points[i, 1] - lower[1]) / apart))
        z = np.int64(np.floor((points[i, 2] - lower[2]) / apart))
        free = True
        for n in range(27):
            j = newest[_bucket(x + n // 9 - 1, y + n // 3 % 3 - 1, z + n % 3 - 1, buckets)]
            while j >= 0 and free:
                square = 0.0
                for a in range(3):
                    square += (points[i, a] - points[j, a]) ** 2
                free = square >= least
                j = before[j]
            if not free:
                break
        if free:
            kept[i] = True
            own = _bucket(x, y, z, buckets)
            before[i], newest[own] = newest[own], i


@inline
def _bucket(x, y, z, buckets):  # type: ignore[no-untyped-def]
    """Of a power of two of buckets that of a cell (Teschner 2003)."""
    return (x * 73856093 ^ y * 19349663 ^ z * 83492791) & (buckets - 1)
