"""Tets that do not yield, without a decomposition: where a law is a function of I = |F|^2 and J = det F alone.

P = 2 W_I F + W_J cof F, and the stiffness between the nodes a and b with shape gradients g is, for a volume V,

    V [ 2 W_I (g_a . g_b) 1 + 4 W_II u_a u_b^T + 2 W_IJ (u_a c_b^T + c_a u_b^T) + W_JJ c_a c_b^T + W_J [F (g_a x g_b)]_x ]

with u = F g, c = cof(F) g and ([w]_x)_ij = e_ijk w_k, the second derivative of the determinant. The deviator of the
Kirchhoff stress is that of 2 W_I F F^T, which tells whether the tet yields; if one of a tile does, all of the tile is
decomposed after all (elements.py). Slots U, S and V hold cof F, (I, J) and P here.
"""

import numpy as np

from ..constants import FOUR, HALF, THREE, THREE_HALVES, TWO, ZERO
from ..jit import TILE, kernel
from ..slots import (
    DIRECT,
    FLOW,
    FLOW_RATE,
    FULL_NORM,
    MATERIAL,
    MEASURE,
    MISES,
    NORM,
    SIZE,
    VOLUME,
    YIELD,
    D,
    F,
    S,
    U,
    V,
)
from ..tile_code import put_rows, some_lane, tile_loop, tile_question
from .lanes import PAIRS, dot, put_forces, read, shape_gradients
from .laws import run_phase

T = TILE
COFACTOR, INVARIANT, STRESS = U, S, V
W_I, W_J, W_II, W_IJ, W_JJ = D, D + 1, D + 2, D + 3, D + 4


@kernel
def stress_without_decomposition(w, programs, first, last):  # type: ignore[no-untyped-def]
    """Stress and energy of a tile; False where it has to be decomposed."""
    for k in range(first, last):
        if programs[k, 3] == 0:
            w[DIRECT * T] = ZERO
            return False
    _invariants(w)
    for k in range(first, last):
        run_phase(programs[k, 3], w, programs[k, 1], programs[k, 2])
    yields = _stress(w)
    w[DIRECT * T] = ZERO if yields else TWO
    return not yields


@tile_loop
def _invariants(w):  # type: ignore[no-untyped-def]
    """cof F, I and J."""
    for i in range(T):
        f00, f01, f02 = w[F * T + i], w[(F + 1) * T + i], w[(F + 2) * T + i]
        f10, f11, f12 = w[(F + 3) * T + i], w[(F + 4) * T + i], w[(F + 5) * T + i]
        f20, f21, f22 = w[(F + 6) * T + i], w[(F + 7) * T + i], w[(F + 8) * T + i]
        c00, c01, c02 = f11 * f22 - f12 * f21, f12 * f20 - f10 * f22, f10 * f21 - f11 * f20
        w[COFACTOR * T + i], w[(COFACTOR + 1) * T + i], w[(COFACTOR + 2) * T + i] = c00, c01, c02
        w[(COFACTOR + 3) * T + i] = f02 * f21 - f01 * f22
        w[(COFACTOR + 4) * T + i] = f00 * f22 - f02 * f20
        w[(COFACTOR + 5) * T + i] = f01 * f20 - f00 * f21
        w[(COFACTOR + 6) * T + i] = f01 * f12 - f02 * f11
        w[(COFACTOR + 7) * T + i] = f02 * f10 - f00 * f12
        w[(COFACTOR + 8) * T + i] = f00 * f11 - f01 * f10
        w[INVARIANT * T + i] = (
            f00 * f00 + f01 * f01 + f02 * f02 + f10 * f10 + f11 * f11 + f12 * f12 + f20 * f20 + f21 * f21 + f22 * f22
        )
        w[(INVARIANT + 1) * T + i] = f00 * c00 + f01 * c01 + f02 * c02


