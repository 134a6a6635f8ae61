"""The stress of fibres by themselves."""

import numpy as np
from numpy.typing import NDArray

from ..fem.tile import Tiles
from ..materials import Material
from ..slots import FIBRE_STIFFNESS, FIBRE_TENSION, LAMBDA, MU
from .sample import CORNER_VOLUME, checked, corner_sample

Array = NDArray[np.float64]


def fibre_stress(
    deformation: Array, directions: Array, stiffness: float = 0.0, tension: float = 0.0, activation: float = 1.0
) -> Array:
    """First Piola-Kirchhoff stress (m, 3, 3) [Pa] that fibres add to that of an elastic law, at F (m, 3, 3) = `deformation`.

    directions (m, 3) at rest, of any length, zero where there are none; stiffness and tension [Pa], activation 0 to 1. At a
    stretch l = |F a| that is F (w'/l a a^T), w' = stiffness max(l - 1, 0) + activation tension; below an eighth w'/l stays
    (Irving 2004, section 6.1; I11). Raises ValueError where an array has another shape.
    """
    sample, positions = corner_sample(deformation, Material("viscoplastic"), None, flows=False)
    state = sample.state
    given = checked("directions", directions, (len(state.tets), 3))
    length = np.sqrt((given**2).sum(axis=1, keepdims=True))
    state.fibres = given / np.where(length > 0.0, length, 1.0)
    state.material[[MU, LAMBDA]] = 0.0
    there = length[:, 0] > 0.0
    state.material[FIBRE_STIFFNESS], state.material[FIBRE_TENSION] = stiffness * there, tension * there
    sample.tiles = Tiles.of(state, np.float64)
    if there.any() and (stiffness > 0.0 or tension > 0.0):
        sample.tiles.activate(np.full(len(given), activation))
    forces, _ = sample.respond(positions, 0.0)
    return -np.swapaxes(forces[:, 1:], 1, 2) / CORNER_VOLUME
