"""Tets that stay inside out are righted: their energy counts for more and more, until they stand upright.

Around a tet that is inside out nothing flows (entangled.py), while all goo farther off does. It may come to rest on shapes that
no longer leave room for what did not flow, and in the balance of such a squeeze, that no load makes any more, a tet may be
inside out for good. So what is inside out for longer than a blow takes is made stiffer, w = exp(RISE (t - PATIENCE)) times, by
its weight in the sum of energies; what squeezes it gives way by and by. Once it is upright what is around it flows and makes
room, and the weight falls again, slowly, so that it finds its place.

Amid a tangle a heavier tet may only shrink, as energies are flat where a tet is a point: what is still flat at the highest
weight is to be smaller as well. So it is stretched, which pushes it upright at the size that it has, and then it is to grow at
once.

Forces of a tet sum to none whatever its weight, and so momentum stays. Explicit schemes are left alone: their steps are bounded
by how stiff tets are.
"""

import numpy as np

from ..state import State
from ..tetmesh.quality import tet_volumes
from .tile import LONGEST, PATIENCE, SHRINKING, Tiles, righted_size

FALL = 0.1  # of a second that a weight goes back in each second in which its tet has room; its size by a second
FLAT, ROOM = 0.1, 0.3  # of the volume that it is to have: what has less is still righted, what has more has room


def right(state: State, tiles: Tiles, step: float) -> None:
    """Take in how long tets have been inside out after a step [s], and what their energy counts for, in state and tiles."""
    before = state.flattened
    share = tet_volumes(state.positions, state.tets) / (state.volumes * righted_size(before) ** 3)
    righted = before > PATIENCE
    flat = ~(share > np.where(righted, FLAT, 0.0))
    fall = np.where(before > LONGEST, 1.0, FALL)
    after = before + step * np.where(flat, 1.0, np.where(share > ROOM, -fall, 0.0))
    state.flattened = np.where(flat | (after > PATIENCE), np.minimum(after, LONGEST + SHRINKING), 0.0)
    if righted.any() or (state.flattened > PATIENCE).any():
        tiles.weigh(state)
