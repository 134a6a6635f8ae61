"""Blender's force fields on goo: each against a closed form, and alike whatever the mesh, the density and the step."""

from dataclasses import replace

import numpy as np
import pytest

from solver.errors import SceneError
from solver.force_fields.eddies import turbulence
from solver.force_fields.field import ForceField
from solver.job import read_job, scene_hash, write_job
from solver.scene import validated
from solver.simulate import Simulation
from tests.draft.scenes import draft_scene
from tests.draft.scenes import run as run_draft
from tests.physics.scenes import box_mesh, center, make_scene

FIRM = {"density": 1000.0, "young_modulus": 1e6, "poisson_ratio": 0.0, "yield_stress": 1e12, "flow_rate": 0.0, "damping": 50.0}
START = np.array([1.0, 0.5, 0.3])


def frame_of(at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)):
    """A field's transforms (1, 4, 4) at a place, its z along an axis."""
    frame = np.eye(4)
    z = np.array(axis) / np.linalg.norm(axis)
    x = np.cross((0.3, 1.0, 0.2), z)
    x /= np.linalg.norm(x)
    frame[:3, :3], frame[:3, 3] = np.column_stack([x, np.cross(z, x), z]), at
    return frame[None]


def blown(kind, *, transforms=None, start=START, size=0.02, cells=1, material=FIRM, settings=None, weight=1.0, **options):
    """Arguments of Simulation: a small box about a place, weightless but for one field."""
    mesh = box_mesh((cells,) * 3, (size,) * 3, np.asarray(start) - 0.5 * size)
    settings = {"gravity": (0.0, 0.0, 0.0), "frames": 49, "maximum_substep": 1.0 / 96.0} | (settings or {})
    scene, *rest = make_scene([mesh], [material], **settings)
    one = ForceField("field", "Field", kind, frame_of() if transforms is None else transforms, **options)
    body = replace(scene.bodies[0], field_weights={"field": weight})
    return replace(scene, bodies=(body,), force_fields=(one,)), *rest


def track(arguments, frames=25):
    """Where the centre of mass is (frames, 3)."""
    simulation = Simulation(*arguments, fields=[])
    places = []
    for _ in range(frames):
        simulation.advance()
        places.append(center(simulation))
    return np.array(places)


@pytest.mark.parametrize("integrator", ["generalized_alpha", "newmark"])
def test_wind_leads_goo_to_the_airs_speed(integrator):
    """With a flow f the way is s/f (t - (1 - exp(-f t))/f) along the axis."""
    axis = np.array([1.0, 2.0, -1.0]) / np.sqrt(6.0)
    numbers = {"strength": 6.0, "flow": 2.0}
    settings = {"integrator": integrator}
    way = track(blown("WIND", transforms=frame_of(axis=axis), shape="PLANE", numbers=numbers, settings=settings)) - START
    time = np.arange(25) / 24.0
    expected = 3.0 * (time - (1.0 - np.exp(-2.0 * time)) / 2.0)
    assert np.abs(way - expected[:, None] * axis).max() < 5e-3 * expected[-1]


def test_wind_falls_off_with_the_power_of_the_distance_from_its_plane():
    cases = ((), 2.0, 2.0 / 1.3**2), (("distance_min",), 2.0, 2.0 / 1.2**2), (("distance_max",), 0.0, 0.0)
    for limits, power, expected in cases:
        numbers = {"strength": 2.0, "falloff_power": power, "distance_min": 0.1, "distance_max": 0.25}
        arguments = blown("WIND", transforms=frame_of(axis=(0, 0, 1)), shape="PLANE", numbers=numbers, limits=limits)
        way = track(arguments, 3)[2, 2] - START[2]
        assert way == pytest.approx(0.5 * expected / 144.0, rel=0.02, abs=1e-12)


