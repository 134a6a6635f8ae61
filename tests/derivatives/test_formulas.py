"""The array functions of solver.formulas against finite differences, closed forms and scipy."""

import numpy as np
import pytest
from scipy.linalg import expm, logm
from scipy.spatial.transform import Rotation

from solver.formulas import (
    bind,
    elastic_energy,
    evaluate,
    first_piola_kirchhoff,
    flow_step,
    flow_to_goal,
    integrate,
    nodal_forces,
    signed_svd,
    stiffness_product,
)
from solver.materials import Material
from solver.tetmesh.mesh import TetMesh

REST = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.0, 1.0, 0.1], [0.1, 0.0, 1.0], [0.9, 0.9, 0.8]])
TETS = np.array([[0, 1, 2, 3], [1, 4, 2, 3]])
GOO = Material("viscoplastic", {"young_modulus": 1000.0, "poisson_ratio": 0.3, "yield_stress": 50.0, "flow_rate": 4.0})


def _moved() -> np.ndarray:
    return REST + 0.15 * np.random.default_rng(3).standard_normal(REST.shape)


def _flowed(count: int) -> np.ndarray:
    m = np.random.default_rng(5).standard_normal((count, 3, 3)) * 0.2 + np.eye(3)
    return m / np.cbrt(np.linalg.det(m))[:, None, None]


@pytest.mark.parametrize("law", ["stable_neo_hookean", "corotated", "st_venant_kirchhoff"])
@pytest.mark.parametrize("flowed", [False, True])
def test_forces_are_minus_the_gradient_of_the_energy(law: str, flowed: bool) -> None:
    """B4, I2; and neither force nor torque is left over (I9)."""
    material = Material("viscoplastic", GOO.values, {"elastic_law": law})
    plastic = _flowed(2) if flowed else None
    x, d, h = _moved(), np.random.default_rng(7).standard_normal(REST.shape), 1e-6
    forces = nodal_forces(x, TETS, REST, material, plastic)
    rise = elastic_energy(x + h * d, TETS, REST, material, plastic) - elastic_energy(x - h * d, TETS, REST, material, plastic)
    assert -(forces * d).sum() == pytest.approx(rise / (2 * h), rel=1e-6)
    np.testing.assert_allclose(forces.sum(axis=0), 0.0, atol=1e-10)
    np.testing.assert_allclose(np.cross(x, forces).sum(axis=0), 0.0, atol=1e-10)


def test_the_stiffness_product_is_the_change_of_the_forces() -> None:
    x, d, h = _moved(), np.random.default_rng(7).standard_normal(REST.shape), 1e-6
    product = stiffness_product(x, d, TETS, REST, GOO)
    change = nodal_forces(x + h * d, TETS, REST, GOO) - nodal_forces(x - h * d, TETS, REST, GOO)
    np.testing.assert_allclose(product, -change / (2 * h), atol=1e-5 * abs(product).max())


def test_stress_turns_with_the_material_and_is_hookes_when_small() -> None:
    """P(R F) = R P(F), inverted too (B1 to B3, I3, I4)."""
    rng = np.random.default_rng(1)
    turn = Rotation.random(4, random_state=2).as_matrix()
    f = np.eye(3) + 0.3 * rng.standard_normal((4, 3, 3))
    f[3] = f[3] @ np.diag([1.0, 1.0, -1.0])
    np.testing.assert_allclose(first_piola_kirchhoff(turn @ f, GOO), turn @ first_piola_kirchhoff(f, GOO), rtol=1e-9, atol=1e-9)
    small = 1e-6 * rng.standard_normal((4, 3, 3))
    strain = 0.5 * (small + np.swapaxes(small, 1, 2))
    mu, lam = 1000.0 / 2.6, 300.0 / (1.3 * 0.4)
    hooke = 2 * mu * strain + lam * np.trace(strain, axis1=1, axis2=2)[:, None, None] * np.eye(3)
    np.testing.assert_allclose(first_piola_kirchhoff(np.eye(3) + small, GOO), hooke, atol=1e-4 * abs(hooke).max())


