"""Points spread over a triangle surface. numpy only."""

import numpy as np
from numpy.typing import NDArray

from ..scene import Surface
from .edges import welded


def surface_points(surface: Surface, spacing: float) -> NDArray[np.float64]:
    """Return the used vertices, then points inside edges and triangles longer than `spacing` (k, 3)."""
    return interpolated_points(surface, surface.positions, spacing)


def interpolated_points(surface: Surface, values: NDArray[np.float64], spacing: float) -> NDArray[np.float64]:
    """Return values (k, c) at the points of `surface_points` from those of the vertices (n, c), linear over triangles."""
    corners = surface.positions[surface.triangles]
    longest = np.sqrt(((corners - np.roll(corners, 1, axis=1)) ** 2).sum(axis=2)).max(axis=1)
    parts = np.maximum(np.ceil(longest / spacing - 1e-4), 1.0).astype(int)  # whole numbers of parts are common
    points, corners = [values[np.unique(surface.triangles)]], values[surface.triangles]
    for count in np.unique(parts[parts > 1]):
        weights = _grid(int(count))
        points.append((weights @ corners[parts == count]).reshape(-1, values.shape[1]))
    return np.concatenate(points)


def bulges(surface: Surface) -> NDArray[np.float64]:
    """Return how far each used vertex stands off the mean of its neighbours: large at corners, small on smooth parts."""
    weld = welded(surface.positions, surface.triangles)
    sides = np.stack([weld, np.roll(weld, -1, axis=1)], axis=2).reshape(-1, 2)
    ends = np.concatenate([sides, sides[:, ::-1]])
    counts = np.maximum(np.bincount(ends[:, 0], minlength=len(surface.positions)), 1)
    sums = [np.bincount(ends[:, 0], weights=surface.positions[ends[:, 1], a], minlength=len(counts)) for a in range(3)]
    stand_off = surface.positions - np.stack(sums, axis=1) / counts[:, None]
    named = np.arange(len(surface.positions))
    named[surface.triangles] = weld
    bulge: NDArray[np.float64] = np.sqrt((stand_off[named[np.unique(surface.triangles)]] ** 2).sum(axis=1))
    return bulge


def _grid(parts: int) -> NDArray[np.float64]:
    """Barycentric weights of the points of a triangle cut into `parts` along each side, corners left out."""
    i, j = (index.ravel() for index in np.meshgrid(np.arange(parts + 1), np.arange(parts + 1), indexing="ij"))
    weights = np.stack([i, j, parts - i - j], axis=1)
    return weights[(weights.min(axis=1) >= 0) & (weights.max(axis=1) < parts)] / parts
