"""Barycentric weights of many points, each in a triangle of its own."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def clamped_weights(corners: Array, points: Array) -> Array:
    """Barycentric weights (t, 3, 3), none negative, of points (t, 3, 3) in triangles with corners (t, 3, 3).

    Of a point that lies outside, those of the nearest place on a side.
    """
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    arms = corners[:, None] - points[:, :, None]
    parts = np.stack(
        [np.einsum("tki,ti->tk", np.cross(arms[:, :, (i + 1) % 3], arms[:, :, (i + 2) % 3]), normal) for i in range(3)], axis=2
    )
    total = parts.sum(axis=2, keepdims=True)
    weights = np.where(total > 0.0, parts / np.where(total > 0.0, total, 1.0), 1.0 / 3.0)
    rows, outside = np.nonzero((weights < 0.0).any(axis=2))
    if len(rows):
        weights[rows, outside] = _weights_on_sides(corners[rows], points[rows, outside])
    return weights


def _weights_on_sides(corners: Array, points: Array) -> Array:
    """Barycentric weights (k, 3) of the places on the sides of triangles with corners (k, 3, 3) nearest to points (k, 3)."""
    sides = np.roll(corners, -1, axis=1) - corners
    squared = (sides**2).sum(axis=2)
    along = ((points[:, None] - corners) * sides).sum(axis=2) / np.where(squared > 0.0, squared, 1.0)
    along = np.clip(along, 0.0, 1.0)
    distance = ((corners + along[:, :, None] * sides - points[:, None]) ** 2).sum(axis=2)
    nearest, row = distance.argmin(axis=1), np.arange(len(points))
    weights = np.zeros((len(points), 3))
    weights[row, (nearest + 1) % 3] = along[row, nearest]
    weights[row, nearest] = 1.0 - along[row, nearest]
    return weights
