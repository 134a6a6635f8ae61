"""The look over the scene: all that is wrong at once, each with its object and a remedy."""

import math
import sys
import tempfile

import bmesh
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


def test_beside_the_window_it_is_read_in_slices_to_the_same_end(scene):
    """One step a beat: a frame where something moves, an object; the scene is put back, the inspection is in a thread."""
    make_body(add_cube(size=1)).name = "Swallowed"
    mover = add_cube(size=5)
    mover.dollop.is_collider = True
    for frame, height in ((1, 0.0), (20, 0.5)):
        mover.location.z = height
        mover.keyframe_insert("location", frame=frame)
    scene.frame_end = 20
    scene.frame_set(7)
    check = bridge("checking").SceneCheck(scene)
    beats = 0
    while check.reading:
        assert not check.go_on(0.0)
        beats += 1
    assert beats > 20 and scene.frame_current == 7
    check.finish()
    assert check.findings == findings() != []


def test_a_check_that_is_stopped_puts_the_scene_back(scene):
    make_body(add_cube(size=1)).hide_viewport = True
    scene.frame_set(7)
    check = bridge("checking").SceneCheck(scene)
    check.go_on(0.0)
    assert scene.frame_current != 7
    check.close()
    assert scene.frame_current == 7 and bpy.data.objects["Cube"].hide_viewport


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


def test_bake_refuses_what_the_look_calls_an_error(scene, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    finding = bridge("checking").Finding("error", "Bun", "", "It is upside down.", "Turn it.", "upside_down")
    monkeypatch.setattr(bridge("checking"), "preflight", lambda scene: [finding])
    make_body(add_cube())
    with pytest.raises(RuntimeError, match=r"'Bun': It is upside down\. Turn it\."):
        bpy.ops.dollop.bake()
    assert list(tmp_path.iterdir()) == [] and not scene.dollop.cached, "nothing is left of the child that was started"
    assert not scene.dollop.is_baking and "upside down" in scene.dollop.message


def test_a_place_that_was_found_is_shown(scene):
    """The object is selected and the cursor stands on the hole, in Blender units; undo selects what was selected."""
    scene.unit_settings.scale_length = 0.1
    cube = make_body(add_cube(size=20, location=(0, 0, 30)))
    cube.name, cube.dollop.method = "Holed", "conforming"
    solid = bmesh.new()
    solid.from_mesh(cube.data)
    solid.faces.remove(max(solid.faces, key=lambda face: face.calc_center_median().x))
    solid.to_mesh(cube.data)
    add_plane(size=4)
    bpy.ops.ed.undo_push(message="Ready")
    bpy.ops.dollop.preflight()
    assert scene.dollop.places.startswith("'Holed', edge at (1, ")
    assert bpy.ops.dollop.place_show(index=0) == {"FINISHED"}
    assert scene.cursor.location.x == pytest.approx(10) and bpy.context.object == cube and cube.select_get()
    assert [item.name for item in bpy.context.selected_objects] == ["Holed"]
    bpy.ops.ed.undo_push(message="Show")
    bpy.ops.ed.undo()
    assert [item.name for item in bpy.context.selected_objects] == ["Plane"]


def test_a_vertex_and_a_face_are_shown_too(cube):
    places = bridge("bad_places")
    bpy.ops.dollop.body_add()
    corner = cube.matrix_world @ cube.data.vertices[5].co
    item, position = places.look_up(places.BadPlace("Cube", "vertex 5"), bpy.context.scene)
    assert item == cube and position == pytest.approx(corner)
    _, position = places.look_up(places.BadPlace("Cube", "face 3"), bpy.context.scene)
    assert max(abs(position - [0, 0, 2])) == pytest.approx(1)
    with pytest.raises(Exception, match="no vertex 99"):
        places.look_up(places.BadPlace("Cube", "vertex 99"), bpy.context.scene)
    with pytest.raises(Exception, match="not in this scene"):
        places.look_up(places.BadPlace("Gone", "vertex 1"), bpy.context.scene)


def test_only_places_in_the_scene_can_be_shown(scene):
    places, errors = bridge("bad_places"), bridge("checking")
    error = errors.SceneError("It failed.", body="Bun", place="near (1e-05, -2.5, 3e+03)")
    file = errors.SceneError("It is missing.", body="Bun", place="frame_000001.dollop.npz")
    assert [str(place) for place in places.places_of([error, file, OSError(), error])] == ["'Bun', near (1e-05, -2.5, 3e+03)"]
    status = bridge("bake_status").BakeStatus()
    status.take({"event": "error", "message": "x", "exit_code": 5, "body": "Bun", "place": "near (1, 2, 3)"})
    assert status.place_text == "'Bun', near (1, 2, 3)"
    assert not bpy.ops.dollop.place_show.poll()
