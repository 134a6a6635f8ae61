"""Around a tet that is inside out, or nearly flat, no flow is made permanent (claim B26, for its neighbours too).

An inverted tet is no shape of goo, and where its neighbours lie then is none either: they overlap it. If they flow, their
rest shapes learn that place. Once the load is gone only the inverted tet itself is left to push, against tets that are at rest
where they lie: those that flow has worn out hold it as springs, and if these flow without end, others are drawn out to nothing
and hold it by their pressure. It stays inside out for ever.

So tets that share a node with such a one keep the rest shape, the rest volume and the plastic strain that they have, as worn
ones do (commit.py): in a step they are as soft as goo that flows, after it they spring back. Their rest shapes remember how
they all lay when none was inside out; that pulls the tet back, and then they flow again. What has a goal learns nothing but
what leads to it, and is left alone.
"""

import numpy as np
from numpy.typing import NDArray

from ..geometry.chunks import evenly
from ..geometry.inside_out import signed_volume
from ..jit import kernel
from ..state import State
from .plasticity import SMALLEST_STRETCH
from .tile import Tiles

FLATTEST = float(SMALLEST_STRETCH)  # of its rest volume: what has less is as flat as what does not flow itself


def entangled(state: State, tiles: Tiles, positions: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each tet (m,) shares a node with one that is inside out or nearly flat at node positions (n, 3) [m].

    Nobody asks where nothing flows; False all over then.
    """
    reached: NDArray[np.bool_] = np.zeros(len(positions), dtype=np.bool_)
    if tiles.flowing:
        arguments = positions, state.tets, state.volumes, reached
        if any(evenly(_reach, len(state.tets), *arguments)):
            return np.asarray(reached[state.tets].any(axis=1), dtype=np.bool_)
    return np.zeros(len(state.tets), dtype=np.bool_)


@kernel
def _reach(begin, end, positions, tets, rest, reached):  # type: ignore[no-untyped-def]
    """Mark the nodes of tets begin .. end - 1 that have less than FLATTEST of their rest volume (m,); whether there are any."""
    found = False
    for t in range(begin, end):
        if not signed_volume(positions, tets[t]) > FLATTEST * rest[t]:
            for k in range(4):
                reached[tets[t, k]] = True
            found = True
    return found
