"""What all tets do in a step, tile by tile: turn and yield where they are, then pull from where they would go.

The elastic force R (K_e (R^-1 x - x_0) - P_e plastic) of eqs 7 and 15-16 (their minus; the listing of section 6 prints a
plus) is written as -volume R sigma B^T with sigma = E (strain - plastic): the same numbers from a 3x3 stress.
"""

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..constants import HALF, ONE, TWO
from ..fem.elements import deform
from ..fem.lanes import any_lane, corner_forces
from ..fem.tile import pack
from ..jit import TILE, kernel, parallel
from ..scalar_math import like
from ..svd import decompose_tile
from .plasticity import absorb, plastic_norm_and_stress
from .rotation import take_rotation
from .slots import FLOW_RATE, LAMBDA, MATERIAL, MU, PLASTIC, SLOTS, STRAIN, TURN, VISCOUS, VOLUME, B, F, P
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
def turn_and_yield(positions, tets, tiles, dt, plastic_strain, stress):  # type: ignore[no-untyped-def]
    """Fill TURN and STRAIN at positions (n, 3), let the strain yield for dt [s]; plastic norm and von Mises stress (m,)."""
    count = len(tets)
    for k in prange(len(tiles)):
        w, first = tiles[k], k * T
        last = min(count, first + T)
        deform(w, positions, tets[first:last])
        decompose_tile(w)
        take_rotation(w)
        if any_lane(w, MATERIAL + FLOW_RATE):
            absorb(w, dt)
        plastic_norm_and_stress(w, plastic_strain[first:last], stress[first:last])


@kernel
def _turned_stress(w, rate):  # type: ignore[no-untyped-def]
    """P = R E (strain - plastic + rate VISCOUS (strain - STRAIN)) of a deformed tile, strain = sym(R^T F) - I."""
    weight = like(w[0], rate)
    for i in range(T):
        r00, r01, r02 = w[TURN * T + i], w[(TURN + 1) * T + i], w[(TURN + 2) * T + i]
        r10, r11, r12 = w[(TURN + 3) * T + i], w[(TURN + 4) * T + i], w[(TURN + 5) * T + i]
        r20, r21, r22 = w[(TURN + 6) * T + i], w[(TURN + 7) * T + i], w[(TURN + 8) * T + i]
        f00, f01, f02 = w[F * T + i], w[(F + 1) * T + i], w[(F + 2) * T + i]
        f10, f11, f12 = w[(F + 3) * T + i], w[(F + 4) * T + i], w[(F + 5) * T + i]
        f20, f21, f22 = w[(F + 6) * T + i], w[(F + 7) * T + i], w[(F + 8) * T + i]
        e0 = r00 * f00 + r10 * f10 + r20 * f20 - ONE
        e1 = r01 * f01 + r11 * f11 + r21 * f21 - ONE
        e2 = r02 * f02 + r12 * f12 + r22 * f22 - ONE
        e3 = HALF * (r00 * f01 + r10 * f11 + r20 * f21 + r01 * f00 + r11 * f10 + r21 * f20)
        e4 = HALF * (r00 * f02 + r10 * f12 + r20 * f22 + r02 * f00 + r12 * f10 + r22 * f20)
        e5 = HALF * (r01 * f02 + r11 * f12 + r21 * f22 + r02 * f01 + r12 * f11 + r22 * f21)
        v = weight * w[(MATERIAL + VISCOUS) * T + i]
        e0 += v * (e0 - w[STRAIN * T + i]) - w[PLASTIC * T + i]
        e1 += v * (e1 - w[(STRAIN + 1) * T + i]) - w[(PLASTIC + 1) * T + i]
        e2 += v * (e2 - w[(STRAIN + 2) * T + i]) - w[(PLASTIC + 2) * T + i]
        e3 += v * (e3 - w[(STRAIN + 3) * T + i]) - w[(PLASTIC + 3) * T + i]
        e4 += v * (e4 - w[(STRAIN + 4) * T + i]) - w[(PLASTIC + 4) * T + i]
        e5 += v * (e5 - w[(STRAIN + 5) * T + i]) - w[(PLASTIC + 5) * T + i]
        pressure, shear = w[(MATERIAL + LAMBDA) * T + i] * (e0 + e1 + e2), TWO * w[(MATERIAL + MU) * T + i]
        s0, s1, s2 = pressure + shear * e0, pressure + shear * e1, pressure + shear * e2
        s3, s4, s5 = shear * e3, shear * e4, shear * e5
        w[P * T + i] = r00 * s0 + r01 * s3 + r02 * s4
        w[(P + 1) * T + i] = r00 * s3 + r01 * s1 + r02 * s5
        w[(P + 2) * T + i] = r00 * s4 + r01 * s5 + r02 * s2
        w[(P + 3) * T + i] = r10 * s0 + r11 * s3 + r12 * s4
        w[(P + 4) * T + i] = r10 * s3 + r11 * s1 + r12 * s5
        w[(P + 5) * T + i] = r10 * s4 + r11 * s5 + r12 * s2
        w[(P + 6) * T + i] = r20 * s0 + r21 * s3 + r22 * s4
        w[(P + 7) * T + i] = r20 * s3 + r21 * s1 + r22 * s5
        w[(P + 8) * T + i] = r20 * s4 + r21 * s5 + r22 * s2


@parallel
def warped_forces(positions, tets, tiles, rate, forces, blocks):  # type: ignore[no-untyped-def]
    """Forces (lanes, 9) on nodes 1 to 3 [N] at positions (n, 3), turned as `turn_and_yield` found, and their stiffness.

    blocks (lanes, 6, 9) [N/m] in the order of PAIRS. `rate` is 1/dt [1/s], for the damping eta K' v.
    """
    count = len(tets)
    for k in prange(len(tiles)):
        w, first = tiles[k], k * T
        deform(w, positions, tets[first : min(count, first + T)])
        _turned_stress(w, rate)
        corner_forces(w, P, forces[first : first + T])
        warp(w, rate, blocks[first : first + T])