@pytest.mark.parametrize("inverse_square", [False, True])
def test_a_force_pushes_straight_away(inverse_square):
    arguments = blown("FORCE", numbers={"strength": -3.0}, inverse_square=inverse_square)
    way = track(arguments, 3)[2] - START
    distance = np.linalg.norm(START)
    expected = -0.5 * 3.0 / 144.0 * START / distance / (distance**2 if inverse_square else 1.0)
    assert way == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("integrator", ["generalized_alpha", "newmark", "backward_euler"])
@pytest.mark.parametrize("strength", [25.0, 1e7])
def test_a_harmonic_field_is_a_damped_spring_however_strong(integrator, strength):
    """Critically damped: r = r0 (1 + w t) exp(-w t)."""
    if integrator == "newmark" and strength > 1e3:
        pytest.skip("explicit steps would have to be as short as its period")
    arguments = blown("HARMONIC", numbers={"strength": strength, "damping": 1.0}, settings={"integrator": integrator})
    places = track(arguments)
    swing = np.sqrt(strength) * np.arange(25) / 24.0
    left = (1.0 + swing) * np.exp(-swing)
    tolerance = 0.05 if integrator == "backward_euler" else 0.01
    assert np.abs(places - left[:, None] * START).max() < tolerance
    assert np.isfinite(places).all() and np.abs(places[-1] - left[-1] * START).max() < 1e-2


def test_a_harmonic_field_rests_at_its_length():
    places = track(blown("HARMONIC", numbers={"strength": 400.0, "damping": 1.0, "rest_length": 0.5}), 40)
    assert places[-1] == pytest.approx(0.5 * START / np.linalg.norm(START), abs=1e-3)


def test_drag_stops_goo_by_its_speed_and_by_its_square():
    """v = v0 exp(-c t); and v0/(1 + s v0 t)."""
    time = 1.0
    settings = {"velocity": (2.0, 0.0, 0.0)}
    slow = track(blown("DRAG", numbers={"damping": 1.0}, settings=settings))[-1, 0] - START[0]
    assert slow == pytest.approx(2.0 * (1.0 - np.exp(-time)), rel=2e-3)
    square = track(blown("DRAG", numbers={"strength": 1.0}, settings=settings))[-1, 0] - START[0]
    assert square == pytest.approx(np.log(1.0 + 2.0 * time), rel=4e-3)


def test_a_vortex_turns_goo_about_its_axis():
    """Started on the circle it stays there, with its strength for an angular velocity."""
    speed = 2.0 * np.cross((0.0, 0.0, 1.0), START)
    settings = {"velocity": tuple(speed)}
    places = track(blown("VORTEX", shape="PLANE", numbers={"strength": 2.0}, settings=settings))
    angle = 2.0 * np.arange(25) / 24.0
    circle = np.column_stack([np.cos(angle) - 0.5 * np.sin(angle), np.sin(angle) + 0.5 * np.cos(angle), np.full(25, 0.3)])
    assert np.abs(places - circle).max() < 0.01


def test_a_moving_field_is_where_it_is_between_frames():
    """Wind that turns about x by a quarter in a second: its push is the integral of the turning axis."""
    transforms = np.tile(np.eye(4), (50, 1, 1))
    for k, angle in enumerate(0.5 * np.pi * (np.arange(50) - 1) / 24.0):
        transforms[k, 1:3, 1:3] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    way = track(blown("WIND", transforms=transforms, shape="PLANE", numbers={"strength": 1.0}))[-1] - START
    w = 0.5 * np.pi
    assert way == pytest.approx([0.0, -(1.0 / w - 1.0 / w**2), (1.0 / w**2)], abs=2e-3)


LIGHT, COARSE = FIRM | {"density": 200.0}, {"maximum_substep": 1 / 48}


@pytest.mark.parametrize("change", [{"cells": 3}, {"material": LIGHT}, {"settings": COARSE}])
def test_mesh_density_and_step_change_nothing(change):
    numbers = {"strength": 4.0, "flow": 0.5, "falloff_power": 1.0}
    first, second = (track(blown("FORCE", numbers=numbers, **options)) for options in ({}, change))
    assert np.abs(first - second).max() < 2e-3


