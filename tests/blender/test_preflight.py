"""The look over the scene: all that is wrong at once, each with its object and a remedy."""

import math
import sys
import tempfile

import bpy
import pytest

from .reading import add_cube, add_plane, bridge, make_body


def findings():
    return bridge("checking").check_scene(bpy.context.scene)


def test_a_scene_in_order(scene):
    add_cube(size=0.5, location=(0, 0, 1))
    bpy.ops.dollop.body_add()
    add_plane(size=4)
    bpy.ops.dollop.collider_add()
    assert [item for item in findings() if item.severity == "error"] == []
    assert bpy.ops.dollop.preflight() == {"FINISHED"}
    assert "numba" not in sys.modules


def test_every_broken_object_is_named(scene):
    make_body(add_cube()).name = "Not Finite"
    bpy.context.object.data.vertices[3].co.x = math.nan
    make_body(add_cube(location=(9, 0, 0))).name = "Faceless"
    bpy.context.object.data.clear_geometry()
    flat = add_cube(location=(0, 9, 0))
    flat.name, flat.scale.z, flat.dollop.is_collider = "Flattened", 0, True
    errors = {item.object_name: item for item in findings() if item.severity == "error"}
    assert set(errors) == {"Not Finite", "Faceless", "Flattened"}
    assert all(item.message and item.remedy for item in errors.values())
    assert bpy.ops.dollop.preflight() == {"CANCELLED"}
    assert scene.dollop.message.count("\n") >= 2 and "'Faceless'" in scene.dollop.message


def test_body_inside_a_collider(scene):
    make_body(add_cube(size=1)).name = "Swallowed"
    add_cube(size=5).dollop.is_collider = True
    assert any(item.object_name == "Swallowed" and item.severity in ("error", "warning") for item in findings())


def test_deforming_collider(scene):
    make_body(add_cube(size=1, location=(0, 0, 5)))
    sheet = add_plane()
    sheet.dollop.is_collider = True
    sheet.modifiers.new("Wave", "WAVE")
    assert any("changes its shape" in item.message for item in findings())


def test_bake_refuses_what_the_look_calls_an_error(scene, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    finding = bridge("checking").Finding("error", "Bun", "", "It is upside down.", "Turn it.", "upside_down")
    monkeypatch.setattr(bridge("checking"), "preflight", lambda scene: [finding])
    make_body(add_cube())
    with pytest.raises(RuntimeError, match=r"'Bun': It is upside down\. Turn it\."):
        bpy.ops.dollop.bake()
    assert list(tmp_path.iterdir()) == [] and not scene.dollop.cached, "nothing is left of the child that was started"
    assert not scene.dollop.is_baking and "upside down" in scene.dollop.message
