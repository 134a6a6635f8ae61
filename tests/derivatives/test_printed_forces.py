"""Forces of tets put together as the papers print them, from area-weighted normals, and flow whatever the law of elasticity."""

import numpy as np
import pytest
from scipy.linalg import polar

from solver.fem.newton import ImplicitStep
from solver.formulas import first_piola_kirchhoff, flow_step, nodal_forces, principal_response, signed_svd
from solver.integrators.bdf2 import extrapolate
from solver.materials import Material
from solver.materials.elasticity import laws
from tests.physics.scenes import PlaneField, ball_mesh, make_scene, run

REST = np.array([[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.0, 1.0, 0.1], [0.1, 0.0, 1.0], [0.9, 0.9, 0.8]])
TETS = np.array([[0, 1, 2, 3], [1, 4, 2, 3]])
VALUES = {"young_modulus": 1000.0, "poisson_ratio": 0.3, "yield_stress": 50.0, "flow_rate": 4.0}
MU, LAM = 1000.0 / 2.6, 300.0 / (1.3 * 0.4)
FACES = ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))  # opposite each corner, seen from outside


def goo(law, **values):
    """The material with one of the elastic laws."""
    return Material("viscoplastic", VALUES | values, {"elastic_law": law})


def edges(places, tets):
    """Each tet's three edges from its first corner, the columns of D (m, 3, 3)."""
    return np.swapaxes(places[tets[:, 1:]] - places[tets[:, :1]], 1, 2)


def thirds(shape):
    """b (3, 4) of a tet of edges (3, 3): minus a third of the area-weighted normals of the faces about each corner."""
    corners = np.concatenate([np.zeros((1, 3)), shape.T])
    normals = [0.5 * np.cross(corners[b] - corners[a], corners[c] - corners[a]) for a, b, c in FACES]
    return np.stack([-(sum(normals) - normals[k]) / 3.0 for k in range(4)], axis=1)


def summed(forces, tets, count):
    """Forces (m, 3, 4) on tets' corners at their nodes (count, 3)."""
    total = np.zeros((count, 3))
    np.add.at(total, tets, np.swapaxes(forces, 1, 2))
    return total


@pytest.mark.parametrize("law", laws())
def test_forces_are_those_of_diagonal_stress_on_the_turned_normals(law):
    """F = D_s D_m^-1 (I1) and G = U P^ (V^T B_m), which is (U P^ V^T) B_m (Irving 2004, eq 2: I10), inside out too."""
    places = REST + 0.15 * np.random.default_rng(3).standard_normal(REST.shape)
    places[4] = [0.2, 0.2, 0.2]  # beyond the second tet's far face
    gradients = edges(places, TETS) @ np.linalg.inv(edges(REST, TETS))
    assert np.linalg.det(gradients)[0] > 0.0 > np.linalg.det(gradients)[1]
    left, stretches, right = signed_svd(gradients)
    own = (parameter.default for parameter in laws()[law].parameters)
    _, stress, _ = principal_response(law, stretches, MU, LAM, *own)
    turned = [v.T @ thirds(shape) for v, shape in zip(right, edges(REST, TETS), strict=True)]
    forces = np.stack([u @ np.diag(p) @ b for u, p, b in zip(left, stress, turned, strict=True)])
    expected = summed(forces, TETS, len(REST))
    assert np.abs(nodal_forces(places, TETS, REST, goo(law)) - expected).max() < 1e-9 * np.abs(expected).max()


def test_normals_are_those_of_the_shape_that_flow_leaves_at_rest():
    """After flow rest normals are those of F_p times the shape before it (B11): in a bake, when its next step begins."""
    soft = {"young_modulus": 2e4, "poisson_ratio": 0.3, "yield_stress": 100.0, "flow_rate": 20.0}
    mesh = ball_mesh(4, 0.5, (0.0, 0.0, 0.52))
    simulation, _ = run(make_scene([mesh], [soft]), 16, [PlaneField()])
    state, count = simulation.state, len(simulation.state.positions)
    assert np.abs(state.plastic_deformation - np.eye(3)).max() > 0.2
    past = extrapolate(state, np.zeros(3), 1.0, 1.0, np.zeros(count, dtype=bool))
    problem = ImplicitStep(state, simulation.space, simulation.contacts, simulation.damping, past, 1e-9)
    found = problem.evaluate(state.positions)  # in so short a step nothing flows

    def by_hand(shapes):
        gradients = edges(state.positions, state.tets) @ state.rest_shape_inverse
        stress = first_piola_kirchhoff(gradients, Material("viscoplastic", soft))
        return summed(np.stack([p @ thirds(shape) for p, shape in zip(stress, shapes, strict=True)]), state.tets, count)

    before = edges(mesh.positions, mesh.tets)
    before *= np.cbrt(6.0 * state.volumes / np.linalg.det(before))[:, None, None]  # what flows may trade volume
    expected, stale = by_hand(state.plastic_deformation @ before), by_hand(before)
    size = np.abs(expected).max()
    assert np.abs(found - expected).max() < 1e-4 * size  # what is single precision in a bake
    assert np.abs(found - stale).max() > 0.05 * size


def test_rotated_linear_stress_is_that_of_the_polar_decomposition():
    """Wicke 2010, section 3 (W2): eps = V (S - I) V^T and sigma = U V^T C eps, here with R = U V^T by scipy; where the tet is
    inside out, with the sign that the print leaves out."""
    rng = np.random.default_rng(6)
    gradients = np.eye(3) + 0.4 * rng.standard_normal((6, 3, 3))
    gradients[3:] = gradients[3:] @ np.diag([1.0, 1.0, -1.0])
    assert (np.linalg.det(gradients)[:3] > 0.0).all() and (np.linalg.det(gradients)[3:] < 0.0).all()
    found = first_piola_kirchhoff(gradients, goo("rotated_linear"))
    for gradient, stress in zip(gradients, found, strict=True):
        rotation, stretch = polar(gradient)
        if np.linalg.det(gradient) < 0.0:  # turn the smallest stretch's axis round, in both
            axis = np.linalg.eigh(stretch)[1][:, 0]
            mirror = np.eye(3) - 2.0 * np.outer(axis, axis)
            rotation, stretch = rotation @ mirror, mirror @ stretch
        strain = stretch - np.eye(3)
        expected = rotation @ (2.0 * MU * strain + LAM * np.trace(strain) * np.eye(3))
        assert np.abs(stress - expected).max() < 1e-9 * np.abs(expected).max()


@pytest.mark.parametrize("reference", [0.0, 200.0])
@pytest.mark.parametrize("law", laws())
def test_every_law_of_elasticity_flows_and_rates_may_be_functions(law, reference):
    """B35: p = (g - Y) k / 2 mu of the stress that is left, by any law; k = rate dt / (1 + (s/s0)^n) where rates fall."""
    stretch, step = 1.15, 0.1
    material = goo(law, rate_stress=reference, rate_exponent=1.5)
    flowed = flow_step(np.diag([stretch, stretch**-0.5, stretch**-0.5])[None], material, step)
    mises, plastic = flowed.mises_stress[0], np.sqrt(1.5) * flowed.plastic_strain[0]
    share = 1.0 / (1.0 + (mises / reference) ** 1.5) if reference else 1.0
    expected = np.sqrt(2.0 / 3.0) * (mises - 50.0) * 4.0 * step * share / (2.0 * MU)
    assert plastic == pytest.approx(expected, rel=1e-6) and plastic > 0.005
    assert np.linalg.det(flowed.plastic_deformation[0]) == pytest.approx(1.0, abs=1e-12)
