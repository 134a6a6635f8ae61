"""Sheets, solid from both sides: from which a point sees one is told by where it has come from."""

import numpy as np
from numpy.typing import NDArray

from ..colliders import Field
from .looking import query

Array = NDArray[np.float64]

BEYOND = 0.7  # sine of the angle from a sheet to the way to a place, below which that lies beyond a rim
LEVEL = 0.1  # of the way to it: what lies lower than the sheet by that is on the other side; seen from one rim all are level


def on_own_side(
    field: Field, time: float, before: float, reach: float, begun: Array, here: Array, behind: NDArray[np.bool_]
) -> tuple[Array, Array, Array, NDArray[np.bool_]]:  # fmt: skip
    """Distance (k,), normal and velocity (k, 3) of a sheet at points here (k, 3) as from their own side; which are behind it.

    At a time [s], up to a reach [m]; begun (k, 3) is where they were, and behind (k,) which of them were, at the time `before`,
    as the sheet lies now. Where it is not as thick everywhere, its slopes say nothing of sides: its middle does.
    """
    assert field.sheet_offset is not None
    distance, normal, velocity = query(field, here, time, reach)
    side, facing, thick = distance, normal, np.full(len(here), field.sheet_offset)
    if field.middle is not None:
        side, facing, thick = field.middle(here, time, reach + field.sheet_offset)
        side = side - thick
    through = crossed(thick, begun, here, side, facing)
    if through.any():
        ends, away, ways = (begun[through], here[through]), (side + thick)[through], facing[through]
        through[through] = ~_round_a_rim(field, time, reach, *ends, away, ways)
    behind = (behind ^ through) & np.isfinite(distance)
    if behind.any() and field.grown(before, time) + field.grown(time, before) > 0.0:  # the other side grows the other way
        opposite = here[behind] - 2.0 * (side + thick)[behind, None] * facing[behind]
        velocity[behind] = query(field, opposite, time, reach)[2]
    distance = np.where(behind, -side - 2.0 * thick, distance)
    return distance, np.where(behind[:, None], -facing, normal), velocity, behind


def _round_a_rim(
    field: Field, time: float, reach: float, begun: Array, here: Array, away: Array, facing: Array
) -> NDArray[np.bool_]:  # fmt: skip
    """Which ways (k,) from begun to here (k, 3), away [m] from the middle of a sheet and facing (k, 3) that, lead past its rim.

    So it is where they cross the plane off the sheet, at a place from which both ends lie on one side, or beyond a rim, where
    there are no sides: the place mirrored there is nearer to the sheet.
    """
    before = ((begun - here) * facing).sum(axis=1) + away
    place = begun + (before / (before - away))[:, None] * (here - begun)
    distance, way, thick = _from_middle(field, place, time, reach)
    far = ~np.isfinite(distance)  # of which nothing more is known
    closest = place - np.where(far, 0.0, distance)[:, None] * np.where(far[:, None], 0.0, way)
    one, other = (((end - closest) * way).sum(axis=1) > -LEVEL * distance for end in (begun, here))
    beyond = _from_middle(field, 2.0 * closest - place, time, reach)[0] < BEYOND * distance
    past: NDArray[np.bool_] = far | ((distance > thick) & ((one & other) | beyond))
    return past


def _from_middle(field: Field, places: Array, time: float, reach: float) -> tuple[Array, Array, Array]:
    """How far (k,) [m] places (k, 3) are from a sheet's middle, their way from it (k, 3) and its thickness there (k,) [m]."""
    assert field.sheet_offset is not None
    if field.middle is not None:
        return field.middle(places, time, reach + field.sheet_offset)
    distance, normal, _ = query(field, places, time, reach)
    return distance + field.sheet_offset, normal, np.full(len(places), field.sheet_offset)


def crossed(offset: Array, before: Array, now: Array, distance: Array, normal: Array) -> NDArray[np.bool_]:
    """Which points (k,) have gone through a sheet between two places (k, 3): its plane where it is closest lies between."""
    reached = np.isfinite(distance)
    closest = now - normal * np.where(reached, distance + offset, 0.0)[:, None]
    return reached & (((before - closest) * normal).sum(axis=1) < 0.0)
