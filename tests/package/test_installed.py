"""Installed from the built zip, in a clean Blender: a shot is made, baked, reopened, played and rendered."""

from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.package, pytest.mark.slow]


def test_it_lives_on_its_own_wheels_and_blenders_numpy(installation: Any, shot: dict[str, Any]) -> None:
    local = str((installation.folder / "resources" / "extensions" / ".local").resolve())
    for module in ("numba", "scipy", "llvmlite", "tetgen", "manifold3d", "igl"):
        assert shot["wheels"][module].startswith(local), f"{module} comes from {shot['wheels'][module] or 'nowhere'}"
    assert not shot["wheels"]["numpy"].startswith(local)


def test_the_preset_came_along(shot: dict[str, Any]) -> None:
    assert shot["preset"] == "dough"


def test_the_bake_plays_and_renders_after_reopening(installation: Any, baked: Path) -> None:
    result = installation.step("play", str(baked), str(installation.folder / "picture.png"))
    assert result["finite"]
    assert result["vertices"] == 42
    # Five frames of free fall are at most 0.21 m; the ground stands 2 cm below.
    assert 0.01 < result["fall"] < 0.3
    assert result["contrast"] > 0.02
    assert result["source_hidden"]
