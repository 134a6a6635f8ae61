"""The first thing that anyone tries: Blender's own cube, with every setting as it is."""

import struct

import bpy
import numpy as np
import pytest

from .reading import bridge

pytestmark = pytest.mark.slow


def results():
    return [item for item in bpy.context.scene.objects if item.get("dollop_result_of")]


@pytest.fixture
def baked(saved):
    """A default cube of dough on a plane, small and coarse for the test's sake only."""
    scene = bpy.context.scene
    scene.frame_end = 8
    bpy.ops.mesh.primitive_plane_add(size=2.0)
    bpy.ops.dollop.collider_add()
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(0.0, 0.0, 0.11))
    bpy.ops.dollop.body_add(preset="dough")
    body = bpy.context.object
    body.dollop.resolution = 8
    assert bpy.ops.dollop.bake() == {"FINISHED"} and "flat" not in scene.dollop.warnings
    return body


def test_a_default_cube_bends_and_keeps_its_volume(baked):
    """Its eight corners are too few to be seen to bend: it gets more, and an artist's UVs on them."""
    store = bridge("scene_cache").store_of(bpy.context.scene)
    first, last = (store.read_body_frame(frame, baked.dollop.uid).positions.astype(float) for frame in (1, 8))
    assert len(baked.data.vertices) == 8 and len(first) == len(last) > 300
    side = last[first[:, 0] > first[:, 0].max() - 1e-4]
    assert np.ptp(side[:, 0]) > 0.003, "a side bulges"
    (goo,) = results()
    bpy.context.scene.frame_set(8)
    seen = goo.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    assert len(seen.vertices) == len(last) and len(seen.uv_layers) == 1
    uv = np.empty(2 * len(seen.loops))
    seen.uv_layers[0].data.foreach_get("uv", uv)
    assert len(np.unique(uv.round(4))) > 30 and uv.min() >= 0.0 and uv.max() <= 1.0
    seen.calc_loop_triangles()
    corners = np.array([[seen.vertices[k].co[:] for k in face.vertices] for face in seen.loop_triangles])
    assert np.linalg.det(corners).sum() / 6.0 == pytest.approx(0.008, rel=0.02)


def test_what_was_halved_plays_from_formats_of_one_topology(baked, tmp_path):
    """Frames and vertices as the files have them."""
    store = bridge("scene_cache").store_of(bpy.context.scene)
    count = len(store.read_body_frame(8, baked.dollop.uid).positions)
    assert bpy.ops.dollop.export(format="MDD", filepath=str(tmp_path / "out.mdd")) == {"FINISHED"}
    assert struct.unpack(">2i", (tmp_path / "out.mdd").read_bytes()[:8]) == (8, count)
    assert bpy.ops.dollop.export(format="SHAPE_KEYS", filepath=str(tmp_path / "out.blend")) == {"FINISHED"}
    with bpy.data.libraries.load(str(tmp_path / "out.blend")) as (there, here):
        here.meshes = there.meshes
    keys = [mesh.shape_keys.key_blocks for mesh in here.meshes if mesh.shape_keys is not None]
    assert [len(blocks) for blocks in keys] == [8] and {len(block.data) for block in keys[0]} == {count}


def test_it_keeps_its_corners_where_the_artist_says_so(baked):
    baked.dollop.refine_surface = False
    assert bpy.ops.dollop.bake() == {"FINISHED"} and "Refine Surface" in bpy.context.scene.dollop.warnings
    store = bridge("scene_cache").store_of(bpy.context.scene)
    assert len(store.read_body_frame(8, baked.dollop.uid).positions) == 8
