"""A cylinder with round ends: along its box's longest side, as thick as the larger of the other two."""

import numpy as np
from numpy.typing import NDArray

from ..scene import Collider, Settings
from .shaped import ShapedField, ball, rounded

KIND = "capsule"


def measure(points: NDArray[np.float64], half: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """See shaped.ShapedField."""
    axis, radius, core = _inside(half)
    arms = points.copy()
    arms[:, axis] -= np.clip(points[:, axis], -core, core)
    return rounded(arms, radius)


def _inside(half: NDArray[np.float64]) -> tuple[int, float, float]:
    """The axis, the radius [m], and half the length [m] of what lies a radius inside."""
    axis = int(np.argmax(half))
    radius = float(np.delete(half, axis).max())
    return axis, radius, half[axis] - radius


def build(collider: Collider, settings: Settings) -> ShapedField:
    """Return the capsule's field."""
    vertices, triangles = ball()

    def surface(half: NDArray[np.float64]) -> NDArray[np.float64]:
        axis, radius, core = _inside(half)
        places = radius * vertices
        places[:, axis] += core * np.sign(vertices[:, axis])
        return places

    return ShapedField(collider, settings, measure, surface, triangles)