def test_flow_relaxes_to_the_yield_stress_as_maxwell_does_and_keeps_volume() -> None:
    """Held at a small pure shear, the excess over the yield stress falls by 1/(1 + rate dt) in a backward Euler step."""
    stretch = np.exp(0.1)
    f = np.diag([stretch, 1.0 / stretch, 1.0])[None]
    before = flow_step(f, GOO, 0.0)
    after = flow_step(f, GOO, 0.25)
    assert before.plastic_strain[0] == 0.0 and before.mises_stress[0] > 100.0
    excess = (after.mises_stress[0] - 50.0) / (before.mises_stress[0] - 50.0)
    assert excess == pytest.approx(1.0 / (1.0 + 4.0 * 0.25), rel=0.02)
    np.testing.assert_allclose(np.linalg.det(after.plastic_deformation), 1.0, atol=1e-14)
    logs = np.log(np.diag(after.plastic_deformation[0]))
    assert after.plastic_strain[0] == pytest.approx(np.sqrt(2.0 / 3.0 * (logs**2).sum()), rel=1e-6)
    later = flow_step(f, GOO, 0.25, after.plastic_deformation, after.plastic_strain, after.mises_stress)
    assert 50.0 < later.mises_stress[0] < after.mises_stress[0] and later.plastic_strain[0] > after.plastic_strain[0]
    elastic = first_piola_kirchhoff(f, GOO, after.plastic_deformation)
    # the step's own stress is the derivative of its energy, which differs a little off the direction of flow
    np.testing.assert_allclose(elastic, after.first_piola_kirchhoff, atol=0.02 * abs(elastic).max())


def test_hardening_behind_it_raises_the_yield_stress() -> None:
    material = Material("viscoplastic", {**GOO.values, "hardening_modulus": 200.0})
    f = np.diag([1.2, 1.0 / 1.2, 1.0])[None]
    fresh, worked = flow_step(f, material, 0.1), flow_step(f, material, 0.1, plastic_strain=np.array([0.5]))
    assert worked.yield_stress[0] == pytest.approx(50.0 + 200.0 * worked.plastic_strain[0])
    assert worked.plastic_strain[0] - 0.5 < fresh.plastic_strain[0]


@pytest.mark.parametrize("integrator", ["backward_euler", "bdf2", "generalized_alpha", "newmark"])
def test_a_step_satisfies_the_printed_scheme(integrator: str) -> None:
    """Two steps of each integrator against its own equations, written out here with `nodal_forces` and lumped masses (I16; W3,
    whose Newmark and implicit Euler are choices)."""
    rubber = Material("viscoplastic", {"young_modulus": 1000.0, "poisson_ratio": 0.3, "flow_rate": 0.0, "density": 100.0})
    volumes = np.linalg.det(REST[TETS[:, 1:]] - REST[TETS[:, :1]]) / 6.0
    masses = np.bincount(TETS.ravel(), np.repeat(100.0 * volumes / 4.0, 4))[:, None]
    rng, h, gravity = np.random.default_rng(11), 2e-3, np.array([0.0, 0.0, -9.81])
    x0, v0 = REST + 0.02 * rng.standard_normal(REST.shape), 0.1 * rng.standard_normal(REST.shape)
    (x1, v1), (x2, v2) = (
        integrate(x0, v0, TETS, REST, rubber, h, count, integrator, tuple(gravity.tolist())) for count in (1, 2)
    )
    a0, a1, a2 = (nodal_forces(x, TETS, REST, rubber) / masses + gravity for x in (x0, x1, x2))
    size = abs(a2 - gravity).max() * h
    if integrator == "backward_euler":
        left, moved = v2 - v1 - h * a2, x2 - x1 - h * v2
    elif integrator == "bdf2":
        left, moved = 1.5 * v2 - 2.0 * v1 + 0.5 * v0 - h * a2, 1.5 * x2 - 2.0 * x1 + 0.5 * x0 - h * v2
    elif integrator == "generalized_alpha":  # the first step's past is a free flight
        m, f = -1.0 / 7.0, 2.0 / 7.0
        p1 = ((1.0 - f) * a1 + f * gravity - m * gravity) / (1.0 - m)
        p2 = ((1.0 - f) * a2 + f * a1 - m * p1) / (1.0 - m)
        gamma, beta = 13.0 / 14.0, 25.0 / 49.0
        left = v2 - v1 - h * ((1.0 - gamma) * p1 + gamma * p2)
        moved = x2 - x1 - h * v1 - h * h * ((0.5 - beta) * p1 + beta * p2)
    else:
        left, moved = v2 - v1 - 0.5 * h * (a1 + a2), x2 - x1 - h * (v1 + 0.5 * h * a1)
        np.testing.assert_allclose(v1 - v0, 0.5 * h * (a0 + a1), atol=1e-4 * size)
    np.testing.assert_allclose(left, 0.0, atol=2e-3 * size)
    np.testing.assert_allclose(moved, 0.0, atol=1e-5 * size)


