"""Pins, attachments and goal positions: read from groups, bones, keys and shapes, or one clear sentence."""

import bpy
import numpy as np
import pytest

from .reading import add_cube, make_body, read, solver

TOP = [1, 3, 5, 7]  # of Blender's cube, at z = 1


def grouped(weight=1.0, **options):
    """A cube that is a body, with its upper vertices in the group "Top"."""
    body = make_body(add_cube(size=2, **options))
    assert [vertex.index for vertex in body.data.vertices if vertex.co.z > 0.0] == TOP
    body.vertex_groups.new(name="Other").add([0], 1.0, "REPLACE")
    body.vertex_groups.new(name="Top").add(TOP, weight, "REPLACE")
    return body


def pinned(kind="FIRM", **options):
    body = grouped(**options)
    body.dollop.pin_kind, body.dollop.pin_group = kind, "Top"
    return body


def test_a_group_is_pinned_where_it_is(scene):
    scene.unit_settings.scale_length = 0.5
    pinned(weight=0.7, location=(0, 0, 4))
    (pin,) = read(scene).bodies[0].pins
    assert pin.vertices.tolist() == TOP and pin.weights == pytest.approx(0.7)
    assert pin.targets.shape == (1, 4, 3) and pin.stiffness == 0.0 and pin.strength.tolist() == [1.0]
    np.testing.assert_allclose(pin.targets[0, :, 2], 2.5)
    np.testing.assert_array_equal(pin.targets[0], read(scene).bodies[0].surface.positions[TOP])


def test_keys_of_the_object_move_its_pins_from_the_frame_before_the_first_on(scene):
    body = pinned("SPRINGS")
    scene.frame_start, scene.frame_end = 3, 7
    for x, frame in ((0.0, 2), (5.0, 7)):
        body.location.x = x
        body.keyframe_insert("location", frame=frame)
    for curve in curves(body):
        for point in curve.keyframe_points:
            point.interpolation = "LINEAR"
    body.dollop.pin_stiffness, body.dollop.pin_damping = 50.0, 3.0
    (pin,) = read(scene).bodies[0].pins
    assert pin.targets.shape == (6, 4, 3) and (pin.stiffness, pin.damping) == (50.0, 3.0)
    np.testing.assert_allclose(pin.targets[:, 0, 0] - pin.targets[0, 0, 0], np.arange(6), atol=1e-5)


def curves(item):
    """The curves of an object's keys, in every Blender."""
    action = item.animation_data.action
    if not hasattr(action, "layers"):
        return list(action.fcurves)
    bag = action.layers[0].strips[0].channelbag(item.animation_data.action_slot)
    return list(bag.fcurves)


def test_bones_move_pins_while_the_modifier_deforms_the_mesh(scene):
    bpy.ops.object.armature_add(location=(0, 0, 0))
    rig = bpy.context.object
    body = pinned()
    body.vertex_groups.new(name="Bone").add(TOP, 1.0, "REPLACE")
    body.modifiers.new("Armature", "ARMATURE").object = rig
    bone = rig.pose.bones["Bone"]
    scene.frame_start, scene.frame_end = 1, 5
    bone.rotation_mode = "XYZ"
    for angle, frame in ((0.0, 1), (1.0, 5)):
        bone.rotation_euler.z = angle
        bone.keyframe_insert("rotation_euler", frame=frame)
    (pin,) = read(scene).bodies[0].pins
    assert pin.targets.shape == (6, 4, 3)
    np.testing.assert_allclose(np.linalg.norm(pin.targets, axis=2), np.sqrt(3.0), atol=1e-5)
    turned = np.linalg.norm(pin.targets[5] - pin.targets[0], axis=1)
    assert turned.max() == pytest.approx(2.0 * np.sqrt(2.0) * np.sin(0.5), rel=1e-4)


def test_a_keyed_strength_is_read_at_every_frame(scene):
    body = pinned()
    scene.frame_start, scene.frame_end = 1, 9
    for value, frame in ((1.0, 1), (0.0, 9)):
        body.dollop.pin_strength = value
        body.dollop.keyframe_insert("pin_strength", frame=frame)
    one = read(scene).bodies[0]
    assert one.pins[0].strength.shape == (9,) and one.pins[0].strength[[0, 8]].tolist() == [1.0, 0.0]
    assert not one.keys


def test_an_attachment_names_its_collider(scene):
    body = grouped()
    wall = add_cube(size=1, location=(0, 0, 5))
    wall.dollop.is_collider = True
    body.dollop.attachment_kind, body.dollop.attachment_group = "FIRM", "Top"
    error = solver("errors").SceneError
    with pytest.raises(error, match="names no collider"):
        read(scene)
    body.dollop.attachment_object = wall
    seen = read(scene)
    (pin,) = seen.bodies[0].pins
    assert pin.collider == seen.colliders[0].uid and pin.targets is None
    wall.dollop.is_collider = False
    with pytest.raises(error, match="names no collider"):
        read(scene)


def test_goal_positions_are_those_of_another_object_in_its_place_or_of_a_shape_key(scene):
    body = make_body(add_cube(size=2))
    other = add_cube(size=2, location=(5, 0, 0))
    other.hide_viewport = True
    body.dollop.pull_kind, body.dollop.pull_object = "OBJECT", other
    (pin,) = read(scene).bodies[0].pins
    assert len(pin.vertices) == 8 and pin.stiffness == 100.0
    np.testing.assert_allclose(pin.targets[0].mean(axis=0), (5, 0, 0), atol=1e-6)
    body.shape_key_add(name="Basis")
    for point in body.shape_key_add(name="Flat").data:
        point.co.z *= 0.25
    body.location.y = 3.0
    body.dollop.pull_kind, body.dollop.pull_shape_key = "SHAPE_KEY", "Flat"
    (pin,) = read(scene).bodies[0].pins
    np.testing.assert_allclose(np.ptp(pin.targets[0], axis=0), (2, 2, 0.5), atol=1e-6)
    np.testing.assert_allclose(pin.targets[0].mean(axis=0), (0, 3, 0), atol=1e-6)


def test_what_cannot_be_held_is_named(scene):
    body = pinned()
    error = solver("errors").SceneError
    body.dollop.pin_group = "Gone"
    with pytest.raises(error, match="no vertex group 'Gone' for its pin"):
        read(scene)
    body.dollop.pin_group = ""
    with pytest.raises(error, match="No vertex group is chosen for its pin"):
        read(scene)
    body.vertex_groups.new(name="Nobody")
    body.dollop.pin_group = "Nobody"
    with pytest.raises(error, match="holds no vertex"):
        read(scene)
    body.dollop.pin_kind, body.dollop.pull_kind = "NONE", "OBJECT"
    with pytest.raises(error, match="name no mesh"):
        read(scene)
    other = add_cube(size=2)
    other.modifiers.new("Subdivision", "SUBSURF").levels = 1
    body.dollop.pull_object = other
    with pytest.raises(error, match="has 26 vertices, the object has 8"):
        read(scene)
    body.dollop.pull_kind, body.dollop.pull_shape_key = "SHAPE_KEY", "Gone"
    with pytest.raises(error, match="shape key, but it has none"):
        read(scene)


def test_a_mesh_whose_vertices_change_cannot_be_followed(scene):
    body = pinned()
    scene.frame_start, scene.frame_end = 1, 4
    modifier = body.modifiers.new("Build", "ARRAY")
    for count, frame in ((1, 1), (3, 4)):
        modifier.count = count
        modifier.keyframe_insert("count", frame=frame)
    with pytest.raises(solver("errors").SceneError, match="others than before"):
        read(scene)
