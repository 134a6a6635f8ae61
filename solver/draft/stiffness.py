"""The stiffness of a tet at rest, and warped to where the tet has turned (Müller and Gross 2004, eqs 1-8).

What K_e is made of is computed once, at rest: shape gradients b_a, volume, moduli. The block of two nodes is
volume (lam b_a b_b^T + mu b_b b_a^T + mu (b_a . b_b) I), so R K_e R^T is the same expression of turned gradients R b_a, from
12 numbers a tet instead of the 78 of a K_e that is kept: warping is then bound by memory, and moduli may change over time.
"""

import numpy as np
from numpy.typing import NDArray

from ..constants import ONE
from ..fem.lanes import PAIRS, dot, read, shape_gradients
from ..jit import TILE
from ..jit.tile_code import put_rows, tile_loop
from .slots import LAMBDA, MATERIAL, MU, TURN, VISCOUS, VOLUME

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


@tile_loop
def warp(w, rate, out):  # type: ignore[no-untyped-def]
    """Blocks out (TILE, 6, 9) of R K_e R^T, in the order of PAIRS, times 1 + rate VISCOUS: `rate` is 1/dt of damping [1/s]."""
    for i in range(T):
        turn = read(w, i, TURN, 9)
        g = [[dot(turn[3 * row : 3 * row + 3], b) for row in range(3)] for b in shape_gradients(w, i)]
        scale = w[VOLUME * T + i] * (ONE + rate * w[(MATERIAL + VISCOUS) * T + i])
        lam, mu = scale * w[(MATERIAL + LAMBDA) * T + i], scale * w[(MATERIAL + MU) * T + i]
        for pair, (a, b) in enumerate(PAIRS):
            block = [lam * g[a][k] * g[b][m] + mu * g[b][k] * g[a][m] for k in range(3) for m in range(3)]
            along = mu * dot(g[a], g[b])
            block[0], block[4], block[8] = block[0] + along, block[4] + along, block[8] + along
            put_rows(out, 54, i, 9 * pair, block)
