"""What a step leaves as it was, and what it notes where nothing flows."""

import numpy as np
import pytest

from solver.fem.commit import commit_flow
from solver.formulas import first_piola_kirchhoff
from solver.formulas.sample import CORNERS, Sample
from solver.materials import Material
from solver.remesh.condition import conditions
from solver.simulate import EFFORT, Simulation
from tests.physics.scenes import PlaneField, box_mesh, make_scene

DOUGH = {"young_modulus": 2e4, "poisson_ratio": 0.3, "yield_stress": 1e9}
RUNNY = DOUGH | {"yield_stress": 100.0, "flow_rate": 20.0}
TET = np.arange(4, dtype=np.int32)[None]


def dropped(material, **options):
    mesh = box_mesh((3, 3, 2), (0.5, 0.5, 0.3), (0.0, 0.0, 0.001))
    return Simulation(*make_scene([mesh], [material], options=options, maximum_substep=1.0 / 24.0), fields=[PlaneField()])


@pytest.mark.parametrize("material", [DOUGH, RUNNY, RUNNY | {"plastic_limit": 0.05}], ids=["elastic", "runny", "limited"])
def test_the_worst_condition_is_that_of_rest_shapes_as_they_are(material):
    """It is looked for only when flow may have changed them."""
    simulation, told = dropped(material), set()
    for _ in range(8):
        told.add(simulation.advance().statistics["worst_condition"])
        assert conditions(simulation.state.rest_shape_inverse).max() in told
    assert (len(told) > 2) == (material is not DOUGH)


def test_what_a_frame_between_two_steps_is_made_of_stays_as_it_was():
    simulation, effort = dropped(RUNNY), dict.fromkeys(EFFORT, 0.0)
    for _ in range(6):
        now = {name: getattr(simulation.state, name).copy() for name in vars(simulation.before)}
        simulation._step(effort, lambda: False)
        assert all((value == now[name]).all() for name, value in vars(simulation.before).items())
    assert (simulation.state.plastic_strain != now["plastic_strain"]).any()


@pytest.mark.parametrize("law", ["plastic_strain", "stress_time"])
def test_stress_without_flow_hardens_by_time_or_not_at_all(law):
    """Kirchhoff's stress is P F^T; eq 11's time integral is that of |P|."""
    values = DOUGH | {"hardening_modulus": 3.0}
    goo = Material("viscoplastic", values, {"hardening_law": law})
    stretch = np.array([[1.2, 0.1, 0.0], [0.0, 0.9, 0.0], [0.0, 0.0, 1.0]])
    sample, positions = Sample(CORNERS, TET, goo, None, flows=True), CORNERS @ stretch.T
    for _ in range(2):
        sample.respond(positions, 0.1)
        commit_flow(sample.state, sample.tiles, 0.1, positions)
    piola = first_piola_kirchhoff(stretch[None], goo)[0]
    kirchhoff = piola @ stretch.T
    deviator = kirchhoff - np.trace(kirchhoff) / 3.0 * np.eye(3)
    state, hardening = sample.state, 0.2 * np.sqrt((piola**2).sum()) if law == "stress_time" else 0.0
    assert state.stress[0] == pytest.approx(np.sqrt(1.5 * (deviator**2).sum()), rel=1e-6)
    assert state.hardening[0] == pytest.approx(hardening, rel=1e-6)
    assert state.yield_stress[0] == pytest.approx(1e9 + 3.0 * hardening, rel=1e-12) and state.plastic_strain[0] == 0.0
