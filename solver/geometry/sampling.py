"""Points spread over a triangle surface. numpy only."""

import numpy as np
from numpy.typing import NDArray

from ..scene import Surface
from .edges import used_vertices, welded


def surface_points(surface: Surface, spacing: float) -> NDArray[np.float64]:
    """Return the used vertices, then points inside edges and triangles longer than `spacing` (k, 3)."""
    return interpolated_points(surface, surface.positions, spacing)


def interpolated_points(surface: Surface, values: NDArray[np.float64], spacing: float) -> NDArray[np.float64]:
    """Return values (k, c) at the points of `surface_points` from those of the vertices (n, c), linear over triangles."""
    a, b, c = (surface.positions[corner] for corner in surface.triangles.T)
    longest = np.maximum(np.maximum(_lengths(a - c), _lengths(b - a)), _lengths(c - b))
    parts = np.maximum(np.ceil(longest / spacing - 1e-4), 1.0).astype(int)  # whole numbers of parts are common
    points = [values[used_vertices(surface.triangles, len(values))]]
    for count in np.unique(parts[parts > 1]):
        weights, corners = _grid(int(count)), values[surface.triangles[parts == count]]
        points.append((weights @ corners).reshape(-1, values.shape[1]))
    return np.concatenate(points)


def _lengths(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Those of vectors (k, 3)."""
    x, y, z = vectors.T
    lengths: NDArray[np.float64] = np.sqrt(x * x + y * y + z * z)
    return lengths


def bulges(surface: Surface) -> NDArray[np.float64]:
    """Return how far each used vertex stands off the mean of its neighbours: large at corners, small on smooth parts."""
    weld = welded(surface.positions, surface.triangles)
    corners = weld.ravel().astype(np.int64)
    counts = np.maximum(np.bincount(corners, minlength=len(surface.positions)), 1)
    others = (axis[weld[:, [1, 2, 0]]] + axis[weld[:, [2, 0, 1]]] for axis in np.ascontiguousarray(surface.positions.T))
    sums = [np.bincount(corners, weights=two.ravel(), minlength=len(counts)) for two in others]
    stand_off = surface.positions - np.stack(sums, axis=1) / (2.0 * counts[:, None])
    named = np.arange(len(surface.positions))
    named[surface.triangles] = weld
    bulge: NDArray[np.float64] = np.sqrt((stand_off[named[used_vertices(surface.triangles, len(named))]] ** 2).sum(axis=1))
    return bulge


def _grid(parts: int) -> NDArray[np.float64]:
    """Barycentric weights of the points of a triangle cut into `parts` along each side, corners left out."""
    i, j = (index.ravel() for index in np.meshgrid(np.arange(parts + 1), np.arange(parts + 1), indexing="ij"))
    weights = np.stack([i, j, parts - i - j], axis=1)
    return weights[(weights.min(axis=1) >= 0) & (weights.max(axis=1) < parts)] / parts
