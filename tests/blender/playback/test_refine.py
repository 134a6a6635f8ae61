"""What is seen of a body that has been refined, in Blender: all that lies on the artist's mesh lies on the finer one."""

from pathlib import Path

import bpy
import numpy as np
import pytest

from .conftest import FIRST, close, write_bake

pytestmark = pytest.mark.blender

FINER = 4  # first frame after a refinement


@pytest.fixture
def refined(scene: "bpy.types.Scene", tmp_path: Path) -> tuple:
    """A ball with UVs, two slots, a colour, a group and sharp edges, drawn out from frame FINER on; its cut, its mesh."""
    from dollop.operators.bridge.playback import show_results
    from dollop.operators.bridge.read_scene import read_scene
    from dollop.solver.refining.grain import Grain
    from dollop.solver.refining.halving import halved, longest_allowed
    from dollop.solver.surface import Surface
    from dollop.solver.tearing.cut_topology import cut_topology

    bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=8)
    ball = bpy.context.object
    ball.data.materials.append(bpy.data.materials.new("Skin"))
    ball.data.materials.append(bpy.data.materials.new("Belt"))
    for polygon in ball.data.polygons:
        polygon.material_index = int(abs(polygon.center.z) < 0.3)
    ball.vertex_groups.new(name="up").add(range(len(ball.data.vertices)), 0.5, "REPLACE")
    ball.data.color_attributes.new("Place", "FLOAT_COLOR", "POINT")
    places = [(*vertex.co, 1.0) for vertex in ball.data.vertices]
    ball.data.color_attributes["Place"].data.foreach_set("color", np.array(places, dtype=np.float32).ravel())
    sharp = ball.data.attributes.new("sharp_edge", "BOOLEAN", "EDGE")
    at_belt = [all(abs(ball.data.vertices[k].co.z) < 1e-6 for k in edge.vertices) for edge in ball.data.edges]
    sharp.data.foreach_set("value", at_belt)
    ball.dollop.is_body, ball.dollop.uid, ball.dollop.remeshing = True, "body-1", "wholesale"
    scene.dollop.uid, scene.dollop.cache_path = "scene-1", str(tmp_path / "cache")
    read = read_scene(scene)
    body, record = read.scene.bodies[0], read.topologies["body-1"]
    assert body.refine_length == 1.5
    long = body.surface.positions * (2.5, 1.0, 1.0)
    grain = Grain.at_rest(body)
    made = halved(Surface(long, body.surface.triangles), longest_allowed(grain, 1.5, 0.0), 10**6, grain.fixed, 0.0)
    cut = made.change(Surface(long, body.surface.triangles))

    def surface(frame: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        places = (body.surface.positions if frame < FINER else cut.positions).astype(np.float32)
        return places, np.zeros_like(places), np.zeros((0, 3), np.int32)

    write_bake(tmp_path / "cache", surface, {0: record, 1: cut_topology(record, cut)}, lambda n: int(n >= FINER))
    scene.frame_set(FIRST)
    assert show_results(scene) is None
    result = next(item for item in scene.objects if item.get("dollop_result_of") == "body-1")
    return cut, result.data, record


def test_all_that_lies_on_it_is_there(scene: "bpy.types.Scene", refined: tuple) -> None:
    cut, mesh, record = refined
    scene.frame_set(FINER - 1)
    assert len(mesh.vertices) == record.vertex_count and len(mesh.polygons) == record.face_count
    scene.frame_set(FINER)
    assert len(mesh.vertices) == len(cut.positions) > 1.2 * record.vertex_count and not mesh.validate()
    places = np.array([vertex.co for vertex in mesh.vertices])
    colours = np.array([item.color[:3] for item in mesh.color_attributes["Place"].data])
    close(colours * (2.5, 1.0, 1.0), places.astype(np.float64), 1e-5)
    assert [layer.name for layer in mesh.uv_layers] == ["UVMap"]
    assert {round(sum(entry.weight for entry in vertex.groups), 5) for vertex in mesh.vertices} == {0.5}
    for polygon in mesh.polygons:  # the belt's faces, and their parts, are the belt's
        assert polygon.material_index == int(abs(np.mean([places[k][2] for k in polygon.vertices])) < 0.39)
    sharp = [edge for edge, mark in zip(mesh.edges, mesh.attributes["sharp_edge"].data, strict=True) if mark.value]
    length = sum(float(np.linalg.norm(places[edge.vertices[0]] - places[edge.vertices[1]])) for edge in sharp)
    around = sum(
        float(np.linalg.norm(long[a] - long[b]))
        for long in [cut.positions]
        for a, b in record.edges
        if abs(long[a][2]) + abs(long[b][2]) < 1e-6
    )
    assert len(sharp) > 16 and length == pytest.approx(around, rel=1e-5)
