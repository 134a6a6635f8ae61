"""Colliders that change their shape: against the same motion as a transform, and against closed forms."""

from dataclasses import replace

import numpy as np
import pytest

from solver.collider import validated_collider
from solver.colliders import build
from solver.colliders.deformation import rigid_part
from solver.colliders.mesh_query import WOUND
from solver.colliders.motion import Motion, rotation_matrix
from solver.errors import SceneError
from solver.job import scene_hash
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings
from solver.surface import Surface
from tests.colliders.test_mesh import box, sphere
from tests.colliders.test_motion import transform
from tests.colliders.test_plane import ask

SETTINGS = Settings(frame_start=1, frame_end=3, frames_per_second=10.0)
POINTS = np.random.default_rng(5).uniform(-2.0, 2.0, size=(200, 3))
TURN = np.array([0.2, 0.3, 1.0])


def deforming(part, shapes, **options):
    return Collider("uid", "Arm", "mesh", np.eye(4)[None], part, shapes=np.asarray(shapes), **options)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_shape_that_only_turns_is_a_rigid_motion(dtype):
    """At any time between the samples, where straight ways of the vertices would shrink it by 12 % at a radian."""
    part = box((1.0, 2.0, 0.5))
    keys = np.array([transform(rotation_matrix(k * TURN), (0.1 * k, 0.0, 0.2)) for k in range(4)])
    shapes = np.array([part.positions @ key[:3, :3].T + key[:3, 3] for key in keys], dtype=dtype)
    moved = Collider("uid", "Gear", "mesh", keys, part)
    assert len(rigid_part(np.eye(4)[None], shapes)[1]) == 1
    for time in (-0.1, -0.04, 0.0, 0.17):
        expected = ask(moved, POINTS, time, settings=SETTINGS)
        for seen, wanted in zip(ask(deforming(part, shapes), POINTS, time, settings=SETTINGS), expected, strict=True):
            np.testing.assert_allclose(seen, wanted, atol=1e-10 if dtype == np.float64 else 2e-4)


def test_half_of_it_turns_by_transform_and_half_by_shape():
    part = box((1.0, 2.0, 0.5))
    half = [rotation_matrix(0.5 * k * TURN) for k in range(4)]
    whole = Collider("uid", "Gear", "mesh", np.array([transform(turn @ turn) for turn in half]), part)
    shapes = part.positions @ np.swapaxes(half, 1, 2)
    both = replace(whole, transforms=np.array([transform(turn) for turn in half]), shapes=shapes)
    for seen, wanted in zip(*(ask(item, POINTS, 0.13, settings=SETTINGS) for item in (both, whole)), strict=True):
        np.testing.assert_allclose(seen, wanted, atol=1e-9)


def test_a_ball_that_grows_pushes_outwards():
    """Distance and speed of its surface between the frame before the first and the first, and none after the last."""
    part = sphere(16)
    growing = deforming(part, [part.positions * radius for radius in (1.0, 1.2, 1.2, 1.5)])
    away = POINTS / np.linalg.norm(POINTS, axis=1)[:, None] * 3.0
    distance, normal, velocity = ask(growing, away, -0.05, settings=SETTINGS)
    assert distance == pytest.approx(3.0 - 1.1, abs=0.02)
    assert np.einsum("ki,ki->k", normal, away) == pytest.approx(3.0, abs=0.1)
    assert np.einsum("ki,ki->k", velocity, away) / 3.0 == pytest.approx(2.0, abs=0.04)
    assert not ask(growing, away, 0.05, settings=SETTINGS)[2].any()
    distance, _, velocity = ask(growing, away, 9.0, settings=SETTINGS)
    assert distance == pytest.approx(3.0 - 1.5, abs=0.02) and not velocity.any()


def test_points_are_carried_with_what_deforms():
    part = sphere(16)
    shapes = [part.positions * (1.0, 1.0, height) for height in (1.0, 1.4, 1.4, 1.4)]
    field = build(deforming(part, shapes), SETTINGS)
    assert not field.still
    top = np.array([[0.0, 0.0, 1.05]])
    assert field.carried(top, -0.1, 0.0)[0] == pytest.approx((0.0, 0.0, 1.45), abs=0.01)
    assert field.carried(top, -0.1, -0.05)[0] == pytest.approx((0.0, 0.0, 1.25), abs=0.01)


def test_what_is_far_goes_by_the_rigid_motion_alone():
    """Where whoever asks wants to know of what is near only: that goes as it does without a bound."""
    part = sphere(16)
    field = build(deforming(part, [part.positions * (1.0, 1.0, height) for height in (1.0, 1.4, 1.4, 1.4)]), SETTINGS)
    heights = np.concatenate([np.linspace(1.05, 1.25, 5), [40.0]])
    points = np.stack([0.0 * heights, 0.0 * heights, heights], axis=1)
    everywhere, bounded = (field.carried(points, -0.1, 0.0, *within) for within in ((), (0.3,)))
    assert (bounded[:5] == everywhere[:5]).all() and (everywhere[:, 2] - heights > 0.3).all()
    assert bounded[5] == pytest.approx(field.motion.carried(points[5:], -0.1, 0.0)[0]) and bounded[5, 2] - 40.0 < 0.01