@tile_question
def _stress(w):  # type: ignore[no-untyped-def]
    """P and the yield measures; whether a lane yields."""
    for i in range(T):
        a, b = TWO * w[W_I * T + i], w[W_J * T + i]
        total = ZERO * a
        for c in range(9):
            p = a * w[(F + c) * T + i] + b * w[(COFACTOR + c) * T + i]
            w[(STRESS + c) * T + i] = p
            total += p * p
        w[NORM * T + i] = np.sqrt(total)
    for i in range(T):
        f00, f01, f02 = w[F * T + i], w[(F + 1) * T + i], w[(F + 2) * T + i]
        f10, f11, f12 = w[(F + 3) * T + i], w[(F + 4) * T + i], w[(F + 5) * T + i]
        f20, f21, f22 = w[(F + 6) * T + i], w[(F + 7) * T + i], w[(F + 8) * T + i]
        b00, b11, b22 = f00 * f00 + f01 * f01 + f02 * f02, f10 * f10 + f11 * f11 + f12 * f12, f20 * f20 + f21 * f21 + f22 * f22
        b01, b02, b12 = f00 * f10 + f01 * f11 + f02 * f12, f00 * f20 + f01 * f21 + f02 * f22, f10 * f20 + f11 * f21 + f12 * f22
        mean = (b00 + b11 + b22) / THREE
        b00, b11, b22 = b00 - mean, b11 - mean, b22 - mean
        size = b00 * b00 + b11 * b11 + b22 * b22 + TWO * (b01 * b01 + b02 * b02 + b12 * b12)
        mises = TWO * abs(w[W_I * T + i]) * np.sqrt(THREE_HALVES * size)
        measure = w[NORM * T + i] if w[(MATERIAL + FULL_NORM) * T + i] > HALF else mises
        w[MISES * T + i], w[MEASURE * T + i] = mises, measure
        w[FLOW * T + i], w[SIZE * T + i] = ZERO, ZERO
        some_lane((measure > w[YIELD * T + i]) & (w[(MATERIAL + FLOW_RATE) * T + i] > ZERO))


@tile_loop
def direct_forces(w, forces):  # type: ignore[no-untyped-def]
    """Forces (TILE, 9) on nodes 1 to 3 of what `stress_without_decomposition` left [N]."""
    for i in range(T):
        put_forces(w, i, read(w, i, STRESS, 9), forces)


@tile_loop
def direct_blocks(w, out):  # type: ignore[no-untyped-def]
    """Stiffness blocks of a tile's six node pairs into out (TILE, 6, 9), from what `stress_without_decomposition` left."""
    for i in range(T):
        gradients = shape_gradients(w, i)
        f, cofactor = read(w, i, F, 9), read(w, i, COFACTOR, 9)
        rows = f[0:3], f[3:6], f[6:9]
        u = [tuple(dot(row, g) for row in rows) for g in gradients]
        c = [tuple(dot(cofactor[3 * k : 3 * k + 3], g) for k in range(3)) for g in gradients]
        volume = w[VOLUME * T + i]
        same, turn, cc = TWO * volume * w[W_I * T + i], volume * w[W_J * T + i], volume * w[W_JJ * T + i]
        uu, uc = FOUR * volume * w[W_II * T + i], TWO * volume * w[W_IJ * T + i]
        for pair, (a, b) in enumerate(PAIRS):
            p = [uu * u[a][k] + uc * c[a][k] for k in range(3)]
            q = [uc * u[a][k] + cc * c[a][k] for k in range(3)]
            block = [p[k] * u[b][m] + q[k] * c[b][m] for k in range(3) for m in range(3)]
            diagonal, across = same * dot(gradients[a], gradients[b]), _cross(gradients[a], gradients[b])
            t0, t1, t2 = (turn * dot(row, across) for row in rows)
            block[0], block[4], block[8] = block[0] + diagonal, block[4] + diagonal, block[8] + diagonal
            block[1], block[2], block[5] = block[1] + t2, block[2] - t1, block[5] + t0
            block[3], block[6], block[7] = block[3] - t2, block[6] + t1, block[7] - t0
            put_rows(out, 54, i, 9 * pair, block)


def _cross(a, b):  # type: ignore[no-untyped-def]
    """a x b of two triples."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]
