"""The command line: what it prints, what it leaves, and its exit codes (docs/command-line.md)."""

import importlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import bpy
import pytest

from .reading import add_cube, bridge

CHILD = Path(__file__).with_name("falling_child.py")
DRIVER = Path(__file__).with_name("command_line_driver.py")
ALARMS = re.compile("Error:|Exception:|Warning")


@pytest.fixture
def shot(saved):
    """A saved file with one body and ten frames."""
    add_cube(size=2, location=(0, 0, 30))
    bpy.ops.dollop.body_add()
    bpy.ops.wm.save_mainfile()
    return saved


def command(shot, *arguments, **environment):
    """Run `dollop ARGUMENTS…` on the file in a process of its own."""
    return subprocess.run(
        [sys.executable, str(DRIVER), str(shot), *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1", **environment},
        timeout=120,
    )


@pytest.fixture
def here(extension, monkeypatch, capfd):
    """Run `dollop ARGUMENTS…` on the open file in this process; returns the exit code and what went to standard error."""
    words = lambda arguments: [sys.executable, str(CHILD), *arguments]  # noqa: E731
    monkeypatch.setattr(bridge("solver_process"), "solver_command", words)
    command_line = importlib.import_module("dollop.operators.command_line.run")

    def run(*arguments):
        capfd.readouterr()
        code = command_line.run(list(arguments))
        return code, capfd.readouterr().err

    return run


def lines(done):
    """Return what Dollop itself printed."""
    return [line for line in done.stdout.splitlines() if line.startswith(("dollop:", "{", "openjd"))]


def frames_in(folder):
    return sorted(int(path.name[6:12]) for path in folder.glob("dollop_cache/*/frame_*"))


def test_bake_info_clear(shot):
    done = command(shot, "bake", "--openjd")
    assert done.returncode == 0, done.stderr
    assert frames_in(shot.parent) == list(range(1, 11))
    assert "openjd_progress: 100.0" in done.stdout and not ALARMS.search(done.stdout)
    assert any(line.startswith("dollop: frame 3 of 1 to 10") for line in lines(done))

    done = command(shot, "info", "--json")
    facts = json.loads(lines(done)[-1])
    assert done.returncode == 0 and facts["status"] == "done" and facts["frames"] == list(range(1, 11))
    assert facts["stale"] == "" and facts["bodies"][0]["name"] == "Cube" and Path(facts["cache"]).is_dir()

    assert command(shot, "clear").returncode == 0 and frames_in(shot.parent) == []
    facts = json.loads(lines(command(shot, "info", "--json"))[-1])
    assert facts["status"] == "none" and facts["frames"] == []


def test_a_bake_whose_blender_was_killed_is_told(shot):
    from dollop.solver.cache import FrameStore

    assert command(shot, "bake").returncode == 0
    (folder,) = (shot.parent / "dollop_cache").iterdir()
    with FrameStore.open(folder, writable=True) as store:
        store.update_manifest(status="baking")
        store.remove_frames_after(7)
        assert json.loads(lines(command(shot, "info", "--json"))[-1])["status"] == "baking"
    assert json.loads(lines(command(shot, "info", "--json"))[-1])["status"] == "interrupted"
    done = command(shot, "validate")
    assert done.returncode == 9 and "3 faults in the cache (its bake was killed)" in done.stdout
    assert "frames 8 to 10: The cached frame is missing" in done.stdout and "frame 9" not in done.stdout


def test_json_log_has_a_line_a_frame(shot):
    done = command(shot, "bake", "--log", "json", "--frames", "3-6", "--threads", "1")
    events = [json.loads(line) for line in lines(done)]
    assert done.returncode == 0
    assert [event["frame"] for event in events if event["event"] == "frame"] == [3, 4, 5, 6]


def test_cache_folder_of_ones_own(shot, tmp_path):
    done = command(shot, "bake", "--cache", str(tmp_path / "my frames"), "--log", "quiet")
    assert done.returncode == 0 and lines(done) == []
    assert len(list((tmp_path / "my frames").glob("frame_*"))) == 10 and not (shot.parent / "dollop_cache").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to send")
def test_sigterm_keeps_frames_and_resume_goes_on(shot):
    environment = {**os.environ, "DOLLOP_TEST_PACE": "0.3", "PYTHONUTF8": "1", "PYTHONUNBUFFERED": "1"}
    words = [sys.executable, str(DRIVER), str(shot), "bake"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
        end = time.monotonic() + 60
        while len(frames_in(shot.parent)) < 2:
            assert time.monotonic() < end and process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 7, err
    assert not ALARMS.search(out) and "dollop: Stopped; finished frames are kept" in err
    kept = frames_in(shot.parent)
    assert 2 <= len(kept) < 10
    done = command(shot, "bake", "--resume")
    assert done.returncode == 0 and frames_in(shot.parent) == list(range(1, 11))
    assert f"frame {kept[-1]} of" not in done.stdout


def test_other_scene_by_name(here, shot):
    bpy.ops.scene.new(type="NEW")
    bpy.context.scene.name = "Zweite"
    bpy.context.scene.frame_end = 4
    add_cube(size=1, location=(0, 0, 3))
    bpy.ops.dollop.body_add()
    bpy.context.window.scene = bpy.data.scenes["Scene"]
    bpy.ops.wm.save_mainfile()
    assert here("bake", "--scene", "Zweite")[0] == 0
    assert frames_in(shot.parent) == [1, 2, 3, 4]
    code, error = here("bake", "--scene", "Dritte")
    assert code == 4 and "no scene 'Dritte'" in error and "'Zweite'" in error


@pytest.mark.parametrize("words", ["", "cook", "bake --frames x", "bake --threads 0", "export --format abc"])
def test_misspelt_is_2(here, words):
    assert here(*words.split())[0] == 2


def test_help_is_0(here):
    assert here("bake", "--help")[0] == 0


def test_missing_blend_is_3(tmp_path):
    done = command(tmp_path / "nowhere.blend", "bake")
    assert done.returncode == 3 and "No .blend is open" in done.stderr


def test_unsaved_file_is_3(here, scene):
    assert here("bake")[0] == 3


def test_bad_scene_is_4(here, shot):
    code, error = here("bake", "--frames", "9-2")
    assert code == 4 and "frame range 9 to 2 is empty" in error
    bpy.context.object.dollop.is_body = False
    assert here("bake")[0] == 4


def test_death_of_the_solver_is_5(here, shot, monkeypatch):
    monkeypatch.setenv("DOLLOP_TEST_DEATH", "4")
    code, error = here("bake")
    assert code == 5 and "The cause of death" in error and frames_in(shot.parent) == [1, 2, 3]


@pytest.mark.skipif(sys.platform == "win32", reason="paths in the way work otherwise there")
def test_folder_that_cannot_be_made_is_6(here, shot, tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert here("bake", "--cache", str(tmp_path / "file" / "cache"))[0] == 6


def test_another_scenes_cache_is_9(here, shot, tmp_path):
    folder = str(tmp_path / "shared")
    assert here("bake", "--cache", folder)[0] == 0
    other = tmp_path / "other.blend"
    bpy.ops.wm.read_factory_settings(use_empty=True)
    add_cube()
    bpy.ops.dollop.body_add()
    bpy.ops.wm.save_as_mainfile(filepath=str(other))
    code, error = here("bake", "--cache", folder)
    assert code == 9 and "holds the bake of other bodies" in error


def test_export(here, shot):
    words = ("export", "--format", "mdd", "--output", "//goo.mdd")
    assert here(*words)[0] == 9
    assert here("bake")[0] == 0
    assert here(*words, "--frames", "2-5")[0] == 0
    assert (shot.parent / "goo.mdd").stat().st_size > 100
    assert here(*words, "--frames", "2-50")[0] == 9


def test_export_that_this_blender_cannot_do_is_10(here, shot, monkeypatch):
    assert here("bake")[0] == 0
    abc = importlib.import_module("dollop.operators.bridge.exports").formats()["ALEMBIC"]
    monkeypatch.setattr(type(abc), "available", False)
    code, error = here("export", "--format", "abc", "--output", "//goo.abc")
    assert code == 10 and "built without Alembic" in error


def test_script_without_operators_and_without_saving(saved):
    """A file that a script has set up by hand has no identifiers; the farm and the artist come to the same ones."""
    cube = add_cube(size=2, location=(0, 0, 30))
    cube.dollop.is_body = True
    bpy.ops.wm.save_mainfile()
    assert cube.dollop.uid == "" and bpy.context.scene.dollop.uid == ""
    assert command(saved, "bake").returncode == 0
    bpy.ops.wm.open_mainfile(filepath=str(saved))
    assert bpy.context.scene.dollop.cached == "Frames 1 to 10 are baked, 10 of 10"


def test_validate(here, shot):
    assert here("validate")[0] == 0
    assert here("validate", "--cached")[0] == 9
    assert here("bake")[0] == 0
    assert here("validate", "--cached")[0] == 0
    bpy.context.object.dollop.resolution += 1
    assert here("validate")[0] == 9, "the frames are of another scene"
    bpy.context.object.dollop.resolution -= 1
    frame = next(shot.parent.glob("dollop_cache/*/frame_000004*"))
    data = bytearray(frame.read_bytes())
    data[len(data) // 2] ^= 255
    frame.write_bytes(data)
    assert here("validate")[0] == 9
    frame.unlink()
    assert here("validate")[0] == 9
    bpy.context.object.data.clear_geometry()
    assert here("validate")[0] == 4


def test_warm_up(here, scene, monkeypatch):
    """It needs no file; the scripted child stands in for a minute of compiling."""
    child = str(Path(__file__).with_name("scripted_child.py"))
    started = []

    def words(part):
        return lambda arguments: started.append(arguments) or [sys.executable, child, part]

    monkeypatch.setattr(bridge("solver_process"), "solver_command", words("speaks"))
    assert here("warm-up")[0] == 0 and started == [["warm-up"]]
    monkeypatch.setattr(bridge("solver_process"), "solver_command", words("dies"))
    code, error = here("warm-up")
    assert code == 5 and "Traceback: the cause" in error
