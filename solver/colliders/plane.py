"""An infinite plane: local z = 0, solid below."""

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel
from ..scene import Collider, Settings
from .motion import Motion, Pose
from .touch import Touch

KIND = "plane"


class PlaneField:
    """The exact signed distance from a plane."""

    sheet_offset, middle, beneath, endless, sharp = None, None, None, True, None

    def __init__(self, collider: Collider, settings: Settings) -> None:
        self.numbers = Touch(collider, settings)
        self.motion = Motion(collider.transforms, settings, collider.samples)
        self.still = self.motion.static and self.numbers.steady
        self.sticky = self.numbers.sticky
        self._placed: tuple[float, Pose, NDArray[np.float64]] | None = None  # when it was last asked for, and how it lay

    def touch(self, points: NDArray[np.float64], time: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """See colliders.Field."""
        return self.numbers.even(len(points), time)

    def carried(self, points: NDArray[np.float64], begun: float, time: float, within: float = np.inf) -> NDArray[np.float64]:
        """See colliders.Field."""
        return self.motion.carried(points, begun, time)

    def grown(self, begun: float, time: float) -> float:
        """See colliders.Field."""
        return self.numbers.grown(begun, time)

    def corners(self, time: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """See colliders.Field."""
        return np.zeros((0, 3)), np.zeros(0)

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
        if self._placed is None or (self._placed[0] != time and not self.motion.static):
            pose = self.motion.pose(time)
            self._placed = time, pose, _up(pose)
        _, pose, up = self._placed
        # The plane has no features along itself, so a stretch within it moves nothing.
        _query(
            points, pose.translation, up, self.numbers.value("thickness", time), margin, pose.velocity, pose.spin,
            self.numbers.rate("thickness", time), self.motion.static, distance, normal, velocity,
        )  # fmt: skip


@kernel
def _query(  # type: ignore[no-untyped-def]
    points, origin, up, thickness, margin, drift, spin, growth, static, distance, normal, velocity
):
    """Fill distance (k,), normal and velocity (k, 3) at points (k, 3) above a plane that drifts and spins about its origin.

    growth [m/s]: of its thickness
    """
    for k in range(len(points)):
        x, y, z = points[k, 0] - origin[0], points[k, 1] - origin[1], points[k, 2] - origin[2]
        height = x * up[0] + y * up[1] + z * up[2]
        near = not height - thickness > margin
        distance[k] = height - thickness if near else np.inf
        for c in range(3):
            normal[k, c] = up[c] if near else 0.0
            velocity[k, c] = growth * up[c] if near else 0.0
        if not near:
            continue
        if not static:
            x, y, z = x - height * up[0], y - height * up[1], z - height * up[2]
            velocity[k, 0] += drift[0] + spin[1] * z - spin[2] * y
            velocity[k, 1] += drift[1] + spin[2] * x - spin[0] * z
            velocity[k, 2] += drift[2] + spin[0] * y - spin[1] * x


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
