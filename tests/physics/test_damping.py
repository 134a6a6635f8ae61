"""Damping models: decay of a mode in closed form, and what they leave alone (Irving 2004, section 6.2; Rayleigh)."""

import numpy as np
import pytest

from solver.bake import prepare
from solver.dynamics import start
from solver.fem.newton import ImplicitStep
from solver.fem.rotated_damping import FLAT, MODERATE
from solver.integrators.bdf2 import extrapolate
from solver.materials import scale_to_size
from solver.materials.contract import Material
from solver.scene import Body, Collider, Scene, Settings, Surface, validated
from solver.slots import LAMBDA, MU
from solver.svd import signed_svd
from solver.warm_up import cube
from tests.physics.bars import amplitude, swinging_bar
from tests.physics.scenes import ball_mesh, boundary, box_mesh, make_scene, momentum, run

W = 2.0 * np.pi * 5.0  # of the bar's mode [1/s]
SLOWEST = 0.5 * np.pi * 10.0  # of a bar that stands on the ground [1/s]
DECAYS = {  # values and rate of the amplitude [1/s]
    "internal": ({"damping": 1.0}, 0.5 * (W / SLOWEST) ** 2),
    "rotated": ({"rotated_damping": 0.008}, 0.5 * 0.008 * W**2),
    "rayleigh": ({"mass_damping": 4.0, "stiffness_damping": 0.004}, 0.5 * (4.0 + 0.004 * W**2)),
}


@pytest.mark.parametrize("integrator", ["generalized_alpha", "newmark"])
@pytest.mark.parametrize("model", DECAYS)
def test_a_mode_decays_at_the_rate_of_its_closed_form(model, integrator):
    values, rate = DECAYS[model]
    steps = {"maximum_substep": 1.0 / 768.0, "calm_substep": 1.0 / 768.0}
    simulation = swinging_bar(values, options={"damping_model": model}, integrator=integrator, **steps)
    before = amplitude(simulation)
    for _ in range(12):
        simulation.advance()
    assert np.log(before / amplitude(simulation)) / 0.5 == pytest.approx(rate, rel=0.05)


STRONG = {"internal": {"damping": 20.0}, "rotated": {"rotated_damping": 0.05}, "rayleigh": {"stiffness_damping": 0.05}}


def flight(values, model, integrator="generalized_alpha", seconds=0.5, **settings):
    """A spinning box in flight, before and after."""
    material = {"young_modulus": 2e5, "poisson_ratio": 0.3, "yield_stress": 1e9, **values}
    arguments = make_scene(
        [box_mesh((3, 3, 6), (0.5, 0.5, 1.0))], [material], spin=(0.0, 3.0, 0.0), options={"damping_model": model},
        integrator=integrator, **settings,
    )  # fmt: skip
    simulation, _ = run(arguments, 1)
    before = momentum(simulation)
    for _ in range(round(24 * seconds)):
        simulation.advance()
    return simulation, before, momentum(simulation)


@pytest.mark.parametrize("integrator", ["generalized_alpha", "newmark"])
@pytest.mark.parametrize("model", STRONG)
def test_fall_and_spin_lose_nothing(model, integrator):
    values = STRONG[model]
    simulation, (linear, angular), (linear_after, angular_after) = flight(values, model, integrator)
    mass = simulation.state.masses.sum()
    assert np.abs((linear_after - linear) / mass - [0.0, 0.0, -0.5 * 9.81]).max() < 1e-4
    assert np.abs(angular_after - angular).max() < 2e-3 * np.abs(angular).max()


@pytest.mark.parametrize("integrator", ["generalized_alpha", "newmark"])
def test_the_mass_part_brakes_the_fall_and_the_spin(integrator):
    """v' = g - a v: v = g/a (1 - exp(-a t)); spin decays as exp(-a t)."""
    simulation, (_, angular), (linear, after) = flight(
        {"mass_damping": 4.0}, "rayleigh", integrator, maximum_substep=1.0 / 384.0
    )
    speed = linear[2] / simulation.state.masses.sum()
    assert speed == pytest.approx(-9.81 / 4.0 * (1.0 - np.exp(-2.0)), rel=5e-3)
    assert after[1] == pytest.approx(angular[1] * np.exp(-2.0), rel=0.01)


def damping_stress(gradient, rate, mu, lam, time):
    """The paper's way, tet by tet: the velocity gradient turned into F's frame, answered there, turned back."""
    left, stretches, right = (part[0] for part in signed_svd(gradient[None]))
    flat = np.clip((MODERATE - stretches.min()) / (MODERATE - FLAT), 0.0, 1.0)
    weights = np.diag(stretches + flat * (1.0 - stretches))
    turned = weights @ left.T @ rate @ right
    answer = weights @ (mu * time * (turned + turned.T) + lam * time * np.trace(turned) * np.eye(3))
    return left @ answer @ right.T


