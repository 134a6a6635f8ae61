"""Stiffness of all tets: second derivatives in the principal frame, made positive where asked, turned into node blocks.

In the frame of U and V the stiffness of an isotropic element is a 3x3 block on the stretches and, for each of the three
planes, a symmetric and an antisymmetric modulus: (P_i - P_j)/(s_i - s_j) and (P_i + P_j)/(s_i + s_j) (Smith et al. 2019,
"Analytic eigensystems for isotropic distortion energies"; here by chain rule through the flow too).
"""

import numpy as np
from numba import prange

from ..constants import HALF, ONE, QUARTER, TINY, TWO, ZERO
from ..jit import TILE, parallel
from ..jit.tile_code import put_rows, some_lane, tile_loop, tile_question
from ..jit.tile_copy import copy_slots
from ..slots import (
    ACTIVATION,
    ANTI,
    DENSITY,
    FIBRE,
    FLOOR,
    FLOW,
    KEPT,
    KEPT_WITH_EXTRAS,
    REMADE,
    SLOTS,
    SYM,
    VOLUME,
    YIELD,
    B,
    F,
    H,
    P,
    S,
    U,
    V,
)
from ..svd import DOUBLE, SINGLE, SWEEPS, symmetric_eigenvectors
from .calls import run_on_rows, run_raising, run_stiffness
from .elements import in_fours, keep_stress, place_edges, put_material, refer_to_rest, respond_elastically
from .lanes import PAIRS, dot, read, shape_gradients
from .phase_table import BLOCKS as BLOCK_PHASE
from .phase_table import DIRECT_BLOCKS, PROGRAM, RAISING, STIFFEN
from .runs import BLOCKS

INERTIA_SHARE = np.float32(0.9)
SMALLEST_SUM = np.float32(1e-3)  # of two stretches that the antisymmetric modulus divides by
T = TILE
WIDTH = BLOCKS.width


def _secant(pi, pj, si, sj, hii, hjj, hij, close):  # type: ignore[no-untyped-def]
    """(Pi - Pj)/(si - sj), by its limit when the stretches are `close`."""
    gap = si - sj
    near = abs(gap) < close
    return HALF * (hii + hjj) - hij if near else (pi - pj) / (ONE if near else gap)


def _mirrored_secant(pi, pj, si, sj, hii, hjj, hij):  # type: ignore[no-untyped-def]
    """(Pi + Pj)/(si + sj). As the sum of the stretches goes to zero it goes over to its limit, to which a stress that jumps
    there, where the sign rule turns to another direction (Irving 2004, section 5), adds at most (Pi + Pj)/SMALLEST_SUM.
    """
    total = si + sj
    limit = max(ONE - total / SMALLEST_SUM, ZERO) * (HALF * (hii + hjj) + hij)
    return (pi + pj) / max(total, SMALLEST_SUM) + limit


@tile_loop
def _plane_moduli(w):  # type: ignore[no-untyped-def]
    """Symmetric and antisymmetric moduli of the three planes."""
    for i in range(T):
        s0, s1, s2 = w[S * T + i], w[(S + 1) * T + i], w[(S + 2) * T + i]
        p0, p1, p2 = w[P * T + i], w[(P + 1) * T + i], w[(P + 2) * T + i]
        h00, h11, h22 = w[H * T + i], w[(H + 1) * T + i], w[(H + 2) * T + i]
        h01, h02, h12 = w[(H + 3) * T + i], w[(H + 4) * T + i], w[(H + 5) * T + i]
        close = 3e-3 if w.itemsize == 4 else 1e-5  # below it rounding costs more than the limit does
        w[SYM * T + i] = _secant(p0, p1, s0, s1, h00, h11, h01, close)
        w[(SYM + 1) * T + i] = _secant(p0, p2, s0, s2, h00, h22, h02, close)
        w[(SYM + 2) * T + i] = _secant(p1, p2, s1, s2, h11, h22, h12, close)
        w[ANTI * T + i] = _mirrored_secant(p0, p1, s0, s1, h00, h11, h01)
        w[(ANTI + 1) * T + i] = _mirrored_secant(p0, p2, s0, s2, h00, h22, h02)
        w[(ANTI + 2) * T + i] = _mirrored_secant(p1, p2, s1, s2, h11, h22, h12)