def test_flow_to_a_goal_ends_at_the_nearest_place_of_its_way() -> None:
    """Against a search along the way in logarithms; with a rate it comes nearer by exp(-rate t), too. Turns change nothing."""
    rng, count = np.random.default_rng(12), 8
    before, trial, goal = (0.3 * (m + np.swapaxes(m, 1, 2)) for m in rng.standard_normal((3, count, 3, 3)))
    turns = Rotation.random(2 * count, random_state=4).as_matrix()
    stretches = [np.stack([expm(log) for log in logs]) for logs in (before, trial, goal)]
    kept = flow_to_goal(stretches[0], turns[:count] @ stretches[1], turns[count:] @ stretches[2])
    nearer = flow_to_goal(*stretches, rate=3.0, step=0.2)
    for k in range(count):
        way = before[k] + np.linspace(0.0, 1.0, 4001)[:, None, None] * (trial[k] - before[k])
        nearest = way[((way - goal[k]) ** 2).sum(axis=(1, 2)).argmin()]
        np.testing.assert_allclose(kept[k], expm(nearest), atol=2e-3)
        expected = goal[k] + np.exp(-0.6) * (logm(kept[k]) - goal[k])
        np.testing.assert_allclose(nearer[k], expm(expected), atol=1e-9)
    slender = np.diag([60.0, 1.0, 1.0 / 60.0])[None]
    assert (flow_to_goal(np.eye(3)[None], slender, slender) == np.eye(3)).all()


def test_transfer_carries_linear_fields_exactly() -> None:
    points = np.array([[0.2, 0.2, 0.2], [0.6, 0.5, 0.5]])
    binding = bind(TetMesh(REST, TETS.astype(np.int32)), points)
    matrix = np.random.default_rng(9).standard_normal((3, 3))
    np.testing.assert_allclose(evaluate(binding, TETS, REST @ matrix), points @ matrix, atol=1e-12)


def test_wrong_shapes_and_flat_tets_are_named() -> None:
    with pytest.raises(ValueError, match="directions has shape"):
        stiffness_product(REST, REST[:2], TETS, REST, GOO)
    with pytest.raises(ValueError, match="plastic_deformation has shape"):
        nodal_forces(REST, TETS, REST, GOO, np.eye(3))
    with pytest.raises(ValueError, match="tet 1 has no positive volume"):
        nodal_forces(REST, np.array([[0, 1, 2, 3], [0, 2, 1, 3]]), REST, GOO)
    left, stretches, right = signed_svd(np.eye(3)[None])
    assert np.allclose(left * stretches[:, None] @ np.swapaxes(right, 1, 2), np.eye(3))
