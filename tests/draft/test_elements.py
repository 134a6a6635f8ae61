"""K_e (M1, M7), rotations (M5, I6) and warped forces (M3) of single tets, against definitions that share no code with them."""

import numpy as np
import pytest

from solver.draft.rotation import polar
from solver.draft.stiffness import element_stiffness
from solver.fem.lanes import PAIRS
from solver.state import lame_parameters
from tests.draft.scenes import Tets, rotation
from tests.physics.scenes import box_mesh

GOO = {"young_modulus": 3e4, "poisson_ratio": 0.33}
MU, LAM = lame_parameters(3e4, 0.33)


def box():
    mesh = box_mesh((2, 2, 2), (1.0, 0.7, 0.9))
    mesh.positions[:] += 0.05 * np.random.default_rng(1).standard_normal(mesh.positions.shape)
    return mesh


def linear_energy(corners, rest):
    """mu e:e + lam/2 tr(e)^2 times volume, e the Cauchy strain of the displacement of a tet's corners (4, 3)."""
    edges = (rest[1:] - rest[0]).T
    gradient = (corners[1:] - corners[0]).T @ np.linalg.inv(edges)
    strain = 0.5 * (gradient + gradient.T) - np.eye(3)
    volume = np.linalg.det(edges) / 6.0
    return volume * (MU * (strain * strain).sum() + 0.5 * LAM * np.trace(strain) ** 2)


def test_the_stiffness_is_the_second_derivative_of_the_linear_elastic_energy():
    mesh = box()
    tets = Tets(mesh, GOO)
    state = tets.state
    stiffness = element_stiffness(state.rest_shape_inverse, state.volumes, state.material[0], state.material[1])
    h = 1e-4
    for tet in (0, 17):
        rest = mesh.positions[mesh.tets[tet]]
        differences = np.empty((12, 12))
        for i in range(12):
            for j in range(12):
                step = h * (np.eye(12)[i] + np.eye(12)[j]).reshape(4, 3), h * (np.eye(12)[i] - np.eye(12)[j]).reshape(4, 3)
                signs = ((1, step[0]), (1, -step[0]), (-1, step[1]), (-1, -step[1]))
                differences[i, j] = sum(sign * linear_energy(rest + d, rest) for sign, d in signs) / (4 * h * h)
        np.testing.assert_allclose(stiffness[tet], differences, atol=1e-6 * np.abs(stiffness[tet]).max())
        turns = np.concatenate([np.cross(axis, rest) for axis in np.eye(3)]).reshape(3, 12)
        assert np.abs(stiffness[tet] @ turns.T).max() < 1e-12 * np.abs(stiffness[tet]).max()


def test_forces_and_blocks_are_the_stiffness_turned():
    """f = -R K_e (R^-1 x - x_0), block by block R K R^T (eqs 6-8), with the tets' own rotations."""
    mesh = box()
    tets = Tets(mesh, GOO)
    state = tets.state
    moved = mesh.positions @ rotation((1, 2, 3), 1.9).T + 0.1 * np.random.default_rng(2).standard_normal(mesh.positions.shape)
    forces, blocks = tets.turn(moved).forces(moved)
    edges = np.swapaxes(moved[mesh.tets[:, 1:]] - moved[mesh.tets[:, :1]], 1, 2)
    turns, _ = polar(edges @ state.rest_shape_inverse)
    stiffness = element_stiffness(state.rest_shape_inverse, state.volumes, state.material[0], state.material[1])
    expected = np.zeros_like(moved)
    for tet, nodes in enumerate(mesh.tets):
        unturned = moved[nodes] @ turns[tet] - mesh.positions[nodes]
        pull = -(stiffness[tet] @ unturned.ravel()).reshape(4, 3)
        expected[nodes] += pull @ turns[tet].T
        for pair, (a, b) in enumerate(PAIRS):
            block = turns[tet] @ stiffness[tet].reshape(4, 3, 4, 3)[a, :, b, :] @ turns[tet].T
            np.testing.assert_allclose(blocks[tet, pair].reshape(3, 3), block, atol=1e-9 * np.abs(stiffness[tet]).max())
    np.testing.assert_allclose(forces, expected, atol=1e-9 * np.abs(expected).max())