@tile_question
def _raise_moduli(w, inertia):  # type: ignore[no-untyped-def]
    """Raise negative curvature to what the tet's own inertia outweighs, so that the sum stays positive.

    A tet's curvature -c costs its nodes at most c volume |sum g g^T| in stiffness, g the shape gradients, and each holds
    density volume/4 times `inertia` = 1/step^2. Clamping to zero instead makes Newton crawl in compressed bodies.
    """
    for i in range(T):
        b00, b01, b02 = w[B * T + i], w[(B + 1) * T + i], w[(B + 2) * T + i]
        b10, b11, b12 = w[(B + 3) * T + i], w[(B + 4) * T + i], w[(B + 5) * T + i]
        b20, b21, b22 = w[(B + 6) * T + i], w[(B + 7) * T + i], w[(B + 8) * T + i]
        g0, g1, g2 = b00 + b10 + b20, b01 + b11 + b21, b02 + b12 + b22
        s00, s11 = b00 * b00 + b10 * b10 + b20 * b20 + g0 * g0, b01 * b01 + b11 * b11 + b21 * b21 + g1 * g1
        s22, s01 = b02 * b02 + b12 * b12 + b22 * b22 + g2 * g2, b00 * b01 + b10 * b11 + b20 * b21 + g0 * g1
        s02, s12 = b00 * b02 + b10 * b12 + b20 * b22 + g0 * g2, b01 * b02 + b11 * b12 + b21 * b22 + g1 * g2
        size = np.sqrt(s00 * s00 + s11 * s11 + s22 * s22 + TWO * (s01 * s01 + s02 * s02 + s12 * s12))
        floor = -INERTIA_SHARE * QUARTER * w[DENSITY * T + i] * inertia / max(size, TINY)
        w[FLOOR * T + i] = floor
        w[SYM * T + i], w[(SYM + 1) * T + i] = max(w[SYM * T + i], floor), max(w[(SYM + 1) * T + i], floor)
        w[(SYM + 2) * T + i], w[ANTI * T + i] = max(w[(SYM + 2) * T + i], floor), max(w[ANTI * T + i], floor)
        w[(ANTI + 1) * T + i], w[(ANTI + 2) * T + i] = max(w[(ANTI + 1) * T + i], floor), max(w[(ANTI + 2) * T + i], floor)
        a, b, c = w[H * T + i] - floor, w[(H + 1) * T + i] - floor, w[(H + 2) * T + i] - floor
        d, e, f = w[(H + 3) * T + i], w[(H + 4) * T + i], w[(H + 5) * T + i]
        some_lane(~_is_positive(a, b, c, d, e, f))


def _is_positive(a, b, c, d, e, f):  # type: ignore[no-untyped-def]
    """Whether the symmetric matrix 00 11 22 01 02 12 is."""
    minor = a * b - d * d
    return (a > ZERO) & (minor > ZERO) & (c * minor - a * f * f - b * e * e + TWO * d * e * f > ZERO)


@tile_loop
def _raise_stretches(w):  # type: ignore[no-untyped-def]
    """The same for the block on the stretches, where it has such curvature."""
    for i in range(T):
        floor = w[FLOOR * T + i]
        a, b, c = w[H * T + i] - floor, w[(H + 1) * T + i] - floor, w[(H + 2) * T + i] - floor
        d, e, f = w[(H + 3) * T + i], w[(H + 4) * T + i], w[(H + 5) * T + i]
        positive = _is_positive(a, b, c, d, e, f)
        precise = (SWEEPS, SINGLE) if w.itemsize == 4 else (SWEEPS + 1, DOUBLE)
        e0, e1, e2, v00, v01, v02, v10, v11, v12, v20, v21, v22 = symmetric_eigenvectors(a, b, c, d, e, f, *precise)
        e0, e1, e2 = max(e0, ZERO) + floor, max(e1, ZERO) + floor, max(e2, ZERO) + floor
        x, y, z = (v00, v01, v02), (v10, v11, v12), (v20, v21, v22)
        for k, (p, q) in enumerate(((x, x), (y, y), (z, z), (x, y), (x, z), (y, z))):
            raised = e0 * p[0] * q[0] + e1 * p[1] * q[1] + e2 * p[2] * q[2]
            w[(H + k) * T + i] = w[(H + k) * T + i] if positive else raised


