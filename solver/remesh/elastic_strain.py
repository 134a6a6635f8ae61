"""Elastic strain that a new mesh can take over: the logarithm of the left stretch, in the frame of the world.

With F = V R, log V holds the stress of an isotropic body and nothing of how it has turned, so averages of it are right where
the paper's Green strain, built on F^T F, loses the frame (Bargteil 2007, section 4.3; correction 6 of the claims). The new
rest shape is taken as turned like the world: F_e = exp(h), and beta = D_s^-1 F_e.
"""

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..fem.limit_surface import symmetric_exponential
from ..jit import parallel
from ..svd import signed_svd

Array = NDArray[np.float64]

FLATTEST = 0.05  # elastic stretch that what is flatter counts as, as in plasticity.SMALLEST_STRETCH
ROWS, COLUMNS = [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]


def log_left_stretch(edges: Array, rest_shape_inverse: Array) -> Array:
    """h = log V (m, 6: 00 11 22 01 02 12) of F = D_s beta, edges (m, 3, 3) as columns [m] and basis matrices (m, 3, 3) [1/m].

    What is inside out counts as its mirror image.
    """
    left, stretches, _ = signed_svd(edges @ rest_shape_inverse)
    logs = np.log(np.maximum(np.abs(stretches), FLATTEST))
    strain = (left * logs[:, None, :]) @ np.swapaxes(left, 1, 2)
    return strain[:, ROWS, COLUMNS]


def basis_matrices(edges: Array, strain: Array) -> tuple[Array, Array]:
    """beta and F_p (m, 3, 3) of tets with these edges (m, 3, 3) [m] and elastic strains h (m, 6).

    F_p = F_e^-1, made to keep volume: how far flow goes is counted from the mesh as it is now.
    """
    stretch, unstretch = np.empty((len(edges), 9)), np.empty((len(edges), 9))
    _exponentials(strain, stretch, unstretch)
    grown = np.exp(strain[:, :3].sum(axis=1) / 3.0)[:, None, None]
    return np.linalg.solve(edges, stretch.reshape(-1, 3, 3)), grown * unstretch.reshape(-1, 3, 3)


@parallel
def _exponentials(strain, stretch, unstretch):  # type: ignore[no-untyped-def]
    """exp(h) and exp(-h) (m, 9) of strains (m, 6)."""
    for t in prange(len(strain)):
        symmetric_exponential(1.0, strain[t], stretch[t])
        symmetric_exponential(-1.0, strain[t], unstretch[t])
