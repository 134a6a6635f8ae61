"""Triangles that lie back to back, with the same corners and opposite turns: they enclose nothing, and no edge needs them."""

import numpy as np
from numpy.typing import NDArray


def back_to_back(triangles: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Return which of triangles (t, 3) lie back to back with another one; of several alike as many as there are pairs."""
    corners = np.sort(triangles, axis=1)
    order = np.lexsort(corners.T)
    same = (corners[order[1:]] == corners[order[:-1]]).all(axis=1)
    result = np.zeros(len(triangles), dtype=bool)
    if not same.any():
        return result
    first = triangles.argmin(axis=1)
    second, third = (np.take_along_axis(triangles, ((first + k) % 3)[:, None], axis=1)[:, 0] for k in (1, 2))
    group = np.empty(len(triangles), dtype=np.int64)
    group[order] = np.cumsum(np.append(0, ~same))
    turned = second > third
    pairs = np.minimum(*(np.bincount(group[turned == way], minlength=int(group.max()) + 1) for way in (False, True)))
    for way in (False, True):
        own = order[turned[order] == way]  # group by group
        starts = np.searchsorted(group[own], group[own])
        result[own[np.arange(len(own)) - starts < pairs[group[own]]]] = True
    return result
