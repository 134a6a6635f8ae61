"""Pins: nodes held by a shape that moves, without give or by springs, against closed forms."""

from dataclasses import replace

import numpy as np
import pytest

from solver.bake import bake
from solver.cache import FrameStore
from solver.errors import SceneError
from solver.fem.explicit_step import elastic_forces
from solver.fem.newton import ImplicitStep
from solver.integrators import Extrapolation
from solver.job import read_job, scene_hash, write_job
from solver.materials import Material
from solver.pins.pin import Pin
from solver.pins.places import MovingLeastSquares
from solver.scene import validated
from solver.warm_up import cube
from tests.draft.scenes import draft_scene
from tests.draft.scenes import run as run_draft
from tests.physics.scenes import box_mesh, center, make_scene, run

G = 9.81
STIFF = {"density": 1000.0, "young_modulus": 1e6, "poisson_ratio": 0.0, "yield_stress": 1e12, "flow_rate": 0.0}


def pinned(mesh, material, vertices, *, weights=None, targets=None, settings=None, **pin):
    """Arguments of Simulation: one body whose vertices (those of its mesh) are pinned where they are or to targets."""
    scene, *rest = make_scene([mesh], [material], **(settings or {}))
    weights = np.ones(len(vertices)) if weights is None else weights
    targets = mesh.positions[vertices][None] if targets is None else targets
    own = Pin("pin", np.asarray(vertices), weights, targets, **pin)
    return replace(scene, bodies=(replace(scene.bodies[0], pins=(own,)),)), *rest


def places(frame):
    """Where a frame shows the first body's points (n, 3) [m]."""
    return frame.bodies[0].origin + frame.bodies[0].positions


def top(mesh):
    return np.flatnonzero(mesh.positions[:, 2] > mesh.positions[:, 2].max() - 1e-9)


def bar(cells=8):
    return box_mesh((2, 2, cells), (0.25, 0.25, 1.0))


def reaction(simulation):
    """The force (3,) with which the held nodes are held, of a body at rest [N]."""
    state = simulation.state
    past = Extrapolation.none(state.positions, state.positions, 1.0)
    problem = ImplicitStep(state, simulation.space, simulation.contacts, simulation.damping, past, 1.0)
    held = simulation.held.held
    return -(elastic_forces(problem, state.positions)[held] + state.masses[held, None] * simulation.gravity).sum(axis=0)


@pytest.mark.parametrize("integrator", ["generalized_alpha", "bdf2", "backward_euler", "newmark"])
def test_a_hanging_bar_stretches_by_its_weight_and_is_held_by_it(integrator):
    """A bar of length L under its own weight is longer by rho g L^2 / 2E."""
    mesh = bar()
    material = STIFF | {"young_modulus": 2e5, "damping": 20.0}
    settings = {"integrator": integrator, "frames": 60}
    simulation, _ = run(pinned(mesh, material, top(mesh), settings=settings), 60 if integrator != "newmark" else 40)
    ends = simulation.state.positions
    assert np.abs(ends[top(mesh)] - mesh.positions[top(mesh)]).max() < 1e-12
    low = mesh.positions[:, 2] == 0.0
    assert -ends[low, 2].mean() == pytest.approx(1000.0 * G / (2.0 * 2e5), rel=0.02)
    weight = G * simulation.state.masses.sum()
    assert reaction(simulation)[2] == pytest.approx(weight, rel=2e-3)
    assert np.abs(reaction(simulation)[:2]).max() < 2e-3 * weight


def test_what_held_it_lets_go_at_its_key_and_the_body_falls_freely():
    mesh = bar(4)
    strength = np.where(np.arange(13) < 6, 1.0, 0.0)
    arguments = pinned(mesh, STIFF | {"young_modulus": 1e7}, top(mesh), strength=strength, settings={"frames": 13})
    simulation, _ = run(arguments, 6)
    start, end = center(simulation)[2], []
    for _ in range(7):
        simulation.advance()
        end.append(center(simulation)[2])
    assert start == pytest.approx(0.5, abs=2e-3)
    speeds = np.diff(end) * 24.0
    assert np.diff(speeds)[1:] * 24.0 == pytest.approx(-G, rel=1e-4)


