"""The reader: what the artist sees, in world space and metres, and nothing of the file changed by looking."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from .reading import add_cube, add_plane, bridge, make_body, read, solver


def bounds(surface):
    return surface.positions.min(axis=0), surface.positions.max(axis=0)


def volume(surface):
    a, b, c = (surface.positions[surface.triangles[:, corner]] for corner in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def curves(action):
    """Blender 4 has them at hand, Blender 5 in layers."""
    if hasattr(action, "fcurves"):
        return list(action.fcurves)
    return [curve for layer in action.layers for strip in layer.strips for bag in strip.channelbags for curve in bag.fcurves]


def test_world_space(scene):
    cube = make_body(add_cube(size=2, location=(3, 0, 5), rotation=(0, 0, math.pi / 2)))
    body = read(scene).bodies[0]
    assert body.name == cube.name and body.uid == cube.dollop.uid
    np.testing.assert_allclose(bounds(body.surface), [(2, -1, 4), (4, 1, 6)], atol=1e-6)
    assert volume(body.surface) == pytest.approx(8)


def test_modifiers_count(scene):
    cube = make_body(add_cube(size=2))
    cube.modifiers.new("Subdivision", "SUBSURF").levels = 2
    assert len(read(scene).bodies[0].surface.positions) == 98


@pytest.mark.parametrize("scale", [0.01, 1.0, 1000.0])
def test_unit_scale(scene, scale):
    """The same physical cube of 2 m, in a scene whose unit is centimetres or kilometres."""
    scene.unit_settings.scale_length = scale
    cube = make_body(add_cube(size=2 / scale, location=(0, 0, 5 / scale)))
    cube.dollop.velocity = (0, 0, -3 / scale)
    ground = add_plane()
    ground.dollop.is_collider = True
    ground.dollop.thickness = 0.02 / scale
    ground.location.z = 1 / scale
    seen = read(scene)
    np.testing.assert_allclose(bounds(seen.bodies[0].surface), [(-1, -1, 4), (1, 1, 6)], rtol=1e-6, atol=1e-5)
    np.testing.assert_allclose(seen.bodies[0].velocity, (0, 0, -3), rtol=1e-6)
    np.testing.assert_allclose(seen.colliders[0].transforms[0][:3, 3], (0, 0, 1), rtol=1e-6)
    assert seen.colliders[0].thickness == pytest.approx(0.02)
    assert seen.settings.gravity == (0.0, 0.0, -9.81)


@pytest.mark.parametrize("applied", [True, False])
def test_object_scale(scene, applied):
    cube = make_body(add_cube(size=1, location=(0, 0, 5)))
    cube.scale = (2, 3, 4)
    wall = add_cube(size=1, location=(9, 0, 0), rotation=(0, 0, 0.5))
    wall.scale = (1, 2, 3)
    wall.dollop.is_collider = True
    if applied:
        for item in (cube, wall):
            bpy.context.view_layer.objects.active = item
            bpy.ops.object.select_all(action="DESELECT")
            item.select_set(True)
            bpy.ops.object.transform_apply(location=False, rotation=False, scale=True)
    seen = read(scene)
    np.testing.assert_allclose(bounds(seen.bodies[0].surface), [(-1, -1.5, 3), (1, 1.5, 7)], atol=1e-6)
    collider = seen.colliders[0]
    np.testing.assert_allclose(np.ptp(collider.surface.positions, axis=0), (1, 2, 3), atol=1e-5)
    turn = collider.transforms[0][:3, :3]
    np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-6)
    np.testing.assert_allclose(turn, Matrix.Rotation(0.5, 3, "Z"), atol=1e-6)


def test_mirrored_objects_stay_right_side_out(scene):
    cube = make_body(add_cube(size=2))
    cube.scale = (-1, 1, 1)
    wall = add_cube(size=2, location=(5, 0, 0))
    wall.scale = (1, -2, 1)
    wall.dollop.is_collider = True
    seen = read(scene)
    assert volume(seen.bodies[0].surface) == pytest.approx(8)
    assert volume(seen.colliders[0].surface) == pytest.approx(16)
    assert np.linalg.det(seen.colliders[0].transforms[0][:3, :3]) == pytest.approx(1)


def test_parents(scene):
    parent = bpy.data.objects.new("Parent", None)
    scene.collection.objects.link(parent)
    parent.location, parent.rotation_euler, parent.scale = (10, 0, 0), (0, 0, math.pi / 2), (2, 2, 2)
    cube = make_body(add_cube(size=1, location=(1, 0, 0)))
    cube.parent = parent
    np.testing.assert_allclose(bounds(read(scene).bodies[0].surface), [(9, 1, -1), (11, 3, 1)], atol=1e-5)


def test_ten_kilometres_away(scene):
    cube = make_body(add_cube(size=2, location=(10000, 0, 0)))
    cube.name = "far"
    near = make_body(add_cube(size=2))
    far, near = sorted(read(scene).bodies, key=lambda body: body.name != "far")
    np.testing.assert_allclose(far.surface.positions - (10000, 0, 0), near.surface.positions, atol=1e-6)


def test_read_at_the_first_frame_and_back(scene):
    cube = make_body(add_cube(size=2))
    cube.location.x = 0
    cube.keyframe_insert("location", frame=1)
    cube.location.x = 8
    cube.keyframe_insert("location", frame=9)
    scene.frame_set(5, subframe=0.5)
    body = read(scene).bodies[0]
    assert body.surface.positions[:, 0].mean() == pytest.approx(0, abs=1e-6)
    assert (scene.frame_current, scene.frame_subframe) == (5, 0.5)


@pytest.mark.parametrize("stretched", [False, True])
def test_moving_collider_is_sampled_from_the_frame_before(scene, stretched):
    if stretched:
        scene.render.frame_map_new = 200
    make_body(add_cube(size=1, location=(0, 0, 9)))
    paddle = add_cube(size=1)
    paddle.dollop.is_collider = True
    for frame in (0, 11):
        paddle.location.x = frame
        paddle.keyframe_insert("location", frame=frame)
    for curve in curves(paddle.animation_data.action):
        for key in curve.keyframe_points:
            key.interpolation = "LINEAR"
    transforms = read(scene).colliders[0].transforms
    np.testing.assert_allclose(transforms[:, 0, 3], np.arange(0, 11), atol=1e-5)
    assert (scene.render.frame_map_old, scene.render.frame_map_new) == (100, 200 if stretched else 100)


def test_resting_collider_is_sampled_once(scene):
    make_body(add_cube(size=1, location=(0, 0, 9)))
    parent = bpy.data.objects.new("Parent", None)
    scene.collection.objects.link(parent)
    table = add_cube(size=1)
    table.parent = parent
    table.dollop.is_collider = True
    assert read(scene).colliders[0].transforms.shape == (1, 4, 4)


def test_animation_can_be_ignored(scene):
    make_body(add_cube(size=1, location=(0, 0, 9)))
    paddle = add_cube(size=1)
    paddle.dollop.is_collider = True
    paddle.dollop.follow_animation = False
    for frame in (1, 10):
        paddle.location.x = frame
        paddle.keyframe_insert("location", frame=frame)
    transforms = read(scene).colliders[0].transforms
    assert transforms.shape == (1, 4, 4) and transforms[0, 0, 3] == pytest.approx(1)


def test_ground_frame(scene):
    """A tilted, stretched plane: a rigid frame whose z axis is the plane's normal."""
    make_body(add_cube(size=1, location=(0, 0, 9)))
    plane = add_plane(rotation=(math.pi / 6, 0, 0), location=(0, 0, 2))
    plane.scale = (7, 2, 1)
    plane.dollop.is_collider = True
    plane.dollop.collider_kind = "plane"
    ground = read(scene).colliders[0]
    frame = ground.transforms[0]
    np.testing.assert_allclose(ground.size, 2.0 * np.array([7, 2, 0]) * plane.data.vertices[3].co.x, rtol=1e-6)
    np.testing.assert_allclose(frame[:3, 2], (0, -0.5, math.sqrt(0.75)), atol=1e-6)
    np.testing.assert_allclose(frame[:3, :3] @ frame[:3, :3].T, np.eye(3), atol=1e-6)
    assert np.linalg.det(frame[:3, :3]) == pytest.approx(1)


