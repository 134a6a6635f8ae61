"""A ball: of its box's largest side."""

import numpy as np
from numpy.typing import NDArray

from ..scene import Collider, Settings
from .shaped import ShapedField, ball, rounded

KIND = "sphere"


def measure(points: NDArray[np.float64], half: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """See shaped.ShapedField."""
    return rounded(points, float(half.max()))


def build(collider: Collider, settings: Settings) -> ShapedField:
    """Return the ball's field."""
    vertices, triangles = ball()
    return ShapedField(collider, settings, measure, lambda half: vertices * half.max(), triangles)