def test_a_pendulum_swings_with_the_period_of_its_closed_form():
    """A stiff rod pinned at a line: T = 2 pi sqrt(2L/3g) (1 + a^2/16) for a small angle a, for a slender one."""
    mesh = box_mesh((1, 1, 10), (0.05, 0.05, 1.0))
    angle = 0.1
    turn = np.array([[np.cos(angle), 0.0, np.sin(angle)], [0.0, 1.0, 0.0], [-np.sin(angle), 0.0, np.cos(angle)]])
    hinge = np.array([0.025, 0.0, 1.0])
    positions = (mesh.positions - hinge) @ turn.T + hinge
    line = np.flatnonzero(mesh.positions[:, 2] == 1.0)
    # The line is one edge of the rod's end: the rod hangs by it as on a hinge
    line = line[mesh.positions[line, 0] == 0.0]
    mesh = type(mesh)(positions, mesh.tets)
    settings = {"frames": 80, "maximum_substep": 1.0 / 384.0, "calm_substep": 1.0 / 384.0, "frames_per_second": 48.0}
    simulation, _ = run(pinned(mesh, STIFF | {"young_modulus": 1e8}, line, settings=settings), 1)
    swing = []
    for _ in range(79):
        simulation.advance()
        swing.append(center(simulation)[0])
    axis, masses = mesh.positions[line[0]], simulation.state.masses
    arms = positions - axis
    inertia = (masses * (arms[:, [0, 2]] ** 2).sum(axis=1)).sum()
    arm = np.hypot(*((masses[:, None] * arms).sum(axis=0) / masses.sum())[[0, 2]])
    period = 2.0 * np.pi * np.sqrt(inertia / (masses.sum() * G * arm)) * (1.0 + angle**2 / 16.0)
    swing, time = np.array(swing) - axis[0], np.arange(1, 80) / 48.0
    passing = np.flatnonzero(swing[:-1] * swing[1:] < 0.0)
    zero = time[passing] - swing[passing] / np.diff(swing)[passing] / 48.0
    assert 2.0 * np.diff(zero).mean() == pytest.approx(period, rel=5e-3)
    assert period == pytest.approx(2.0 * np.pi * np.sqrt(2.0 / (3.0 * G)), rel=0.02)


def turning(mesh, vertices, rate, frames, fps=24.0):
    """Places (frames + 1, p, 3) of vertices that turn about z, from the frame before the first on."""
    angles = rate * (np.arange(frames + 1) - 1) / fps
    p, c, s = mesh.positions[vertices], np.cos(angles)[:, None], np.sin(angles)[:, None]
    x, y = p[:, 0] - 0.125, p[:, 1] - 0.125
    return np.stack([c * x - s * y + 0.125, s * x + c * y + 0.125, np.broadcast_to(p[:, 2], (len(angles), len(p)))], axis=2)


def test_pinned_nodes_turn_with_their_vertices_without_strain_and_between_frames():
    """Half a turn a second about the bar's axis: parabolas through the frames stay within 1e-3 of the circle."""
    mesh, frames = bar(4), 25
    every = np.arange(len(mesh.positions))
    targets = turning(mesh, every, np.pi, frames)
    settings = {"frames": frames, "gravity": (0.0, 0.0, 0.0)}
    simulation, seen = run(pinned(mesh, STIFF, every, targets=targets, settings=settings), frames)
    for k, frame in enumerate(seen):
        assert np.abs(places(frame) - targets[k + 1]).max() < 1e-6
    angle, time = np.pi * 0.26, 0.26
    between = simulation.pins.grips[0].targets.at(time)
    circle = turning(mesh, every, angle * 24.0, 2)[2]
    assert np.abs(between - circle).max() < 1e-4
    assert simulation.state.stress.max() < 1e-4 * 1e6


def test_a_pinned_end_drags_the_rest_along():
    mesh, frames = bar(4), 40
    targets = np.tile(mesh.positions[top(mesh)], (frames + 1, 1, 1))
    targets[:, :, 0] += 0.5 * np.clip((np.arange(frames + 1) - 1) / 24.0, 0.0, 1.0)[:, None]
    material = STIFF | {"young_modulus": 1e5, "damping": 30.0}
    simulation, seen = run(pinned(mesh, material, top(mesh), targets=targets, settings={"frames": frames}), frames)
    moved = center(simulation) - mesh.positions.mean(axis=0)
    assert moved[0] == pytest.approx(0.5, abs=0.05)
    assert simulation.state.positions[top(mesh), 0].max() == pytest.approx(0.75, abs=1e-9)


