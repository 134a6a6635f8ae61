"""What a frame shows between two steps is kept out of colliders, as what it shows at steps' ends is.

Nodes are drawn on ways from one step's end to the next (moment.py). What springs round an edge in between has gone round it, while
these ways lead through. So contacts are looked for as in a step that would end at the frame, and what lies deeper than it may is
moved out of their planes by as little as that takes, weighed by mass. Nothing of it stays: the motion is the same at any frame rate.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .points import REACH

if TYPE_CHECKING:
    from .contacts import Contacts
    from .entries import Entries

Array = NDArray[np.float64]

MOST_LOOKS = 6  # at contacts, each from where the last one has moved to
FREE = 0.1  # reaches deeper than it may that a place is left
YIELDING = 1e-3  # of the softest contact's stiffness: that of the springs by which the heaviest node holds to its way


def kept_out(
    contacts: "Contacts", begun: Array, shown: Array, time: float, step: float, masses: Array
) -> Array:  # fmt: skip
    """Positions of nodes as shown (n, 3) at a time [s], so long after a step has begun [s] at (n, 3), out of colliders.

    What was in deeper when the step began may stay so. masses (n,) [kg], infinite where nothing may move.
    """
    aside = contacts.aside()
    aside.begin_step(begun, shown, time, step)
    for _ in range(MOST_LOOKS):
        entries = _at_ease(aside, aside.linearize(shown))
        over = entries.depth(shown) + entries.reach
        if not (over > FREE * entries.reach).any():
            break
        shown = shown.copy()
        hold = masses * (YIELDING * float(entries.stiffness.min()) / float(masses[np.isfinite(masses)].max()))
        entries.settle_guess(shown, np.zeros_like(shown), hold)
    return shown


def _at_ease(aside: "Contacts", entries: "Entries") -> "Entries":
    """Entries that push with nothing until places are as deep as they may be, and neither rub nor stick."""
    count = len(entries.places) - len(entries.keys)
    c, own = np.divmod(entries.places[:count], max(len(aside.points.tets), 1))
    deep = np.zeros(len(entries.level))
    for k in np.unique(c):
        deep[:count][c == k] = np.maximum(-aside.near[k][own[c == k]], 0.0)
    may = np.maximum(entries.reach, deep)
    nothing = np.zeros(len(entries.level))
    return replace(
        entries, level=entries.level - may - entries.reach, friction=nothing, bond=nothing, grip=nothing.copy(), pull=nothing,
        adhesion=None,
    )  # fmt: skip
