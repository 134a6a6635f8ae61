"""How far a tet has turned since its rest: the polar decomposition F = R S (Müller and Gross 2004, section 2.4).

R = U V^T from the signed singular values (Irving 2004, section 4) is a rotation for flat and inverted tets too, and S has
the sign of an inversion; the Gram-Schmidt of other codes depends on the order of a tet's corners.
"""

import numpy as np
from numpy.typing import NDArray

from ..constants import HALF, ONE, ZERO
from ..fem.lanes import dot, read
from ..jit import TILE
from ..jit.tile_code import tile_loop
from ..svd import signed_svd
from .slots import ENTRIES, LINEAR, MATERIAL, STRAIN, TURN, F, U, V

Numbers = NDArray[np.floating]
T = TILE


def polar(gradients: Numbers) -> tuple[Numbers, Numbers]:
    """Return R (n, 3, 3), rotations, and S (n, 3, 3), symmetric, with F = R S for deformation gradients (n, 3, 3)."""
    left, stretches, right = signed_svd(gradients)
    return left @ np.swapaxes(right, 1, 2), np.einsum("nik,nk,njk->nij", right, stretches, right)


@tile_loop
def take_rotation(w):  # type: ignore[no-untyped-def]
    """Of a decomposed tile: TURN = U V^T and STRAIN; where the material is LINEAR, as of figure 1, TURN = I."""
    for i in range(T):
        left, right = read(w, i, U, 9), read(w, i, V, 9)
        linear = w[(MATERIAL + LINEAR) * T + i] > HALF
        turn = []
        for k in range(9):
            turned = dot(left[3 * (k // 3) : 3 * (k // 3) + 3], right[3 * (k % 3) : 3 * (k % 3) + 3])
            turn.append((ONE if k % 4 == 0 else ZERO) if linear else turned)
        strain = strain_of(turn, read(w, i, F, 9))
        for k in range(9):
            w[(TURN + k) * T + i] = turn[k]
        for k in range(6):
            w[(STRAIN + k) * T + i] = strain[k]


def strain_of(turn, gradient):  # type: ignore[no-untyped-def]
    """The Cauchy strain in the unrotated frame, sym(R^T F) - I (6), of a tet turned by R (9) with F (9)."""
    back = [[dot(turn[row::3], gradient[column::3]) for column in range(3)] for row in range(3)]
    return [HALF * (back[a][b] + back[b][a]) if a != b else back[a][a] - ONE for a, b in ENTRIES]