@pytest.mark.parametrize("cells", [2, 6])
@pytest.mark.parametrize("density", [300.0, 3000.0])
@pytest.mark.parametrize("step", [1.0 / 96.0, 1.0 / 24.0])
def test_a_sprung_body_sinks_by_gravity_over_stiffness_whatever_its_mesh_density_and_step(cells, density, step):
    mesh = box_mesh((cells,) * 3)
    every = np.arange(len(mesh.positions))
    settings = {"frames": 48, "maximum_substep": step, "calm_substep": step}
    arguments = pinned(mesh, STIFF | {"density": density}, every, stiffness=100.0, damping=15.0, settings=settings)
    simulation, _ = run(arguments, 48)
    assert center(simulation)[2] - 0.5 == pytest.approx(-G / 100.0, rel=1e-3)


@pytest.mark.parametrize("integrator", ["generalized_alpha", "newmark"])
def test_a_sprung_body_swings_at_the_frequency_of_its_stiffness(integrator):
    mesh = box_mesh((2, 2, 2))
    every = np.arange(len(mesh.positions))
    settings = {
        "frames": 97, "frames_per_second": 96.0, "maximum_substep": 1.0 / 384.0, "calm_substep": 1.0 / 384.0,
        "gravity": (0.0, 0.0, 0.0), "integrator": integrator, "velocity": (0.0, 0.0, 1.0),
    }  # fmt: skip
    simulation, _ = run(pinned(mesh, STIFF, every, stiffness=(4.0 * np.pi) ** 2, settings=settings), 1)
    out = []
    for _ in range(96):
        simulation.advance()
        out.append(center(simulation)[2] - 0.5)
    expected = np.sin(4.0 * np.pi * np.arange(1, 97) / 96.0) / (4.0 * np.pi)
    assert np.abs(np.array(out) - expected).max() < 0.01 / (4.0 * np.pi)


def test_a_strong_spring_needs_no_short_steps():
    mesh = box_mesh((2, 2, 2))
    every = np.arange(len(mesh.positions))
    simulation, _ = run(pinned(mesh, STIFF, every, stiffness=1e8, damping=1e3, settings={"frames": 12}), 12)
    assert np.abs(simulation.state.positions - mesh.positions).max() < 2e-6
    assert simulation.clock.level <= 0


def test_painted_weights_let_go_one_after_another_as_the_strength_falls():
    mesh = box_mesh((1, 8, 2), (0.125, 1.0, 0.25))
    vertices = top(mesh)
    weights = 0.6 + 0.4 * mesh.positions[vertices, 1]
    arguments = pinned(mesh, STIFF, vertices, weights=weights, strength=np.linspace(1.0, 0.4, 7), settings={"frames": 7})
    simulation, _ = run(arguments, 1)
    counts = []
    for _ in range(6):
        simulation.advance()
        counts.append(len(simulation.held.held))
    assert counts[0] == len(vertices) and counts[-1] == 0
    assert len(np.unique(counts)) > 3 and (np.diff(counts) <= 0).all()


def test_a_pin_that_is_keyed_up_takes_the_goo_where_it_is_and_leads_it_home():
    mesh = bar(2)
    every = np.arange(len(mesh.positions))
    strength = np.where(np.arange(40) < 6, 0.0, 1.0)
    simulation, seen = run(pinned(mesh, STIFF, every, strength=strength, settings={"frames": 40}), 40)
    ways = np.array([places(frame)[0, 2] for frame in seen])
    assert ways[5] < -0.15 and np.abs(np.diff(ways)).max() < 0.15
    assert np.abs(places(seen[-1]) - mesh.positions).max() < 1e-4


def test_a_bake_goes_on_from_a_checkpoint_to_the_same_bytes():
    mesh, frames = bar(4), 12
    targets = np.tile(mesh.positions[top(mesh)], (frames + 1, 1, 1))
    targets[:, :, 0] += 0.01 * np.arange(frames + 1)[:, None] ** 2
    strength = np.where(np.arange(frames) < 3, 0.0, 1.0)
    arguments = pinned(mesh, STIFF, top(mesh), targets=targets, strength=strength, settings={"frames": frames})
    whole, _ = run(arguments, frames)
    first, _ = run(arguments, 6)
    second, _ = run(arguments, 1)
    second.restore(first.checkpoint())
    for _ in range(6):
        second.advance()
    assert second.state.positions.tobytes() == whole.state.positions.tobytes()


