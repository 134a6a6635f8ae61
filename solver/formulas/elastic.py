"""Elastic stress, nodal forces and the stiffness product."""

import numpy as np
from numpy.typing import NDArray

from ..fem.assembly import build_pattern, room_for
from ..fem.linear_solve import LinearSolve
from ..fem.runs import BLOCKS, BLOCKS_ALONE
from ..fem.stiffness import stiffness
from ..materials import Material
from .sample import CORNER_VOLUME, Sample, checked, corner_sample

Array = NDArray[np.float64]


def first_piola_kirchhoff(deformation: Array, material: Material, plastic_deformation: Array | None = None) -> Array:
    """First Piola-Kirchhoff stress (m, 3, 3) [Pa], the derivative of the energy density by F (m, 3, 3) = `deformation`.

    With flow behind it, F_p = `plastic_deformation` (m, 3, 3) of determinant 1, that is P(F F_p^-1) F_p^-T (Bargteil 2007,
    eqs 2 and 3; Irving 2004, section 5: P = U P(s) V^T, through flat and inverted F; B1 to B3, I3 to I5).
    """
    sample, positions = corner_sample(deformation, material, plastic_deformation, flows=False)
    forces, _ = sample.respond(positions, 0.0)
    return -np.swapaxes(forces[:, 1:], 1, 2) / CORNER_VOLUME


def elastic_energy(
    positions: Array, tets: NDArray[np.integer], rest_positions: Array, material: Material,
    plastic_deformation: Array | None = None,
) -> float:  # fmt: skip
    """Elastic energy [J] of a mesh at positions (n, 3); arguments as of `nodal_forces`."""
    return Sample(rest_positions, tets, material, plastic_deformation, flows=False).respond(positions, 0.0)[1]


def nodal_forces(
    positions: Array, tets: NDArray[np.integer], rest_positions: Array, material: Material,
    plastic_deformation: Array | None = None,
) -> Array:  # fmt: skip
    """Elastic forces (n, 3) [N] on the nodes at positions (n, 3) of tets (m, 4) that are at rest at rest_positions (n, 3).

    plastic_deformation (m, 3, 3) is F_p of determinant 1; None for none. A corner's force is minus volume times
    P grad(its shape function) (Bargteil 2007, eq 4; Irving 2004, section 4; B4, I2).
    """
    sample = Sample(rest_positions, tets, material, plastic_deformation, flows=False)
    corner, _ = sample.respond(positions, 0.0)
    forces = np.zeros_like(sample.state.positions)
    np.add.at(forces, sample.state.tets, corner)
    return forces


def stiffness_product(
    positions: Array, directions: Array, tets: NDArray[np.integer], rest_positions: Array, material: Material,
    plastic_deformation: Array | None = None,
) -> Array:  # fmt: skip
    """K d (n, 3) [N]: minus the change of `nodal_forces` at positions (n, 3) along directions (n, 3) [m].

    The matrix is the true one, not made positive; element matrices are exact, their sum is kept in float32 as in a bake
    (relative error about 1e-6).
    """
    sample = Sample(rest_positions, tets, material, plastic_deformation, flows=False)
    along = checked("directions", directions, sample.state.positions.shape)
    sample.respond(positions, 0.0)
    exact, (rounded, flat) = np.empty((sample.tiles.lanes, BLOCKS.width)), room_for(sample.tiles.lanes, BLOCKS_ALONE.width)
    placed = checked("positions", positions, along.shape)
    stiffness(placed, sample.state.tets, *sample.tiles.arrays, -1.0, True, exact)
    rounded[:] = exact[:, : BLOCKS_ALONE.width]
    system = LinearSolve.of(build_pattern(sample.state.tets, len(along)), sample.state.positions)
    return system.summed(system.filling(flat)).times(along)
