"""What points see of a collider."""

import numpy as np
from numpy.typing import NDArray

from ..colliders import Field

Array = NDArray[np.float64]


def query(field: Field, points: Array, time: float, margin: float, beneath: bool = False) -> tuple[Array, Array, Array]:
    """Distance (k,), normal (k, 3), velocity (k, 3) of a collider at points (k, 3); of a ground also from beneath."""
    distance, (normal, velocity) = np.empty(len(points)), np.empty((2, len(points), 3))
    ask = field.beneath if beneath else field.query
    assert ask is not None  # only grounds are asked from beneath
    if len(points):
        ask(np.ascontiguousarray(points), time, margin, distance, normal, velocity)
    return distance, normal, velocity


def depths(field: Field, points: Array, time: float) -> Array:
    """How deep (k,) [m] points (k, 3) lie in a collider at a time [s]; 0 outside."""
    distance, _, _ = query(field, points, time, np.inf)
    return np.where(np.isfinite(distance), np.maximum(-distance, 0.0), 0.0)
