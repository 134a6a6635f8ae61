"""Renders in a Blender process of their own: motion blur from the cache, and no picture of a frame that is not there."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from blenders import Blender, real_blender
from display import virtual_display
from failure import SetUpError
from system_packages import WINDOW_PROGRAMS, ensure_programs

pytestmark = pytest.mark.blender
ROOT = Path(__file__).resolve().parents[3]
STEPS = Path("tests") / "blender" / "playback" / "render_steps.py"
EXIT_CODE = 9  # CacheError
Render = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def program() -> Blender:
    """The real program, or a skip that says why there is none."""
    try:
        return real_blender()
    except SetUpError as error:
        if os.environ.get("DOLLOP_STRICT"):
            raise
        pytest.skip(str(error))


def checkout(folder: Path) -> Path:
    """Copy what Blender needs: one that runs in a root of its own sees this folder only."""
    root = folder / "checkout"
    for part in ("operators", "panels", "presets", "solver"):
        shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
    for part in ("__init__.py", "blender_manifest.toml", str(STEPS)):
        (root / part).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / part, root / part)
    return root


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "BLENDER_USER_RESOURCES": str(folder / "user")}


@pytest.fixture(params=["module", pytest.param("program", marks=[pytest.mark.slow, pytest.mark.program])])
def render(request: pytest.FixtureRequest, tmp_path: Path) -> Render:
    """Run render_steps.py in a Blender of its own; pictures go to tmp_path/pictures."""
    if request.param == "module":
        blender, root = Blender("bpy", "", (sys.executable,)), ROOT
    else:
        blender, root = request.getfixturevalue("program"), checkout(tmp_path)

    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        command = blender.script(root / STEPS, [str(tmp_path), *arguments], tmp_path)
        return subprocess.run(command, capture_output=True, text=True, env=environment(tmp_path), timeout=300, check=False)

    return run


def pictures(folder: Path) -> list[str]:
    return sorted(file.name for file in (folder / "pictures").glob("*"))


@pytest.mark.parametrize("action", ["blur", "blur_positions"])
def test_motion_blur_is_as_long_as_the_flight(action: str, render: Render, tmp_path: Path) -> None:
    """A ball 0.6 wide at 24 m/s and 24 frames a second, shutter open for a whole frame: 1.6 wide.

    By the velocities, with another topology every frame; or by the neighbouring frames, as EEVEE sees it.
    """
    outcome = render(action)
    assert outcome.returncode == 0, outcome.stderr
    assert abs(float(outcome.stdout.split("width ")[1].split()[0]) - 1.6) < 0.1


@pytest.mark.parametrize("damage", ["missing", "flipped"])
def test_a_bad_frame_ends_the_render_before_its_picture(damage: str, render: Render, tmp_path: Path) -> None:
    outcome = render("animation", damage)
    assert outcome.returncode == EXIT_CODE, outcome.stdout + outcome.stderr
    assert pictures(tmp_path) == ["0001.png", "0002.png"]
    assert "frame_000003.dollop.npz" in outcome.stderr and "Goo" in outcome.stderr


def test_a_still_of_a_bad_frame_is_not_written(render: Render, tmp_path: Path) -> None:
    outcome = render("still", "missing")
    assert outcome.returncode == EXIT_CODE, outcome.stdout + outcome.stderr
    assert pictures(tmp_path) == []


def test_a_cache_that_is_gone_ends_the_render(render: Render, tmp_path: Path) -> None:
    outcome = render("animation", "gone")
    assert outcome.returncode == EXIT_CODE, outcome.stdout + outcome.stderr
    assert pictures(tmp_path) == []


def test_the_neighbour_of_a_bad_frame_renders_with_motion_blur(render: Render, tmp_path: Path) -> None:
    outcome = render("neighbour", "missing")
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert pictures(tmp_path) == ["0002.png"]


def test_a_whole_cache_renders_every_frame(render: Render, tmp_path: Path) -> None:
    outcome = render("animation")
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert pictures(tmp_path) == [f"{number:04d}.png" for number in range(1, 5)]


def in_window(action: str, damage: str, program: Blender, tmp_path: Path) -> tuple[dict[str, Any], str]:
    """What the window is like after it has rendered, and what stood on the terminal."""
    absent = ensure_programs({"Xvfb": WINDOW_PROGRAMS["Xvfb"]})
    if absent and not os.environ.get("DOLLOP_STRICT"):
        pytest.skip("the window test needs Xvfb")
    arguments = ["--factory-startup", "--python", str(checkout(tmp_path) / STEPS), "--", str(tmp_path), action, damage]
    with virtual_display() as display:
        command = program.start(["--window-geometry", "0", "0", "400", "300", *arguments], tmp_path)
        surroundings = {**environment(tmp_path), **display.environment}
        outcome = subprocess.run(command, capture_output=True, text=True, env=surroundings, timeout=300, check=False)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    return json.loads((tmp_path / "state.json").read_text()), outcome.stderr


@pytest.mark.slow
@pytest.mark.program
@pytest.mark.parametrize(("damage", "written"), [("missing", 2), ("", 4)])
def test_in_the_window_the_animation_stops_and_the_window_lives(
    damage: str, written: int, program: Blender, tmp_path: Path
) -> None:
    state, said = in_window("window", damage, program, tmp_path)
    assert pictures(tmp_path) == [f"{number:04d}.png" for number in range(1, written + 1)]
    assert state["ended"] == ("cancelled" if damage else "completed")
    assert state["output"] == str(tmp_path / "pictures") + "/"
    assert state["interface_locked"] and state["frame"] == 1 and state["vertices"] > 0
    assert ("frame_000003.dollop.npz" in said) == bool(damage)


@pytest.mark.slow
@pytest.mark.program
@pytest.mark.parametrize("damage", ["missing", "flipped", ""])
def test_in_the_window_a_still_of_a_bad_frame_is_not_drawn(damage: str, program: Blender, tmp_path: Path) -> None:
    state, said = in_window("window_still", damage, program, tmp_path)
    assert state["drawn"] == ([] if damage else [3])
    assert state["resolution"] == [80, 40, 100] and state["output"] == str(tmp_path / "pictures") + "/"
    assert ("frame_000003.dollop.npz" in said) == ("frame_000003.dollop.npz" in state["said"]) == bool(damage)


@pytest.mark.parametrize("change", ["setting", "scene", ""])
def test_a_render_of_a_stale_cache_says_so(change: str, render: Render, tmp_path: Path) -> None:
    outcome = render("stale", change)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    words = {"setting": "The maximum substep was changed after the bake.", "scene": "The scene has changed since the bake."}
    assert ("frames of the last bake are rendered" in outcome.stderr) == bool(change), outcome.stderr
    assert words.get(change, "") in outcome.stderr
    own = [line for line in outcome.stderr.splitlines() if line.startswith("Dollop:")]
    assert len(own) == bool(change) and not any(alarm in line for alarm in ("Error", "Exception", "Warning") for line in own)
    assert pictures(tmp_path)
