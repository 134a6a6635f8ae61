"""A cylinder with round ends: along its box's longest side, as thick as the larger of the other two."""

import numpy as np
from numpy.typing import NDArray

from ..scene import Collider, Settings
from .shaped import ShapedField, rounded

KIND = "capsule"


def measure(points: NDArray[np.float64], half: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """See shaped.ShapedField."""
    axis = int(np.argmax(half))
    radius = float(np.delete(half, axis).max())
    core = half[axis] - radius
    arms = points.copy()
    arms[:, axis] -= np.clip(points[:, axis], -core, core)
    return rounded(arms, radius)


def build(collider: Collider, settings: Settings) -> ShapedField:
    """Return the capsule's field."""
    return ShapedField(collider, settings, measure)
