"""What the reader makes of settings: as they are typed, keyed and driven."""

import bpy
import numpy as np
import pytest

from .reading import add_cube, bridge, make_body, read, solver


def test_settings(scene):
    make_body(add_cube())
    scene.render.fps, scene.render.fps_base = 30, 1.001
    scene.use_gravity = False
    scene.dollop.use_frame_range, scene.dollop.frame_start, scene.dollop.frame_end = True, 5, 7
    settings = read(scene).settings
    assert settings.gravity == (0.0, 0.0, 0.0) and (settings.frame_start, settings.frame_end) == (5, 7)
    assert settings.frames_per_second == 30 / 1.001
    assert settings.integrator == "generalized_alpha"
    scene.dollop.integrator = "newmark"
    assert read(scene).settings.integrator == "newmark"
    scene.dollop.maximum_substep = 0.01
    assert read(scene).settings.maximum_substep == 0.01
    assert read(scene, frames=(2, 3)).settings.frame_end == 3


def test_remeshing_is_off_unless_it_is_set(scene):
    cube = make_body(add_cube())
    assert read(scene).bodies[0].remeshing == "off"
    cube.dollop.remeshing, scene.dollop.worst_condition = "wholesale", 4.5
    assert read(scene).bodies[0].remeshing == "wholesale" and read(scene).settings.worst_condition == 4.5
    assert read(scene).settings.condition_change == 0.0
    scene.dollop.condition_change = 2.3
    assert read(scene).settings.condition_change == 2.3
    assert read(scene).bodies[0].remesher == "stuffing"
    assert read(scene).bodies[0].refine_length == 1.5
    cube.dollop.refine_length = 2.2
    assert read(scene).bodies[0].refine_length == 2.2
    cube.dollop.refine_surface = False
    assert read(scene).bodies[0].refine_length == 0.0
    cube.dollop.remesher = "variational"
    assert read(scene).bodies[0].remesher == "variational"
    assert (read(scene).bodies[0].merging, read(scene).bodies[0].merge_group) == (False, 0)
    assert read(scene).bodies[0].seen == "artist"
    cube.dollop.seen = "tets"
    assert read(scene).bodies[0].seen == "tets"
    cube.dollop.merging, cube.dollop.merge_group = True, 3
    assert (read(scene).bodies[0].merging, read(scene).bodies[0].merge_group) == (True, 3)


def test_material_as_typed(scene):
    """Single precision must not push a value over its limit."""
    cube = make_body(add_cube())
    cube.dollop.viscoplastic.poisson_ratio = 0.49
    cube.dollop.viscoplastic.young_modulus = 12345.6
    cube.dollop.viscoplastic.yield_measure = "full_norm"
    body = read(scene).bodies[0]
    assert body.material.values["poisson_ratio"] == 0.49 and body.material.values["young_modulus"] == 12345.6
    assert body.material.options["yield_measure"] == "full_norm"
    assert solver("materials").complete(body.material)
    assert body.real_size == 0.15
    cube.dollop.use_real_size = False
    assert read(scene).bodies[0].real_size == 0


def test_every_parameter_has_its_property(scene):
    cube = add_cube()
    for identifier, model in solver("materials").models().items():
        group = getattr(cube.dollop, identifier)
        for parameter in model.parameters:
            rna = group.bl_rna.properties[parameter.name]
            assert getattr(group, parameter.name) == pytest.approx(parameter.default)
            assert rna.hard_min == pytest.approx(parameter.minimum) and rna.hard_max == pytest.approx(parameter.maximum)
            assert parameter.description in rna.description and rna.is_animatable == parameter.keyed
        for choice in model.choices:
            assert getattr(group, choice.name) == choice.default


def test_keyed_numbers_and_gravity_are_read_at_every_frame_from_the_first(scene):
    body = make_body(add_cube())
    scene.frame_start, scene.frame_end = 3, 11
    for frame, stress, damping, gravity in ((3, 100.0, 0.0, -9.81), (11, 300.0, 8.0, 0.0)):
        body.dollop.viscoplastic.yield_stress, body.dollop.viscoplastic.damping = stress, damping
        body.keyframe_insert("dollop.viscoplastic.yield_stress", frame=frame)
        body.keyframe_insert("dollop.viscoplastic.damping", frame=frame)
        scene.gravity.z = gravity
        scene.keyframe_insert("gravity", index=2, frame=frame)
    scene.frame_set(7)
    seen = read(scene)
    keys, gravity = seen.bodies[0].keys, seen.settings.gravity_keys
    assert sorted(keys) == ["damping", "yield_stress"] and scene.frame_current == 7
    for values, first, last in ((keys["yield_stress"], 100.0, 300.0), (keys["damping"], 0.0, 8.0), (gravity[:, 2], -9.81, 0.0)):
        assert values.shape == (9,) and (values[0], values[8]) == (first, last) and (np.diff(values) > 0.0).all()
    assert seen.bodies[0].material.values["yield_stress"] == 100.0 and seen.settings.gravity == (0.0, 0.0, -9.81)


