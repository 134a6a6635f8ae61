"""Plastic strain: the yield threshold, creep at its rate whatever the step, the maximum (eqs 13-16)."""

import numpy as np
import pytest

from solver.draft.plasticity import absorb_strain
from solver.draft.slots import PLASTIC, STRAIN
from solver.fem.tile import unpack
from tests.draft.scenes import Tets, rotation
from tests.physics.scenes import box_mesh

SHEAR = np.array([[0.0, 0.0, 0.0, 0.05, 0.02, -0.03]])


def norm(components):
    return np.sqrt((components[:, :3] ** 2).sum(axis=1) + 2.0 * (components[:, 3:] ** 2).sum(axis=1))


def test_below_the_yield_strain_nothing_is_kept():
    size = norm(SHEAR)[0]
    nothing = np.zeros((1, 6))
    assert (absorb_strain(SHEAR, nothing, 1.001 * size, 50.0, 1.0, 0.01) == 0.0).all()
    assert norm(absorb_strain(SHEAR, nothing, 0.999 * size, 50.0, 1.0, 0.01))[0] > 0.0
    assert (absorb_strain(SHEAR, nothing, 0.0, 0.0, 1.0, 0.01) == 0.0).all()  # no flow at no rate


@pytest.mark.parametrize("dt", [1 / 24, 0.01, 1e-4])
@pytest.mark.parametrize("rate", [0.5, 8.0, 300.0])
def test_elastic_strain_decays_at_the_rate_down_to_the_yield_strain(dt, rate):
    """|e|(t) = max(yield, |e_0| exp(-rate t)) at any step; e keeps its direction."""
    total = np.array([[0.1, -0.04, 0.02, 0.05, 0.0, -0.03]])
    plastic, yield_strain, steps = np.zeros((1, 6)), 0.02, max(1, round(0.25 / dt))
    for step in range(1, steps + 1):
        plastic = absorb_strain(total, plastic, yield_strain, rate, 10.0, dt)
        expected = max(yield_strain, norm(total)[0] * np.exp(-rate * step * dt))
        assert norm(total - plastic)[0] == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(plastic / norm(plastic), total / norm(total), atol=1e-9)


def test_the_maximum_holds_and_zero_means_elastic():
    total, plastic = np.array([[0.5, -0.2, -0.1, 0.3, 0.0, 0.0]]), np.zeros((1, 6))
    for _ in range(200):
        plastic = absorb_strain(total, plastic, 0.01, 100.0, 0.25, 0.01)
    assert norm(plastic)[0] == pytest.approx(0.25, rel=1e-9)
    assert (absorb_strain(total, np.zeros((1, 6)), 0.01, 100.0, 0.0, 0.01) == 0.0).all()


def test_the_size_of_a_strain_does_not_depend_on_how_the_body_lies():
    mesh, stretch = box_mesh((1, 1, 1)), np.array([[1.2, 0.1, 0.0], [0.1, 0.9, 0.0], [0.0, 0.0, 1.0]])
    kept = []
    for turn in (np.eye(3), rotation((1, 2, 3), 0.8)):
        lying = type(mesh)(mesh.positions @ turn.T, mesh.tets)
        tets = Tets(lying, {"yield_strain": 0.1, "flow_rate": 20.0})
        kept.append(tets.turn(lying.positions @ (turn @ stretch @ turn.T), 0.01).state.plastic_strain.copy())
    assert kept[0].min() > 0.01
    np.testing.assert_allclose(kept[0], kept[1], rtol=1e-9)


def test_a_body_at_its_plastic_strain_is_at_rest_and_pulls_back_by_what_is_missing():
    """f = R (K_e (R^-1 x - x_0) - P_e plastic): eq 16's minus."""
    mesh, turn = box_mesh((2, 1, 1)), rotation((1, 0, 2), 2.0)
    goo = {"young_modulus": 1e4}
    strain = np.array([0.3, -0.1, 0.05, 0.1, 0.0, 0.02])
    stretch = np.eye(3) + strain[[[0, 3, 4], [3, 1, 5], [4, 5, 2]]]
    moved = mesh.positions @ stretch.T @ turn.T
    elastic, _ = Tets(mesh, goo).turn(moved).forces(moved)
    for share in (0.25, 1.0):
        tets = Tets(mesh, goo, plastic=share * strain)
        forces, _ = tets.turn(moved).forces(moved)
        np.testing.assert_allclose(forces, (1.0 - share) * elastic, atol=1e-9 * np.abs(elastic).max())


def test_stress_and_plastic_strain_are_what_they_say():
    mesh = box_mesh((1, 1, 1))
    tets = Tets(mesh, {"young_modulus": 1e4, "poisson_ratio": 0.25, "yield_strain": 0.05, "flow_rate": 1e4})
    pulled = mesh.positions * (1.2, 0.95, 0.95)  # uniaxial: -0.25 * 0.2 across
    tets.turn(pulled)
    np.testing.assert_allclose(tets.state.stress, 1e4 * 0.2, rtol=1e-9)
    tets.turn(pulled, 0.01)
    total, plastic = unpack(tets.tiles, STRAIN, 6, 6), unpack(tets.tiles, PLASTIC, 6, 6)
    np.testing.assert_allclose(norm(total - plastic), 0.05, rtol=1e-6)
    np.testing.assert_allclose(tets.state.plastic_strain, norm(plastic), rtol=1e-12)
    np.testing.assert_allclose(tets.state.stress, 1e4 * 0.2 * 0.05 / norm(total), rtol=1e-6)
