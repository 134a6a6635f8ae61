"""Bodies that start so deep in a collider that its sides would tear them apart are led out as a whole. numpy only.

What starts inside is let out point by point, each by the nearest way (contacts.py). In a thick collider, when a body reaches
beyond its middle, these ways lead to opposite sides. Such a body leaves by a straight way instead, the shortest that takes all
of it out: whatever would be inside on that way sees, in place of the collider, a plane across it behind the deepest point. The
plane goes out with the collider and carries the body as a lift would: it begins and ends without a jerk, and never stops so
soon that what lies on it would fly on. What a thin stick or plate is stuck through stays on it: to take it off would move it
much further than to open it.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Seen = tuple[Array, Array, Array]  # distance (k,), normal (k, 3), velocity (k, 3)
Look = Callable[[Array], Seen]  # at places (k, 3)

SHORTEST = 0.8  # [s] that a way takes, and as long as it takes to gain and lose speed
GENTLE = 8.0  # [m/s^2] no faster
QUINTIC = 10.0 / np.sqrt(3.0)  # the greatest acceleration of `_gone`, over way / time^2
OPPOSITE = -0.5  # cosine of two ways out that lead to different sides
OPENING = 1.5  # times what tearing would open, and
EXTENT = 0.25  # of the body's largest side: as long a way out is taken
UPHILL = 0.5  # by how much a level way counts as longer than one up, and one down twice that
ASKED = 256  # points of a body that say which way is the shortest
LOOKS = 32  # along a way, each as far as the deepest point lies in
CLEAR = 0.1  # element sizes beyond the collider that the plane goes to
ON = 1e-3  # element sizes that are no depth
WAYS = np.array([way for way in product((-1.0, 0.0, 1.0), repeat=3) if any(way)])
NO_PLANES = np.zeros((0, 9))


class Moving(Protocol):
    """A collider that takes along what is fixed to it (colliders.Field)."""

    def carried(self, points: Array, begun: float, time: float) -> Array: ...


class Leading:
    """The planes that lead contact points out of colliders.

    led (colliders, points) : the number of the plane that leads a point out of a collider, from 1 on; 0: none
    planes (p, 9)           : the place (3,) [m] each of them goes to, its unit way (3,), how long the way is [m], for how long
                              it has gone and how long it takes [s]
    """

    def __init__(self, colliders: int, points: int) -> None:
        self.led: NDArray[np.int32] = np.zeros((colliders, points), dtype=np.int32)
        self.planes, self.ahead = NO_PLANES, NO_PLANES

    def begin(
        self, c: int, look: Look, here: Array, size: float, extent: float, numbers: NDArray[np.int64], up: Array
    ) -> None:  # fmt: skip
        """Lead a body of points here (k, 3), with their numbers (k,), element size and extent [m], if collider c tears it."""
        distance, normal, _ = look(here)
        deep = np.flatnonzero(np.isfinite(distance) & (distance < -CLEAR * size))
        deep = deep[:: -(-len(deep) // ASKED)] if len(deep) else deep
        opening = _opening(here[deep], -distance[deep], normal[deep])
        if not opening > 0.0:
            return
        some = here[:: -(-len(here) // ASKED)]
        ways = np.concatenate([normal[deep[:: -(-len(deep) // len(WAYS))]], WAYS / np.linalg.norm(WAYS, axis=1)[:, None]])
        longest = max(OPENING * opening, EXTENT * extent)
        way, least = None, np.inf
        for each, counts in zip(ways, 1.0 + UPHILL * (1.0 - ways @ up), strict=True):
            far, _ = _out(look, some, each, ON * size, min(longest, least / counts))
            if far * counts < least:
                way, least = each, far * counts
        if way is None:
            return
        far, met = _out(look, here, way, ON * size, np.inf)
        far += CLEAR * size
        place = here[met][np.argmin(here[met] @ way)] + far * way
        self.planes = np.concatenate([self.planes, [[*place, *way, far, 0.0, max(SHORTEST, np.sqrt(QUINTIC * far / GENTLE))]]])
        self.led[c, numbers[met]] = len(self.planes)

    def of(self, c: int) -> NDArray[np.bool_]:
        """Which points (k,) are led out of a collider."""
        return self.led[c] > 0

    def begin_step(self, fields: Sequence[Moving], time: float, step: float) -> None:
        """Where the planes will be at the end of a step [s] that ends at a time [s]."""
        self.ahead = self.planes.copy()
        for number, plane in enumerate(self.ahead, start=1):
            colliders = np.flatnonzero((self.led == number).any(axis=1))
            if len(colliders):
                place, way = plane[:3], plane[3:6]
                ends = fields[colliders[0]].carried(np.array([place, place + plane[6] * way]), time - step, time)
                plane[:3], plane[3:6] = ends[0], (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
            plane[7] += step

    def seen(self, c: int, chosen: NDArray[np.int64], here: Array, seen: Seen) -> Seen:
        """What chosen points (k,) here (k, 3) see of a collider, but of its plane where they are led."""
        if not len(self.ahead):
            return seen
        which = np.flatnonzero(self.led[c, chosen])
        distance, normal, velocity = (each.copy() for each in seen)
        planes = self.ahead[self.led[c, chosen[which]] - 1]
        way = planes[:, 3:6]
        left = planes[:, 6] * (1.0 - _gone(planes[:, 7] / planes[:, 8]))
        distance[which] = ((here[which] - planes[:, :3]) * way).sum(axis=1) + left
        normal[which], velocity[which] = way, 0.0
        return distance, normal, velocity

    def end_step(self) -> list[tuple[int, NDArray[np.int64]]]:
        """Take the step; return the points that are led no longer, by collider."""
        self.planes, freed = self.ahead, list[tuple[int, NDArray[np.int64]]]()
        if not len(self.planes):
            return freed
        for c, led in enumerate(self.led):
            out = np.flatnonzero(led)
            out = out[self.planes[led[out] - 1, 7] >= self.planes[led[out] - 1, 8]]
            if len(out):
                led[out] = 0
                freed.append((c, out))
        if not self.led.any():
            self.planes = NO_PLANES
        return freed

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a checkpoint keeps beside `led`."""
        return {"leading": self.planes.copy()}

    def restore(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Take that and `led` back."""
        self.led, self.planes = np.array(arrays["led"], dtype=np.int32), np.array(arrays["leading"], dtype=np.float64)


def _gone(time: Array) -> Array:
    """What share of a way is gone after a share of its time: from rest to rest, with no jump in acceleration either."""
    t = np.clip(time, 0.0, 1.0)
    share: Array = t**3 * (10.0 - 15.0 * t + 6.0 * t**2)
    return share


def _opening(places: Array, depth: Array, normal: Array) -> float:
    """How far [m] points at places (k, 3), let out by depths (k,) along normals (k, 3), would go apart at most; 0: nowhere."""
    out = np.einsum("ki,ki->k", places, normal)
    cross = np.einsum("ki,mi->km", places, normal)
    apart = (np.einsum("ki,mi->km", normal, normal) < OPPOSITE) & (out[:, None] + out > cross + cross.T)
    return float(np.max(depth[:, None] + depth, where=apart, initial=0.0))


def _out(look: Look, here: Array, way: Array, on: float, longest: float) -> tuple[float, NDArray[np.bool_]]:
    """How far [m] points (k, 3) have to go on a way (3,) until none is deeper in than `on` [m], infinite if it is longer than
    the longest; and which (k,) are inside on the way.

    A point is never out before it has gone as far as the nearest way out is long.
    """
    far, met = 0.0, np.zeros(len(here), dtype=bool)
    for _ in range(LOOKS):
        distance, _, _ = look(here + far * way)
        inside = distance < -on
        if not inside.any():
            return far, met
        met |= inside
        far -= float(distance[inside].min())
        if far > longest:
            break
    return np.inf, met
