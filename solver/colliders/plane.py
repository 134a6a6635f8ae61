"""An infinite plane: local z = 0, solid below."""

import numpy as np
from numpy.typing import NDArray

from ..scene import Collider, Settings
from .motion import Motion, Pose

KIND = "plane"


class PlaneField:
    """The exact signed distance from a plane."""

    sheet_offset = None

    def __init__(self, collider: Collider, settings: Settings) -> None:
        self.friction = collider.friction
        self.thickness = collider.thickness
        self.motion = Motion(collider.transforms, settings)

    def carried(self, points: NDArray[np.float64], begun: float, time: float) -> NDArray[np.float64]:
        """See colliders.Field."""
        return self.motion.carried(points, begun, time)

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
        far = height - self.thickness > margin
        distance[:] = np.where(far, np.inf, height - self.thickness)
        normal[:] = np.where(far[:, None], 0.0, up)
        if self.motion.static:
            velocity[:] = 0.0
            return
        foot = arm - height[:, None] * up
        # The plane has no features along itself, so a stretch within it moves nothing.
        velocity[:] = np.where(far[:, None], 0.0, pose.velocity + np.cross(pose.spin, foot))


def _up(pose: Pose) -> NDArray[np.float64]:
    """The gradient of local z in the world, a unit vector."""
    try:
        up = pose.rotation @ np.linalg.inv(pose.stretch)[2]
    except np.linalg.LinAlgError:
        up = pose.rotation[:, 2]
    unit: NDArray[np.float64] = up / np.sqrt(up @ up)
    return unit


def build(collider: Collider, settings: Settings) -> PlaneField:
    """Return the plane's field."""
    return PlaneField(collider, settings)
