"""Tets that do not yield, without a decomposition: where a law is a function of I = |F|^2 and J = det F alone.

P = 2 W_I F + W_J cof F, and the stiffness between the nodes a and b with shape gradients g is, for a volume V,

    V [ 2 W_I (g_a . g_b) 1 + 4 W_II u_a u_b^T + 2 W_IJ (u_a c_b^T + c_a u_b^T) + W_JJ c_a c_b^T + W_J [F (g_a x g_b)]_x ]

with u = F g, c = cof(F) g and ([w]_x)_ij = e_ijk w_k, the second derivative of the determinant. The deviator of the
Kirchhoff stress is that of 2 W_I F F^T, which tells whether the tet yields; if one of a tile does, all of the tile is
decomposed after all (elements.py). Slots U, S and V hold cof F, (I, J) and P here.
"""

import numpy as np

from ..constants import FOUR, HALF, ONE, THREE, THREE_HALVES, TWO, ZERO
from ..jit import TILE, inline, kernel
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
    B,
    D,
    F,
    G,
    R,
    S,
    U,
    V,
)
from .lanes import any_lane
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


@kernel
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


@kernel
def _stress(w):  # type: ignore[no-untyped-def]
    """P and the yield measures; return whether a lane yields."""
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
        w[R * T + i] = ONE if (measure > w[YIELD * T + i]) & (w[(MATERIAL + FLOW_RATE) * T + i] > ZERO) else ZERO
    return any_lane(w, R)


@kernel
def direct_blocks(w, out):  # type: ignore[no-untyped-def]
    """Stiffness blocks of a tile's six node pairs into out[lane, pair, 9], from what `stress_without_decomposition` left."""
    _turned_gradients(w, F, G)
    _turned_gradients(w, COFACTOR, G + 12)
    _block(w, 0, 1, 0, out)
    _block(w, 0, 2, 1, out)
    _block(w, 0, 3, 2, out)
    _block(w, 1, 2, 3, out)
    _block(w, 1, 3, 4, out)
    _block(w, 2, 3, 5, out)


@inline
def _turned_gradients(w, matrix, slot):  # type: ignore[no-untyped-def]
    """A matrix times the shape gradients of the four nodes."""
    for row in range(3):
        for i in range(T):
            m0, m1, m2 = w[(matrix + 3 * row) * T + i], w[(matrix + 3 * row + 1) * T + i], w[(matrix + 3 * row + 2) * T + i]
            x1 = m0 * w[B * T + i] + m1 * w[(B + 1) * T + i] + m2 * w[(B + 2) * T + i]
            x2 = m0 * w[(B + 3) * T + i] + m1 * w[(B + 4) * T + i] + m2 * w[(B + 5) * T + i]
            x3 = m0 * w[(B + 6) * T + i] + m1 * w[(B + 7) * T + i] + m2 * w[(B + 8) * T + i]
            w[(slot + row) * T + i] = -(x1 + x2 + x3)
            w[(slot + 3 + row) * T + i] = x1
            w[(slot + 6 + row) * T + i] = x2
            w[(slot + 9 + row) * T + i] = x3


@inline
def _gradient(w, node, i):  # type: ignore[no-untyped-def]
    """Shape gradient of a node in the rest shape."""
    if node > 0:
        at = (B + 3 * (node - 1)) * T + i
        return w[at], w[at + T], w[at + 2 * T]
    return (
        -(w[B * T + i] + w[(B + 3) * T + i] + w[(B + 6) * T + i]),
        -(w[(B + 1) * T + i] + w[(B + 4) * T + i] + w[(B + 7) * T + i]),
        -(w[(B + 2) * T + i] + w[(B + 5) * T + i] + w[(B + 8) * T + i]),
    )


@inline
def _block(w, a, b, pair, out):  # type: ignore[no-untyped-def]
    """The block of nodes a and b; both are written as numbers where this is called, so every distance is known."""
    for i in range(T):
        volume = w[VOLUME * T + i]
        a0, a1, a2 = _gradient(w, a, i)
        b0, b1, b2 = _gradient(w, b, i)
        u0, u1, u2 = w[(G + 3 * a) * T + i], w[(G + 3 * a + 1) * T + i], w[(G + 3 * a + 2) * T + i]
        v0, v1, v2 = w[(G + 3 * b) * T + i], w[(G + 3 * b + 1) * T + i], w[(G + 3 * b + 2) * T + i]
        c0, c1, c2 = w[(G + 12 + 3 * a) * T + i], w[(G + 13 + 3 * a) * T + i], w[(G + 14 + 3 * a) * T + i]
        d0, d1, d2 = w[(G + 12 + 3 * b) * T + i], w[(G + 13 + 3 * b) * T + i], w[(G + 14 + 3 * b) * T + i]
        same = TWO * volume * w[W_I * T + i] * (a0 * b0 + a1 * b1 + a2 * b2)
        uu, uc = FOUR * volume * w[W_II * T + i], TWO * volume * w[W_IJ * T + i]
        cc, turn = volume * w[W_JJ * T + i], volume * w[W_J * T + i]
        x0, x1, x2 = a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0
        t0 = turn * (w[F * T + i] * x0 + w[(F + 1) * T + i] * x1 + w[(F + 2) * T + i] * x2)
        t1 = turn * (w[(F + 3) * T + i] * x0 + w[(F + 4) * T + i] * x1 + w[(F + 5) * T + i] * x2)
        t2 = turn * (w[(F + 6) * T + i] * x0 + w[(F + 7) * T + i] * x1 + w[(F + 8) * T + i] * x2)
        p0, p1, p2 = uu * u0 + uc * c0, uu * u1 + uc * c1, uu * u2 + uc * c2
        q0, q1, q2 = uc * u0 + cc * c0, uc * u1 + cc * c1, uc * u2 + cc * c2
        w[R * T + i] = same + p0 * v0 + q0 * d0
        w[(R + 1) * T + i] = p0 * v1 + q0 * d1 + t2
        w[(R + 2) * T + i] = p0 * v2 + q0 * d2 - t1
        w[(R + 3) * T + i] = p1 * v0 + q1 * d0 - t2
        w[(R + 4) * T + i] = same + p1 * v1 + q1 * d1
        w[(R + 5) * T + i] = p1 * v2 + q1 * d2 + t0
        w[(R + 6) * T + i] = p2 * v0 + q2 * d0 + t1
        w[(R + 7) * T + i] = p2 * v1 + q2 * d1 - t0
        w[(R + 8) * T + i] = same + p2 * v2 + q2 * d2
    for i in range(T):
        for c in range(9):
            out[i, pair, c] = w[(R + c) * T + i]