def test_only_frames_that_are_due_count_for_the_hash():
    mesh, frames = bar(2), 12
    targets = np.tile(mesh.positions[top(mesh)], (frames + 1, 1, 1))
    targets[8:] += 0.1
    scenes = [
        pinned(mesh, STIFF, top(mesh), targets=these, settings={"frames": frames})[0] for these in (targets, targets[:1])
    ]
    assert scene_hash(scenes[0], 7) == scene_hash(scenes[1], 7)
    assert scene_hash(scenes[0], 8) != scene_hash(scenes[1], 8)


def test_a_pinned_body_of_the_draft_model_hangs_and_is_let_go():
    mesh = bar(4)
    scene, *rest = draft_scene([mesh], [{"young_modulus": 2e5, "damping": 20.0}], frames=60)
    vertices = top(mesh)
    strength = np.where(np.arange(60) < 50, 1.0, 0.0)
    own = Pin("pin", vertices, np.ones(len(vertices)), mesh.positions[vertices][None], strength=strength)
    scene = replace(scene, bodies=(replace(scene.bodies[0], pins=(own,)),))
    simulation, _ = run_draft((scene, *rest), 48)
    density = scene.bodies[0].scaled_material().values["density"]
    low = mesh.positions[:, 2] == 0.0
    assert np.abs(simulation.state.positions[vertices] - mesh.positions[vertices]).max() < 1e-12
    assert -simulation.state.positions[low, 2].mean() == pytest.approx(density * G / (2.0 * 2e5), rel=0.1)
    for _ in range(12):
        simulation.advance()
    assert (simulation.state.positions[vertices, 2] < 0.9).all()


def test_what_carries_nodes_turns_as_a_whole_whatever_the_angle_and_depth():
    random = np.random.default_rng(3)
    vertices, nodes = random.normal(size=(200, 3)), random.normal(size=(50, 3)) * 2.0
    vertices[:, 2] = 0.0  # a patch of the surface says how what lies behind it turns
    for angle in (0.1, 2.0, 3.1):
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
        moved = MovingLeastSquares(nodes, vertices, 0.1).places(vertices @ turn.T + 5.0)
        assert np.abs(moved - nodes @ turn.T - 5.0).max() < 1e-6
    assert np.abs(MovingLeastSquares(nodes, vertices[:1], 0.1).places(vertices[:1] + 2.0) - nodes - 2.0).max() < 1e-12


def test_a_bake_from_a_job_holds_what_is_seen_of_a_cage(tmp_path):
    """The pinned faces of the artist's surface stay where they are to a hundredth of an element, corners and insides."""
    box = cube()
    mesh_body = make_scene([box_mesh((2, 2, 2))], [STIFF], frames=8)[0].bodies[0]
    high = np.flatnonzero(box.positions[:, 2] > 0.0).astype(np.int32)
    own = Pin("pin", high, np.ones(len(high)), box.positions[high][None])
    jelly = Material("viscoplastic", STIFF | {"young_modulus": 3e4}, {})
    body = replace(mesh_body, surface=box, material=jelly, resolution=5, pins=(own,))
    scene = replace(make_scene([], [], frames=8)[0], bodies=(body,))
    write_job(scene, tmp_path)
    again = read_job(tmp_path)
    assert scene_hash(again, 8) == scene_hash(scene, 8)
    (tmp_path / "cache").mkdir()
    assert bake(again, tmp_path / "cache") == 8
    seen = FrameStore.open(tmp_path / "cache").read_body_frame(8, body.uid)
    ends = seen.origin + seen.positions
    assert np.abs(ends[high] - box.positions[high]).max() < 1e-6
    assert (ends[np.setdiff1d(np.arange(8), high), 2] < -0.51).all()


@pytest.mark.parametrize(
    "change, word",
    [
        ({"vertices": np.zeros(0, np.int32), "weights": np.zeros(0)}, "holds no vertex"),
        ({"vertices": np.array([99]), "weights": np.ones(1)}, "does not exist"),
        ({"weights": np.full(9, 2.0)}, "between 0 and 1"),
        ({"stiffness": -1.0}, "negative"),
        ({"targets": None}, "names no collider"),
        ({"targets": np.zeros((3, 9, 3))}, "have shape"),
        ({"strength": np.array([1.5])}, "strength"),
    ],
)
def test_a_pin_that_cannot_be_is_named(change, word):
    mesh = bar(2)
    scene = pinned(mesh, STIFF, top(mesh), settings={"frames": 8})[0]
    own = replace(scene.bodies[0].pins[0], **change)
    with pytest.raises(SceneError, match=word) as caught:
        validated(replace(scene, bodies=(replace(scene.bodies[0], pins=(own,)),)))
    assert caught.value.body == "Body 0"
