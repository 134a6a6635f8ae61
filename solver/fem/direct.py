"""Tets that do not yield, without a decomposition: where a law is a function of I = |F|^2 and J = det F alone.

P = 2 W_I F + W_J cof F, and the stiffness between the nodes a and b with shape gradients g is, for a volume V,

    V [ 2 W_I (g_a . g_b) 1 + 4 W_II u_a u_b^T + 2 W_IJ (u_a c_b^T + c_a u_b^T) + W_JJ c_a c_b^T + W_J [F (g_a x g_b)]_x ]

with u = F g, c = cof(F) g and ([w]_x)_ij = e_ijk w_k, the second derivative of the determinant. The deviator of the
Kirchhoff stress is that of 2 W_I F F^T, which tells whether the tet yields; if one of a tile does, all of the tile is
decomposed after all (elements.py).
"""

from typing import Any

import numpy as np

from ..constants import FOUR, HALF, THREE, THREE_HALVES, TWO, ZERO
from ..jit import TILE
from ..jit.tile_code import put_rows, some_lane, tile_question
from ..slots import (
    ELASTIC_FIRST,
    ELASTIC_SECOND,
    ENERGY,
    FLOW_RATE,
    FLOW_STRESS,
    FULL_NORM,
    LAMBDA,
    MATERIAL,
    MEASURE,
    MISES,
    MU,
    NORM,
    SIZE,
    VOLUME,
    YIELD,
    F,
)
from .lanes import PAIRS, cross, deformed, dot, put_forces, shape_gradients, squared
from .runs import BLOCKS

T = TILE
M = MATERIAL
WIDTH = BLOCKS.width
NEARLY = np.float32(0.98)  # of the yield stress: what ended the last step above it is likely to flow in this one too
response: Any  # given to each law's copy of a phase


@tile_question
def yielded(w):  # type: ignore[no-untyped-def]
    """Whether a lane was about to yield at the end of the last step; known to a checkpoint too."""
    for i in range(T):
        near = w[FLOW_STRESS * T + i] > NEARLY * w[YIELD * T + i]
        some_lane(near & (w[(M + FLOW_RATE) * T + i] > ZERO))


def direct_phase(w, forces):  # type: ignore[no-untyped-def]
    """From edges in F to F, energy, yield measures and forces (TILE, 12) [N]; whether a lane yields."""
    for i in range(T):
        f, c, (e, w_i, w_j, _, _, _) = _answer(response, w, i)  # noqa: F821
        stress = [TWO * w_i * x + w_j * y for x, y in zip(f, c, strict=True)]
        put_forces(w, i, stress, forces)
        norm, mises = np.sqrt(squared(stress)), _mises(w_i, f)
        measure = norm if w[(M + FULL_NORM) * T + i] > HALF else mises
        for k, x in enumerate(f):
            w[(F + k) * T + i] = x
        w[ENERGY * T + i], w[SIZE * T + i] = e, ZERO
        w[NORM * T + i], w[MISES * T + i], w[MEASURE * T + i] = norm, mises, measure
        some_lane((measure > w[YIELD * T + i]) & (w[(M + FLOW_RATE) * T + i] > ZERO))


def _answer(formula, w, i):  # type: ignore[no-untyped-def]
    """F of a lane whose edges lie in F's place, its cofactors, and what a law says of it."""
    f = deformed(w, i)
    c = cofactors(f)
    said = formula(
        squared(f), dot(f, c), w[(M + MU) * T + i], w[(M + LAMBDA) * T + i],
        w[(M + ELASTIC_FIRST) * T + i], w[(M + ELASTIC_SECOND) * T + i],
    )  # fmt: skip
    return f, c, said


def cofactors(f):  # type: ignore[no-untyped-def]
    """cof F of F (9), row-major: its rows are cross products of F's."""
    rows = f[0:3], f[3:6], f[6:9]
    return cross(rows[1], rows[2]) + cross(rows[2], rows[0]) + cross(rows[0], rows[1])


def _mises(w_i, f):  # type: ignore[no-untyped-def]
    """The von Mises measure of the Kirchhoff stress."""
    rows = f[0:3], f[3:6], f[6:9]
    b00, b11, b22 = (dot(row, row) for row in rows)
    b01, b02, b12 = dot(rows[0], rows[1]), dot(rows[0], rows[2]), dot(rows[1], rows[2])
    mean = (b00 + b11 + b22) / THREE
    b00, b11, b22 = b00 - mean, b11 - mean, b22 - mean
    size = b00 * b00 + b11 * b11 + b22 * b22 + TWO * (b01 * b01 + b02 * b02 + b12 * b12)
    return TWO * abs(w_i) * np.sqrt(THREE_HALVES * size)


def direct_blocks(w, out):  # type: ignore[no-untyped-def]
    """Stiffness blocks of a tile's six node pairs into out (TILE, WIDTH), from edges in F, which stay there: what a law says is
    found a second time, which takes less time than to write it down and read it again."""
    for i in range(T):
        f, cofactor, (_, w_i, w_j, w_ii, w_ij, w_jj) = _answer(response, w, i)  # noqa: F821
        gradients, rows = shape_gradients(w, i), (f[0:3], f[3:6], f[6:9])
        u = [tuple(dot(row, g) for row in rows) for g in gradients]
        c = [tuple(dot(cofactor[3 * k : 3 * k + 3], g) for k in range(3)) for g in gradients]
        volume = w[VOLUME * T + i]
        same, turn, cc = TWO * volume * w_i, volume * w_j, volume * w_jj
        uu, uc = FOUR * volume * w_ii, TWO * volume * w_ij
        blocks = []
        for a, b in PAIRS:
            p = [uu * u[a][k] + uc * c[a][k] for k in range(3)]
            q = [uc * u[a][k] + cc * c[a][k] for k in range(3)]
            block = [p[k] * u[b][m] + q[k] * c[b][m] for k in range(3) for m in range(3)]
            diagonal, across = same * dot(gradients[a], gradients[b]), cross(gradients[a], gradients[b])
            t0, t1, t2 = (turn * dot(row, across) for row in rows)
            block[0], block[4], block[8] = block[0] + diagonal, block[4] + diagonal, block[8] + diagonal
            block[1], block[2], block[5] = block[1] + t2, block[2] - t1, block[5] + t0
            block[3], block[6], block[7] = block[3] - t2, block[6] + t1, block[7] - t0
            blocks += block
        put_rows(out, WIDTH, i, 0, [*blocks, ZERO, ZERO])
