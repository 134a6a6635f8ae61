"""The stiffness of a tet at rest, and warped to where the tet has turned (Müller and Gross 2004, eqs 1-8).

What K_e is made of is computed once, at rest: shape gradients b_a, volume, moduli. The block of two nodes is
volume (lam b_a b_b^T + mu b_b b_a^T + mu (b_a . b_b) I), so R K_e R^T is the same expression of turned gradients R b_a, from
12 numbers a tet instead of the 78 of a K_e that is kept: warping is then bound by memory, and moduli may change over time.
"""

import numpy as np
from numpy.typing import NDArray

from ..constants import ONE
from ..jit import TILE, inline, kernel
from ..scalar_math import like
from .slots import LAMBDA, MATERIAL, MU, TURN, VISCOUS, VOLUME, B, G, R

Array = NDArray[np.float64]
T = TILE


def element_stiffness(rest_shape_inverse: Array, volumes: Array, mu: Array, lam: Array) -> Array:
    """Return K_e = V B^T E B (m, 12, 12) [N/m] of linear tets, nodes in order, three rows each.

    rest_shape_inverse (m, 3, 3) [1/m], volumes (m,) [m^3], Lame's mu and lam (m,) [Pa].
    """
    gradients = np.concatenate([-rest_shape_inverse.sum(axis=1, keepdims=True), rest_shape_inverse], axis=1)
    outer = np.einsum("mai,mbj->maibj", gradients, gradients)
    dots = np.einsum("mai,mbi->mab", gradients, gradients)
    blocks = (volumes * lam)[:, None, None, None, None] * outer
    blocks += (volumes * mu)[:, None, None, None, None] * outer.transpose(0, 1, 4, 3, 2)
    blocks += np.einsum("m,mab,ij->maibj", volumes * mu, dots, np.eye(3))
    return blocks.reshape(-1, 12, 12)


@inline
def _turn_gradients(w):  # type: ignore[no-untyped-def]
    """g_a = R b_a: rows of B for nodes 1 to 3, minus their sum for node 0."""
    for row in range(3):
        for i in range(T):
            a, b, c = w[(TURN + 3 * row) * T + i], w[(TURN + 3 * row + 1) * T + i], w[(TURN + 3 * row + 2) * T + i]
            g1 = a * w[B * T + i] + b * w[(B + 1) * T + i] + c * w[(B + 2) * T + i]
            g2 = a * w[(B + 3) * T + i] + b * w[(B + 4) * T + i] + c * w[(B + 5) * T + i]
            g3 = a * w[(B + 6) * T + i] + b * w[(B + 7) * T + i] + c * w[(B + 8) * T + i]
            w[(G + row) * T + i] = -(g1 + g2 + g3)
            w[(G + 3 + row) * T + i] = g1
            w[(G + 6 + row) * T + i] = g2
            w[(G + 9 + row) * T + i] = g3


@inline
def _warp_pair(w, first, second, pair, weight, out):  # type: ignore[no-untyped-def]
    """The block of one node pair for all lanes into out[lane, pair, 9]; the numbers are written where this is called."""
    a, b = (G + 3 * first) * T, (G + 3 * second) * T
    for i in range(T):
        scale = w[VOLUME * T + i] * (ONE + weight * w[(MATERIAL + VISCOUS) * T + i])
        lam, mu = scale * w[(MATERIAL + LAMBDA) * T + i], scale * w[(MATERIAL + MU) * T + i]
        a0, a1, a2, b0, b1, b2 = w[a + i], w[a + T + i], w[a + 2 * T + i], w[b + i], w[b + T + i], w[b + 2 * T + i]
        dot = mu * (a0 * b0 + a1 * b1 + a2 * b2)
        l0, l1, l2, m0, m1, m2 = lam * a0, lam * a1, lam * a2, mu * a0, mu * a1, mu * a2
        w[R * T + i] = l0 * b0 + m0 * b0 + dot
        w[(R + 1) * T + i] = l0 * b1 + m1 * b0
        w[(R + 2) * T + i] = l0 * b2 + m2 * b0
        w[(R + 3) * T + i] = l1 * b0 + m0 * b1
        w[(R + 4) * T + i] = l1 * b1 + m1 * b1 + dot
        w[(R + 5) * T + i] = l1 * b2 + m2 * b1
        w[(R + 6) * T + i] = l2 * b0 + m0 * b2
        w[(R + 7) * T + i] = l2 * b1 + m1 * b2
        w[(R + 8) * T + i] = l2 * b2 + m2 * b2 + dot
    for i in range(T):
        for c in range(9):
            out[i, pair, c] = w[(R + c) * T + i]


@kernel
def warp(w, rate, out):  # type: ignore[no-untyped-def]
    """Blocks out (TILE, 6, 9) of R K_e R^T, in the order of PAIRS, times 1 + rate VISCOUS: `rate` is 1/dt of damping [1/s]."""
    weight = like(w[0], rate)
    _turn_gradients(w)
    _warp_pair(w, 0, 1, 0, weight, out)
    _warp_pair(w, 0, 2, 1, weight, out)
    _warp_pair(w, 0, 3, 2, weight, out)
    _warp_pair(w, 1, 2, 3, weight, out)
    _warp_pair(w, 1, 3, 4, weight, out)
    _warp_pair(w, 2, 3, 5, weight, out)
