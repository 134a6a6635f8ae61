"""A bake from the press of the button to its last frame."""

import time

import bpy
import numpy as np
import pytest

from ..reading import bridge
from .following import goo, lowest, start, until


def test_bakes_and_plays(body):
    scene = bpy.context.scene
    assert bpy.ops.dollop.bake() == {"FINISHED"}
    assert scene.dollop.message == "Baked frames 1 to 10." and not scene.dollop.is_baking and scene.dollop.progress == 1
    assert scene.dollop.cached == "Frames 1 to 10 are baked, 10 of 10"
    assert body.hide_render and goo().name.startswith("Bun / 🍞")
    scene.frame_set(1)
    assert lowest(goo()) == pytest.approx(29, abs=1e-5)
    scene.frame_set(10)
    assert lowest(goo()) == pytest.approx(29 - 9.81 / 2 * (9 / 24) ** 2, abs=1e-4)
    assert not bpy.ops.dollop.resume.poll()


def test_the_tets_give_way_to_the_goo(body):
    preview = bridge("preview")
    corners = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    preview.build_preview(bpy.context.scene, body, corners, np.array([[0, 1, 2, 3]], dtype=np.int32), np.array([50.0]))
    assert bpy.ops.dollop.preview_remove.poll()
    bpy.ops.dollop.bake()
    assert goo() is not None and not bpy.ops.dollop.preview_remove.poll()


def test_bakes_again(body):
    bpy.ops.dollop.bake()
    body.location.z += 5
    assert bpy.ops.dollop.bake() == {"FINISHED"}
    bpy.context.scene.frame_set(1)
    assert lowest(goo()) == pytest.approx(34, abs=1e-5)


def test_modifiers_are_in_the_result_and_the_hidden_body_can_be_baked_again(body):
    body.modifiers.new("Subdivision", "SUBSURF").levels = 1
    for _ in range(2):
        bpy.ops.dollop.bake()
        assert len(goo().data.vertices) == 26


def test_frames_play_while_later_ones_bake(body, monkeypatch):
    monkeypatch.setenv("DOLLOP_TEST_PACE", "0.1")
    scene = bpy.context.scene
    session = start()
    assert scene.dollop.is_baking and not bpy.ops.dollop.bake.poll() and not bpy.ops.dollop.body_add.poll()
    until(session, lambda: session.status.frame >= 3)
    scene.frame_set(2)
    assert scene.dollop.is_baking and lowest(goo()) < 29 and 0 < scene.dollop.progress < 1
    assert scene.dollop.stage.startswith("Frame ") and scene.dollop.remaining
    until(session, lambda: not session.status.running)
    assert session.status.exit_code == 0


def test_one_bake_at_a_time(body, monkeypatch):
    monkeypatch.setenv("DOLLOP_TEST_PACE", "0.1")
    session = start()
    with pytest.raises(Exception, match="running already"):
        start()
    session.cancel()
    until(session, lambda: not session.status.running)


def test_what_speaks_against_a_bake_beside_the_window_ends_it_with_its_sentence(body, monkeypatch):
    finding = bridge("checking").Finding("error", "Bun / 🍞", "", "It is made of soup.", "Cook it.", "soup")
    monkeypatch.setattr(bridge("checking"), "preflight", lambda scene: [finding])
    session = start(beside_window=True)
    until(session, lambda: not session.status.running)
    assert session.status.exit_code == 4 and "made of soup" in bpy.context.scene.dollop.message


def test_beside_the_window_a_job_that_cannot_be_written_ends_the_bake_with_its_sentence(body, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "scene.npz")

    monkeypatch.setattr(bridge("bake_session"), "write_job", full)
    session = start(beside_window=True)
    until(session, lambda: not session.status.running)
    assert session.status.exit_code == 6 and "No space left" in bpy.context.scene.dollop.message


def test_nothing_slow_is_done_by_the_thread_of_the_window(body, monkeypatch):
    """Writing the job, starting the child and looking over the scene would hold up a window for longer than a tick."""
    import threading

    seen = {}

    def noting(module, name, owner=None):
        owner = owner or bridge(module)
        kept = getattr(owner, name)

        def note(*arguments, **options):
            seen[name] = threading.current_thread()
            return kept(*arguments, **options)

        monkeypatch.setattr(owner, name, note)

    noting("bake_session", "write_job")
    noting("checking", "preflight")
    noting("", "Popen", bridge("solver_process").subprocess)
    session = start(beside_window=True)
    until(session, lambda: not session.status.running)
    assert session.status.exit_code == 0 and set(seen) == {"write_job", "preflight", "Popen"}
    assert threading.main_thread() not in seen.values()


def test_of_frames_that_came_together_one_is_shown(body, monkeypatch):
    session = start()
    until(session, lambda: session.results.made)
    shown = []
    monkeypatch.setattr(bridge("live_results"), "play", lambda scene: shown.append(scene.frame_current))
    polls = 0
    while session.status.running:
        time.sleep(0.05)
        session.poll()
        polls += 1
    assert len(shown) <= polls


def test_one_frame(body):
    bpy.context.scene.frame_end = 1
    assert bpy.ops.dollop.bake() == {"FINISHED"}
    assert bpy.context.scene.dollop.cached == "Frames 1 to 1 are baked, 1 of 1"


def test_temporary_job_is_removed(body, monkeypatch, tmp_path):
    import tempfile

    jobs = tmp_path / "jobs"
    jobs.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(jobs))
    bpy.ops.dollop.bake()
    assert list(jobs.iterdir()) == []


@pytest.mark.parametrize(
    ("vertices", "faces", "words"),
    [
        ([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)], "volume|flat|thin|solid"),
        ([(1, 1, 1)] * 3, [(0, 1, 2)], "one point"),
        ([(0, 0, 0), (1, 0, 0), (float("inf"), 1, 0)], [(0, 1, 2)], "not finite"),
    ],
    ids=["one triangle", "a point", "infinite"],
)
def test_meshes_that_are_no_body(saved, vertices, faces, words):
    mesh = bpy.data.meshes.new("Odd")
    mesh.from_pydata(vertices, [], faces)
    item = bpy.data.objects.new("Odd", mesh)
    bpy.context.scene.collection.objects.link(item)
    item.dollop.is_body = True
    with pytest.raises(RuntimeError, match=words):
        bpy.ops.dollop.bake()
