"""How far a tet has turned since its rest: the polar decomposition F = R S (Müller and Gross 2004, section 2.4).

R = U V^T from the signed singular values (Irving 2004, section 4) is a rotation for flat and inverted tets too, and S has
the sign of an inversion; the Gram-Schmidt of other codes depends on the order of a tet's corners.
"""

import numpy as np
from numpy.typing import NDArray

from ..constants import ONE
from ..jit import TILE, kernel
from ..svd import signed_svd
from .slots import STRAIN, TURN, S, U, V

Numbers = NDArray[np.floating]
T = TILE


def polar(gradients: Numbers) -> tuple[Numbers, Numbers]:
    """Return R (n, 3, 3), rotations, and S (n, 3, 3), symmetric, with F = R S for deformation gradients (n, 3, 3)."""
    left, stretches, right = signed_svd(gradients)
    return left @ np.swapaxes(right, 1, 2), np.einsum("nik,nk,njk->nij", right, stretches, right)


@kernel
def take_rotation(w):  # type: ignore[no-untyped-def]
    """Of a decomposed tile: TURN = U V^T and STRAIN = S - I = V diag(s - 1) V^T, the Cauchy strain in the unrotated frame."""
    for row in range(3):
        for i in range(T):
            u0, u1, u2 = w[(U + 3 * row) * T + i], w[(U + 3 * row + 1) * T + i], w[(U + 3 * row + 2) * T + i]
            for column in range(3):
                v0, v1, v2 = w[(V + 3 * column) * T + i], w[(V + 3 * column + 1) * T + i], w[(V + 3 * column + 2) * T + i]
                w[(TURN + 3 * row + column) * T + i] = u0 * v0 + u1 * v1 + u2 * v2
    for i in range(T):
        a, b, c = w[S * T + i] - ONE, w[(S + 1) * T + i] - ONE, w[(S + 2) * T + i] - ONE
        v00, v01, v02 = w[V * T + i], w[(V + 1) * T + i], w[(V + 2) * T + i]
        v10, v11, v12 = w[(V + 3) * T + i], w[(V + 4) * T + i], w[(V + 5) * T + i]
        v20, v21, v22 = w[(V + 6) * T + i], w[(V + 7) * T + i], w[(V + 8) * T + i]
        w[STRAIN * T + i] = a * v00 * v00 + b * v01 * v01 + c * v02 * v02
        w[(STRAIN + 1) * T + i] = a * v10 * v10 + b * v11 * v11 + c * v12 * v12
        w[(STRAIN + 2) * T + i] = a * v20 * v20 + b * v21 * v21 + c * v22 * v22
        w[(STRAIN + 3) * T + i] = a * v00 * v10 + b * v01 * v11 + c * v02 * v12
        w[(STRAIN + 4) * T + i] = a * v00 * v20 + b * v01 * v21 + c * v02 * v22
        w[(STRAIN + 5) * T + i] = a * v10 * v20 + b * v11 * v21 + c * v12 * v22
