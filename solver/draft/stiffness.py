"""The stiffness of a tet at rest, computed once, and warped to where the tet has turned (Müller and Gross 2004, eqs 1-8)."""

import numpy as np
from numpy.typing import NDArray

from ..constants import ONE
from ..fem.stiffness import PAIRS
from ..jit import TILE, inline, kernel
from ..scalar_math import like
from .slots import MATERIAL, REST, TURN, VISCOUS, R

Array = NDArray[np.float64]
T = TILE


def element_stiffness(rest_shape_inverse: Array, volumes: Array, mu: Array, lam: Array) -> Array:
    """Return K_e = V B^T E B (m, 12, 12) [N/m] of linear tets, nodes in order, three rows each.

    rest_shape_inverse (m, 3, 3) [1/m], volumes (m,) [m^3], Lame's mu and lam (m,) [Pa]. With shape gradients b_a the block
    of two nodes is V (lam b_a b_b^T + mu b_b b_a^T + mu (b_a . b_b) I).
    """
    gradients = np.concatenate([-rest_shape_inverse.sum(axis=1, keepdims=True), rest_shape_inverse], axis=1)
    outer = np.einsum("mai,mbj->maibj", gradients, gradients)
    dots = np.einsum("mai,mbi->mab", gradients, gradients)
    blocks = (volumes * lam)[:, None, None, None, None] * outer
    blocks += (volumes * mu)[:, None, None, None, None] * outer.transpose(0, 1, 4, 3, 2)
    blocks += np.einsum("m,mab,ij->maibj", volumes * mu, dots, np.eye(3))
    return blocks.reshape(-1, 12, 12)


def rest_blocks(stiffness: Array) -> Array:
    """Return the blocks (m, 54) of node pairs in the order of PAIRS, row-major, from K_e (m, 12, 12).

    The others follow: K_e is symmetric, and each of its rows of blocks sums to zero.
    """
    blocks = stiffness.reshape(-1, 4, 3, 4, 3)
    return np.concatenate([blocks[:, a, :, b, :].reshape(-1, 9) for a, b in PAIRS], axis=1)


@inline
def _warp_pair(w, pair, weight, out):  # type: ignore[no-untyped-def]
    """R K R^T of one node pair for all lanes into out[lane, pair, 9]; `pair` is written as a number where this is called."""
    k = (REST + 9 * pair) * T
    for i in range(T):
        scale = ONE + weight * w[(MATERIAL + VISCOUS) * T + i]
        r00, r01, r02 = w[TURN * T + i], w[(TURN + 1) * T + i], w[(TURN + 2) * T + i]
        r10, r11, r12 = w[(TURN + 3) * T + i], w[(TURN + 4) * T + i], w[(TURN + 5) * T + i]
        r20, r21, r22 = w[(TURN + 6) * T + i], w[(TURN + 7) * T + i], w[(TURN + 8) * T + i]
        for row in range(3):
            a, b, c = w[(TURN + 3 * row) * T + i], w[(TURN + 3 * row + 1) * T + i], w[(TURN + 3 * row + 2) * T + i]
            m0 = scale * (a * w[k + i] + b * w[k + 3 * T + i] + c * w[k + 6 * T + i])
            m1 = scale * (a * w[k + T + i] + b * w[k + 4 * T + i] + c * w[k + 7 * T + i])
            m2 = scale * (a * w[k + 2 * T + i] + b * w[k + 5 * T + i] + c * w[k + 8 * T + i])
            w[(R + 3 * row) * T + i] = m0 * r00 + m1 * r01 + m2 * r02
            w[(R + 3 * row + 1) * T + i] = m0 * r10 + m1 * r11 + m2 * r12
            w[(R + 3 * row + 2) * T + i] = m0 * r20 + m1 * r21 + m2 * r22
    for i in range(T):
        for c in range(9):
            out[i, pair, c] = w[(R + c) * T + i]


@kernel
def warp(w, rate, out):  # type: ignore[no-untyped-def]
    """Blocks out (TILE, 6, 9) of the tile where it has turned, times 1 + rate VISCOUS: `rate` is 1/dt of the damping [1/s]."""
    weight = like(w[0], rate)
    _warp_pair(w, 0, weight, out)
    _warp_pair(w, 1, weight, out)
    _warp_pair(w, 2, weight, out)
    _warp_pair(w, 3, weight, out)
    _warp_pair(w, 4, weight, out)
    _warp_pair(w, 5, weight, out)
