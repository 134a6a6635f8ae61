"""The stress of Irving's damping by itself."""

import numpy as np
from numpy.typing import NDArray

from ..fem.lanes import PAIRS
from ..fem.rotated_damping import WIDTH, add_rotated_damping
from ..jit import TILE, kernel
from ..materials import Material, complete
from ..slots import LAMBDA, MATERIAL, MU, SLOTS, VOLUME, B, S, U, V
from ..state import lame_parameters
from ..svd import signed_svd
from .sample import checked

Array = NDArray[np.float64]

_add_blocks = kernel(add_rotated_damping)


def damping_stress(deformation: Array, deformation_rate: Array, material: Material) -> Array:
    """First Piola-Kirchhoff stress (m, 3, 3) [Pa] of the material's `rotated_damping` at F and dF/dt (m, 3, 3) [1/s].

    P = U W (2 mu t sym(W D) + lam t tr(W D)) V^T with D = U^T dF/dt V; W = diag(s) in tets of moderate deformation, which keeps
    angular momentum, and I in flat and inverted ones (Irving 2004, section 6.2; I12). A node's force is minus volume times
    P grad(its shape function), as of elastic stress.
    """
    gradients = checked("deformation", deformation, (-1, 3, 3))
    rates = checked("deformation_rate", deformation_rate, gradients.shape)
    if material.model != "viscoplastic":
        raise ValueError(f"the material is of the model {material.model}, not viscoplastic")
    stresses = [_of_tile(gradients[k : k + TILE], rates[k : k + TILE], material) for k in range(0, len(gradients), TILE)]
    return np.concatenate(stresses) if stresses else np.empty((0, 3, 3))


def _of_tile(gradients: Array, rates: Array, material: Material) -> Array:
    """The same of at most TILE tets, unit corners of unit volume, so that P's columns are the pulls on nodes 1 to 3."""
    count, values = len(gradients), complete(material).values
    left, stretches, right = signed_svd(gradients)
    tile = np.zeros((SLOTS, TILE))
    tile[U : U + 9, :count], tile[V : V + 9, :count] = left.reshape(-1, 9).T, right.reshape(-1, 9).T
    tile[S : S + 3, :count], tile[VOLUME], tile[B : B + 9] = stretches.T, 1.0, np.eye(3).reshape(9, 1)
    moduli = lame_parameters(values["young_modulus"], values["poisson_ratio"])
    tile[MATERIAL + MU], tile[MATERIAL + LAMBDA] = (np.full(TILE, modulus) for modulus in moduli)
    out = np.zeros(TILE * WIDTH)
    _add_blocks(tile.reshape(-1), np.full(count, values["rotated_damping"]), count, out)
    blocks = np.zeros((count, 4, 4, 3, 3))
    for pair, (a, b) in enumerate(PAIRS):
        block = out.reshape(TILE, WIDTH)[:count, 9 * pair : 9 * pair + 9].reshape(count, 3, 3)
        blocks[:, a, b], blocks[:, b, a] = block, np.swapaxes(block, 1, 2)
    for a in range(4):
        blocks[:, a, a] = -blocks[:, a].sum(axis=1)
    return np.asarray(np.einsum("mabij,mjb->mia", blocks[:, 1:, 1:], rates))
