"""What each tet has flowed by itself does not fit together (claim B12), and tets turn inside out in small bends (I27)."""

import numpy as np
import pytest

from solver.materials.elasticity import laws
from solver.simulate import Simulation
from tests.physics.scenes import box_mesh, make_scene
from tests.physics.statics import balance

GOO = {"young_modulus": 1e5, "poisson_ratio": 0.3, "damping": 30.0}
YIELD = 800.0


def bent_and_let_go(yield_stress):
    """A bar in free space that is thrown into a bend; where it lies still again, with no load on it."""
    mesh = box_mesh((12, 3, 3), (1.0, 0.2, 0.2))
    goo = GOO | {"yield_stress": yield_stress, "flow_rate": 200.0}
    simulation = Simulation(*make_scene([mesh], [goo], gravity=(0.0, 0.0, 0.0)), fields=[])
    state, along = simulation.state, mesh.positions[:, 0] - 0.5
    speeds = 40.0 * along**2
    state.velocities[:, 2] = speeds - (state.masses * speeds).sum() / state.masses.sum()
    state.previous_velocities[:] = state.velocities
    for _ in range(48):
        simulation.advance()
    assert np.abs(state.velocities).max() < 5e-3
    return simulation


def test_a_bar_bent_for_good_is_left_with_stress_that_balances_itself():
    """No force is left on any node, and tets pull and push each other all the same; an elastic bar ends without stress."""
    plastic, elastic = bent_and_let_go(YIELD), bent_and_let_go(1e9)
    assert plastic.state.plastic_strain.max() > 0.05 and np.ptp(plastic.state.positions[:, 2]) > 0.25
    assert 0.1 * YIELD < np.quantile(plastic.state.stress, 0.9) < YIELD
    assert elastic.state.stress.max() < 0.02 * np.quantile(plastic.state.stress, 0.9)
    # cut out of it each tet would lose its stress: its own rest shape has the volume and the shape that it wants
    rest = np.linalg.inv(plastic.state.rest_shape_inverse)
    assert np.abs(np.linalg.det(rest) / 6.0 / plastic.state.volumes - 1.0).max() < 1e-6


@pytest.mark.parametrize("law", laws())
def test_a_tenth_of_its_size_turns_tets_inside_out_and_they_come_back(law):
    """Irving 2004, figure 1: a node of a body is pressed in by a tenth of its size, past the far side of a tet. Of
    every law; even St. Venant-Kirchhoff's, which by itself does not resist being flat, as its neighbours do."""
    mesh, soft = box_mesh((20, 20, 10), (1.0, 1.0, 0.5)), {"young_modulus": 1e5, "poisson_ratio": 0.3}
    x = mesh.positions
    ground, tip = x[:, 2] == 0.0, np.abs(x - (0.5, 0.5, 0.5)).max(axis=1) < 1e-9
    places = x.copy()
    places[tip, 2] -= 0.12 if law == "neo_hookean_linearised" else 0.1  # which resists the more
    pressed, _ = balance(mesh, soft, ground | tip, places=places, options={"elastic_law": law})
    assert np.sqrt(((pressed - x) ** 2).sum(axis=1).mean()) < 0.02  # the body as a whole has hardly been deformed
    assert (volumes(mesh, pressed) < 0.0).any()
    free, energy = balance(mesh, soft, ground, places=pressed, options={"elastic_law": law}, rounds=100)
    assert np.abs(free - x).max() < 1e-3 and (volumes(mesh, free) > 0.0).all() and energy < 1e-3


def volumes(mesh, places):
    """Of tets (m,) with the nodes at places (n, 3)."""
    return np.linalg.det(places[mesh.tets[:, 1:]] - places[mesh.tets[:, :1]]) / 6.0
