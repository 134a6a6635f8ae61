"""Goo that flows shares its pressure with what is around it: neighbouring tets exchange rest volume.

A liquid's pressure belongs to places, not to tets: of linear tets each of which keeps its own volume there are more than a
mesh has freedom for, so what flows would come to rest on pressures that differ from tet to tet, with no shear stress left,
long before it lies flat (locking). A tet of which a share gamma of the trial strain has flowed (plasticity.py) lets go of the
same share of what its dilation differs by from that about its nodes. With v its volume and V that at rest,

    J_n = sum gamma v / sum gamma V   over the tets at a node n,      V := (1 - gamma) V + gamma/4 sum_n v / J_n

so that what a tet gives others around the node take: sum gamma V stays at each node, to rounding, and with it the rest volume
of every connected piece. Of a tet that what is seen fills by a share phi only (solver/filling.py) so much counts in both sums,
and so much of the pressure it takes over, V* = phi/4 sum_n v/J_n + (1 - phi) v: where nothing is seen nothing may press, or goo
would run out into there for ever. Pressure falls and rises alike in all directions (beta := (V_old/V)^(1/3) beta), so shear
stress, mass and momentum stay. What does not flow keeps every bit. The average is that of Bonet and Burton 1998
(nodal_volume.py), taken between steps and only as far as goo has become a liquid, so that an elastic body stays that of its own
law.
"""

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..geometry.inside_out import signed_volume
from ..jit import TILE, parallel
from ..slots import DENSITY, FLOW, SIZE, VOLUME, B
from ..state import State
from .assembly import Pattern
from .tile import Tiles

Array = NDArray[np.float64]
T = TILE


def exchange_volume(state: State, tiles: Tiles, pattern: Pattern, positions: Array, filled: Array) -> Array | None:
    """Exchange rest volume as far as the step just committed has flowed, its nodes now at positions (n, 3).

    filled (m,) is phi. Return the share (m,) of its trial strain that each tet has lost by flow; None where nothing has flowed.
    """
    tets, count = state.tets, len(state.volumes)
    shares, present = np.zeros((2, count))
    _flowed(tiles.data, state.worn, state.goal_rate, positions, tets, shares, present)
    if not shares.any():
        return None
    dilations = np.empty(len(positions))
    _about_nodes(pattern.corner_offsets, pattern.corners, shares * filled, present, state.volumes, dilations)
    shapes = state.rest_shape_inverse.reshape(-1, 9)
    _exchange(tiles.data, tets, shares, present, filled, dilations, state.volumes, state.density, shapes)
    return shares


@parallel
def _flowed(tiles, worn, goal_rate, positions, tets, shares, present):  # type: ignore[no-untyped-def]
    """The share gamma (m,) of its trial strain that each tet has lost, and the volume (m,) [m^3] of those that have lost any.

    None where a goal says what the volume is, where the flow was not made permanent, and in tets that are inside out.
    """
    for k in prange(len(tiles)):
        w = tiles[k]
        for i in range(min(T, len(shares) - k * T)):
            t = k * T + i
            if w[FLOW * T + i] > 0.0 and w[SIZE * T + i] > 0.0 and goal_rate[t] < 0.0 and worn[t] == 0.0:
                present[t] = signed_volume(positions, tets[t])
                if present[t] > 0.0:
                    shares[t] = min(float(w[FLOW * T + i]) / float(w[SIZE * T + i]), 1.0)


@parallel
def _about_nodes(offsets, corners, shares, present, rest, dilations):  # type: ignore[no-untyped-def]
    """J_n (n,): 1 where nothing flows."""
    for n in prange(len(dilations)):
        has, had = 0.0, 0.0
        for k in range(offsets[n], offsets[n + 1]):
            t = corners[k] >> 2
            has += shares[t] * present[t]
            had += shares[t] * rest[t]
        dilations[n] = has / had if had > 0.0 else 1.0


@parallel
def _exchange(tiles, tets, shares, present, filled, dilations, rest, density, inverse):  # type: ignore[no-untyped-def]
    """Give tets their new rest volume (m,), density (m,) and rest shape (m, 9), in state and tiles."""
    for k in prange(len(tiles)):
        w = tiles[k]
        for i in range(min(T, len(shares) - k * T)):
            t = k * T + i
            if shares[t] > 0.0:
                wanted = (1.0 - filled[t]) * present[t]
                for c in range(4):
                    wanted += 0.25 * filled[t] * present[t] / dilations[tets[t, c]]
                grown = 1.0 + shares[t] * (wanted / rest[t] - 1.0)
                rest[t] *= grown
                density[t] /= grown
                shrunk = grown ** (-1.0 / 3.0)
                for c in range(9):
                    inverse[t, c] *= shrunk
                    w[(B + c) * T + i] = inverse[t, c]
                w[VOLUME * T + i], w[DENSITY * T + i] = rest[t], density[t]