@pytest.mark.parametrize("how", ["viewport", "eye", "collection", "excluded"])
def test_hidden_body_still_counts_its_modifiers(scene, how):
    cube = make_body(add_cube(size=2))
    cube.modifiers.new("Subdivision", "SUBSURF").levels = 1
    home = bpy.data.collections.new("Home")
    scene.collection.children.link(home)
    scene.collection.objects.unlink(cube)
    home.objects.link(cube)
    layer = bpy.context.view_layer.layer_collection.children["Home"]
    if how == "viewport":
        cube.hide_viewport = True
    elif how == "eye":
        cube.hide_set(True)
    elif how == "collection":
        home.hide_viewport = True
    else:
        layer.exclude = True
    before = (cube.hide_viewport, home.hide_viewport, layer.exclude, len(bpy.data.collections))
    assert len(read(scene).bodies[0].surface.positions) == 26
    assert (cube.hide_viewport, home.hide_viewport, layer.exclude, len(bpy.data.collections)) == before
    assert how != "eye" or cube.hide_get()


def test_duplicates_get_their_own_identifier(scene):
    cube = make_body(add_cube())
    original = bridge("identity").ensure_uid(cube)
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    assert copy.dollop.uid == original
    bodies = read(scene).bodies
    assert cube.dollop.uid == original != copy.dollop.uid and len(bodies) == 2


def test_names_with_slashes_and_emoji(scene):
    cube = make_body(add_cube())
    cube.name = "../ä/🍞"
    body = read(scene).bodies[0]
    assert body.name == "../ä/🍞" and body.uid.isalnum() and body.uid.isascii()


def test_playback_is_quiet_while_reading(scene):
    make_body(add_cube())
    heard = []

    def listen(*_):
        heard.append(scene.frame_current)

    handlers = bpy.app.handlers.frame_change_pre
    handlers.insert(0, listen)
    before = list(handlers)
    try:
        with bridge("playback_pause").playback_paused():
            assert not any(item.__module__ == "dollop.operators.bridge.playback" for item in handlers)
        assert list(handlers) == before
    finally:
        handlers.remove(listen)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda scene, cube: setattr(scene.dollop, "frame_start", 12), "frame range 12 to 10 is empty"),
        (lambda scene, cube: setattr(cube.data.vertices[3], "co", (math.nan, 0, 0)), "1 of its vertices has coordinates"),
        (lambda scene, cube: cube.data.clear_geometry(), "no faces"),
        (lambda scene, cube: setattr(cube, "scale", (0, 0, 0)), "one point"),
        (lambda scene, cube: setattr(cube, "scale", (math.nan, 1, 1)), "scale is not a finite number. Set them anew"),
        (lambda scene, cube: setattr(cube.dollop, "is_body", False), "nothing to bake"),
    ],
)
def test_bad_scenes_say_what_is_wrong(scene, spoil, words):
    cube = make_body(add_cube())
    scene.dollop.use_frame_range, scene.dollop.frame_start, scene.dollop.frame_end = True, 1, 10
    spoil(scene, cube)
    with pytest.raises(solver("errors").SceneError, match=words):
        read(scene)
