"""The bake around the solver: started, followed, cancelled, resumed, shown; the physics is left out here (falling_child)."""

import shutil
import sys
import time
from pathlib import Path

import bpy
import pytest

from .reading import add_cube, bridge

CHILD = Path(__file__).with_name("falling_child.py")


@pytest.fixture(autouse=True)
def falling(extension, monkeypatch):
    """Let the falling child solve."""
    command = lambda arguments: [sys.executable, str(CHILD), *arguments]  # noqa: E731
    monkeypatch.setattr(bridge("solver_process"), "solver_command", command)


@pytest.fixture
def body(saved):
    cube = add_cube(size=2, location=(1, 2, 30))
    cube.name = "Bun / 🍞"
    bpy.ops.dollop.body_add()
    return cube


def start(**options):
    return bridge("bake_session").start_bake(bpy.context.scene, **options)


def until(session, condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, session.status
        session.poll()
        time.sleep(0.005)


def folder():
    return bridge("folders").cache_folder(bpy.context.scene)[0]


def goo():
    return next(bridge("result_mesh").results_of(bpy.context.scene), None)


def cached_status():
    from dollop.solver.cache import FrameStore

    return FrameStore.open(folder()).manifest["status"]


def lowest(item):
    return min((item.matrix_world @ vertex.co).z for vertex in item.data.vertices)


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


def test_one_bake_at_a_time(body, monkeypatch):
    monkeypatch.setenv("DOLLOP_TEST_PACE", "0.1")
    session = start()
    with pytest.raises(Exception, match="running already"):
        start()
    session.cancel()
    until(session, lambda: not session.status.running)


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
    assert session.status.exit_code == 7 and session.status.message == "Stopped before a frame was finished."
    assert {path.name: path.read_bytes() for path in folder().glob("frame_*")} == before


def test_stopped_before_the_child_runs(body):
    session = start(beside_window=True)
    session.cancel()
    until(session, lambda: not session.status.running, 10)
    assert session.status.exit_code == 7 and bpy.context.scene.dollop.cached == ""


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
    until(session, lambda: session.made_results)
    shown = []
    monkeypatch.setattr(bridge("bake_session"), "play", lambda scene: shown.append(scene.frame_current))
    polls = 0
    while session.status.running:
        time.sleep(0.05)
        session.poll()
        polls += 1
    assert len(shown) <= polls


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


def test_what_else_is_active_stays_so(body):
    other = add_cube(size=1, location=(0, 0, -3))
    bpy.context.view_layer.objects.active = other
    session = start(beside_window=True)
    until(session, lambda: not session.status.running)
    assert bpy.context.view_layer.objects.active == other and not goo().select_get()


def test_a_scripts_active_object_stays_the_body(body):
    bpy.ops.dollop.bake()
    assert bpy.context.view_layer.objects.active == body


def test_undo_while_baking(body, monkeypatch):
    """The goo goes with its undo step and comes back at the end; the bake itself does not care."""
    monkeypatch.setenv("DOLLOP_TEST_PACE", "0.05")
    bpy.ops.ed.undo_push(message="Ready")
    bpy.context.scene.frame_end = 12
    bpy.ops.ed.undo_push(message="Changed")
    session = start()
    until(session, lambda: session.made_results)
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


def test_clear(body):
    bpy.ops.ed.undo_push(message="Ready")
    bpy.ops.dollop.bake()
    bpy.ops.ed.undo_push(message="Baked")
    (folder() / "notes.txt").write_text("the artist's own")
    path = folder()
    assert bpy.ops.dollop.cache_clear() == {"FINISHED"}
    assert goo() is None and not body.hide_render and bpy.context.scene.dollop.cached == ""
    assert [entry.name for entry in path.iterdir()] == ["notes.txt"]
    bpy.ops.ed.undo_push(message="Cleared")
    bpy.ops.ed.undo()
    bpy.context.scene.frame_set(3)
    assert len(goo().data.vertices) == 0 and "missing" in bpy.context.scene.dollop.playback_message
    assert bpy.ops.dollop.cache_clear() == {"FINISHED"} and goo() is None
    assert not bpy.context.scene.objects["Bun / 🍞"].hide_render


def test_frames_that_cannot_be_cleared_play_on(body):
    from dollop.solver.cache import FrameStore

    bpy.ops.dollop.bake()
    with FrameStore.open(folder(), writable=True), pytest.raises(RuntimeError, match="Another bake writes this cache"):
        bpy.ops.dollop.cache_clear()
    bpy.context.scene.frame_set(5)
    assert lowest(goo()) < 29 and body.hide_render


def test_renamed_and_deleted_afterwards(body):
    bpy.ops.dollop.bake()
    body.name = "Something else"
    bpy.context.scene.frame_set(6)
    assert lowest(goo()) < 29
    bpy.data.objects.remove(body)
    bpy.context.scene.frame_set(7)
    assert lowest(goo()) < 29
    assert bpy.context.scene.dollop.cached


def test_two_scenes(body):
    bpy.ops.dollop.bake()
    first = bpy.context.scene
    bpy.ops.scene.new(type="NEW")
    second = bpy.context.scene
    bpy.context.window.scene, second.frame_end = second, 3
    add_cube(size=1, location=(0, 0, 5))
    bpy.ops.dollop.body_add()
    assert bpy.ops.dollop.bake() == {"FINISHED"}
    assert first.dollop.cached and second.dollop.cached
    second.dollop.cache_path = first.dollop.cache_path or f"//dollop_cache/{first.dollop.uid}"
    with pytest.raises(RuntimeError, match="holds the bake of other bodies"):
        bpy.ops.dollop.bake()
    assert first.dollop.cached == "Frames 1 to 10 are baked, 10 of 10"


def test_other_bodies_in_the_same_scene(body):
    bpy.ops.dollop.bake()
    bpy.data.objects.remove(body)
    add_cube(size=1, location=(0, 0, 9)).name = "Another"
    bpy.ops.dollop.body_add()
    assert bpy.ops.dollop.bake() == {"FINISHED"}
    bpy.context.scene.frame_set(1)
    assert [item.name for item in bridge("result_mesh").results_of(bpy.context.scene)] == ["Another Goo"]


def test_one_frame(body):
    bpy.context.scene.frame_end = 1
    assert bpy.ops.dollop.bake() == {"FINISHED"}
    assert bpy.context.scene.dollop.cached == "Frames 1 to 1 are baked, 1 of 1"


def test_unsaved_file_bakes_and_moves_beside_it_when_saved(scene, tmp_path):
    add_cube(size=2, location=(0, 0, 30))
    bpy.ops.dollop.body_add()
    assert bpy.ops.dollop.bake() == {"FINISHED"}
    assert "never saved" in scene.dollop.warnings
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert folder().is_relative_to(tmp_path) and scene.dollop.cached == "Frames 1 to 10 are baked, 10 of 10"
    scene.frame_set(4)
    assert lowest(goo()) < 29


@pytest.mark.skipif(sys.platform == "win32", reason="permissions work otherwise there")
def test_folder_that_cannot_be_written(body, tmp_path):
    (tmp_path / "file").write_text("in the way")
    bpy.context.scene.dollop.cache_path = str(tmp_path / "file" / "cache")
    with pytest.raises(RuntimeError, match="file"):
        bpy.ops.dollop.bake()
    assert not bpy.context.scene.dollop.is_baking


def test_cache_moves_with_the_file(body, tmp_path):
    bpy.ops.dollop.bake()
    bpy.ops.wm.save_mainfile()
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    shutil.move(tmp_path / "shot.blend", moved)
    shutil.move(tmp_path / "dollop_cache", moved)
    bpy.ops.wm.open_mainfile(filepath=str(moved / "shot.blend"))
    bpy.context.scene.frame_set(9)
    assert lowest(goo()) < 29


def test_temporary_job_is_removed(body, monkeypatch, tmp_path):
    import tempfile

    jobs = tmp_path / "jobs"
    jobs.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(jobs))
    bpy.ops.dollop.bake()
    assert list(jobs.iterdir()) == []


