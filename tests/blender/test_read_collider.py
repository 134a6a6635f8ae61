"""Colliders that bones, shape keys and modifiers deform, as the solver is given them."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from .reading import add_cube, add_plane, bridge, make_body, read, solver


@pytest.fixture
def scene(scene):
    scene.frame_start, scene.frame_end = 3, 6
    make_body(add_cube(size=1, location=(0, 0, 9)))
    return scene


def collider(item):
    item.dollop.is_collider = True
    return item


def bone_turning(scene, item, per_frame):
    """An armature whose one bone carries all of the object and turns about its local x axis by so much a frame [rad]."""
    bpy.ops.object.armature_add(location=(0, 0, 0))
    rig = bpy.context.object
    bone = rig.pose.bones[0]
    bone.rotation_mode = "XYZ"
    driver = bone.driver_add("rotation_euler", 0).driver
    driver.expression = f"{per_frame} * frame"
    group = item.vertex_groups.new(name=bone.name)
    group.add(range(len(item.data.vertices)), 1.0, "REPLACE")
    item.modifiers.new("Rig", "ARMATURE").object = rig


def test_a_bone_turns_a_collider_at_every_sample(scene):
    paddle = collider(add_cube(size=1))
    paddle.dollop.samples = 4
    bone_turning(scene, paddle, 0.8)
    bpy.context.view_layer.update()
    seen = read(scene).colliders[0]
    assert seen.samples == 4 and seen.transforms.shape == (1, 4, 4) and seen.shapes.shape == (17, 8, 3)
    turns = [np.array(Matrix.Rotation(0.8 * (2 + k / 4), 3, "X")) for k in range(17)]
    np.testing.assert_allclose(seen.shapes[5], seen.shapes[0] @ (turns[5] @ turns[0].T).T, atol=1e-5)
    transforms, left = solver("colliders.deformation").rigid_part(seen.transforms, seen.shapes)
    assert len(left) == 1
    np.testing.assert_allclose(transforms[16, :3, :3], turns[16] @ turns[0].T, atol=1e-5)


def test_a_shape_key_and_the_scale_of_object_and_scene(scene):
    """Metres, the object's scale in the shapes, its place in the transforms."""
    scene.unit_settings.scale_length = 0.1
    ball = collider(add_cube(size=2, location=(0, 0, -30)))
    ball.scale = (1, 2, 3)
    ball.shape_key_add(name="Basis")
    swollen = ball.shape_key_add(name="Swollen")
    for point in swollen.data:
        point.co *= 2
    swollen.driver_add("value").driver.expression = "max(frame - 3, 0) / 3"
    seen = read(scene).colliders[0]
    assert seen.shapes.dtype == np.float32
    np.testing.assert_allclose(np.ptp(seen.shapes[:, :, 1], axis=1), [0.4, 0.4, 0.4 * 4 / 3, 0.4 * 5 / 3, 0.8], rtol=1e-5)
    np.testing.assert_allclose(seen.transforms[0, :3, 3], (0, 0, -3), atol=1e-6)


def test_a_modifier_that_changes_nothing_leaves_no_shapes(scene):
    bevelled = collider(add_cube(size=1))
    bevelled.modifiers.new("Bevel", "BEVEL")
    hooked = collider(add_cube(size=1))
    hooked.modifiers.new("Hook", "HOOK")
    for seen in read(scene).colliders:
        assert seen.shapes is None and seen.samples == 1 and seen.transforms.shape == (1, 4, 4)


def test_animated_switched_off_keeps_the_first_shape(scene):
    sheet = collider(add_plane())
    sheet.modifiers.new("Wave", "WAVE")
    sheet.dollop.follow_animation = False
    assert read(scene).colliders[0].shapes is None


def test_faces_that_come_and_go_are_refused_in_one_sentence(scene):
    growing = collider(add_cube(size=1))
    growing.name = "Tower"
    array = growing.modifiers.new("Array", "ARRAY")
    array.driver_add("count").driver.expression = "int(frame)"
    with pytest.raises(solver("errors").SceneError) as caught:
        read(scene)
    assert str(caught.value) == (
        "'Tower', frame 3: Its faces are others than before, so it cannot be followed as a collider. "
        "Remove the modifier that adds or removes faces over time, or switch off Animated."
    )
    problems = bridge("read_scene").read_scene(scene, strict=False).problems
    assert [problem.body for problem in problems] == ["Tower"]
