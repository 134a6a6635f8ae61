"""Bodies that rise: free they swell as they are told, confined they press as the elastic law says."""

from dataclasses import replace

import numpy as np
import pytest

from solver.errors import SceneError
from solver.fem.laws import principal_response
from solver.fem.newton import ImplicitStep
from solver.fem.rise import rise
from solver.integrators.bdf2 import extrapolate
from solver.scene import validated
from solver.simulate import Simulation
from solver.slots import LAMBDA, MU
from solver.tetmesh.quality import tet_volumes
from tests.physics.scenes import box_mesh, make_scene, momentum

LAW = "corotated"
DOUGH = {"young_modulus": 2e4, "poisson_ratio": 0.3, "yield_stress": 1e9, "damping": 3.0}


def rising(arguments, rates):
    scene, *rest = arguments
    return replace(scene, bodies=(replace(scene.bodies[0], rise=np.asarray(rates, dtype=np.float64)),)), *rest


def volume(simulation) -> float:
    return float(tet_volumes(simulation.state.positions, simulation.state.tets).sum())


def integral(keys, place) -> float:
    """Of values at 0, 1, 2 ..., linear between them, up to a place."""
    places = np.append(np.arange(int(place) + 1), place)
    values = np.interp(places, np.arange(len(keys)), keys)
    return float((0.5 * (values[1:] + values[:-1]) * np.diff(places)).sum())


@pytest.mark.parametrize(
    "rates", [np.full(13, 0.8), np.full(13, -0.6), np.linspace(0.0, 1.6, 13)], ids=["swelling", "shrinking", "keyed"]
)
def test_free_goo_swells_at_its_rate(rates):
    """d(log V)/dt = rate: V = V0 exp of its integral, at once at rest and seen once damping has let it follow; mass stays."""
    keys = np.concatenate([rates, np.zeros(24)])
    arguments = make_scene(
        [box_mesh((4, 3, 3))], [DOUGH], frames=len(keys), options={"elastic_law": LAW}, gravity=(0.0, 0.0, 0.0)
    )
    simulation = Simulation(*rising(arguments, keys), fields=[])
    first, mass = volume(simulation), simulation.state.masses.copy()
    for _ in keys:
        simulation.advance()
        grown = integral(keys, 24.0 * simulation.clock.time) / 24.0
        assert simulation.state.volumes.sum() == pytest.approx(first * np.exp(grown), rel=1e-9)
    state = simulation.state
    assert volume(simulation) == pytest.approx(first * np.exp(grown), rel=0.01)
    assert state.masses.tobytes() == mass.tobytes()
    assert (state.density * state.volumes).sum() == pytest.approx(mass.sum(), rel=1e-12)
    assert np.abs(momentum(simulation)[0]).max() < 1e-6 * mass.sum()


@pytest.mark.parametrize("grown", [0.2, -0.1])
def test_confined_goo_presses_as_its_law_says(grown):
    """Held where it is while its rest volume becomes J times as large, F_e = J^(-1/3) I: so much stress on each side."""
    mesh = box_mesh((3, 3, 3), (1.0, 1.0, 1.0))
    simulation = Simulation(*make_scene([mesh], [DOUGH | {"damping": 0.0}], options={"elastic_law": LAW}), fields=[])
    state = simulation.state
    rise(state, simulation.space.tiles, np.array([grown]), 1.0)
    past = extrapolate(state, np.zeros(3), 1.0, 1.0, np.zeros(len(mesh.positions), dtype=bool))
    past.effective[:] = past.inertial[:] = 1e12
    problem = ImplicitStep(state, simulation.space, simulation.contacts, simulation.damping, past, 1.0)
    _, gradient = problem.merit(mesh.positions.copy())
    stretch = np.exp(-grown / 3.0)
    mu, lam = state.material[MU, 0], state.material[LAMBDA, 0]
    cauchy = principal_response(LAW, np.full((1, 3), stretch), mu, lam)[1][0, 0] / stretch**2
    side = mesh.positions[:, 0] > 0.999
    assert gradient[side, 0].sum() == pytest.approx(cauchy * 1.0, rel=1e-4)
    assert np.sign(cauchy) == -np.sign(grown)


def test_what_cannot_rise_is_refused():
    scene = make_scene([box_mesh((2, 2, 2))], [DOUGH])[0]
    body = scene.bodies[0]
    for more in ({"rise": np.array([np.nan])}, {"rise": np.ones(3)}, {"rise": np.ones(1), "goal": body.surface.positions}):
        with pytest.raises(SceneError):
            validated(replace(scene, bodies=(replace(body, **more),)))
