"""Shots with the real solver: set up as an artist does it, baked, played, exported."""

import bmesh
import bpy
import numpy as np
import pytest
from mathutils import Vector

from .reading import add_cube, add_plane, bridge, solver

pytestmark = pytest.mark.slow


def test_cube_of_dough(saved):
    scene = bpy.context.scene
    scene.frame_end = 12
    add_plane(size=4)
    bpy.ops.dollop.collider_add()
    cube = add_cube(size=1, location=(0, 0, 0.7))
    cube.modifiers.new("Subdivision", "SUBSURF").levels = 2
    bpy.ops.dollop.body_add(preset="dough")
    cube.dollop.resolution = 6
    assert bpy.ops.dollop.bake() == {"FINISHED"}, scene.dollop.message
    goo = next(bridge("result_mesh").results_of(scene))
    seen = []
    for frame in (1, 6, 12):
        scene.frame_set(frame)
        seen.append(np.array([goo.matrix_world @ vertex.co for vertex in goo.data.vertices]))
    assert len(seen[0]) == 98 and np.isfinite(seen).all()
    np.testing.assert_allclose(seen[0][:, 2].min(), seen[0][:, 2].mean() * 2 - seen[0][:, 2].max(), atol=1e-4)
    assert seen[1][:, 2].mean() < seen[0][:, 2].mean() and seen[2][:, 2].mean() < seen[0][:, 2].mean() - 0.05
    assert seen[2][:, 2].min() > -0.05, "it lies on the ground"
    assert {"velocity", "plastic_strain", "stress"} <= set(goo.data.attributes.keys())
    assert [layer.name for layer in goo.data.uv_layers] == ["UVMap"]


def test_a_cube_that_melts_when_its_keys_say_so(saved):
    """Hard as stone until frame 10, then slime: it stands, and then lies."""
    scene = bpy.context.scene
    scene.frame_end = 24
    add_plane(size=4)
    bpy.ops.dollop.collider_add()
    cube = add_cube(size=1, location=(0, 0, 0.501))
    bpy.ops.dollop.body_add(preset="clay")
    cube.dollop.resolution, cube.dollop.use_real_size = 5, False
    goo_ = cube.dollop.viscoplastic
    goo_.young_modulus, goo_.flow_rate, goo_.damping = 1e5, 50.0, 5.0
    for frame, stress in ((1, 1e6), (10, 1e6), (11, 10.0)):
        goo_.yield_stress = stress
        cube.keyframe_insert("dollop.viscoplastic.yield_stress", frame=frame)
    assert bpy.ops.dollop.bake() == {"FINISHED"}, scene.dollop.message
    goo = next(bridge("result_mesh").results_of(scene))
    tall = {}
    for frame in (1, 10, 24):
        scene.frame_set(frame)
        heights = np.array([(goo.matrix_world @ vertex.co).z for vertex in goo.data.vertices])
        tall[frame] = float(np.ptp(heights))
    assert tall[10] > 0.9 * tall[1] and tall[24] < 0.85 * tall[10]


def open_dumbbell():
    """Two lumps on a neck, a metre long along x, with UVs; three faces are missing in one lump, one is doubled.

    Its shape key "Apart" moves the lumps half a metre away from each other.
    """
    bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=28, radius=1.0, rotation=(0.0, np.pi / 2, 0.0))
    bpy.ops.object.transform_apply(location=False, rotation=True, scale=False)
    item = bpy.context.object
    for vertex in item.data.vertices:
        along = np.arcsin(np.clip(vertex.co.x, -1.0, 1.0)) / np.pi
        lump = 0.2 * np.sqrt(max(0.0, 1.0 - ((abs(along) - 0.3) / 0.2) ** 2)) if abs(along) > 0.2 else 0.0
        wide = max(lump, 0.09 if abs(along) < 0.35 else 0.0)
        across = max(np.hypot(vertex.co.y, vertex.co.z), 1e-9)
        vertex.co = (along, vertex.co.y * wide / across, vertex.co.z * wide / across)
    edited = bmesh.new()
    edited.from_mesh(item.data)
    edited.faces.ensure_lookup_table()
    missing = sorted(edited.faces, key=lambda face: (face.calc_center_median() - Vector((0.3, 0.2, 0.0))).length)[:3]
    bmesh.ops.delete(edited, geom=missing, context="FACES")
    edited.to_mesh(item.data)
    item.vertex_groups.new(name="Lumps").add([v.index for v in item.data.vertices if abs(v.co.x) > 0.25], 1.0, "REPLACE")
    item.shape_key_add(name="Basis")
    apart = item.shape_key_add(name="Apart")
    for point in apart.data:
        point.co.x += 0.5 * np.tanh(point.co.x / 0.1)
    return item, apart


