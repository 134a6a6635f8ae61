"""Triangles that lie back to back, with the same corners and opposite turns: they enclose nothing, and no edge needs them."""

import numpy as np
from numpy.typing import NDArray


def ahead(triangles: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Return whether each of triangles (t, 3) walks its corners in the turn of their rising numbers, or in the other one."""
    return np.asarray((triangles < np.roll(triangles, -1, axis=1)).sum(axis=1) == 2)


def back_to_back(triangles: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Return which of triangles (t, 3) lie back to back with another one; of several alike as many as there are pairs."""
    corners, result = np.sort(triangles, axis=1), np.zeros(len(triangles), dtype=bool)
    order = np.lexsort(corners.T)
    same = (corners[order[1:]] == corners[order[:-1]]).all(axis=1)
    if not same.any():
        return result
    group, way = np.cumsum(np.append(0, ~same)), ahead(triangles[order])
    pairs = np.minimum(np.bincount(group, way), np.bincount(group, ~way))
    for own in (np.flatnonzero(way), np.flatnonzero(~way)):
        before = np.arange(len(own)) - np.searchsorted(group[own], group[own])  # of the same corners and turn
        result[order[own[before < pairs[group[own]]]]] = True
    return result
