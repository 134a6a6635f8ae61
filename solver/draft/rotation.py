"""How far a tet has turned since its rest: the polar decomposition F = R S (Müller and Gross 2004, section 2.4).

R = U V^T from the signed singular values (Irving 2004, section 4) is a rotation for flat and inverted tets too, and S has
the sign of an inversion; the Gram-Schmidt of other codes depends on the order of a tet's corners.
"""

import numpy as np
from numpy.typing import NDArray

from ..constants import ONE
from ..fem.lanes import dot, read
from ..jit import TILE
from ..svd import signed_svd
from ..tile_code import tile_loop
from .slots import ENTRIES, STRAIN, TURN, S, U, V

Numbers = NDArray[np.floating]
T = TILE


def polar(gradients: Numbers) -> tuple[Numbers, Numbers]:
    """Return R (n, 3, 3), rotations, and S (n, 3, 3), symmetric, with F = R S for deformation gradients (n, 3, 3)."""
    left, stretches, right = signed_svd(gradients)
    return left @ np.swapaxes(right, 1, 2), np.einsum("nik,nk,njk->nij", right, stretches, right)


@tile_loop
def take_rotation(w):  # type: ignore[no-untyped-def]
    """Of a decomposed tile: TURN = U V^T and STRAIN = S - I = V diag(s - 1) V^T, the Cauchy strain in the unrotated frame."""
    for i in range(T):
        left, right, stretches = read(w, i, U, 9), read(w, i, V, 9), read(w, i, S, 3)
        rows = [right[3 * k : 3 * k + 3] for k in range(3)]
        for k in range(9):
            w[(TURN + k) * T + i] = dot(left[3 * (k // 3) : 3 * (k // 3) + 3], rows[k % 3])
        stretched = [[(stretches[k] - ONE) * row[k] for k in range(3)] for row in rows]
        for k, (a, b) in enumerate(ENTRIES):
            w[(STRAIN + k) * T + i] = dot(stretched[a], rows[b])
