"""What gives each connected piece of a body the volume back that it should have: of what is seen of it (seen_volume.py).

With e = log(S_wanted / S), S the present volume that is seen and S_wanted what is to be seen, the sum of State.shown, the rest
volume V_0 of a body that asks for it at a rate k grows (rise.py) by

    log V_0 := log V_0 + (1 - exp(-k dt)) e + beta k (e - e_before),

beta being the time in which damping lets the goo follow its rest shape, beta d(log V)/dt = log(V_0 / V): a controller whose
second part takes the goo's own lag out, so that e falls as exp(-k t) whatever the damping. Only inner forces follow from it, so
momentum and spin stay, and contact sees nothing of it. What has no room does not grow for ever: the rest volume stays within
MOST of what tets would have by themselves, State.wanted.

In any other body what flows gets back what has gone astray: goo that has run from where it is seen into the parts of tets
that reach out of it, or the other way. By pressure alone S would be S_wanted A / A_0, of A = sum phi v and A_0 = sum phi V
(volume_exchange.py), phi being the share of a tet that is filled; so tets that have lost a share gamma of their strain grow by
gamma phi (e - log(A_0 / A)). A puddle no thicker than a tet fills its tets by three quarters only, and as much larger has V_0
to be. By all of the tets' volumes, as they are about what is seen too, goo that spins and is drawn out in its middle would be
pressed together there: that gave it energy.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..filling import Covering
from ..scene import Scene
from ..state import State
from ..tetmesh.quality import tet_volumes
from .rise import grow
from .seen_volume import SeenVolume
from .volume_exchange import exchange_volume
from .workspace import Workspace

if TYPE_CHECKING:
    from ..remesh.discretization import Discretization

Array = NDArray[np.float64]

MOST = 1.25  # times the wanted volume that the rest volume may become, and its inverse; of goo that flows the seen part of it,
EMPTIEST = 0.5  # which may be less than such a share of the tets, but counts as that


class VolumeControl:
    """What gives pieces their volume back; built anew with the tets.

    rates (p,) [1/s] are what is asked for; filled (m,) is the share of each tet that what is seen fills.
    """

    def __init__(self, scene: Scene, mesh: "Discretization", coverings: Sequence[Covering]) -> None:
        """coverings: what is seen of each body about its mesh."""
        pieces = [table.piece for table in mesh.tables]
        self.seen = SeenVolume(mesh.ranges, mesh.state.tets, mesh.surfaces, mesh.triangles, pieces)
        self.filled = np.concatenate([covering.filled for covering in coverings])
        self.rates = np.array([body.volume_rate for body in scene.bodies])[self.seen.bodies]

    def act(self, state: State, space: Workspace, positions: Array, step: float, lags: Array) -> None:
        """Let rest volumes go from tet to tet, and grow, at the end of a step [s] that leaves the nodes at positions (n, 3).

        lags (b,) [s] are beta.
        """
        flowed = exchange_volume(state, space.tiles, space.pattern, positions, self.filled)
        rates, piece, count = self.rates, self.seen.piece, self.seen.count
        if flowed is None and not rates.any():
            return
        each = state.wanted, state.shown, state.volumes, state.restoring * state.volumes
        wanted, shown, rest, held = (np.bincount(piece, values, count) for values in each)
        missing = _grown(self.seen.of(positions), shown)
        before, most, grown = np.log(rest / wanted), np.log(MOST), np.zeros(len(piece))
        if rates.any():
            at_once = lags[self.seen.bodies] * rates * missing
            after = np.clip(before + (1.0 - np.exp(-rates * step)) * missing + at_once - held / rest, -most, most)
            state.restoring = at_once[piece]
            grown += np.where(rates > 0.0, after - before, 0.0)[piece]
        if flowed is not None:
            own = np.maximum(np.bincount(piece, self.filled * state.volumes, count), 1e-300)  # nothing of a piece may be seen
            pressed = _grown(np.bincount(piece, self.filled * tet_volumes(positions, state.tets), count), own)
            full = own / rest
            room = most - np.log(np.maximum(full, EMPTIEST))  # what is seen of the tets' volume has as much as in full ones
            astray = np.clip(missing - pressed, -most - before, room - before)
            grown += flowed * self.filled * np.where(rates > 0.0, 0.0, astray)[piece]
        grow(state, space.tiles, grown)


def _grown(now: NDArray[np.number], wanted: NDArray[np.number]) -> Array:
    """Logarithms (p,) of what volumes have to grow by to be as wanted; a piece of few tets may be flat, or inside out."""
    logarithms: Array = np.log(wanted / np.clip(now, wanted / MOST**3, wanted * MOST**3))
    return logarithms