def test_opening_a_baked_file_is_quick(body, extension):
    """Under a second more than without Dollop, for a hundred thousand vertices."""
    body.modifiers.new("Subdivision", "SUBSURF").levels = 7
    bpy.context.scene.frame_end = 2
    bpy.ops.dollop.bake()
    assert len(goo().data.vertices) == 98306
    bpy.ops.wm.save_mainfile()
    path = bpy.data.filepath

    def seconds():
        times = []
        for _ in range(2):
            begin = time.perf_counter()
            bpy.ops.wm.open_mainfile(filepath=path)
            times.append(time.perf_counter() - begin)
        return min(times)

    with_dollop = seconds()
    extension.unregister()
    try:
        without = seconds()
    finally:
        extension.register()
    assert with_dollop - without < 1.0


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


def test_a_changed_setting_is_told_in_the_panel_until_it_is_put_back(body):
    scene = bpy.context.scene
    bpy.ops.dollop.bake()
    assert scene.dollop.stale == ""
    body.dollop.resolution += 1
    assert scene.dollop.stale == "The resolution of 'Bun / 🍞' was changed after the bake."
    scene.frame_set(3)
    assert scene.dollop.playback_message == scene.dollop.stale
    body.dollop.resolution -= 1
    body.dollop.viscoplastic.yield_stress *= 2
    assert "yield stress" in scene.dollop.stale
    body.dollop.viscoplastic.yield_stress *= 0.5
    scene.frame_end = 20
    assert scene.dollop.stale == ""
    add_cube(size=1, location=(0, 0, -3))
    bpy.ops.dollop.collider_add()
    assert "was added after the bake" in scene.dollop.stale


def test_keyed_gravity_is_that_of_the_first_frame_and_never_a_changed_setting(body):
    scene = bpy.context.scene
    for frame, strength in ((1, -2.0), (10, -20.0)):
        scene.gravity.z = strength
        scene.keyframe_insert("gravity", frame=frame)
    scene.frame_set(10)
    assert bpy.ops.dollop.bake() == {"FINISHED"}
    assert "Gravity is animated" in scene.dollop.warnings
    assert scene.frame_current == 10 and scene.dollop.stale == ""
    assert lowest(goo()) == pytest.approx(29 - 2.0 / 2 * (9 / 24) ** 2, abs=1e-4)
    assert bridge("staleness").stale_reason(scene) == ""
    scene.frame_set(5)
    assert scene.dollop.stale == ""
    scene.animation_data_clear()
    assert scene.dollop.stale == "The gravity was changed after the bake."


def test_the_manifest_names_its_scene_and_an_older_one_without_plays(body):
    from dollop.solver.cache import FrameStore

    scene = bpy.context.scene
    bpy.ops.dollop.bake()
    with FrameStore.open(folder(), writable=True) as store:
        assert store.manifest["scene"] == {"uid": scene.dollop.uid, "name": scene.name}
        del store.manifest["scene"], store.manifest["settings"]
        store.update_manifest(status="done")
    body.dollop.resolution += 1
    assert scene.dollop.stale == ""
    scene.frame_set(5)
    assert lowest(goo()) < 29 and scene.dollop.playback_message == ""
