"""Exports finished with the mouse: the button of a format, the file dialog, and what was written read back."""

from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.window, pytest.mark.slow]

ENDINGS = {"ALEMBIC": ".abc", "USD": ".usdc", "MDD": ".mdd", "SHAPE_KEYS": ".blend"}

LAST = 4


@pytest.fixture
def baked(window: Any) -> Any:
    """The window with a bake of a few frames, made by a click as well."""
    window.ask(f"last frame {LAST}")
    window.click_button("bpy.ops.dollop.bake(")
    window.wait_for(lambda state: state["message"].startswith("Baked"), "the end of the bake", 600.0)
    return window


def fallen(window: Any) -> float:
    """How far the goo has sunk from the first frame to the last, as it plays."""
    heights = []
    for frame in (1, LAST):
        window.ask(f"frame {frame}")
        heights.append(window.state()["heights"]["Suzanne Goo"])
    return heights[0] - heights[1]


def export_by_clicks(window: Any, identifier: str, path: Path) -> None:
    """The format's button, and the dialog's with the name that it proposes."""
    window.click_button(f"bpy.ops.dollop.export(format='{identifier}'")
    shown = window.wait_for(lambda state: state["dialog"], "the file dialog", 30.0)
    assert Path(shown["dialog_path"]) == path
    window.click_in_dialog("bpy.ops.file.execute(")
    window.wait_for(lambda state: not state["dialog"] and path.is_file(), f"{path.name} to be written", 60.0)


def refused_by_a_click(window: Any, identifier: str) -> None:
    """What this Blender cannot write is told before a file is chosen; the message goes with Escape."""
    window.click_button(f"bpy.ops.dollop.export(format='{identifier}'")
    reason = f"was built without {identifier}."
    told = window.wait_for(lambda state: reason.lower() in state["error"].lower(), f"'{reason}'", 20.0)
    assert not told["dialog"]
    window.display.press("Escape")


def test_every_format_is_written_by_clicks_and_reads_back(baked: Any) -> None:
    expected, available = fallen(baked), baked.state()["formats"]
    assert expected > 0.01 and available["MDD"] and available["SHAPE_KEYS"]
    for identifier, ending in ENDINGS.items():
        path = baked.blend.with_name(f"{baked.blend.stem}_goo{ending}")
        if not available[identifier]:
            refused_by_a_click(baked, identifier)
            continue
        export_by_clicks(baked, identifier, path)
        heights = baked.installation.step("read_export", identifier, str(path))["heights"]
        assert len(heights) == LAST
        assert heights[0] - heights[-1] == pytest.approx(expected, abs=1e-4)
