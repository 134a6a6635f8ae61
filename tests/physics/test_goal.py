"""Plasticity control (Irving 2004, section 7; I14, I24): the goo flows into a goal shape and never away from it."""

from dataclasses import replace

import numpy as np
import pytest

from solver.errors import SceneError
from solver.fem.commit import commit_flow
from solver.fem.steering import log_stretch, steered
from solver.formulas import first_piola_kirchhoff
from solver.formulas.sample import CORNER_VOLUME, corner_sample
from solver.materials import Material
from solver.scene import validated
from solver.simulate import Simulation
from tests.physics.scenes import PlaneField, box_mesh, make_scene

SOFT = {"young_modulus": 2e4, "poisson_ratio": 0.3, "yield_stress": 50.0, "flow_rate": 40.0, "damping": 5.0}
TURN = np.linalg.qr(np.random.default_rng(2).normal(size=(3, 3)))[0]


def with_goal(arguments, goal, rate):
    """The scene of make_scene with one body's goal set."""
    scene, *rest = arguments
    body = replace(scene.bodies[0], goal=goal, goal_rate=rate)
    return replace(scene, bodies=(body,)), *rest


def stretches(mesh, positions):
    """Singular values (m, 3) of the deformation from the mesh's rest shape."""
    rest = np.swapaxes(mesh.positions[mesh.tets[:, 1:]] - mesh.positions[mesh.tets[:, :1]], 1, 2)
    now = np.swapaxes(positions[mesh.tets[:, 1:]] - positions[mesh.tets[:, :1]], 1, 2)
    return np.linalg.svd(now @ np.linalg.inv(rest), compute_uv=False)


def test_with_a_rate_the_body_becomes_its_goal():
    """Turned and moved away goals are the same shape; the volume becomes the goal's."""
    mesh = box_mesh((3, 3, 3))
    bent = mesh.positions * np.array([1.6, 0.8, 1.0])
    bent[:, 2] += 0.3 * bent[:, 0] ** 2
    arguments = make_scene([mesh], [SOFT], frames=40, gravity=(0.0, 0.0, 0.0))
    simulation = Simulation(*with_goal(arguments, bent @ TURN.T + 7.0, 8.0), fields=[])
    for _ in range(40):
        simulation.advance()
    expected, reached = stretches(mesh, bent), stretches(mesh, simulation.state.positions)
    assert np.abs(reached - expected).max() < 0.03
    assert np.isclose(reached.prod(axis=1).mean(), expected.prod(axis=1).mean(), rtol=0.01)


def test_without_a_rate_flow_leads_to_the_goal_and_never_away():
    """A box dropped flat: only the tets whose flow leads to the wide goal keep it; a tall goal keeps none of it."""
    mesh = box_mesh((4, 4, 4), origin=(0.0, 0.0, 0.02))
    kept = []
    for factors in ((1.3, 1.3, 0.6), (0.7, 0.7, 2.0)):
        arguments = make_scene([mesh], [SOFT], frames=14, velocity=(0.0, 0.0, -4.0))
        simulation = Simulation(*with_goal(arguments, mesh.positions * np.array(factors), 0.0), fields=[PlaneField()])
        last = np.inf * np.ones(len(mesh.tets))
        for _ in range(14):
            simulation.advance()
            now = distance_to_goal(simulation.state)
            assert (now <= last + 1e-6).all()
            last = now
        kept.append(simulation.state.plastic_strain.mean())
    assert kept[0] > 0.1 and kept[1] < 0.3 * kept[0]


def distance_to_goal(state):
    """Frobenius distance (m,) of log F_p to the goal."""
    log = np.empty((len(state.tets), 6))
    for t, f in enumerate(state.plastic_deformation.reshape(-1, 9)):
        log_stretch(f, log[t])
    return np.sqrt(((log - state.goal) ** 2 * np.array([1, 1, 1, 2, 2, 2])).sum(axis=1))


