"""A body that has torn, in Blender: what is read, what plays on the result, and what Alembic gives back."""

from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from .conftest import FIRST, LAST, ORIGIN, close, write_bake

pytestmark = pytest.mark.blender

TORN = 4  # first frame after the cut


@pytest.fixture
def torn(scene: "bpy.types.Scene", tmp_path: Path) -> SimpleNamespace:
    """A ball with a skin, UVs, a colour and a group; from frame TORN on a slab is missing in its middle."""
    from dollop.operators.bridge.playback import show_results
    from dollop.operators.bridge.read_scene import read_scene
    from dollop.solver.surface import Surface
    from dollop.solver.tearing.cut_topology import cut_topology
    from dollop.solver.tearing.surface_cut import cut_surface

    bpy.ops.mesh.primitive_uv_sphere_add(segments=24, ring_count=12)
    ball = bpy.context.object
    ball.data.materials.append(bpy.data.materials.new("Skin"))
    places = [tuple(vertex.co) for vertex in ball.data.vertices]
    group = ball.vertex_groups.new(name="right")
    for number, place in enumerate(places):
        group.add([number], max(place[0], 0.0), "REPLACE")
    ball.data.color_attributes.new("Place", "FLOAT_COLOR", "POINT")
    ball.data.color_attributes["Place"].data.foreach_set("color", [part for place in places for part in (*place, 1.0)])
    settings = ball.dollop
    settings.is_body, settings.uid, settings.remeshing, settings.tear_thickness = True, "body-1", "wholesale", 0.3
    settings.inner_material = bpy.data.materials.new("Flesh")
    scene.dollop.uid, scene.dollop.cache_path = "scene-1", str(tmp_path / "cache")
    seen = read_scene(scene)
    body, record = seen.scene.bodies[0], seen.topologies["body-1"]
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    slab = np.array([face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))], dtype=np.int32)
    cut = cut_surface(body.surface, Surface(signs * (0.15, 2.0, 2.0) + (0.031, 0.0, 0.0), slab))

    def surface(frame: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        places = (body.surface.positions if frame < TORN else cut.positions).astype(np.float32)
        apart = np.sign(places - 0.031) * np.float32([0.1 * max(frame - TORN, 0), 0, 0])
        return places + apart, np.zeros_like(places), np.zeros((0, 3), np.int32)

    store = write_bake(tmp_path / "cache", surface, {0: record, 1: cut_topology(record, cut)}, lambda n: int(n >= TORN))
    scene.frame_set(FIRST)
    assert show_results(scene) is None
    result = next(item for item in scene.objects if item.get("dollop_result_of") == "body-1")
    return SimpleNamespace(scene=scene, body=body, record=record, cut=cut, store=store, result=result, surface=surface)


def slots(mesh: "bpy.types.Mesh") -> np.ndarray:
    return np.array([polygon.material_index for polygon in mesh.polygons])


def test_the_settings_are_read(torn: SimpleNamespace) -> None:
    assert torn.body.tear_thickness == pytest.approx(0.3) and torn.record.materials == ("Skin", "Flesh")
    assert torn.record.inner_slot == 1


def test_materials_uvs_colours_and_groups_play(torn: SimpleNamespace) -> None:
    mesh = torn.result.data
    torn.scene.frame_set(TORN - 1)
    assert len(mesh.vertices) == torn.record.vertex_count and not slots(mesh).any()
    torn.scene.frame_set(TORN)
    inner = slots(mesh) == 1
    assert [material.name for material in mesh.materials] == ["Skin", "Flesh"]
    assert inner.sum() == (torn.cut.origin < 0).sum() > 0 and len(mesh.vertices) == len(torn.cut.positions)
    places = np.array([vertex.co for vertex in mesh.vertices])
    colours = np.array([item.color[:3] for item in mesh.color_attributes["Place"].data])
    outer = np.unique([v for polygon, inside in zip(mesh.polygons, inner, strict=True) if not inside for v in polygon.vertices])
    close(colours[outer], places[outer].astype(np.float64), 1e-5)
    weights = [sum(entry.weight for entry in vertex.groups) for vertex in mesh.vertices]
    # Between vertices weights are mixed where the group ends, so only away from there they are x itself
    right = outer[places[outer][:, 0] > 0.3]
    close(np.array(weights)[right], places[right, 0].astype(np.float64), 1e-5)
    assert [layer.name for layer in mesh.uv_layers] == ["UVMap"] and not mesh.validate()
    torn.scene.frame_set(FIRST)
    assert len(mesh.vertices) == torn.record.vertex_count and len(mesh.materials) == 2


def test_alembic_gives_it_back_with_its_slots(torn: SimpleNamespace, tmp_path: Path) -> None:
    from dollop.operators.bridge.exports import export

    torn.scene.frame_set(TORN)
    expected = slots(torn.result.data)
    path = export(torn.scene, "ALEMBIC", tmp_path / "goo.abc")
    assert "dollop_slot" not in torn.result.data.attributes
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.alembic_import(filepath=str(path), as_background_job=False, always_add_cache_reader=True)
    item = next(item for item in bpy.context.selected_objects if item.type == "MESH")
    for number in range(FIRST, LAST + 1):
        bpy.context.scene.frame_set(number)
        bpy.context.view_layer.update()
        seen = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
        mesh = seen.to_mesh()
        places = np.array([seen.matrix_world @ vertex.co for vertex in mesh.vertices])
        close(places, torn.surface(number)[0] + ORIGIN)
        assert "UVMap" in mesh.uv_layers
        layer = mesh.attributes["dollop_slot"].data
        told = np.array([layer[polygon.loop_start].vector[0] for polygon in mesh.polygons]).round().astype(int)
        assert (told == (expected if number >= TORN else 0)).all()
        seen.to_mesh_clear()
