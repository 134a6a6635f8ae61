"""The whole extension switched off and on again: what the artist has set and baked is still there."""

import importlib

import bpy
import numpy as np
import pytest

from ..reading import add_plane, read
from .following import goo


def test_what_blender_hides_while_it_switches_on_is_shown_afterwards(body, extension):
    """Its preferences hide all data from what they switch on: the goo of the present frame is shown once they are done."""
    from _bpy_restrict_state import RestrictBlend

    scene = bpy.context.scene
    bpy.ops.dollop.bake()
    scene.frame_set(6)
    sixth = shown()
    scene.frame_set(3)
    handlers = importlib.import_module("dollop.operators.handlers")
    extension.unregister()
    scene.frame_set(6)
    try:
        assert not np.array_equal(shown(), sixth)
    finally:
        with RestrictBlend():
            extension.register()
    waiting = handlers._take_up
    assert bpy.app.timers.is_registered(waiting)
    waiting()  # no event loop runs here
    bpy.app.timers.unregister(waiting)
    assert np.array_equal(shown(), sixth)


def shown() -> np.ndarray:
    """Vertices of the goo (n, 3)."""
    flat = np.empty(3 * len(goo().data.vertices), np.float32)
    goo().data.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3)


@pytest.mark.parametrize("saved_meanwhile", [False, True], ids=["in one session", "saved and opened without it"])
def test_nothing_is_lost(body, extension, saved_meanwhile):
    scene, name, goo_name = bpy.context.scene, body.name, None
    body.dollop.velocity, body.dollop.resolution = (1, 2, 3), 9
    ground = add_plane(size=4)
    bpy.ops.dollop.collider_add()
    ground.dollop.friction = 0.75
    assert bpy.ops.dollop.bake() == {"FINISHED"}
    scene.frame_set(3)
    goo_name, third = goo().name, shown()
    scene.frame_set(6)
    sixth, before, cached = shown(), read(scene), scene.dollop.cached
    bpy.ops.wm.save_mainfile()

    extension.unregister()
    try:
        assert not hasattr(bpy.types.Object, "dollop")
        if saved_meanwhile:
            bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath)
            bpy.ops.wm.save_mainfile()
        assert len(bpy.data.objects[goo_name].data.vertices) == len(sixth), "the goo went with the extension"
    finally:
        extension.register()
    bpy.ops.wm.open_mainfile(filepath=bpy.data.filepath) if saved_meanwhile else None

    scene = bpy.context.scene
    assert np.array_equal(shown(), sixth) and goo().name == goo_name
    scene.frame_set(3)
    assert np.array_equal(shown(), third)
    scene.frame_set(6)
    after = read(scene)
    assert scene.dollop.cached == cached and scene.dollop.stale == ""
    assert after.bodies[0].velocity == before.bodies[0].velocity and after.bodies[0].resolution == 9
    assert after.bodies[0].uid == before.bodies[0].uid and after.bodies[0].material == before.bodies[0].material
    assert [item.friction for item in after.colliders] == [item.friction for item in before.colliders]
    assert name in bpy.data.objects
