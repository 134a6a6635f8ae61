"""The preview of the tets, made by the real child process."""

import bpy
import numpy as np
import pytest

from .reading import add_cube, bridge

pytestmark = pytest.mark.slow


@pytest.fixture
def body(scene):
    cube = add_cube(size=2, location=(1, 2, 3))
    bpy.ops.dollop.body_add()
    cube.dollop.resolution = 4
    return cube


def preview_of(body):
    return next((item for item in bpy.context.scene.objects if item.dollop.preview_of == body.dollop.uid), None)


def test_preview(body):
    scene = bpy.context.scene
    scene.unit_settings.scale_length = 0.1
    bpy.context.scene.frame_end = 0
    assert bpy.ops.dollop.tetrahedralize() == {"FINISHED"}
    preview = preview_of(body)
    mesh = preview.data
    count = body.dollop.estimated_tets
    assert len(mesh.vertices) == 4 * count > 100 and len(mesh.polygons) == 4 * count and preview.hide_render
    assert preview.show_in_front, "the body, still there, hides the tets"
    corners = np.array([preview.matrix_world @ vertex.co for vertex in mesh.vertices])
    np.testing.assert_allclose(corners.mean(axis=0), (1, 2, 3), atol=0.05)
    assert np.abs(corners - (1, 2, 3)).max() < 1.6
    angles = np.array([item.value for item in mesh.attributes["dihedral_angle"].data])
    assert angles.min() > 10
    colours = {mesh.materials[face.material_index].name for face in mesh.polygons}
    assert "Dollop Tets under 10°" not in colours
    volume = sum(np.linalg.det(tet[1:] - tet[0]) / 6 for tet in corners.reshape(-1, 4, 3))
    assert volume > 0, "the faces of the tets look outwards"


def test_again_replaces_and_remove_takes_away(body):
    for _ in range(2):
        bpy.ops.dollop.tetrahedralize()
    previews = [item for item in bpy.context.scene.objects if item.dollop.preview_of]
    assert len(previews) == 1 and len([mesh for mesh in bpy.data.meshes if mesh.name.endswith("Tets")]) == 1
    assert bpy.ops.dollop.preview_remove() == {"FINISHED"}
    assert preview_of(body) is None and not bpy.ops.dollop.preview_remove.poll()


def test_preview_is_no_body(body):
    bpy.ops.dollop.tetrahedralize()
    preview = preview_of(body)
    bpy.ops.object.select_all(action="DESELECT")
    preview.select_set(True)
    bpy.context.view_layer.objects.active = preview
    with pytest.raises(RuntimeError, match="made by Dollop"):
        bpy.ops.dollop.body_add()


def test_body_remove_takes_the_preview_along(body):
    bpy.ops.dollop.tetrahedralize()
    bpy.ops.dollop.body_remove()
    assert not [item for item in bpy.context.scene.objects if item.name.endswith("Tets")]


def test_refusal_offers_the_cage(body):
    """Half a cube is no solid: tetgen refuses, and the artist is told of the other method."""
    body.dollop.method = "conforming"
    mesh = body.data
    mesh.clear_geometry()
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [], [(0, 1, 2), (0, 1, 3)])
    with pytest.raises(RuntimeError, match=r"(?i)cage"):
        bpy.ops.dollop.tetrahedralize()
    assert preview_of(body) is None


def test_undo(body):
    bpy.ops.ed.undo_push(message="Ready")
    bpy.ops.dollop.tetrahedralize()
    bpy.ops.ed.undo_push(message="Preview")
    bpy.ops.ed.undo()
    assert not [item for item in bpy.context.scene.objects if item.dollop.preview_of]
    bpy.ops.ed.redo()
    assert [item for item in bpy.context.scene.objects if item.dollop.preview_of]


def test_running_preview_can_be_stopped(body):
    module = bridge("tetrahedralization")
    running = module.Tetrahedralization(bpy.context.scene, [body])
    assert not running.poll()
    running.stop()
    assert not running._folder.exists()


def test_slivers_of_a_conforming_body_are_told(scene):
    bpy.ops.mesh.primitive_cone_add(vertices=32, end_fill_type="TRIFAN")
    cone = bpy.context.object
    bpy.ops.dollop.body_add()
    cone.dollop.method, cone.dollop.resolution = "conforming", 6
    running = bridge("tetrahedralization").Tetrahedralization(scene, [cone])
    running.wait()
    (sentence,) = running.show(scene)
    angle = min(item.value for item in preview_of(cone).data.attributes["dihedral_angle"].data)
    assert angle < 5 and f"smallest angle {angle:.2g}°" in sentence
    (warning,) = running.warnings
    assert "slivers" in warning and "Cage" in warning
