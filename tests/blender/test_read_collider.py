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


def test_keyed_numbers_are_read_at_every_frame(scene):
    scene.unit_settings.scale_length = 0.1
    floor = collider(add_plane())
    for frame, friction, thickness in ((3, 0.0, 1.0), (6, 0.75, 4.0)):
        floor.dollop.friction, floor.dollop.thickness = friction, thickness
        floor.keyframe_insert("dollop.friction", frame=frame)
        floor.keyframe_insert("dollop.thickness", frame=frame)
    floor.dollop.stickiness = 250.0
    seen = read(scene).colliders[0]
    assert sorted(seen.keys) == ["friction", "thickness"] and seen.stickiness == 250.0 and seen.friction == 0.0
    assert seen.keys["friction"].shape == (4,) and seen.keys["friction"][3] == 0.75
    assert (seen.keys["thickness"][0], seen.keys["thickness"][3]) == (pytest.approx(0.1), pytest.approx(0.4))
    settings = bridge("baked_settings")
    baked = settings.settings_of(scene)
    floor.dollop.friction = 1.0
    floor.keyframe_insert("dollop.friction", frame=6)
    assert settings.changed_setting(scene, baked) == f"The animation of friction of '{floor.name}' was changed after the bake."


def test_painted_friction_stickiness_and_thickness(scene):
    """Weights of the evaluated mesh: a vertex in no group counts as zero, and modifiers interpolate."""
    table = collider(add_cube(size=1))
    for name, members in (("Rough", [0, 1, 2, 3]), ("Glue", [7])):
        table.vertex_groups.new(name=name).add(members, 0.5, "REPLACE")
    table.dollop.friction_group, table.dollop.stickiness_group = "Rough", "Glue"
    seen = read(scene).colliders[0].painted
    assert seen["friction"].tolist() == [0.5] * 4 + [0.0] * 4 and seen["stickiness"].tolist() == [0.0] * 7 + [0.5]
    assert "thickness" not in seen
    table.dollop.thickness_group = "Rough"
    seen = read(scene).colliders[0].painted
    assert seen["thickness"].tolist() == seen["friction"].tolist()
    solver("scene").validated(read(scene))
    table.modifiers.new("Subdivision", "SUBSURF").levels = 1
    painted = read(scene).colliders[0].painted
    assert len(painted["friction"]) == len(painted["thickness"]) == 26
    table.dollop.thickness_group = "Lost"
    with pytest.raises(solver("errors").SceneError, match="no vertex group 'Lost' for its thickness"):
        read(scene)
    problems = bridge("read_scene").read_scene(scene, strict=False).problems
    assert [problem.body for problem in problems] == [table.name]
    table.dollop.thickness_group = ""
    table.dollop.friction_group = "Gone"
    with pytest.raises(solver("errors").SceneError, match="no vertex group 'Gone' for its friction"):
        read(scene)


@pytest.mark.parametrize("kind", ["sphere", "box", "capsule"])
def test_exact_shapes_fit_the_bounds(scene, kind):
    """Size in metres with the object's scale, and the middle of the bounds where the object's origin is not in it."""
    scene.unit_settings.scale_length = 0.1
    item = collider(add_cube(size=2, location=(5, 0, 0)))
    for vertex in item.data.vertices:
        vertex.co.z += 1
    item.scale, item.rotation_euler = (1, 2, 3), (0, 0, 1.2)
    item.dollop.collider_kind = kind
    seen = read(scene).colliders[0]
    assert seen.kind == kind and seen.surface is None
    np.testing.assert_allclose(seen.size, (0.2, 0.4, 0.6), rtol=1e-5)
    np.testing.assert_allclose(seen.transforms[0, :3, 3], (0.5, 0, 0.3), atol=1e-6)
    np.testing.assert_allclose(seen.transforms[0, :3, :3], Matrix.Rotation(1.2, 3, "Z"), atol=1e-6)


def test_an_empty_is_a_shape_of_its_display_size(scene):
    empty = bpy.data.objects.new("Ball", None)
    scene.collection.objects.link(empty)
    empty.empty_display_size = 0.25
    bpy.context.view_layer.objects.active = empty
    bpy.ops.object.select_all(action="DESELECT")
    empty.select_set(True)
    assert bpy.ops.dollop.collider_add(kind="sphere") == {"FINISHED"}
    assert read(scene).colliders[0].size == (0.5, 0.5, 0.5)