def test_a_turned_body_feels_nothing_where_linear_elasticity_swells():
    mesh = box()
    tets = Tets(mesh, GOO)
    turned = mesh.positions @ rotation((1, 1, 0), 2.2).T + (3.0, 0.0, 1.0)
    forces, _ = tets.turn(turned).forces(turned)
    linear, _ = Tets(mesh, GOO).turn(mesh.positions).forces(turned)
    assert np.abs(linear).max() > 1e3  # what eq 6 without the rotation would do
    assert np.abs(forces).max() < 1e-9 * np.abs(linear).max()


def test_forces_turn_with_the_body_and_add_up_to_nothing():
    mesh = box()
    moved = mesh.positions * (1.3, 0.8, 1.0) + 0.05 * np.random.default_rng(3).standard_normal(mesh.positions.shape)
    turn = rotation((0, 1, 1), 1.1)
    here, _ = Tets(mesh, GOO).turn(moved).forces(moved)
    there, _ = Tets(mesh, GOO).turn(moved @ turn.T).forces(moved @ turn.T)
    scale = np.abs(here).max()
    np.testing.assert_allclose(there, here @ turn.T, atol=1e-9 * scale)
    assert np.abs(here.sum(axis=0)).max() < 1e-9 * scale
    assert np.abs(np.cross(moved, here).sum(axis=0)).max() < 1e-9 * scale  # elastic: no ghost torque either


@pytest.mark.parametrize(
    "stretches", [(1.0, 1.0, 1.0), (3.0, 0.2, 1.0), (1.0, 1.0, -1.0), (2.0, 0.5, -0.3), (1.0, 0.7, 0.0), (1.0, 0.0, 0.0)]
)
def test_the_rotation_survives_flat_and_inverted_tets(stretches):
    generator = np.random.default_rng(4)
    frames = [np.linalg.qr(generator.standard_normal((3, 3)))[0] for _ in range(16)]
    frames = [q * np.sign(np.linalg.det(q)) for q in frames]
    gradients = np.array([u @ np.diag(stretches) @ v for u, v in zip(frames[:8], frames[8:], strict=True)])
    turns, symmetric = polar(gradients)
    np.testing.assert_allclose(turns @ np.swapaxes(turns, 1, 2), np.tile(np.eye(3), (8, 1, 1)), atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(turns), 1.0, atol=1e-12)
    np.testing.assert_allclose(symmetric, np.swapaxes(symmetric, 1, 2), atol=1e-12)
    np.testing.assert_allclose(turns @ symmetric, gradients, atol=1e-12)
    if min(stretches) > 0.0:
        assert (np.linalg.eigvalsh(symmetric) > 0.0).all()
    assert np.isfinite(polar(np.zeros((1, 3, 3)))[0]).all()


def test_an_inverted_tet_is_pushed_back_along_its_thinnest_axis():
    mesh = box_mesh((1, 1, 1))
    inverted = mesh.positions * (1.0, 1.0, -0.2)
    forces, _ = Tets(mesh, GOO).turn(inverted).forces(inverted)
    power = (forces * (mesh.positions - inverted)).sum()
    assert power > 0.0 and (forces[:, 2] * mesh.positions[:, 2]).sum() > 0.0


def test_damping_resists_the_change_of_strain_and_no_rigid_motion():
    mesh = box()
    tets = Tets(mesh, GOO | {"damping": 5.0})
    tets.turn(mesh.positions)
    moved = mesh.positions * (1.01, 1.0, 1.0)
    plain, blocks = tets.forces(moved)
    damped, more = tets.forces(moved, 100.0)
    factor = 1.0 + 100.0 * tets.state.material[5, 0]
    np.testing.assert_allclose(damped, factor * plain, rtol=1e-9, atol=1e-9 * np.abs(plain).max())
    np.testing.assert_allclose(more, factor * blocks, rtol=1e-12)
    spinning = mesh.positions + 1e-3 * np.cross((0, 0, 1), mesh.positions) + (0.01, 0.0, 0.0)
    assert np.abs(tets.forces(spinning, 100.0)[0]).max() < 1e-9 * np.abs(damped).max()
