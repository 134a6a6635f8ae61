"""Goal shapes from the artist's objects to the cache, with the real solver: the goo becomes what it is led to."""

import bpy
import numpy as np
import pytest

from .reading import bridge

pytestmark = pytest.mark.slow

FLAT = np.array((1.3, 1.3, 1.0 / 1.69))  # the goal: as much goo, a third flatter


def by_object(body):
    """A changed copy of the body, turned away and hidden somewhere else."""
    goal = body.copy()
    goal.data = body.data.copy()
    bpy.context.collection.objects.link(goal)
    goal.dollop.is_body = False
    goal.location, goal.hide_viewport = (9.0, 0.0, 0.0), True
    for vertex in goal.data.vertices:
        vertex.co = [part * factor for part, factor in zip(vertex.co, FLAT, strict=True)]
    body.dollop.goal_kind, body.dollop.goal_object = "OBJECT", goal


def by_shape_key(body):
    """A shape key that is at 0 all along."""
    body.shape_key_add(name="Basis")
    flat = body.shape_key_add(name="Flat")
    flat.value = 0.0
    for point in flat.data:
        point.co = [part * factor for part, factor in zip(point.co, FLAT, strict=True)]
    body.dollop.goal_kind, body.dollop.goal_shape_key = "SHAPE_KEY", "Flat"


@pytest.mark.parametrize("lead", [by_object, by_shape_key])
def test_goo_flows_into_its_goal(saved, lead):
    """Free of gravity, at 20 a second: after half a second it has the goal's shape, and the volume that it had."""
    scene = bpy.context.scene
    scene.frame_end, scene.use_gravity = 13, False
    bpy.ops.mesh.primitive_uv_sphere_add(segments=16, ring_count=8, radius=0.2, location=(0.0, 0.0, 1.0))
    body = bpy.context.object
    bpy.ops.dollop.body_add(preset="dough")
    lead(body)
    body.dollop.resolution, body.dollop.goal_rate = 5, 20.0
    assert bpy.ops.dollop.bake() == {"FINISHED"}, scene.dollop.message
    store = bridge("scene_cache").store_of(scene)
    wide = {frame: np.ptp(store.read_body_frame(frame, body.dollop.uid).positions, axis=0) for frame in (1, 4, 13)}
    np.testing.assert_allclose(wide[13] / wide[1], FLAT, rtol=0.02)
    assert wide[1][2] > wide[4][2] > wide[13][2], "it flows there; it does not jump"
    assert np.prod(wide[13]) == pytest.approx(np.prod(wide[1]), rel=0.02)
