"""An infinite plane: local z = 0, solid below."""

import numpy as np
from numpy.typing import NDArray

from ..scene import Collider, Settings
from .motion import Motion, Pose
from .touch import Touch

KIND = "plane"


class PlaneField:
    """The exact signed distance from a plane."""

    sheet_offset, endless, sharp = None, True, None

    def __init__(self, collider: Collider, settings: Settings) -> None:
        self.numbers = Touch(collider, settings)
        self.motion = Motion(collider.transforms, settings, collider.samples)
        self.still = self.motion.static and self.numbers.steady
        self.sticky = self.numbers.sticky

    def touch(self, points: NDArray[np.float64], time: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """See colliders.Field."""
        return self.numbers.even(len(points), time)

    def carried(self, points: NDArray[np.float64], begun: float, time: float) -> NDArray[np.float64]:
        """See colliders.Field."""
        return self.motion.carried(points, begun, time)

    def corners(self, time: float) -> tuple[NDArray[np.float64], float]:
        """See colliders.Field."""
        return np.zeros((0, 3)), 0.0

    def query(
        self,
        points: NDArray[np.float64],
        time: float,
        margin: float,
        distance: NDArray[np.float64],
        normal: NDArray[np.float64],
        velocity: NDArray[np.float64],
    ) -> None:
        """See colliders.Field."""
        pose = self.motion.pose(time)
        up = _up(pose)
        arm = points - pose.translation
        height = np.einsum("ki,i->k", arm, up)  # not BLAS, whose threads could change the last digit
        distance[:] = height - self.numbers.value("thickness", time)
        far = distance > margin
        distance[far] = np.inf
        normal[:] = np.where(far[:, None], 0.0, up)
        if self.motion.static:
            velocity[:] = 0.0
            return
        foot = arm - height[:, None] * up
        # The plane has no features along itself, so a stretch within it moves nothing.
        velocity[:] = np.where(far[:, None], 0.0, pose.velocity + np.cross(pose.spin, foot))


def _up(pose: Pose) -> NDArray[np.float64]:
    """The gradient of local z in the world, a unit vector."""
    (a, b, c), (d, e, f), (g, h, i) = pose.stretch.T.tolist()  # where the local axes go
    x, y, z = b * f - c * e, c * d - a * f, a * e - b * d
    determinant = g * x + h * y + i * z
    up = pose.rotation @ np.array([x, y, z]) * np.sign(determinant) if determinant != 0.0 else pose.rotation[:, 2]
    unit: NDArray[np.float64] = up / np.sqrt(up @ up)
    return unit


def build(collider: Collider, settings: Settings) -> PlaneField:
    """Return the plane's field."""
    return PlaneField(collider, settings)
