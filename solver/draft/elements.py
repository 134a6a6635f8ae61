"""What all tets do in a step, tile by tile: turn and yield where they are, then pull from where they would go.

The elastic force R (K_e (R^-1 x - x_0) - P_e plastic) of eqs 7 and 15-16 (their minus; the listing of section 6 prints a
plus) is written as -volume R sigma B^T with sigma = E (strain - plastic): the same numbers from a 3x3 stress.
"""

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..constants import TWO
from ..fem.elements import deform, in_fours
from ..fem.lanes import dot, put_forces, read
from ..fem.tile import pack
from ..jit import TILE, parallel
from ..jit.tile_code import tile_loop
from ..svd import decompose_tile
from .plasticity import absorb, flows, plastic_norm_and_stress
from .rotation import strain_of, take_rotation
from .slots import LAMBDA, MATERIAL, MU, PLASTIC, SLOTS, STRAIN, TURN, VISCOUS, VOLUME, B, F
from .state import DraftState
from .stiffness import warp

Numbers = NDArray[np.floating]
T = TILE


def build_tiles(state: DraftState, precision: type[np.floating] = np.float32) -> Numbers:
    """Return tiles (tiles, SLOTS * TILE) of a state: rest shapes, materials, plastic strain."""
    data = np.zeros(((len(state.tets) + T - 1) // T, SLOTS * T), precision)
    pack(data, B, state.rest_shape_inverse.reshape(-1, 9))
    pack(data, VOLUME, state.volumes)
    pack(data, MATERIAL, state.material.T)
    pack(data, PLASTIC, state.plastic)
    return data


@parallel
def turn_and_yield(positions, tets, tiles, dt, measured):  # type: ignore[no-untyped-def]
    """Fill TURN and STRAIN at positions (n, 3), let the strain yield for dt [s].

    measured (lanes, 2): norm of the plastic strain and von Mises stress [Pa] after it.
    """
    count, flat, corners = len(tets), in_fours(positions), tets.reshape(-1)
    for k in prange(len(tiles)):
        w, first = tiles[k], k * T
        last = min(count, first + T)
        deform(w, flat, corners[4 * first : 4 * last], last - first, w, (SLOTS + B) * T)
        decompose_tile(w)
        take_rotation(w)
        if flows(w):
            absorb(w, dt)
        plastic_norm_and_stress(w, measured[first : first + T])


@tile_loop
def _turned_forces(w, rate, forces):  # type: ignore[no-untyped-def]
    """Forces (TILE, 12) on the nodes of a deformed tile [N].

    P = R E (strain - plastic + rate VISCOUS (strain - STRAIN)) with strain = sym(R^T F) - I.
    """
    for i in range(T):
        turn = read(w, i, TURN, 9)
        strain = strain_of(turn, read(w, i, F, 9))
        before, plastic = read(w, i, STRAIN, 6), read(w, i, PLASTIC, 6)
        viscous = rate * w[(MATERIAL + VISCOUS) * T + i]
        lam, mu = w[(MATERIAL + LAMBDA) * T + i], w[(MATERIAL + MU) * T + i]
        e = [strain[k] + viscous * (strain[k] - before[k]) - plastic[k] for k in range(6)]
        pressure = lam * (e[0] + e[1] + e[2])
        s = [pressure + TWO * mu * part for part in e[:3]] + [TWO * mu * part for part in e[3:]]
        columns = (s[0], s[3], s[4]), (s[3], s[1], s[5]), (s[4], s[5], s[2])
        put_forces(w, i, [dot(turn[3 * row : 3 * row + 3], column) for row in range(3) for column in columns], forces)


@parallel
def warped_forces(positions, tets, tiles, rate, forces, blocks):  # type: ignore[no-untyped-def]
    """Forces (lanes, 12) on the nodes of each tet [N] at positions (n, 3), turned as `turn_and_yield` found, and stiffness.

    blocks (lanes, 6, 9) [N/m] in the order of PAIRS. `rate` is 1/dt [1/s], for the damping eta K' v.
    """
    count, flat, corners = len(tets), in_fours(positions), tets.reshape(-1)
    for k in prange(len(tiles)):
        w, first = tiles[k], k * T
        last = min(count, first + T)
        deform(w, flat, corners[4 * first : 4 * last], last - first, w, (SLOTS + B) * T)
        _turned_forces(w, rate, forces[first : first + T])
        warp(w, rate, blocks[first : first + T])