def counts_read_back(path, kind, frames=(1, 6, 12)):
    """How many vertices the exported file has at each frame, told by Blender's own importer."""
    importer = bpy.ops.wm.alembic_import if kind == "ALEMBIC" else bpy.ops.wm.usd_import
    before, at = set(bpy.data.objects), bpy.context.scene.frame_current
    importer(filepath=str(path), **({"as_background_job": False} if kind == "ALEMBIC" else {}))
    (mesh,) = (item for item in set(bpy.data.objects) - before if item.type == "MESH")
    counts = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        counts.append(len(mesh.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices))
    bpy.data.objects.remove(mesh)
    bpy.context.scene.frame_set(at)
    return counts


def test_an_open_mesh_is_torn_played_and_exported(saved, tmp_path):
    """Its lumps are pinned and pulled apart by a shape key: its neck tears, and is closed with the inner material."""
    scene = bpy.context.scene
    scene.frame_end, scene.gravity = 12, (0.0, 0.0, 0.0)
    item, apart = open_dumbbell()
    for frame, value in ((1, 0.0), (12, 1.0)):
        apart.value = value
        apart.keyframe_insert("value", frame=frame)
    item.data.materials.append(bpy.data.materials.new("Skin"))
    bpy.ops.dollop.body_add(preset="dough")
    settings = item.dollop
    settings.resolution, settings.remeshing, settings.tear_thickness = 12, "wholesale", 0.15
    settings.viscoplastic.yield_stress = 20.0
    settings.inner_material = bpy.data.materials.new("Flesh")
    settings.pin_kind, settings.pin_group = "FIRM", "Lumps"
    assert bpy.ops.dollop.bake() == {"FINISHED"}, scene.dollop.message
    goo = next(bridge("result_mesh").results_of(scene))
    played = {}
    for frame in range(1, 13):
        scene.frame_set(frame)
        edited = bmesh.new()
        edited.from_mesh(goo.data)
        assert all(edge.is_manifold for edge in edited.edges), frame
        inner = sum(polygon.material_index == 1 for polygon in goo.data.polygons)
        played[frame] = (len(goo.data.vertices), inner, edited.calc_volume())
        edited.free()
    assert played[1][1] < 20 < played[12][1], "only what closes the hole is inner at first, and the cut at last"
    assert [material.name for material in goo.data.materials] == ["Skin", "Flesh"] and goo.data.uv_layers
    assert played[12][2] == pytest.approx(played[1][2], rel=0.05)
    for kind, name in (("ALEMBIC", "goo.abc"), ("USD", "goo.usdc")):
        path = bridge("exports").export(scene, kind, tmp_path / name)
        assert counts_read_back(path, kind) == [played[frame][0] for frame in (1, 6, 12)], kind
    for kind in ("MDD", "SHAPE_KEYS"):
        with pytest.raises(solver("errors").SolverError, match="topology|vertices"):
            bridge("exports").export(scene, kind, tmp_path / "goo.mdd")


def test_the_surface_of_the_goo_itself_is_baked_played_and_exported(saved, tmp_path):
    """A flat shaded ball, half of it of another material, runs into a cake: what is seen is closed, smooth and has both."""
    scene = bpy.context.scene
    scene.frame_end = 10
    add_plane(size=4)
    bpy.ops.dollop.collider_add()
    bpy.ops.mesh.primitive_uv_sphere_add(segments=24, ring_count=12, radius=0.5, location=(0.0, 0.0, 0.52))
    item = bpy.context.object
    for name in ("Skin", "Flesh"):
        item.data.materials.append(bpy.data.materials.new(name))
    for polygon in item.data.polygons:
        polygon.material_index, polygon.use_smooth = int(polygon.center.x > 0.0), False
    bpy.ops.dollop.body_add(preset="dough")
    settings, material = item.dollop, item.dollop.viscoplastic
    settings.seen, settings.remeshing, settings.resolution, settings.velocity = "tets", "wholesale", 6, (0.0, 0.0, -3.0)
    scene.dollop.worst_condition = 2.5
    material.yield_stress, material.hardening_modulus, material.young_modulus, material.flow_rate = 20.0, 0.0, 4000.0, 100.0
    settings.use_real_size = False
    assert bpy.ops.dollop.bake() == {"FINISHED"}, scene.dollop.message
    goo = next(bridge("result_mesh").results_of(scene))
    played = {}
    for frame in range(1, 11):
        scene.frame_set(frame)
        mesh = goo.data
        edited = bmesh.new()
        edited.from_mesh(mesh)
        assert all(edge.is_manifold for edge in edited.edges) and all(face.smooth for face in edited.faces), frame
        edited.free()
        slots = np.array([polygon.material_index for polygon in mesh.polygons])
        assert 0.3 < slots.mean() < 0.7 and not mesh.validate() and mesh.uv_layers
        assert [part.name for part in mesh.materials] == ["Skin", "Flesh"]
        played[frame] = len(mesh.vertices)
    assert played[1] != 266 and len(set(played.values())) >= 2, "it has got new tets, and their surface is seen"
    for kind, name in (("ALEMBIC", "goo.abc"), ("USD", "goo.usdc")):
        path = bridge("exports").export(scene, kind, tmp_path / name)
        assert counts_read_back(path, kind, (1, 5, 10)) == [played[frame] for frame in (1, 5, 10)], kind
