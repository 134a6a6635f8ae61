"""Stopping a bake, and what is kept: by the artist, by a child that dies, by a file that closes."""

import bpy
import pytest

from ..reading import bridge
from .following import cached_status, folder, start, until


def test_cancel_keeps_frames_and_resume_goes_on(body, monkeypatch):
    monkeypatch.setenv("DOLLOP_TEST_PACE", "0.05")
    scene = bpy.context.scene
    session = start()
    until(session, lambda: session.status.frame >= 3)
    assert bpy.ops.dollop.bake_cancel() == {"FINISHED"}
    until(session, lambda: not session.status.running)
    kept = session.status.frame
    assert session.status.exit_code == 7 and 3 <= kept < 10
    assert scene.dollop.message.startswith("Stopped") and f"frame {kept}" in scene.dollop.message
    first = (folder() / "frame_000001.dollop.npz").stat().st_mtime_ns
    assert bpy.ops.dollop.resume() == {"FINISHED"}
    assert (folder() / "frame_000001.dollop.npz").stat().st_mtime_ns == first
    assert scene.dollop.cached == "Frames 1 to 10 are baked, 10 of 10"


def test_death_leaves_a_sentence_and_the_frames(body, monkeypatch):
    monkeypatch.setenv("DOLLOP_TEST_DEATH", "4")
    with pytest.raises(RuntimeError, match=r"code 3. It said last: The cause of death. Finished frames are kept"):
        bpy.ops.dollop.bake()
    scene = bpy.context.scene
    assert scene.dollop.cached.startswith("Frames 1 to 3") and not scene.dollop.is_baking
    assert bpy.ops.dollop.bake.poll() and bpy.ops.dollop.resume.poll()
    assert cached_status() == "failed"


def test_the_sentence_on_a_frame_that_is_not_baked_names_the_last_one_and_goes_with_the_cache(body, monkeypatch):
    scene = bpy.context.scene
    scene.frame_set(9)
    monkeypatch.setenv("DOLLOP_TEST_PACE", "0.1")
    monkeypatch.setenv("DOLLOP_TEST_DEATH", "4")
    with pytest.raises(RuntimeError):
        bpy.ops.dollop.bake()
    assert "not baked; frame 3, the last one, is shown" in scene.dollop.playback_message
    bpy.ops.dollop.cache_clear()
    assert scene.dollop.playback_message == ""


def test_opening_another_file_stops_the_bake(body, monkeypatch):
    monkeypatch.setenv("DOLLOP_TEST_PACE", "0.1")
    session = start()
    until(session, lambda: session.status.frame >= 1)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    assert not session.status.running and bridge("bake_session").running_session() is None
    assert session.status.exit_code == 7 and session.status.message.startswith("Stopped; finished frames are kept up to frame")


def test_pressed_twice_it_stops_at_once(body, monkeypatch):
    """This child listens only between its frames of half a minute, so it ends in time only when it is ended."""
    monkeypatch.setenv("DOLLOP_TEST_PACE", "30")
    session = start()
    until(session, lambda: session.status.stage == "Simulating")
    session.cancel()
    assert session.status.running and session.status.stage == "Stopping"
    session.cancel()
    until(session, lambda: not session.status.running, 10)
    assert session.status.exit_code == 7 and cached_status() == "cancelled"


@pytest.mark.parametrize("stage", ["tetrahedralizing", "compiling"])
def test_before_the_first_step_it_stops_at_once_and_older_frames_stay(body, monkeypatch, stage):
    bpy.ops.dollop.bake()
    before = {path.name: path.read_bytes() for path in folder().glob("frame_*")}
    monkeypatch.setenv("DOLLOP_TEST_HANG", stage)
    session = start()
    until(session, lambda: session.status.stage.split()[0] == {"tetrahedralizing": "Filling", "compiling": "Compiling"}[stage])
    bpy.ops.dollop.bake_cancel()
    until(session, lambda: not session.status.running, 10)
    assert session.status.exit_code == 7 and session.status.message == "Stopped before a new frame was finished."
    assert {path.name: path.read_bytes() for path in folder().glob("frame_*")} == before


def test_stopped_before_the_child_runs(body):
    session = start(beside_window=True)
    session.cancel()
    until(session, lambda: not session.status.running, 10)
    assert session.status.exit_code == 7 and bpy.context.scene.dollop.cached == ""
