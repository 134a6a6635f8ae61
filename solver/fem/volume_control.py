"""What gives each connected piece of a body the volume back that it should have: of what is seen of it (seen_volume.py).

With e = log(S_wanted / S), S the present volume that is seen and S_wanted what is to be seen, the sum of State.shown, the rest
volume V_0 of a body that asks for it at a rate k grows (rise.py) by

    log V_0 := log V_0 + (1 - exp(-k dt)) e + beta k (e - e_before),

beta being the time in which damping lets the goo follow its rest shape, beta d(log V)/dt = log(V_0 / V): a controller whose
second part takes the goo's own lag out, so that e falls as exp(-k t) whatever the damping. Only inner forces follow from it, so
momentum and spin stay, and contact sees nothing of it. What has no room does not grow for ever: the rest volume stays within
MOST of what tets would have by themselves, State.wanted.

In any other body what flows gets back what has gone astray: goo that has run from where it is seen into the parts of tets
that reach out of it, or the other way. By pressure alone S would be S_wanted V / V_0; so tets that have lost a share gamma of
their strain (volume_exchange.py) grow by gamma (e - log(V_0 / V)).
"""

import numpy as np
from numpy.typing import NDArray

from ..scene import Scene
from ..state import State
from ..tetmesh.quality import tet_volumes
from .rise import grow
from .seen_volume import SeenVolume
from .tile import Tiles

Array = NDArray[np.float64]

MOST = 1.25  # times the wanted volume that the rest volume may become, and its inverse


class VolumeControl:
    """What gives pieces their volume back; built anew with the tets. rates (p,) [1/s] are what is asked for."""

    def __init__(self, scene: Scene, seen: SeenVolume) -> None:
        self.seen = seen
        self.rates = np.array([body.volume_rate for body in scene.bodies])[seen.bodies]

    def act(self, state: State, tiles: Tiles, positions: Array, step: float, lags: Array, flowed: Array | None = None) -> None:
        """Let the rest volumes grow at the end of a step [s], its nodes at positions (n, 3).

        lags (b,) [s] are beta; flowed (m,) is gamma, None where nothing has flowed.
        """
        rates, seen = self.rates, self.seen
        if flowed is None and not rates.any():
            return
        held = state.restoring * state.volumes
        sums = (np.bincount(seen.piece, values, seen.count) for values in (state.wanted, state.shown, state.volumes, held))
        wanted, shown, rest, held = sums
        missing = np.log(shown / np.clip(seen.of(positions), shown / MOST**3, shown * MOST**3))
        before = np.log(rest / wanted)
        most = np.log(MOST)
        grown = np.zeros(len(state.volumes))
        if rates.any():
            at_once = lags[seen.bodies] * rates * missing
            after = np.clip(before + (1.0 - np.exp(-rates * step)) * missing + at_once - held / rest, -most, most)
            state.restoring = at_once[seen.piece]
            grown = np.where(rates > 0.0, after - before, 0.0)[seen.piece]
        if flowed is not None:
            pressed = np.log(rest / np.bincount(seen.piece, tet_volumes(positions, state.tets), seen.count))
            astray = np.clip(missing - pressed, -most - before, most - before)
            grown += flowed * np.where(rates > 0.0, 0.0, astray)[seen.piece]
        grow(state, tiles, grown)
