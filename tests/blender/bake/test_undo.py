"""Undo around a bake, which knows nothing of it: objects come and go, frames stay."""

import bpy
import pytest

from ..reading import add_cube
from .following import goo, lowest, start, until


def test_undo_while_baking(body, monkeypatch):
    """The goo goes with its undo step and comes back at the end; the bake itself does not care."""
    monkeypatch.setenv("DOLLOP_TEST_PACE", "0.05")
    bpy.ops.ed.undo_push(message="Ready")
    bpy.context.scene.frame_end = 12
    bpy.ops.ed.undo_push(message="Changed")
    session = start()
    until(session, lambda: session.results.made)
    bpy.ops.ed.undo_push(message="Show Goo")
    for _ in range(2):
        bpy.ops.ed.undo()
    assert goo() is None and not bpy.context.scene.objects["Bun / 🍞"].hide_render and session.status.running
    until(session, lambda: not session.status.running)
    assert session.status.exit_code == 0 and session.status.last == 12
    bpy.context.scene.frame_set(8)
    assert lowest(goo()) < 29 and bpy.context.scene.objects["Bun / 🍞"].hide_render


def test_undo_after_the_bake_and_show_again(body):
    bpy.ops.ed.undo_push(message="Ready")
    bpy.ops.dollop.bake()
    bpy.ops.ed.undo_push(message="Bake")
    assert not bpy.ops.dollop.goo_show.poll()
    bpy.ops.ed.undo()
    assert goo() is None and bpy.context.scene.dollop.cached
    assert bpy.ops.dollop.goo_show() == {"FINISHED"}
    bpy.context.scene.frame_set(5)
    assert lowest(goo()) < 29


def test_undo_shows_the_frame_it_goes_back_to(body):
    bpy.ops.dollop.bake()
    bpy.context.scene.frame_set(2)
    bpy.ops.ed.undo_push(message="At 2")
    body.name = "Renamed"
    bpy.ops.ed.undo_push(message="Renamed")
    bpy.context.scene.frame_set(9)
    bpy.ops.ed.undo()
    shown = lowest(goo())
    bpy.context.scene.frame_set(bpy.context.scene.frame_current)
    assert lowest(goo()) == shown


def test_in_the_window_the_goo_is_active_where_its_body_was(body):
    layer = bpy.context.view_layer
    other = add_cube(size=1, location=(0, 0, -3))
    for item in (body, other):
        item.select_set(True)
    layer.objects.active = body
    bpy.ops.ed.undo_push(message="Ready")
    session = start(beside_window=True)
    until(session, lambda: not session.status.running)
    assert layer.objects.active == goo() and {item.name for item in bpy.context.selected_objects} == {goo().name, other.name}
    bpy.ops.ed.undo_push(message="Show Goo")
    bpy.ops.ed.undo()
    assert bpy.context.view_layer.objects.active.name == "Bun / 🍞" and goo() is None
    bpy.ops.ed.redo()
    assert bpy.context.view_layer.objects.active == goo()


@pytest.mark.parametrize("clear", ["cache_clear", "body_remove"])
def test_the_body_is_active_again_where_its_goo_was(body, clear):
    """The panel goes on to show its settings."""
    layer = bpy.context.view_layer
    session = start(beside_window=True)
    until(session, lambda: not session.status.running)
    assert layer.objects.active == goo()
    assert getattr(bpy.ops.dollop, clear)() == {"FINISHED"}
    assert layer.objects.active == body and body.select_get() and goo() is None


def test_what_else_is_active_stays_so(body):
    other = add_cube(size=1, location=(0, 0, -3))
    bpy.context.view_layer.objects.active = other
    session = start(beside_window=True)
    until(session, lambda: not session.status.running)
    assert bpy.context.view_layer.objects.active == other and not goo().select_get()


def test_a_scripts_active_object_stays_the_body(body):
    bpy.ops.dollop.bake()
    assert bpy.context.view_layer.objects.active == body
