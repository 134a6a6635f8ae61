"""`blender -b shot.blend --command dollop …` in the real program, from the installed zip: what it does, how it ends."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.package, pytest.mark.slow, pytest.mark.parametrize("installation", ["real"], indirect=True)]


def dollop(installation: Any, blend: Path, *arguments: str, expected: int = 0) -> str:
    """Run one subcommand on a shot; return what it wrote."""
    return installation.program("-b", str(blend), "--command", "dollop", *arguments, expected=expected)


@pytest.fixture
def shot_of_its_own(installation: Any, shot: dict[str, Any], tmp_path: Path) -> Path:
    """A copy of the shot whose cache lies beside it."""
    folder = installation.folder / tmp_path.name
    folder.mkdir()
    blend = folder / "shot.blend"
    shutil.copy(shot["blend"], blend)
    return blend


def test_a_missing_blend_is_an_error(installation: Any) -> None:
    """Blender itself only prints a line and carries on with its default scene."""
    output = dollop(installation, installation.folder / "missing.blend", "bake", expected=3)
    assert "missing.blend" in output


def test_a_mistyped_option_is_an_error(installation: Any, shot: dict[str, Any]) -> None:
    assert "--frames" in dollop(installation, shot["blend"], "bake", "--frames", "one", expected=2)


def test_bake_in_two_parts_is_whole(installation: Any, shot_of_its_own: Path) -> None:
    cache = str(shot_of_its_own.parent / "frames")
    output = dollop(installation, shot_of_its_own, "bake", "--cache", cache, "--frames", "1-3", "--log", "json")
    events = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
    assert [event["frame"] for event in events if event["event"] == "frame"] == [1, 2, 3]
    dollop(installation, shot_of_its_own, "bake", "--cache", cache, "--frames", "1-6", "--resume", "--threads", "1")
    assert "the cache is whole" in dollop(installation, shot_of_its_own, "validate", "--cache", cache, "--cached")
    facts = re.search(r"^\{.*\}$", dollop(installation, shot_of_its_own, "info", "--json", "--cache", cache), re.MULTILINE)
    assert json.loads(facts.group())["frame_end"] == 6


def test_export_says_when_this_blender_cannot(installation: Any, baked: Path) -> None:
    """Debian builds Blender without Alembic; MDD is written by Dollop itself."""
    target = installation.folder / "goo.mdd"
    dollop(installation, baked, "export", "--format", "mdd", "--output", str(target))
    assert target.stat().st_size > 1000
    code = "import bpy; print('ALEMBIC', bpy.app.build_options.alembic)"
    built_with = "ALEMBIC True" in installation.program("-b", "--python-expr", code)
    path = str(installation.folder / "goo.abc")
    output = dollop(installation, baked, "export", "--format", "abc", "--output", path, expected=0 if built_with else 10)
    assert Path(path).exists() == built_with
    assert built_with or "Alembic" in output


def test_a_render_without_its_frames_fails_before_the_picture(installation: Any, baked: Path) -> None:
    cache = installation.folder / "cache"
    picture = installation.folder / "still_0004.png"
    arguments = ("-b", str(baked), "-o", str(installation.folder / "still_####"), "-F", "PNG", "-f", "4")
    (frame,) = cache.glob("frame_000004.*")
    hidden = frame.rename(frame.with_suffix(".away"))
    try:
        output = installation.program(*arguments, expected=9)
        assert not picture.exists(), output[-1000:]
    finally:
        hidden.rename(frame)
    installation.program(*arguments)
    assert picture.stat().st_size > 1000
