"""A cube of dough dropped on the ground, with the real solver: set up, baked, played."""

import bpy
import numpy as np
import pytest

from .reading import add_cube, add_plane, bridge

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