def test_a_driven_number_is_read_like_a_keyed_one(scene):
    body = make_body(add_cube())
    scene.frame_start, scene.frame_end = 1, 4
    driver = body.driver_add("dollop.viscoplastic.young_modulus").driver
    driver.expression = "1000 * frame"
    assert read(scene).bodies[0].keys["young_modulus"].tolist() == [1000.0, 2000.0, 3000.0, 4000.0]


def test_what_is_not_animated_has_no_keys(scene):
    body = make_body(add_cube())
    body.keyframe_insert("location", frame=1)
    seen = read(scene)
    assert seen.bodies[0].keys == {} and seen.settings.gravity_keys is None
    assert not body.dollop.viscoplastic.bl_rna.properties["density"].is_animatable
    assert body.dollop.viscoplastic.bl_rna.properties["yield_stress"].is_animatable


def test_merge_and_tear_thickness_are_keyed_in_metres(scene):
    body = make_body(add_cube())
    scene.frame_start, scene.frame_end, scene.unit_settings.scale_length = 1, 4, 0.5
    body.dollop.remeshing = "wholesale"
    for frame, merging, thickness in ((1, True, 0.2), (3, False, 0.4)):
        body.dollop.merging, body.dollop.tear_thickness = merging, thickness
        body.keyframe_insert("dollop.merging", frame=frame)
        body.keyframe_insert("dollop.tear_thickness", frame=frame)
    seen = read(scene).bodies[0]
    assert seen.switches["merging"].tolist() == [1.0, 1.0, 0.0, 0.0] and seen.keys == {}
    thicknesses = seen.switches["tear_thickness"]
    assert thicknesses[[0, 2, 3]] == pytest.approx([0.1, 0.2, 0.2]) and 0.1 < thicknesses[1] < 0.2
    assert seen.merging and seen.tear_thickness == pytest.approx(0.1)
    assert bridge("baked_settings").settings_of(scene)[body.dollop.uid]["animation of merging"]


def test_bodies_of_a_collection_never_merge_with_it(scene):
    one, other, third = (make_body(add_cube(location=(4.0 * k, 0.0, 0.0))) for k in range(3))
    for item in (one, other, third):
        item.dollop.remeshing, item.dollop.merging, item.dollop.merge_group = "wholesale", True, 1
    apart = bpy.data.collections.new("Apart")
    one.dollop.never_merge_collection = apart
    with pytest.raises(solver("errors").SceneError, match="holds no other body"):
        read(scene)
    apart.objects.link(one)
    apart.objects.link(third)
    bodies = {body.uid: body for body in read(scene).bodies}
    first, second, last = (bodies[item.dollop.uid] for item in (one, other, third))
    assert first.apart_from == (third.dollop.uid,) and not second.apart_from
    assert first.merges_with(second) and not first.merges_with(last) and not last.merges_with(first)
    shown = bpy.data.objects.new("Cube Goo", bpy.data.meshes.new("Cube Goo"))
    shown["dollop_result_of"] = third.dollop.uid
    preview = bpy.data.objects.new("Tets", bpy.data.meshes.new("Tets"))
    preview.dollop.preview_of = third.dollop.uid
    for made in (shown, preview):  # as the first bake and Preview Tets do: in the body's collections
        apart.objects.link(made)
    assert not [item for item in bridge("checking").check_scene(scene) if item.severity == "error"]
    plain = add_cube()
    apart.objects.link(plain)
    (finding,) = [item for item in bridge("checking").check_scene(scene) if item.severity == "error"]
    assert finding.object_name == one.name and plain.name in finding.message
    one.dollop.merging = False
    assert not [item for item in bridge("checking").check_scene(scene) if item.severity == "error"]


def test_keeping_apart_is_keyed(scene):
    one, other = (make_body(add_cube(location=(4.0 * k, 0.0, 0.0))) for k in range(2))
    scene.frame_start, scene.frame_end = 1, 4
    for item in (one, other):
        item.dollop.remeshing, item.dollop.merging, item.dollop.merge_group = "wholesale", True, 1
    apart = bpy.data.collections.new("Apart")
    apart.objects.link(other)
    for frame, keeps in ((1, False), (3, True)):
        one.dollop.keep_apart = keeps
        one.keyframe_insert("dollop.keep_apart", frame=frame)
    assert read(scene).bodies[0].switches == {}, "there is nothing to keep apart from"
    one.dollop.never_merge_collection = apart
    body = next(body for body in read(scene).bodies if body.uid == one.dollop.uid)
    assert body.switches["keep_apart"].tolist() == [0.0, 0.0, 1.0, 1.0] and body.apart_from == (other.dollop.uid,)
    assert bridge("baked_settings").settings_of(scene)[one.dollop.uid]["animation of keep_apart"]
    one.animation_data_clear()
    one.dollop.keep_apart = False
    assert not any(body.apart_from for body in read(scene).bodies)


def test_volume_comes_back_only_where_it_is_asked_for(scene):
    body = make_body(add_cube())
    body.dollop.volume_rate = 1.1
    assert read(scene).bodies[0].volume_rate == 0.0
    body.dollop.volume_kind = "RESTORE"
    assert read(scene).bodies[0].volume_rate == 1.1
