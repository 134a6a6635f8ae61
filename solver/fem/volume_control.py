"""A pressure that gives each connected piece of a body the volume back that it should have.

What is wanted of a piece is the sum of State.wanted over its tets: its volume at the first frame, times what it has risen. With
e = log(V_wanted / V) of the present volume V, the rest volume V_0 grows (rise.py) by

    log V_0 := log V_0 + (1 - exp(-k dt)) e + beta k (e - e_before),

k being the rate and beta the time in which damping lets the goo follow its rest shape, beta d(log V)/dt = log(V_0 / V): a
controller whose second part takes the goo's own lag out, so that e falls as exp(-k t) whatever the damping. Only inner forces
follow from it, so momentum and spin stay, and contact sees nothing of it. What has no room does not grow for ever: the rest
volume stays within MOST of what is wanted.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..scene import Scene
from ..state import Ranges, State
from ..tetmesh.manifold import components
from ..tetmesh.quality import tet_volumes
from .rise import grow
from .tile import Tiles

Array = NDArray[np.float64]

MOST = 1.25  # times the wanted volume that the rest volume may become, and its inverse


class VolumeControl:
    """The pieces (m,) of all bodies' tets, and each one's body and rate [1/s]; built anew with the tets."""

    def __init__(self, scene: Scene, ranges: Ranges, tets: NDArray[np.int32]) -> None:
        self.on = any(body.volume_rate > 0.0 for body in scene.bodies)
        self.piece, counts = np.zeros(len(tets), dtype=np.int64), list[int]()
        if not self.on:
            return
        for a, b in pairwise(ranges.tets.tolist()):
            own = components(np.ascontiguousarray(tets[a:b]))
            self.piece[a:b] = own + sum(counts)
            counts.append(int(own.max()) + 1)
        self.bodies = np.repeat(np.arange(len(counts)), counts)
        self.rates = np.array([body.volume_rate for body in scene.bodies])[self.bodies]

    def act(self, state: State, tiles: Tiles, positions: Array, step: float, lags: Array) -> None:
        """Let the rest volumes grow at the end of a step [s], its nodes at positions (n, 3); lags (b,) [s] are beta."""
        if not self.on:
            return
        count, rates = len(self.rates), self.rates
        wanted, rest, held = (
            np.bincount(self.piece, values, count) for values in (state.wanted, state.volumes, state.restoring * state.volumes)
        )
        present = np.bincount(self.piece, tet_volumes(positions, state.tets), count)
        missing = np.log(wanted / np.maximum(present, wanted / MOST**3))
        at_once = lags[self.bodies] * rates * missing
        before = np.log(rest / wanted)
        most = np.log(MOST)
        after = np.clip(before + (1.0 - np.exp(-rates * step)) * missing + at_once - held / rest, -most, most)
        state.restoring = at_once[self.piece]
        grow(state, tiles, np.where(rates > 0.0, after - before, 0.0)[self.piece])