@pytest.mark.parametrize("squash", [1.0, 0.35, 0.1, -0.5])
def test_rotated_damping_is_the_stress_of_the_turned_velocity_gradient(squash):
    """At rest, half flat, flat and inverted: nodal forces -V P g, assembled here by hand."""
    mesh = box_mesh((2, 2, 2))
    simulation, _ = run(make_scene([mesh], [{"young_modulus": 1e4, "poisson_ratio": 0.3, "yield_stress": 1e9}]), 1)
    state, space, rng = simulation.state, simulation.space, np.random.default_rng(3)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    positions = (mesh.positions @ np.diag([1.1, 0.9, squash]) + 0.02 * rng.normal(size=mesh.positions.shape)) @ turn
    velocities = rng.normal(size=positions.shape)
    past = extrapolate(state, np.zeros(3), 1.0, 1.0, np.zeros(len(positions), dtype=bool))
    ImplicitStep(state, space, simulation.contacts, simulation.damping, past, 1.0).evaluate(positions)
    nothing, times = np.zeros(len(mesh.tets), np.float32), np.linspace(0.01, 0.02, len(mesh.tets), dtype=np.float32)
    force = space.linear.summed(
        lambda *given: space.stiffness.fill(positions, space.tiles, given[0], 0.0, *given[1:], nothing, times)
    ).times(velocities)
    expected = np.zeros_like(positions)
    for tet, nodes in enumerate(mesh.tets):
        inner = state.rest_shape_inverse[tet]
        gradient, rate = ((values[nodes[1:]] - values[nodes[0]]).T @ inner for values in (positions, velocities))
        stress = damping_stress(gradient, rate, state.material[MU, tet], state.material[LAMBDA, tet], times[tet])
        parts = state.volumes[tet] * inner @ stress.T
        expected[nodes[1:]] += parts
        expected[nodes[0]] -= parts.sum(axis=0)
    assert np.abs(force - expected).max() < 2e-5 * np.abs(expected).max()
    assert (force * velocities).sum() > 0.0


def test_seconds_grow_with_the_root_of_the_size():
    damped = Material("viscoplastic", {"rotated_damping": 0.01, "mass_damping": 2.0}, {})
    large = scale_to_size(damped, 16.0)
    assert large.values["rotated_damping"] == pytest.approx(0.04)
    assert large.values["mass_damping"] == pytest.approx(0.5)


def test_how_hard_damping_holds_a_node_is_about_what_it_pulls_with():
    """Where one node moves alone, as contact moves it: half to twice the force by its way."""
    mesh = box_mesh((3, 3, 3))
    values = {"young_modulus": 1e4, "poisson_ratio": 0.3, "yield_stress": 1e9, "damping": 5.0}
    simulation, _ = run(make_scene([mesh], [values]), 1)
    state, damping, step = simulation.state, simulation.damping, 1.0 / 96.0
    past = extrapolate(state, np.zeros(3), step, step, np.zeros(len(mesh.positions), dtype=bool))
    problem = ImplicitStep(state, simulation.space, simulation.contacts, damping, past, step)
    problem.freeze_damping(state.positions)

    def pull(positions):
        gradient = np.zeros_like(positions)
        damping.add_gradient(past.velocities(positions), past.effective, gradient)
        return gradient

    hold, still, way = damping.hold(simulation.space.firmness, past.effective), pull(state.positions), 1e-4
    for node in range(0, len(mesh.positions), 7):
        for axis in range(3):
            moved = state.positions.copy()
            moved[node, axis] += way
            pulled = (pull(moved) - still)[node, axis] / way
            assert 0.5 * pulled < hold[node] < 2.0 * pulled


def test_a_strongly_damped_body_lands_on_an_edge():
    """Damping holds the nodes in contact too: left out, their corrections overshot until nothing was finite."""
    goo = {
        "young_modulus": 3.6e5, "poisson_ratio": 0.45, "density": 1100.0, "yield_stress": 8e3, "flow_rate": 6.0,
        "hardening_modulus": 2e4, "damping": 17.0,
    }  # fmt: skip
    body = Body("ball", "Ball", boundary(ball_mesh(10, 1.0, (0.3, 0.0, 2.4))), Material("viscoplastic", goo), resolution=10)
    box = cube()
    step = Surface(box.positions * (4.0, 4.0, 1.0) - (2.0, 0.0, 0.5), box.triangles)
    floor = np.eye(4)
    floor[2, 3] = -1.0
    colliders = (
        Collider("step", "Step", "mesh", np.eye(4)[None], step, friction=0.9),
        Collider("floor", "Floor", "plane", floor[None]),
    )
    (item,) = prepare(scene := validated(Scene((body,), colliders, Settings(1, 24, calm_substep=1.0 / 96.0))))
    simulation = start(scene, [item.mesh], [item.surface], [item.contacts])
    frames = [simulation.advance() for _ in range(24)]
    assert sum(frame.statistics["rejected"] for frame in frames) == 0
    positions = simulation.state.positions
    assert positions[:, 2].min() > -1.01 and np.ptp(positions[:, 2]) > 1.2 and np.abs(positions).max() < 3.0