@tile_loop
def _blocks(w, out):  # type: ignore[no-untyped-def]
    """Stiffness blocks of the six node pairs into out (TILE, WIDTH): volume U M U^T, M between gradients turned by V^T."""
    for i in range(T):
        v, u, volume = read(w, i, V, 9), read(w, i, U, 9), w[VOLUME * T + i]
        turned = [[dot(v[axis::3], g) for axis in range(3)] for g in shape_gradients(w, i)]
        h00, h11, h22, h01, h02, h12 = read(w, i, H, 6)
        sym, anti = read(w, i, SYM, 3), read(w, i, ANTI, 3)
        # of an entry of dF on its own, and on its mirror entry
        g01, g02, g12 = (HALF * (sym[k] + anti[k]) for k in range(3))
        x01, x02, x12 = (HALF * (sym[k] - anti[k]) for k in range(3))
        blocks = []
        for a, b in PAIRS:
            a0, a1, a2 = (volume * g for g in turned[a])
            b0, b1, b2 = turned[b]
            m = (
                (h00 * a0 * b0 + g01 * a1 * b1 + g02 * a2 * b2, h01 * a0 * b1 + x01 * a1 * b0, h02 * a0 * b2 + x02 * a2 * b0),
                (h01 * a1 * b0 + x01 * a0 * b1, h11 * a1 * b1 + g01 * a0 * b0 + g12 * a2 * b2, h12 * a1 * b2 + x12 * a2 * b1),
                (h02 * a2 * b0 + x02 * a0 * b2, h12 * a2 * b1 + x12 * a1 * b2, h22 * a2 * b2 + g02 * a0 * b0 + g12 * a1 * b1),
            )
            rows = [[dot(u[3 * k : 3 * k + 3], [m[n][c] for n in range(3)]) for c in range(3)] for k in range(3)]
            blocks += [dot(row, u[3 * c : 3 * c + 3]) for row in rows for c in range(3)]
        put_rows(out, WIDTH, i, 0, [*blocks, ZERO, ZERO])


def raise_curvature(w, inertia):  # type: ignore[no-untyped-def]
    """Make a tile's curvature positive but for what its inertia outweighs."""
    if _raise_moduli(w, inertia):
        _raise_stretches(w)


def tile_blocks(  # type: ignore[no-untyped-def]
    w, s, flat, corners, count, slots, programs, first, last, phases, inertia, decompose, out
):
    """Off-diagonal 3x3 blocks of a tile's tets, out (TILE * WIDTH,) in the order of PAIRS [N/m]; with `decompose`, s holds the
    decomposition afterwards.

    s: a tile with all slots, which holds the material; flat: positions (`in_fours`); corners: four of each of the tile's
    `count` tets; slots: how many w has.
    """
    fibred = slots > KEPT and w[ACTIVATION * T] >= ZERO
    flows, direct = w[REMADE * T] == ZERO, programs[PROGRAM * first + DIRECT_BLOCKS]
    copy_slots(w, B, YIELD, s)
    if not flows and decompose == 0 and last == first + 1 and direct != 0:
        place_edges(s, flat, corners, count, w, (slots + B) * T)
        run_on_rows(direct, s, out)
        if fibred:
            refer_to_rest(s)
    else:
        if flows:
            copy_slots(w, F if fibred else U, B, s)
            copy_slots(w, P, FLOW, s)
        else:
            respond_elastically(s, flat, corners, count, w, (slots + B) * T, programs, first, last, phases)
            keep_stress(s)
        _plane_moduli(s)
        if inertia >= 0.0:
            run_raising(phases[RAISING], s, inertia)
        _blocks(s, out)
    if fibred:
        copy_slots(w, FIBRE, KEPT_WITH_EXTRAS, s)
        run_on_rows(phases[STIFFEN], s, out)


@parallel
def stiffness(  # type: ignore[no-untyped-def]
    positions, tets, tiles, materials, kinds, programs, offsets, phases, inertia, decompose, blocks
):
    """Off-diagonal 3x3 blocks of every tet, blocks (tiles * TILE, WIDTH) of the tiles' type in the order of PAIRS [N/m].

    tiles, materials, kinds, programs, offsets, phases are the arrays of `Tiles`, which stay as they are, evaluated at the same
    positions. `inertia` is 1/step^2 [1/s^2], the least that the time step multiplies masses by; negative leaves the stiffness
    as it is. Only tiles that are decomposed, with `decompose` all of them, can be made positive. Moving all nodes together
    stores no energy, so a diagonal block is minus the sum of its row and is not kept. For whoever asks for the blocks of tets:
    a bake has them summed at once (stiffness_sum.py).
    """
    flat, slots = in_fours(positions), tiles.shape[1] // T
    for k in prange(len(tiles)):
        s = np.empty(SLOTS * T, tiles.dtype)
        put_material(materials[kinds[k]], s)
        corners = tets[k * T : min(len(tets), (k + 1) * T)]
        run_stiffness(
            phases[BLOCK_PHASE], tiles[k], s, flat, corners, len(corners), slots, programs, offsets[k], offsets[k + 1], phases,
            inertia, decompose, blocks[k * T : (k + 1) * T],
        )  # fmt: skip
