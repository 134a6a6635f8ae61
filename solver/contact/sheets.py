"""Sheets, solid from both sides: from which a point sees one is told by where it has come from."""

import numpy as np
from numpy.typing import NDArray

from ..colliders import Field
from .looking import query

Array = NDArray[np.float64]

BEYOND = 0.7  # sine of the angle from a sheet to the way to a place, below which that lies beyond a rim
TOUCH = 0.5  # of a sheet's half thickness, from its middle: what slides past a rim grazes it
ON = 1e-3  # of it, from its middle: no way leads from there to either side
MOST_ADVANCES = 256  # of a way, where it is followed along a sheet


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
        through[through] = _lead_through(field, time, reach, begun[through], here[through])
    behind = (behind ^ through) & np.isfinite(distance)
    if behind.any() and field.grown(before, time) + field.grown(time, before) > 0.0:  # the other side grows the other way
        opposite = here[behind] - 2.0 * (side + thick)[behind, None] * facing[behind]
        velocity[behind] = query(field, opposite, time, reach)[2]
    distance = np.where(behind, -side - 2.0 * thick, distance)
    return distance, np.where(behind[:, None], -facing, normal), velocity, behind


def _lead_through(field: Field, time: float, reach: float, begun: Array, here: Array) -> NDArray[np.bool_]:
    """Which ways (k,) from begun to here (k, 3), that seem to, lead through a sheet: they touch it, and not beyond a rim, where
    there are no sides: the place mirrored there is nearer to the sheet."""
    touch, place = _first_touches(field, time, reach, begun, here)
    distance, way, _ = _from_middle(field, place, time, reach)
    along = here[touch] - begun[touch]
    share = -distance * (way * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-300)
    level = place + share[:, None] * along  # of the way what is nearest to where it touches
    distance, way, thick = _from_middle(field, level, time, reach)
    mirrored, _, _ = _from_middle(field, level - 2.0 * distance[:, None] * way, time, reach)
    through = np.zeros(len(here), dtype=bool)
    through[touch] = (distance < ON * thick) | (mirrored >= BEYOND * distance)
    return through


def _first_touches(
    field: Field, time: float, reach: float, begun: Array, here: Array
) -> tuple[NDArray[np.int64], Array]:  # fmt: skip
    """Which ways (k,) from begun to here (k, 3) come within TOUCH of a sheet's middle, and where (m, 3) they first do.

    They are followed, by no more than the distance there is (conservative advancement). Who cannot be followed to an end goes
    along the sheet.
    """
    way, gone = here - begun, np.zeros(len(here))
    length = np.maximum(np.sqrt((way**2).sum(axis=1)), 1e-300)
    touches, going = np.zeros(len(here), dtype=bool), np.arange(len(here))
    for _ in range(MOST_ADVANCES):
        distance, _, thick = _from_middle(field, begun[going] + gone[going, None] * way[going], time, reach)
        distance = np.minimum(distance, reach)
        touches[going] = distance <= TOUCH * thick
        gone[going] += np.where(touches[going], 0.0, distance) / length[going]
        going = going[~touches[going] & (gone[going] < 1.0)]
        if not len(going):
            break
    touch = np.flatnonzero(touches)
    return touch, begun[touch] + gone[touch, None] * way[touch]


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
