"""Sheets, solid from both sides, and open grounds: from which a point sees one is told by where it has come from."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Seen = tuple[Array, Array, Array]  # distance (k,), normal (k, 3), velocity (k, 3)
ToMiddle = tuple[Array, Array, Array]  # of colliders.Middle


def on_own_side(
    seen: Seen, middle: ToMiddle | None, offset: float, begun: Array, here: Array, behind: NDArray[np.bool_]
) -> tuple[Seen, NDArray[np.bool_]]:  # fmt: skip
    """What points here (k, 3), at begun (k, 3) when the step began, see of a sheet from their own side; which are behind it.

    seen is what is closest, by half a thickness, offset [m]; middle, where that is not the same everywhere, how points lie to
    the sheet without it: its slopes say nothing of sides. behind (k,): which were when the step began.
    """
    distance, normal, velocity = seen
    side, facing, thick = distance, normal, np.full(len(here), offset)
    if middle is not None:
        side, facing, thick = middle[0] - middle[2], middle[1], middle[2]
    through = crossed(thick, begun, here, side, facing)
    behind = (behind ^ through) & np.isfinite(distance)
    distance = np.where(behind, -side - 2.0 * thick, distance)
    normal = np.where(behind[:, None], -facing, normal)
    return (distance, normal, velocity), behind


def belong_beneath(
    above: Array, below: Array, behind: NDArray[np.bool_], bodies: NDArray[np.int64]
) -> NDArray[np.bool_]:  # fmt: skip
    """Which points (k,) of bodies (k,) belong beneath a ground, by its distances (k,) as seen from above and from below [m].

    Those that did (behind), as long as they are near and not beside its rim, where both distances are one; and from deeper than
    the ground is solid those of bodies of which nothing else is near it: what starts sunk in it is lifted out of it.
    """
    near = np.isfinite(below) & (above != below)
    stays = behind & near
    comes = near & np.isinf(above)
    otherwise = np.isfinite(above) & ~stays
    return stays | (comes & ~np.isin(bodies, np.unique(bodies[otherwise])))


def by_sides(behind: NDArray[np.bool_], look: Callable[[NDArray[np.int64], bool], Seen]) -> Seen:
    """What points (k,) see of a ground, those behind it from beneath: look asks for some of them, by index, from one side."""
    seen = np.empty(len(behind)), np.empty((len(behind), 3)), np.empty((len(behind), 3))
    for side in (False, True):
        own = np.flatnonzero(behind == side)
        for column, values in zip(seen, look(own, side), strict=True):
            column[own] = values
    return seen


def crossed(offset: Array, before: Array, now: Array, distance: Array, normal: Array) -> NDArray[np.bool_]:
    """Which points (k,) have gone through a sheet between two places (k, 3): its plane where it is closest lies between."""
    reached = np.isfinite(distance)
    closest = now - normal * np.where(reached, distance + offset, 0.0)[:, None]
    return reached & (((before - closest) * normal).sum(axis=1) < 0.0)
