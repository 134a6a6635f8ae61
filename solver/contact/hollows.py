"""More planes than one for points in the hollows of a collider, as where a floor meets a wall. numpy only.

Of a collider a point sees the closest place alone. From the floor a solve sends it through the wall beside; there the closest
place is the wall's, and nothing is known of the floor: solves went to and fro between both, and ended up to 3 % of an element
deep in one of them. So planes that have been seen in a step stay beside that of the closest place where the surface is hollow
between the two places, so that each lies in front of the other one's plane.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..colliders import Field
from .entries import along
from .looking import distances
from .planes import Columns

Array = NDArray[np.float64]

ALIKE = 0.99  # cosine of the angle between two planes that are taken for one
ASIDE = 0.25  # element sizes by which a point may have gone on along a plane that it saw earlier
LYING = 1e-3  # element sizes by which a place may be off the surface: what was met on the way has planes beyond its faces
FRONT = 1e-6  # element sizes by which a place lies in front of a plane, lest rounding says so; what is on the edge is on both


class Planes(NamedTuple):
    """Planes n . x = level that points saw: their numbers (k,), normals (k, 3), levels (k,) [m], and places (k, 3) on them."""

    points: NDArray[np.int64]
    normal: Array
    level: Array
    place: Array

    def taken(self, which: NDArray[np.bool_] | NDArray[np.int64]) -> "Planes":
        """Some of these."""
        return Planes(self.points[which], self.normal[which], self.level[which], self.place[which])

    def joined(self, other: "Planes") -> "Planes":
        """These and after them others."""
        points, normal = np.concatenate([self.points, other.points]), np.concatenate([self.normal, other.normal])
        return Planes(points, normal, np.concatenate([self.level, other.level]), np.concatenate([self.place, other.place]))


class Hollows:
    """What points have seen of each collider in one step."""

    def __init__(self) -> None:
        self.seen: dict[int, Planes] = {}

    def beside(
        self, collider: int, field: Field, time: float, points: NDArray[np.int64], here: Array, normal: Array, gap: Array,
        sizes: Array,
    ) -> Columns:  # fmt: skip
        """What some points (k,), one or more, rising, touch of a collider at a time [s] beside the planes that they see now.

        Nothing rubs or sticks there. Points here (k, 3) see planes along normals (k, 3) that they are a gap (k,) away from [m];
        sizes: those of elements, of all points.
        """
        place, size = here - gap[:, None] * normal, sizes[points]
        now = Planes(points, normal, along(place, normal), place)
        before = self.seen.get(collider, now.taken(np.zeros(0, dtype=np.int64)))
        at = np.minimum(np.searchsorted(points, before.points), len(points) - 1)
        known = points[at] == before.points
        at, before = at[known], before.taken(known)
        least = FRONT * size[at]
        off = along(before.normal, here[at]) - before.level
        moved = here[at] - off[:, None] * before.normal - before.place
        kept = along(before.normal, normal[at]) < ALIKE
        one, other = along(before.normal, place[at]) - before.level, along(normal[at], before.place) - now.level[at]
        kept &= (np.minimum(one, other) > -least) & (np.maximum(one, other) > least)
        kept &= (off < size[at]) & (along(moved, moved) < (ASIDE * size[at]) ** 2)
        which = np.flatnonzero(kept)
        for there in (place[at[which]], before.place[which]):
            kept[which] &= np.abs(distances(field, there, time)) < LYING * size[at[which]]
        before, nothing = before.taken(kept), np.zeros(int(kept.sum()))
        self.seen[collider] = now.joined(before)
        places = before.points + collider * len(sizes)
        return before.points, places, before.normal, before.level, off[kept], here[at[kept]], nothing, nothing
