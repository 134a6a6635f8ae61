"""The result looks like the artist's evaluated mesh: UVs, materials, groups, colours, normals, hard edges."""

import bpy
import numpy as np
import pytest

from .conftest import Bake

pytestmark = pytest.mark.blender


def dressed_monkey(mirror: bool = False) -> "bpy.types.Object":
    bpy.ops.mesh.primitive_monkey_add(location=(1, 2, 3), rotation=(0.3, 0.5, 0.7))
    item = bpy.context.object
    item.scale = (-1.5 if mirror else 1.5, 1, 2)
    for name in ("Ümlaut", "Skin"):
        item.data.materials.append(bpy.data.materials.new(name))
    mesh = item.data
    mesh.uv_layers.new(name="Second")
    mesh.uv_layers["Second"].active_render = True
    random = np.random.default_rng(3)
    mesh.uv_layers["Second"].uv.foreach_set("vector", random.random(2 * len(mesh.loops), np.float32))
    for face in mesh.polygons:
        face.material_index, face.use_smooth = face.index % 2, face.index % 3 > 0
    for name, kind, domain, member, width in (
        ("paint", "BYTE_COLOR", "CORNER", "color_srgb", 4),
        ("tint", "FLOAT_COLOR", "POINT", "color", 4),
        ("count", "INT", "FACE", "value", 1),
        ("flow", "FLOAT_VECTOR", "POINT", "vector", 3),
    ):
        layer = mesh.attributes.new(name, kind, domain)
        values = random.integers(0, 255, width * len(layer.data))
        layer.data.foreach_set(member, values.astype(np.int32) if kind == "INT" else (values / 255).astype(np.float32))
    hard = mesh.attributes.new("sharp_edge", "BOOLEAN", "EDGE")
    hard.data.foreach_set("value", np.arange(len(mesh.edges)) % 7 == 0)
    group = item.vertex_groups.new(name="Grüppe/1")
    for index in range(100):
        group.add([index], (index % 5) / 5, "REPLACE")
    item.vertex_groups.new(name="Other").add(list(range(50, 80)), 0.5, "REPLACE")
    item.vertex_groups.new(name="Nobody")
    item.modifiers.new("Subdivision", "SUBSURF").levels = 1
    return item


def read_through_disk(item: "bpy.types.Object", scene: "bpy.types.Scene", folder: object) -> tuple[object, "bpy.types.Object"]:
    from dollop.operators.bridge.mesh_topology import fill_mesh, read_topology
    from dollop.operators.bridge.vertex_groups import fill_vertex_groups
    from dollop.solver.cache import archive
    from dollop.solver.cache.topology import from_arrays, to_arrays

    scene.view_layers[0].update()
    topology = from_arrays(archive.unpack(archive.pack(to_arrays(read_topology(item, scene)))))
    evaluated = item.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    local = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", local)
    matrix = np.array(item.matrix_world)
    made = bpy.data.objects.new("made", bpy.data.meshes.new("made"))
    scene.collection.objects.link(made)
    for slot in item.material_slots:
        made.data.materials.append(slot.material)
    world = (local.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32)
    fill_mesh(made.data, topology, world)
    fill_vertex_groups(made, topology.vertex_groups)
    return mesh, made


def values(mesh: "bpy.types.Mesh", name: str, member: str, width: int) -> np.ndarray:
    layer = mesh.attributes[name].data
    found = np.empty(width * len(layer), np.float32)
    layer.foreach_get(member, found)
    return found


def test_everything_that_lies_on_the_mesh_comes_along(scene: "bpy.types.Scene") -> None:
    item = dressed_monkey()
    mesh, made = read_through_disk(item, scene, None)
    copy = made.data
    assert not copy.validate(verbose=True)
    assert [list(f.vertices) for f in copy.polygons] == [list(f.vertices) for f in mesh.polygons]
    assert [tuple(e.vertices) for e in copy.edges] == [tuple(e.vertices) for e in mesh.edges]
    assert [(f.material_index, f.use_smooth) for f in copy.polygons] == [
        (f.material_index, f.use_smooth) for f in mesh.polygons
    ]
    assert [layer.name for layer in copy.uv_layers] == [layer.name for layer in mesh.uv_layers] == ["UVMap", "Second"]
    assert copy.uv_layers["Second"].active_render
    layers = ("UVMap", "vector", 2), ("Second", "vector", 2), ("paint", "color_srgb", 4), ("tint", "color", 4)
    for name, member, width in (*layers, ("flow", "vector", 3), ("count", "value", 1), ("sharp_edge", "value", 1)):
        assert (values(copy, name, member, width) == values(mesh, name, member, width)).all(), name
    assert [group.name for group in made.vertex_groups] == ["Grüppe/1", "Other", "Nobody"]
    weights = [sorted((e.group, e.weight) for e in v.groups) for v in mesh.vertices]
    assert [sorted((e.group, e.weight) for e in v.groups) for v in copy.vertices] == weights


