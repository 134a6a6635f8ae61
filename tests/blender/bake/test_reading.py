"""Reading a scene beside the window: a step at a time, to be stopped at any of them, and the scene as it was afterwards."""

import os
import sys

import bpy
import numpy as np
import pytest

from ..reading import add_cube, bridge, read
from .following import start, until


@pytest.fixture(autouse=True)
def one_step_a_poll(extension, monkeypatch):
    """No slice lasts longer than its first step."""
    monkeypatch.setattr(bridge("bake_session"), "SLICE", 0.0)


@pytest.fixture
def moving(body):
    """A collider that is keyed over the ten frames, beside a hidden body with weights; the artist looks at frame 4."""
    collider = add_cube(size=1, location=(0, 0, -3))
    bpy.ops.dollop.collider_add()
    for frame, place in ((1, 0.0), (10, 9.0)):
        collider.location.x = place
        collider.keyframe_insert("location", frame=frame)
    body.vertex_groups.new(name="All").add(range(8), 0.5, "REPLACE")
    body.hide_viewport = True
    bpy.context.scene.frame_set(4, subframe=0.25)
    return collider


def as_the_artist_left_it(body):
    scene = bpy.context.scene
    names = [item.name for item in (*bpy.data.collections, *bpy.data.meshes) if "Reading" in item.name]
    return (scene.frame_current, scene.frame_subframe, body.hide_viewport, names) == (4, 0.25, True, [])


def jobs(monkeypatch):
    """The scenes that are written as jobs."""
    seen = []
    module = bridge("bake_session")
    write = module.write_job

    def note(scene, *rest):
        seen.append(scene)
        write(scene, *rest)

    monkeypatch.setattr(module, "write_job", note)
    return seen


def test_it_takes_a_poll_for_each_step_and_reads_the_same(body, moving, monkeypatch):
    meshes = len(bpy.data.meshes)
    expected = read(bpy.context.scene)
    seen = jobs(monkeypatch)
    session = start(beside_window=True)
    stages = []
    while session.reading:
        stages.append(bpy.context.scene.dollop.stage)
        session.poll()
    assert [stage for stage in stages if "frame" in stage] == [f"Reading frame {n} of 10" for n in range(11)]
    assert any("weights of 'Bun" in stage for stage in stages) and len(bpy.data.meshes) == meshes
    assert as_the_artist_left_it(body)
    until(session, lambda: not session.status.running)
    assert session.status.exit_code == 0
    np.testing.assert_array_equal(seen[0].colliders[0].transforms, expected.colliders[0].transforms)
    np.testing.assert_array_equal(seen[0].bodies[0].surface.positions, expected.bodies[0].surface.positions)


@pytest.mark.parametrize("polls", [3, 12])
def test_cancelled_meanwhile_everything_is_put_back_and_nothing_was_started(body, moving, polls):
    session = start(beside_window=True)
    for _ in range(polls):
        session.poll()
    assert session.reading and not as_the_artist_left_it(body)
    bpy.ops.dollop.bake_cancel()
    session.poll()
    assert as_the_artist_left_it(body) and not session.status.running and not session.reading
    assert session.status.exit_code == 7 and session.status.message == "Stopped before a new frame was finished."
    assert bpy.context.scene.dollop.cached == "" and bridge("bake_session").running_session() is None


def test_another_file_opened_meanwhile_ends_it(body, moving):
    session = start(beside_window=True)
    session.poll()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert not session.status.running and bridge("bake_session").running_session() is None


def test_what_is_found_late_ends_it_with_its_sentence(body, moving):
    moving.data.clear_geometry()
    session = start(beside_window=True)
    until(session, lambda: not session.status.running)
    assert session.status.exit_code == 4 and "Its mesh has no faces" in bpy.context.scene.dollop.message
    assert as_the_artist_left_it(body)


def test_an_object_removed_by_a_script_meanwhile_ends_it_with_a_sentence(body, moving):
    session = start(beside_window=True)
    session.poll()
    bpy.data.objects.remove(moving)
    until(session, lambda: not session.status.running)
    assert session.status.exit_code == 4 and "changed while it was read" in session.status.message
    assert as_the_artist_left_it(body)


@pytest.mark.skipif(sys.platform == "win32", reason="set where the process is made there")
def test_the_child_beside_the_window_stands_behind_it(body, monkeypatch):
    seen = []
    put = bridge("solver_process").put_behind_window

    def note(process):
        put(process)
        seen.append(os.getpriority(os.PRIO_PROCESS, process))

    monkeypatch.setattr(bridge("solver_process"), "put_behind_window", note)
    for beside_window in (False, True):
        session = start(beside_window=beside_window)
        until(session, lambda session=session: not session.status.running)
    assert seen == [max(10, os.getpriority(os.PRIO_PROCESS, 0))]
