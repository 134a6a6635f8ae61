"""Renders in a Blender process of their own: motion blur from the cache, and no picture of a frame that is not there."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.blender
STEPS = Path(__file__).parent / "render_steps.py"
EXIT_CODE = 9  # CacheError


def render(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run render_steps.py; pictures go to folder/pictures."""
    assert importlib.util.find_spec("bpy")
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(STEPS), str(folder), *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)


def pictures(folder: Path) -> list[str]:
    return sorted(file.name for file in (folder / "pictures").glob("*"))


def test_motion_blur_is_as_long_as_the_velocity(tmp_path: Path) -> None:
    """A ball 0.6 wide at 24 m/s and 24 frames a second, shutter open for a whole frame: 1.6 wide; another topology a frame."""
    outcome = render(tmp_path, "blur")
    assert outcome.returncode == 0, outcome.stderr
    assert abs(float(outcome.stdout.split("width ")[1].split()[0]) - 1.6) < 0.1


@pytest.mark.parametrize("damage", ["missing", "flipped"])
def test_a_bad_frame_ends_the_render_before_its_picture(damage: str, tmp_path: Path) -> None:
    outcome = render(tmp_path, "animation", damage)
    assert outcome.returncode == EXIT_CODE, outcome.stdout + outcome.stderr
    assert pictures(tmp_path) == ["0001.png", "0002.png"]
    assert "frame_000003.dollop.npz" in outcome.stderr and "Goo" in outcome.stderr


def test_a_still_of_a_bad_frame_is_not_written(tmp_path: Path) -> None:
    outcome = render(tmp_path, "still", "missing")
    assert outcome.returncode == EXIT_CODE, outcome.stdout + outcome.stderr
    assert pictures(tmp_path) == []


def test_a_cache_that_is_gone_ends_the_render(tmp_path: Path) -> None:
    outcome = render(tmp_path, "animation", "gone")
    assert outcome.returncode == EXIT_CODE, outcome.stdout + outcome.stderr
    assert pictures(tmp_path) == []


def test_the_neighbour_of_a_bad_frame_renders_with_motion_blur(tmp_path: Path) -> None:
    outcome = render(tmp_path, "neighbour", "missing")
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert pictures(tmp_path) == ["0002.png"]


def test_a_whole_cache_renders_every_frame(tmp_path: Path) -> None:
    outcome = render(tmp_path, "animation")
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr
    assert pictures(tmp_path) == [f"{number:04d}.png" for number in range(1, 5)]
