"""What exact shapes share: a place, a size, numbers; each shape's own file says only where its surface is. numpy only."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..scene import Collider, Settings
from .motion import Motion
from .sharp import Sharp
from .touch import Touch

Array = NDArray[np.float64]
INSTANT = 1e-6  # [s]
Measure = Callable[[Array, Array], tuple[Array, Array]]


class ShapedField:
    """The exact signed distance from a shape about the origin of its own frame, fitted to a box along its axes.

    measure(points (k, 3) in that frame, half sides (3,) of the box [m]) returns distance (k,) and outward normal (k, 3).
    """

    sheet_offset, middle, beneath, endless = None, None, None, False

    def __init__(
        self, collider: Collider, settings: Settings, measure: Measure, edges: tuple[Array, Sharp] | None = None
    ) -> None:
        """edges: the corners (v, 3) of the shape, in half sides of the box, and the sharp edges between them."""
        self.half = 0.5 * np.asarray(collider.size, dtype=np.float64)
        if not (self.half > 0.0).all():
            raise SceneError("It has no size along an axis.", body=collider.name, remedy="Give it a size, or choose Ground.")
        self.numbers, self.measure = Touch(collider, settings), measure
        self.motion = Motion(collider.transforms, settings, collider.samples)
        self.still = self.motion.static and self.numbers.steady
        self.sticky = self.numbers.sticky
        self.vertices = np.zeros((0, 3)) if edges is None else edges[0]
        self.sharp = None if edges is None else edges[1]

    def touch(self, points: Array, time: float) -> tuple[Array, Array]:
        """See colliders.Field."""
        return self.numbers.even(len(points), time)

    def carried(self, points: Array, begun: float, time: float) -> Array:
        """See colliders.Field."""
        return self.motion.carried(points, begun, time)

    def grown(self, begun: float, time: float) -> float:
        """See colliders.Field."""
        return self.numbers.grown(begun, time)

    def corners(self, time: float) -> tuple[Array, Array]:
        """See colliders.Field."""
        thickness = np.full(len(self.vertices), self.numbers.value("thickness", time))
        pose = self.motion.pose(time)
        local = self.vertices * self.half * np.abs(np.diagonal(pose.stretch))
        return np.einsum("ki,ji->kj", local, pose.rotation) + pose.translation, thickness

    def query(self, points: Array, time: float, margin: float, distance: Array, normal: Array, velocity: Array) -> None:
        """See colliders.Field."""
        pose = self.motion.pose(time)
        stretch = np.diagonal(pose.stretch)
        local = np.einsum("ki,ij->kj", points - pose.translation, pose.rotation)
        distance[:], facing = self.measure(local, self.half * np.abs(stretch))
        foot = local - distance[:, None] * facing
        distance -= self.numbers.value("thickness", time)
        far = distance > margin
        distance[far], facing[far] = np.inf, 0.0
        normal[:] = np.einsum("ki,ji->kj", facing, pose.rotation)
        rate = self.numbers.rate("thickness", time)
        velocity[:] = rate * normal
        if self.motion.static:
            return
        moving = pose.velocity + np.cross(pose.spin, np.einsum("ki,ji->kj", foot, pose.rotation))
        if pose.stretch_rate.any():
            moving += self._growth(local, stretch, np.diagonal(pose.stretch_rate))[:, None] * normal
        velocity += np.where(far[:, None], 0.0, moving)

    def _growth(self, local: Array, stretch: Array, rate: Array) -> Array:
        """How fast (k,) the surface comes outwards as it is stretched [m/s]; along itself it has no features to move."""
        soon = [self.measure(local, self.half * np.abs(stretch + change * rate))[0] for change in (-INSTANT, INSTANT)]
        growth: Array = (soon[0] - soon[1]) / (2.0 * INSTANT)
        return growth


def rounded(arms: Array, radius: float) -> tuple[Array, Array]:
    """Distance (k,) and normal (k, 3) from all that lies a radius [m] from what the arms (k, 3) [m] come from."""
    length = np.sqrt(np.einsum("ki,ki->k", arms, arms))
    normal = arms / np.where(length > 0.0, length, 1.0)[:, None]
    normal[length == 0.0] = [0.0, 0.0, 1.0]
    return length - radius, normal
