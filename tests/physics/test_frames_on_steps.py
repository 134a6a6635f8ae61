"""Frames end where steps do wherever colliders or pins move, and what is shown between steps is where surfaces are free."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from solver.bake import prepare
from solver.materials import Material
from solver.moment import free_between
from solver.pins.pin import Pin
from solver.scene import Body, Collider, Scene, Settings, validated
from solver.simulate import Simulation
from solver.step_length import longest_step
from tests.physics.scenes import box_mesh, make_scene
from tests.surface_contact.seen_depths import SeenDepths
from tests.surfaces import box, moved

FRAMES = 20
STILL, MOVING = [SimpleNamespace(still=True)], [SimpleNamespace(still=True), SimpleNamespace(still=False)]
HELD = SimpleNamespace(still=True)


def steps_a_second(rate, longest, fields, pins=HELD):
    return 1.0 / longest_step(Settings(1, 2, rate, maximum_substep=longest), fields, pins)


@pytest.mark.parametrize(("rate", "longest", "expected"), [(24, 0.020833334, 48), (24, 0.0416667, 24), (60, 0.033333335, 30)])
def test_a_step_that_was_typed_ends_on_frames(rate, longest, expected):
    """Blender keeps single precision: steps of 1/47.9999985 s left every frame of a bake between two."""
    assert steps_a_second(rate, longest, STILL) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(("rate", "longest"), [(30, 1 / 48), (25, 1 / 48), (24, 1 / 47.9), (23.976, 1 / 48), (120, 1 / 48)])
def test_other_steps_are_taken_as_they_are_where_nothing_moves(rate, longest):
    assert longest_step(Settings(1, 2, rate, maximum_substep=longest), STILL, HELD) == longest


@pytest.mark.parametrize(
    ("rate", "expected"), [(24, 48), (25, 50), (30, 60), (23.976, 47.952), (12, 48), (60, 60), (120, 48), (240, 48)]
)
def test_where_colliders_or_pins_move_or_goo_merges_steps_are_shares_of_a_frame(rate, expected):
    assert steps_a_second(rate, 1 / 48, MOVING) == pytest.approx(expected)
    assert 1.0 / longest_step(Settings(1, 2, rate, maximum_substep=1 / 48), STILL, HELD, True) == pytest.approx(expected)
    assert steps_a_second(rate, 1 / 48, STILL, SimpleNamespace(still=False)) == pytest.approx(expected)


def shaken(rate: float) -> tuple[Simulation, SeenDepths]:
    """Two boxes, one on the other, on a plate that turns from one way into the other every three frames."""
    ways = np.tile(np.eye(4), (FRAMES + 1, 1, 1))
    ways[:, 2, 3] = 2.16 / rate * np.abs((np.arange(FRAMES + 1) + 1) % 6 - 3)
    goo = Material("viscoplastic", {"density": 1000.0, "young_modulus": 2e5, "poisson_ratio": 0.4, "yield_stress": 1e9}, {})
    low, high = moved(box((0.5, 0.5, 0.5)), (0.0, 0.0, 0.37)), moved(box((0.4, 0.4, 0.4)), (0.03, 0.0, 0.84))
    up = (0.0, 0.0, ways[0, 2, 3])
    bodies = [Body(uid, uid, moved(part, up), goo, resolution=4) for uid, part in (("a", low), ("b", high))]
    plate = Collider("p", "Plate", "mesh", ways, box((3.0, 3.0, 0.2)), friction=0.5)
    scene = validated(Scene(tuple(bodies), (plate,), Settings(1, FRAMES, rate, threads=1)))
    ready = prepare(scene)
    run = Simulation(scene, *([getattr(part, name) for part in ready] for name in ("mesh", "surface", "contacts")))
    return run, SeenDepths(scene)


@pytest.mark.parametrize("rate", [24.0, 25.0, 30.0, 60.0])
def test_what_is_seen_stays_out_of_what_turns_round_at_any_frame_rate(rate):
    """Frames between steps showed a plate that had turned and goo that had not: 4 to 11 % of an element deep."""
    run, depths = shaken(rate)
    for _ in range(FRAMES):
        depths.look(run.advance())
    assert depths.in_colliders < 0.02 and depths.in_bodies < 0.02
    assert np.abs(run.state.velocities).max() > 0.1  # it is still being shaken


@pytest.mark.parametrize("rate", [25.0, 30.0, 60.0])
def test_what_is_pinned_is_shown_where_its_pins_are_at_any_frame_rate(rate):
    """They go to and fro, and turn round at frames; between steps they were shown 1 to 5 mm away."""
    mesh = box_mesh((2, 2, 4), (0.25, 0.25, 0.5))
    high = np.flatnonzero(mesh.positions[:, 2] > 0.5 - 1e-9)
    ways = mesh.positions[high] + np.array([0.1, 0.0, 0.0]) * (np.arange(FRAMES + 1) % 3 == 0)[:, None, None]
    own = Pin("pin", high, np.ones(len(high)), ways)
    goo = {"density": 1000.0, "young_modulus": 1e6, "poisson_ratio": 0.3, "yield_stress": 1e12, "flow_rate": 0.0}
    scene, *rest = make_scene([mesh], [goo], frames_per_second=rate)
    run = Simulation(replace(scene, bodies=(replace(scene.bodies[0], pins=(own,)),)), *rest)
    for number in range(FRAMES):
        (seen,) = run.advance().bodies
        assert seen.origin + seen.positions[high] == pytest.approx(ways[number + 1], abs=1e-5)


def test_what_is_shown_between_steps_may_come_from_either_end():
    """Surfaces that come closer let nothing go all of the way from the step's start, and all of a short one from its end."""
    before, after = np.zeros((2, 3)), np.ones((2, 3))
    surfaces = SimpleNamespace(reachable=lambda start, end: end if (start == after).all() else start + 0.5 * (end - start))
    shown = np.full((2, 3), 0.9)
    assert free_between(surfaces, before, after, shown) is shown
    narrow = SimpleNamespace(reachable=lambda start, end: start + 0.5 * (end - start))
    assert free_between(narrow, before, after, shown) == pytest.approx(np.full((2, 3), 0.95))
    assert free_between(narrow, before, after, np.full((2, 3), 0.1)) == pytest.approx(np.full((2, 3), 0.05))