def test_a_weight_scales_a_field_and_no_weight_is_no_field():
    whole, half, none = (track(blown("WIND", numbers={"strength": 2.0}, weight=w), 6)[-1] - START for w in (1.0, 0.5, 0.0))
    assert half == pytest.approx(0.5 * whole, abs=1e-9) and np.abs(none).max() < 1e-12


def test_turbulence_is_noise_of_its_size_that_a_seed_changes():
    points = np.random.default_rng(5).uniform(-40.0, 40.0, (20000, 3))
    fields = [np.empty_like(points) for _ in range(3)]
    for eddies, seed, places in zip(fields, (1, 1, 2), (points, points + 1e-4, points), strict=True):
        turbulence(places, np.uint32(seed), eddies)
    same, near, other = fields
    assert np.abs(same).max() <= 1.0 and np.abs(same.mean(axis=0)).max() < 0.01
    assert 0.1 < same.std() < 0.3
    assert np.abs(near - same).max() < 2e-3 and np.abs(np.corrcoef(same.ravel(), other.ravel())[0, 1]) < 0.02
    assert np.abs(np.corrcoef(same.T) - np.eye(3)).max() < 0.03


def test_turbulence_acts():
    far = track(blown("TURBULENCE", numbers={"strength": 5.0, "size": 0.5}, seed=3))[-1] - START
    assert 0.05 < np.linalg.norm(far) < 2.5


def test_noise_is_the_same_for_the_same_seed_and_has_no_mean():
    ways = [
        track(blown("WIND", numbers={"strength": 0.0, "noise": 3.0}, seed=seed))[-1, 2] - START[2] for seed in (1, 1, 2)
    ]
    assert ways[0] == ways[1] != ways[2] and max(map(abs, ways)) < 1.0


def test_a_body_of_the_draft_model_is_blown_alike():
    scene, *rest = blown("WIND", numbers={"strength": 6.0, "flow": 2.0})
    mesh = rest[0][0]
    draft = draft_scene([mesh], [{}], gravity=(0.0, 0.0, 0.0), frames=49)[0]
    body = replace(draft.bodies[0], field_weights={"field": 1.0})
    simulation, _ = run_draft((replace(scene, bodies=(body,)), *rest), 25)
    expected = 3.0 * (1.0 - (1.0 - np.exp(-2.0)) / 2.0)
    assert center(simulation)[2] - START[2] == pytest.approx(expected, rel=0.02)


def test_a_job_keeps_fields_and_its_hash_looks_no_further_than_it_must(tmp_path):
    transforms = np.tile(np.eye(4), (50, 1, 1))
    transforms[9:, 0, 3] = 1.0
    keys = {"strength": np.where(np.arange(49) < 20, 1.0, 2.0)}
    scene = validated(blown("WIND", transforms=transforms, keys=keys)[0])
    plain = validated(blown("WIND", transforms=np.eye(4)[None], numbers={"strength": 1.0})[0])
    write_job(scene, tmp_path)
    assert scene_hash(read_job(tmp_path), 48) == scene_hash(scene, 48)
    assert scene_hash(scene, 8) == scene_hash(plain, 8) and scene_hash(scene, 9) != scene_hash(plain, 9)


@pytest.mark.parametrize(
    "change, word",
    [
        ({"kind": "MAGIC"}, "no kind 'MAGIC'"),
        ({"shape": "POINTS"}, "no shape"),
        ({"numbers": {"power": 1.0}}, "numbers"),
        ({"transforms": np.zeros((1, 4, 4))}, "scaled to nothing"),
        ({"transforms": np.zeros((3, 4, 4))}, "have shape"),
    ],
)
def test_a_field_that_cannot_be_is_named(change, word):
    scene = blown("WIND")[0]
    with pytest.raises(SceneError, match=word) as caught:
        validated(replace(scene, force_fields=(replace(scene.force_fields[0], **change),)))
    assert caught.value.body == "Field"