def box_with_a_split_edge(high):
    """A cube of 2 m whose upper edge at y = -1 has a vertex in its middle, so much higher, and a face between both."""
    places = [(x, y, z) for z in (-1, 1) for x, y in ((-1, -1), (1, -1), (1, 1), (-1, 1))] + [(0, -1, 1 + high)]
    around = [(1, 2, 6), (1, 6, 5), (2, 3, 7), (2, 7, 6), (3, 0, 4), (3, 4, 7), (0, 2, 1), (0, 3, 2), (4, 5, 6), (4, 6, 7)]
    faces = [*around, (0, 1, 8), (0, 8, 4), (1, 5, 8), (5, 4, 8)]
    return Surface(np.array(places, dtype=float), np.array(faces, dtype=np.int32))


def test_a_face_without_area_that_folds_over_turns_nothing_inside_out():
    """The cap of a cylinder whose edges were subdivided has such faces; a bone that bends it by a hair turns them over."""
    parts = [box_with_a_split_edge(high) for high in (-1e-7, 2e-4, 2e-4, 2e-4)]
    collider = deforming(parts[0], [part.positions for part in parts])
    points = np.random.default_rng(2).uniform(-1.5, 1.5, size=(20000, 3))
    beyond = np.abs(points) - 1.0
    expected = np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + np.minimum(beyond.max(axis=1), 0.0)
    distance, _, _ = ask(collider, points, 0.0, settings=SETTINGS)
    np.testing.assert_allclose(distance, expected, atol=3e-4)


def test_on_a_face_that_bones_have_turned_the_way_out_is_its_normal():
    """Where the direction to the closest point says nothing; of what is closed the faces alone are asked for theirs."""
    part = box((1.0, 2.0, 0.5))
    tilt = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.3, 0.4, 1.0]])
    shapes = [part.positions, *3 * [part.positions @ tilt]]
    field = build(deforming(part, shapes), SETTINGS)
    corners = shapes[1][part.triangles]
    distance, normal, _ = ask(deforming(part, shapes), corners.mean(axis=1), 0.0, settings=SETTINGS)
    outward = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    outward /= np.linalg.norm(outward, axis=1)[:, None]
    assert field.kind == WOUND and np.abs(distance).max() < 1e-12
    assert np.einsum("ki,ki->k", normal, outward) == pytest.approx(1.0)


def test_samples_divide_frames():
    """Four samples a frame: the second of them lies a quarter of a frame after the frame before the first."""
    keys = np.array([transform(shift=(x, 0.0, 0.0)) for x in range(13)])
    motion = Motion(keys, SETTINGS, 4)
    assert motion.pose(-0.075).translation[0] == pytest.approx(1.0)
    assert motion.pose(0.0).translation[0] == pytest.approx(4.0)
    assert motion.pose(0.0).velocity[0] == pytest.approx(40.0)
    validated_collider(Collider("c", "Gear", "mesh", keys, sphere(4), samples=4), 3)
    with pytest.raises(SceneError, match="not .1, 4, 4. or .7, 4, 4."):
        validated_collider(Collider("c", "Gear", "mesh", keys, sphere(4), samples=2), 3)


def test_shapes_that_do_not_fit_are_refused():
    part = sphere(4)
    shapes = np.tile(part.positions, (4, 1, 1))
    with pytest.raises(SceneError, match="'Arm': Its shapes have shape"):
        validated_collider(deforming(part, shapes[:, 1:]), 3)
    shapes[2, 0] = np.nan
    with pytest.raises(SceneError, match="not finite numbers 1 frames after the first"):
        validated_collider(deforming(part, shapes), 3)


def test_what_has_not_deformed_yet_hashes_like_what_never_does():
    """So that frames before a later change can be continued."""
    part = sphere(4)
    body = Body("b", "Dough", part, Material("viscoplastic", {}))
    shapes = np.array([part.positions, part.positions, part.positions, 2.0 * part.positions], dtype=np.float32)
    rounded = replace(part, positions=part.positions.astype(np.float32).astype(np.float64))
    still, moved = (
        Scene((body,), (item,), SETTINGS)
        for item in (Collider("uid", "Arm", "mesh", np.eye(4)[None], rounded), deforming(rounded, shapes))
    )
    assert scene_hash(still, 2) == scene_hash(moved, 2)
    assert scene_hash(still, 3) != scene_hash(moved, 3)