def test_the_nearest_point_of_the_segment_is_taken():
    """Against a search along the segment of logarithms."""
    rng = np.random.default_rng(5)
    logs = {name: 0.4 * (m + m.T) for name, m in zip("abg", rng.normal(size=(3, 3, 3)), strict=True)}
    expm = {name: expm_of(m) for name, m in logs.items()}
    goal = logs["g"][[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    out = np.empty(9)
    steered(expm["a"].ravel(), (TURN @ expm["b"]).ravel(), goal, 0.0, 1e9, out)
    t = np.linspace(0.0, 1.0, 20001)[:, None, None]
    path = logs["a"] + t * (logs["b"] - logs["a"])
    best = path[np.argmin(((path - logs["g"]) ** 2).sum(axis=(1, 2)))]
    assert np.abs(out.reshape(3, 3) - expm_of(best)).max() < 1e-3


def expm_of(symmetric):
    values, vectors = np.linalg.eigh(symmetric)
    return vectors @ np.diag(np.exp(values)) @ vectors.T


@pytest.mark.parametrize("options", [{"plasticity": "return_mapping"}, {}])
def test_what_leads_past_the_goal_or_away_from_it_is_elastic(options):
    """Three tets pulled to twice their length: goals at 1.2, as far away, and on the other side; twice, as by two steps."""
    material = Material("viscoplastic", SOFT | {"flow_rate": 1e3}, options)
    shear = np.array([1.0, -0.5, -0.5, 0.0, 0.0, 0.0])
    pull = np.diag(np.exp(np.log(2.0) * shear[:3]))
    sample, positions = corner_sample(np.tile(pull, (3, 1, 1)), material, None, flows=True)
    sample.state.goal_rate[:] = 0.0
    sample.state.goal[:] = np.log([[1.2], [4.0], [0.7]]) * shear
    sample.tiles.refresh(sample.state)
    kept = np.stack([np.diag(np.exp(np.log(length) * shear[:3])) for length in (1.2, 2.0, 1.0)])
    for _ in range(2):
        forces, _ = sample.respond(positions, 0.1)
        commit_flow(sample.state, sample.tiles, 0.1, positions)
    assert np.abs(sample.state.plastic_deformation - kept)[[0, 2]].max() < 1e-6
    assert np.abs(sample.state.plastic_deformation - kept)[1].max() < 0.02
    stress = -np.swapaxes(forces[:, 1:], 1, 2) / CORNER_VOLUME
    elastic = first_piola_kirchhoff(np.tile(pull, (3, 1, 1)), material, sample.state.plastic_deformation)
    assert np.allclose(stress, elastic, rtol=1e-3, atol=1e-3 * np.abs(elastic[2]).max())
    over = sample.state.stress / SOFT["yield_stress"]
    assert (over[[0, 2]] > 50.0).all() and over[1] < 2.0


def test_a_goal_that_nothing_leads_to_costs_no_halved_steps():
    """What a step may not keep is no reason to halve it."""
    mesh = box_mesh((4, 4, 4), origin=(0.0, 0.0, 0.02))
    arguments = make_scene([mesh], [SOFT], velocity=(0.0, 0.0, -4.0), options={"plasticity": "return_mapping"})
    simulation = Simulation(*with_goal(arguments, mesh.positions * np.array([0.7, 0.7, 2.0]), 0.0), fields=[PlaneField()])
    assert sum(simulation.advance().statistics["rejected"] for _ in range(6)) <= 4


def test_a_goal_of_another_object_is_refused():
    mesh = box_mesh((2, 2, 2))
    scene, *rest = make_scene([mesh], [SOFT])
    with pytest.raises(SceneError, match="Body 0.*5 vertices"):
        validated(with_goal((scene, *rest), mesh.positions[:5], 0.0)[0])
    mirrored = mesh.positions * np.array([-1.0, 1.0, 1.0])
    with pytest.raises(SceneError, match="inside out"):
        Simulation(*with_goal((scene, *rest), mirrored, 0.0), fields=[])
