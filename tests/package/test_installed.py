"""Installed from the built zip, in a clean Blender: a shot is made, baked, reopened, played and rendered."""

from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.package, pytest.mark.slow]


@pytest.fixture(scope="session")
def shot(installation: Any) -> dict[str, Any]:
    """A shot made with the operators and saved."""
    blend = installation.folder / "shot.blend"
    return {"blend": blend, **installation.step("make_shot", str(blend), str(installation.folder / "cache"))}


@pytest.fixture(scope="session")
def baked(installation: Any, shot: dict[str, Any]) -> Path:
    """The same shot baked: by the command where there is a program, else by the operator."""
    if installation.blender.is_program:
        installation.program("-b", str(shot["blend"]), "--python-exit-code", "1", "--command", "dollop", "bake")
    else:
        assert installation.step("bake", str(shot["blend"]))["outcome"] == ["FINISHED"]
    return shot["blend"]


def test_it_lives_on_its_own_wheels_and_blenders_numpy(installation: Any, shot: dict[str, Any]) -> None:
    local = str((installation.folder / "resources" / "extensions" / ".local").resolve())
    for module in ("numba", "scipy", "llvmlite", "tetgen"):
        assert shot["wheels"][module].startswith(local), f"{module} comes from {shot['wheels'][module] or 'nowhere'}"
    assert not shot["wheels"]["numpy"].startswith(local)


def test_the_preset_came_along(shot: dict[str, Any]) -> None:
    assert shot["preset"] == "dough"


def test_the_bake_plays_and_renders_after_reopening(installation: Any, baked: Path) -> None:
    result = installation.step("play", str(baked), str(installation.folder / "picture.png"))
    assert result["finite"]
    assert result["vertices"] == 162
    # Five frames of free fall are at most 0.21 m; the ground stands 2 cm below.
    assert 0.01 < result["fall"] < 0.3
    assert result["contrast"] > 0.02
    assert result["source_hidden"]


@pytest.mark.parametrize("installation", ["real"], indirect=True)
def test_a_missing_blend_is_an_error(installation: Any) -> None:
    """Blender itself only prints a line and carries on with its default scene."""
    missing = str(installation.folder / "missing.blend")
    output = installation.program("-b", missing, "--command", "dollop", "bake", expected=3)
    assert "missing.blend" in output
