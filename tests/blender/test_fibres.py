"""Fibres: directions in world space from a vector or an attribute, activation keyed over time, or one clear sentence."""

import bpy
import numpy as np
import pytest

from .reading import add_cube, bridge, make_body, read, solver


def fibred(kind, **options):
    body = make_body(add_cube(size=2, **options))
    body.dollop.fibre_kind = kind
    return body


def test_a_direction_turns_with_the_object(scene):
    body = fibred("DIRECTION", rotation=(0, np.pi / 2, 0))
    body.dollop.fibre_tension = 2000.0
    one = read(scene).bodies[0]
    np.testing.assert_allclose(one.fibres, (1, 0, 0), atol=1e-6)
    assert one.fibre_tension == pytest.approx(2000.0) and one.activation.tolist() == [1.0]


def test_an_attribute_gives_each_vertex_its_direction(scene):
    body = fibred("ATTRIBUTE", rotation=(0, 0, np.pi / 2))
    values = np.zeros((8, 3), dtype=np.float32)
    values[:4, 0] = 2.0
    body.data.attributes.new("fibre", "FLOAT_VECTOR", "POINT").data.foreach_set("vector", values.ravel())
    np.testing.assert_allclose(read(scene).bodies[0].fibres, values[:, [1, 0, 2]], atol=1e-6)


def test_a_vertex_group_gives_weights(scene):
    body = fibred("GROUP", rotation=(0, 0, np.pi / 2))
    error = solver("errors").SceneError
    with pytest.raises(error, match="No vertex group is chosen for its fibres"):
        read(scene)
    body.dollop.fibre_group = "muscle"
    with pytest.raises(error, match="no vertex group 'muscle' for its fibres"):
        read(scene)
    group = body.vertex_groups.new(name="muscle")
    group.add([1, 2], 0.25, "REPLACE")
    group.add([7], 1.0, "REPLACE")
    assert read(scene).bodies[0].fibres.tolist() == [[weight] for weight in (0, 0.25, 0.25, 0, 0, 0, 0, 1)]
    group.add(range(8), 1.0, "REPLACE")
    with pytest.raises(error, match="same all over"):
        read(scene)


def test_keyed_activation_is_read_at_every_frame_from_the_first(scene):
    body = fibred("DIRECTION")
    scene.frame_start, scene.frame_end = 3, 11
    for value, frame in ((0.0, 3), (1.0, 11)):
        body.dollop.fibre_activation = value
        body.dollop.keyframe_insert("fibre_activation", frame=frame)
    scene.frame_set(7)
    keys = read(scene).bodies[0].activation
    assert keys.shape == (9,) and keys[0] == 0.0 and keys[8] == 1.0
    assert keys[4] == pytest.approx(0.5, abs=1e-6) and (np.diff(keys) > 0.0).all() and scene.frame_current == 7


def test_fibres_without_a_direction_are_named(scene):
    body = fibred("ATTRIBUTE")
    error = solver("errors").SceneError
    with pytest.raises(error, match="no vector attribute 'fibre'"):
        read(scene)
    body.dollop.fibre_kind = "DIRECTION"
    body.dollop.fibre_direction = (0, 0, 0)
    with pytest.raises(error, match="no direction"):
        read(scene)


@pytest.mark.slow
def test_a_bar_pulls_itself_together_along_its_painted_weights(saved):
    scene = bpy.context.scene
    scene.frame_end, scene.use_gravity = 8, False
    bar = add_cube(size=1, location=(0, 0, 1), rotation=(0, 0, 0.5))
    bar.scale = (1.0, 0.3, 0.3)
    finer = bar.modifiers.new("Finer", "SUBSURF")
    finer.subdivision_type, finer.levels = "SIMPLE", 2
    bpy.ops.dollop.body_add(preset="dough")
    settings = bar.dollop
    settings.viscoplastic.yield_stress, settings.use_real_size, settings.resolution = 1e9, False, 8
    settings.viscoplastic.young_modulus = 2e4
    bar.vertex_groups.new(name="muscle").add([v.index for v in bar.data.vertices if v.co.x > 0], 1.0, "REPLACE")
    settings.fibre_kind, settings.fibre_group, settings.fibre_tension = "GROUP", "muscle", 1e4
    assert bpy.ops.dollop.bake() == {"FINISHED"}, scene.dollop.message
    store = bridge("scene_cache").store_of(scene)
    turn = np.array([[np.cos(0.5), np.sin(0.5), 0], [-np.sin(0.5), np.cos(0.5), 0], [0, 0, 1]])
    first, last = (store.read_body_frame(frame, settings.uid).positions @ turn.T for frame in (1, 8))
    ratio = np.ptp(last, axis=0) / np.ptp(first, axis=0)
    assert ratio[0] < 0.9 and (ratio[1:] > 1.0).all()