def test_a_mirrored_object_keeps_its_outside_outside(scene: "bpy.types.Scene") -> None:
    from dollop.operators.bridge.mesh_topology import read_topology

    item = dressed_monkey(mirror=True)
    mesh, made = read_through_disk(item, scene, None)
    assert not made.data.validate(verbose=True)
    for face in (0, 5, 99):
        old, new = mesh.polygons[face], made.data.polygons[face]
        assert list(new.vertices) == list(old.vertices)[::-1]
        ends = [(made.data.loops[c].vertex_index, made.data.edges[made.data.loops[c].edge_index]) for c in new.loop_indices]
        assert all(vertex in edge.vertices for vertex, edge in ends)
        uv = {mesh.loops[c].vertex_index: tuple(mesh.uv_layers["Second"].uv[c].vector) for c in old.loop_indices}
        assert all(
            tuple(made.data.uv_layers["Second"].uv[c].vector) == uv[made.data.loops[c].vertex_index] for c in new.loop_indices
        )
    assert read_topology(item, scene).vertex_count == len(made.data.vertices)


@pytest.mark.parametrize("mirror", [False, True])
def test_custom_normals_come_along(mirror: bool, scene: "bpy.types.Scene") -> None:
    bpy.ops.mesh.primitive_cube_add(rotation=(0.2, 0.4, 0.1))
    item = bpy.context.object
    item.scale = (-1 if mirror else 1, 1, 1.5)
    tilted = np.array([np.array(corner.vector) for corner in item.data.corner_normals]) + [0.2, 0.1, 0.0]
    item.data.normals_split_custom_set(tilted / np.linalg.norm(tilted, axis=1, keepdims=True))
    mesh, made = read_through_disk(item, scene, None)
    assert made.data.has_custom_normals
    into_world = np.linalg.inv(np.array(item.matrix_world)[:3, :3])
    for old, new in zip(mesh.polygons, made.data.polygons, strict=True):
        there = {mesh.loops[c].vertex_index: np.array(mesh.corner_normals[c].vector) @ into_world for c in old.loop_indices}
        for corner in new.loop_indices:
            expected = there[made.data.loops[corner].vertex_index]
            actual = np.array(made.data.corner_normals[corner].vector)
            assert np.abs(actual - expected / np.linalg.norm(expected)).max() < 2e-3


def test_the_result_stands_in_for_its_source(constant: Bake) -> None:
    from dollop.operators.bridge.result_mesh import clear_results

    result, source = constant.result, constant.source
    assert result.name == "Sheet/😀 Goo"
    assert set(result.users_collection) == set(source.users_collection)
    assert source.hide_render and source.hide_viewport and not result.hide_render
    assert constant.scene.render.use_lock_interface
    meshes = len(bpy.data.meshes)
    assert clear_results(constant.scene) == 1
    assert not source.hide_render and not source.hide_viewport
    assert len(bpy.data.meshes) == meshes - 1
    assert not [item for item in constant.scene.objects if "dollop_result_of" in item]


def test_a_source_that_was_hidden_before_stays_hidden_after(constant: Bake) -> None:
    from dollop.operators.bridge.playback import show_results
    from dollop.operators.bridge.result_mesh import clear_results

    clear_results(constant.scene)
    constant.source.hide_render = True
    assert show_results(constant.scene) is None and show_results(constant.scene) is None
    clear_results(constant.scene)
    assert constant.source.hide_render and not constant.source.hide_viewport


def test_what_the_artist_put_on_the_result_survives_the_next_bake(constant: Bake) -> None:
    from dollop.operators.bridge.playback import show_results

    material = bpy.data.materials.new("Glaze")
    constant.result.data.materials.append(material)
    constant.result.modifiers.new("Smooth", "SUBSURF")
    assert show_results(constant.scene) is None
    constant.scene.frame_set(3)
    assert [m.name for m in constant.result.modifiers] == ["Goo Motion Blur", "Smooth"]
    assert constant.result.data.materials[-1] == material


def test_an_empty_mesh_and_loose_edges_survive_the_way(scene: "bpy.types.Scene") -> None:
    from dollop.operators.bridge.mesh_topology import fill_mesh, mesh_topology

    made = bpy.data.meshes.new("made")
    for vertices, edges in (([], []), ([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1), (1, 2)])):
        mesh = bpy.data.meshes.new("odd")
        mesh.from_pydata(vertices, edges, [])
        fill_mesh(made, mesh_topology(mesh), np.array(vertices, np.float32).reshape(-1, 3))
        assert [tuple(edge.vertices) for edge in made.edges] == edges
        assert [tuple(vertex.co) for vertex in made.vertices] == vertices


def test_a_record_that_does_not_fit_is_refused_before_blender_crashes(scene: "bpy.types.Scene") -> None:
    from dataclasses import replace

    from dollop.operators.bridge.mesh_topology import fill_mesh
    from dollop.solver.cache import topology_of_triangles
    from dollop.solver.errors import CacheError

    good = topology_of_triangles(np.array([[0, 1, 2]], np.int32), 3)
    for bad, count in (
        (good, 4),
        (replace(good, corner_vertices=np.int32([0, 1, 99])), 3),
        (replace(good, corner_vertices=np.int32([0, -1, 2])), 3),
        (replace(good, face_offsets=np.int32([0, 9])), 3),
        (replace(good, edges=np.int32([[0, 7]])), 3),
    ):
        with pytest.raises(CacheError, match="do not fit"):
            fill_mesh(bpy.data.meshes.new("bad"), bad, np.zeros((count, 3), np.float32))
