"""A box, solid inside."""

import numpy as np
from numpy.typing import NDArray

from ..scene import Collider, Settings
from .shaped import ShapedField, cube, rounded

KIND = "box"


def measure(points: NDArray[np.float64], half: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """See shaped.ShapedField. Outside the way from the closest point of the box, inside that to the closest face."""
    distance, normal = rounded(points - np.clip(points, -half, half), 0.0)
    inside = distance == 0.0
    beyond = np.abs(points[inside]) - half
    axis = np.argmax(beyond, axis=1)
    rows = np.arange(len(axis))
    distance[inside] = beyond[rows, axis]
    facing = np.zeros((len(axis), 3))
    facing[rows, axis] = np.where(points[inside][rows, axis] < 0.0, -1.0, 1.0)
    normal[inside] = facing
    return distance, normal


def build(collider: Collider, settings: Settings) -> ShapedField:
    """Return the box's field."""
    corners, triangles = cube(1)
    return ShapedField(collider, settings, measure, lambda half: corners * half, triangles)
