"""Where what is seen of a body bends away from the fewer points that carry its contact, and is to have its own again.

What is much finer than the tets is merged where it is flat (seen.py). That is how it lay when they were made: where goo folds
since then, what was merged lies off the large triangles which stand for it, and would pass through what these only touch.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ...geometry.edges import edges_of
from ...geometry.measures import area_vectors
from ...geometry.triangle_tree import closest_points, triangle_tree
from .known_reach import apart
from .pairs import Pairs

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

BENT = 0.01  # element sizes that what is seen lies off what carries its contact at most
SOON = 0.4  # of that, from which on it gets its own points as well when other does: it would soon,
SHARE = 0.125  # and such a share of all in any case: each time all is built anew that knows of contact
NEAR = 2.0  # reaches within which pairs of two bodies count as pressed
ON_SIDE = 1e-3  # weight of the corner across, below which a place is on a side


@dataclass(frozen=True)
class Merged:
    """What of a body's surface has been merged, s places of it, over triangles of its contact points.

    ends (s, 2)       : vertices of what is seen between which each lies in the middle, one twice where that has been merged
    corners (s, 2, 3) : the contact points, among those of all bodies, of the triangle that was nearest to it at rest, and of
                        the one beyond the side on which it lay there, if on any
    most              : [m] that any is off at most
    """

    ends: IntArray
    corners: IntArray
    most: float

    @classmethod
    def of(cls, ends: IntArray, seen: Array, points: Array, triangles: IntArray, first: int, element: float) -> Self | None:
        """Those of a surface seen at (n, 3) at rest, over triangles (t, 3) of points (k, 3) there that come after so many
        others, and tets of a size [m]; None where nothing has been merged."""
        if not len(ends):
            return None
        found = closest_points(triangle_tree(points, triangles), np.ascontiguousarray(seen[ends].mean(axis=1)))
        return cls(ends, _around(triangles, found.triangle, found.weights) + np.int32(first), BENT * element)

    def bent(self, seen: Array, places: Array, known: int) -> tuple[IntArray, float]:
        """The vertices (v,), rising, that are to have their own points with all that is seen at (n, 3) and contact points at
        (k, 3), if any does; and how far the worst is off its triangles' planes, in shares of the most.

        known: how many have some already that were merged; with each time they become twice as many.
        """
        middles, off = 0.5 * (seen[self.ends[:, 0]] + seen[self.ends[:, 1]]), np.zeros(len(self.ends))
        for corners in self.corners.transpose(1, 0, 2):
            normal = area_vectors(places, corners)
            length = np.maximum(np.sqrt((normal**2).sum(axis=1)), 1e-300)
            away = np.abs(((middles - places[corners[:, 0]]) * normal).sum(axis=1))
            off = np.maximum(off, away / (length * self.most))
        wanted = min(max(known, int(SHARE * len(off))), len(off) - 1)
        least = min(SOON, float(np.partition(off, len(off) - 1 - wanted)[len(off) - 1 - wanted]))
        return np.unique(self.ends[off >= least]), float(off.max())


def _around(triangles: IntArray, nearest: NDArray[np.integer], weights: Array) -> IntArray:
    """The corners (s, 2, 3) of the triangle that is nearest to each place, which has weights (s, 3) there, and of the one
    beyond the side on which it lies; of the first again where it lies on none, or nothing is beyond."""
    edges, other = edges_of(triangles), np.full(3 * len(triangles), -1)
    pairs = edges.order[edges.first[:-1][edges.counts == 2, None] + np.arange(2)]
    other[pairs], side = pairs[:, ::-1] // 3, (weights.argmin(axis=1) + 1) % 3
    beyond = np.where(weights.min(axis=1) < ON_SIDE, other[3 * nearest + side], -1)
    return np.stack([triangles[nearest], triangles[np.where(beyond < 0, nearest, beyond)]], axis=1)


def pressed_at(pairs: Pairs, places: Array) -> Array:
    """Where (q, 3) pairs of two bodies push, or all but do, points at places (k, 3)."""
    spots, _, gaps, _ = apart(places, pairs.nodes, pairs.points)
    return spots[gaps < NEAR * pairs.reach]


def near_to(spots: Array, seen: Array, around: float) -> IntArray:
    """Which vertices (v,), rising, of what is seen at (n, 3) lie so near to a spot (q, 3) [m]: where it is pressed nothing is
    merged, for the little that this moves it by would lead it through what it lies on."""
    if not len(spots):
        return np.zeros(0, dtype=np.int32)
    away = cKDTree(spots).query(seen, distance_upper_bound=around)[0]
    return np.flatnonzero(np.isfinite(away)).astype(np.int32)
