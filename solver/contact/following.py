"""How long a step may be in which colliders that move, and sheets, can be followed."""

import numpy as np
from numpy.typing import NDArray

from .contacts import SHEET_DEPTH, Contacts
from .entries import along
from .looking import query
from .response import longest_way

Array = NDArray[np.float64]

MOST_WAY = 1.0  # element sizes by which a point may come nearer to a moving collider in a step


def longest_to_follow(contacts: Contacts, positions: Array, velocities: Array, time: float, step: float) -> float:
    """The longest step [s], if below `step`, in which no collider that moves or thickens, and no sheet, is met too fast to
    be followed.

    From node positions and velocities (n, 3) at a time [s]: a point may come nearer by MOST_WAY element sizes.
    """
    points, always, longest = contacts.points, contacts.always, step
    pairs = zip(contacts.fields, contacts.meets, strict=True)
    fields = [(each, own) for each, own in pairs if not each.endless and not (each.still and each.sheet_offset is None)]
    if not fields or not len(points.tets):
        return longest
    here, size = points.positions(positions, always), points.size[always.points]
    ahead = here + step * points.positions(velocities, always)
    for field, own in fields:
        most = MOST_WAY if field.sheet_offset is None else 0.5 * SHEET_DEPTH
        ways = field.carried(ahead, time + step, time, 2.0 * longest_way(here, ahead)) - here  # in the collider's frame
        way = np.sqrt(along(ways, ways)) + field.grown(time, time + step)
        distance, _, _ = query(field, here, time, float(way.max(initial=0.0)))
        meets = (way > 0.0) & (distance < way) & own[always.points]
        longest = min(longest, float((most * size[meets] * step / way[meets]).min(initial=step)))
    return longest
