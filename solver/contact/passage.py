"""Colliders that are met in between the ends of a step: whoever is past one at its end is seen to have met it on the way.

Distances say nothing of what lies between two places: a thin plate that passes a body within a step is far from it before
and after, and what it has carried beyond its middle would be pushed out on the wrong side. So points are followed along their
way in the collider's own frame, from where they were when the step began, by no more than the distance there is
(conservative advancement), until they touch.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Seen = tuple[Array, Array, Array]  # distance (k,), normal (k, 3), velocity (k, 3)

TOUCH = 0.01  # element sizes from a collider at which a point has met it
MOST_ADVANCES = 24


def met_on_the_way(
    look: Callable[[Array], Seen], begun: Array, near: Array, here: Array, seen: Seen, reach: float, size: Array
) -> Seen:
    """What is seen at `here` (k, 3), corrected for points that have met the collider on the way from `begun` (k, 3).

    look asks for distance, normal and velocity at places; near (k,) is the distance at `begun`, seen what is seen at `here`,
    up to a reach [m]; size (k,) of elements [m]. A point that would be pushed out on another side than it came from, or is out
    there already, belongs to the plane that it met first.
    """
    distance, normal, velocity = seen
    way = here - begun
    length = np.sqrt(np.einsum("ki,ki->k", way, way))
    # Distance falls no faster than a point goes: the others cannot have touched
    moved = np.flatnonzero((near + np.minimum(distance, reach) < length) & (length > 0.0))
    if not len(moved):
        return seen
    met, at, gap, facing, speed = _followed(look, begun[moved], near[moved], way[moved], length[moved], TOUCH * size[moved])
    depth = np.einsum("ki,ki->k", here[moved] - at, facing) + gap
    turned = np.einsum("ki,ki->k", facing, normal[moved]) <= 0.0  # 0 where nothing is near any more
    passed = met & (depth < 0.0) & turned
    which = moved[passed]
    distance, normal, velocity = distance.copy(), normal.copy(), velocity.copy()
    distance[which], normal[which], velocity[which] = depth[passed], facing[passed], speed[passed]
    return distance, normal, velocity


def _followed(
    look: Callable[[Array], Seen], begun: Array, near: Array, way: Array, length: Array, touch: Array
) -> tuple[NDArray[np.bool_], Array, Array, Array, Array]:
    """Which points (k,) meet the collider on their way (k, 3), where (k, 3), and gap (k,), normal and velocity (k, 3) there.

    near (k,): how far they are from it where they have begun.
    """
    count = len(begun)
    met, at = np.zeros(count, dtype=bool), begun.copy()
    share = np.where(near > touch, near, 0.0) / length  # who touches is looked at: which way does it go?
    gap, facing, speed = np.full(count, np.inf), np.zeros((count, 3)), np.zeros((count, 3))
    going = np.flatnonzero(share < 1.0)
    for _ in range(MOST_ADVANCES):
        if not len(going):
            break
        at[going] = begun[going] + share[going, None] * way[going]
        distance, normal, velocity = look(at[going])
        close = distance <= touch[going]
        gap[going[close]], facing[going[close]], speed[going[close]] = distance[close], normal[close], velocity[close]
        # Beside a face, or leaving it, a point has not met it
        met[going[close]] = np.einsum("ki,ki->k", normal[close], way[going[close]]) < 0.0
        share[going] += np.maximum(distance, 0.5 * touch[going]) / length[going]
        going = going[~met[going] & (share[going] < 1.0)]
    return met, at, gap, facing, speed
