"""What exact shapes share: a place, a size, numbers; each shape's own file says only where its surface is. numpy only."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..errors import SceneError
from ..scene import Collider, Settings
from .motion import Motion
from .sharp import looks, standing_out
from .touch import Touch

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]
INSTANT = 1e-6  # [s]
Measure = Callable[[Array, Array], tuple[Array, Array]]


class ShapedField:
    """The exact signed distance from a shape about the origin of its own frame, fitted to a box along its axes.

    measure(points (k, 3) in that frame, half sides (3,) of the box [m]) returns distance (k,) and outward normal (k, 3).
    """

    sheet_offset, middle, beneath, endless = None, None, None, False

    def __init__(
        self, collider: Collider, settings: Settings, measure: Measure, surface: Callable[[Array], Array], triangles: IntArray
    ) -> None:  # fmt: skip
        """surface(half sides (3,) of the box [m]) returns places (v, 3) [m] on the shape, the corners of triangles (t, 3)."""
        self.half = 0.5 * np.asarray(collider.size, dtype=np.float64)
        if not (self.half > 0.0).all():
            raise SceneError("It has no size along an axis.", body=collider.name, remedy="Give it a size, or choose Ground.")
        self.numbers, self.measure = Touch(collider, settings), measure
        self.motion = Motion(collider.transforms, settings, collider.samples)
        self.still = self.motion.static and self.numbers.steady
        self.sticky = self.numbers.sticky
        self.surface = surface
        stretches = self.motion.stretches[looks(len(self.motion.stretches))]
        self.sharp = standing_out([self._vertices(stretch) for stretch in stretches], triangles, sheet=False)

    def _vertices(self, stretch: Array) -> Array:
        """Those (v, 3) [m] about the origin, with a stretch (3, 3) along the axes."""
        return self.surface(self.half * np.abs(np.diagonal(stretch)))

    def touch(self, points: Array, time: float) -> tuple[Array, Array]:
        """See colliders.Field."""
        return self.numbers.even(len(points), time)

    def carried(self, points: Array, begun: float, time: float, within: float = np.inf) -> Array:
        """See colliders.Field."""
        return self.motion.carried(points, begun, time)

    def grown(self, begun: float, time: float) -> float:
        """See colliders.Field."""
        return self.numbers.grown(begun, time)

    def corners(self, time: float) -> tuple[Array, Array]:
        """See colliders.Field."""
        pose = self.motion.pose(time)
        local = self._vertices(pose.stretch)
        thickness = np.full(len(local), self.numbers.value("thickness", time))
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


def cube(parts: int) -> tuple[Array, IntArray]:
    """Vertices (v, 3) of the cube from -1 to 1, whose sides are cut into so many parts a way, and triangles turned outwards."""
    u, v = (axis.ravel() for axis in np.meshgrid(np.arange(parts + 1), np.arange(parts + 1), indexing="ij"))
    first = np.flatnonzero((u < parts) & (v < parts))
    one, other = first + parts + 1, first + 1  # the next along u, along v
    side = np.concatenate([np.stack([first, one, one + 1], axis=1), np.stack([first, one + 1, other], axis=1)])
    places: list[NDArray[np.int64]] = []
    triangles: list[NDArray[np.int64]] = []
    for axis in range(3):
        for end in (0, parts):
            grid = np.stack([np.full_like(u, end), u, v], axis=1)
            triangles.append((side if end else side[:, ::-1]) + len(places) * len(u))
            places.append(np.roll(grid, axis, axis=1))
    corners, number = np.unique(np.concatenate(places), axis=0, return_inverse=True)
    return 2.0 * corners / parts - 1.0, number.ravel()[np.concatenate(triangles)].astype(np.int32)


def ball() -> tuple[Array, IntArray]:
    """Vertices (v, 3) on the unit sphere, none in a plane of two axes, and triangles (t, 3), which turn by 18 degrees or so."""
    corners, triangles = cube(5)
    corners = np.tan(0.25 * np.pi * corners)
    return corners / np.sqrt((corners**2).sum(axis=1))[:, None], triangles
