"""The artist's way, with a mouse: preview, bake, look, cancel, resume."""

import time
from typing import Any

import pytest

from display import contrast

pytestmark = [pytest.mark.window, pytest.mark.slow]

STAGES = ("Filling", "Frame")  # compiling goes on beside the filling, and is a stage only where it takes longer
PATIENCE = 600.0  # seconds: the solver gets only what the window, and whatever else the machine does, leaves


def redrawn_gap(window: Any) -> float:
    """The longest gap between ticks while the window is drawn at each of them and Dollop does nothing [s]."""
    window.ask("forget gaps")
    window.ask("redraw on")
    time.sleep(4.0)
    window.ask("redraw off")
    gap = window.state()["gaps"]["redrawn"]
    window.ask("forget gaps")
    return float(gap)


def print_gaps(title: str, state: dict[str, Any], before: float, after: float) -> None:
    """Print by stage the longest gap between ticks of a 20 Hz timer and what was done in it (pytest -s shows them).

    They are not held against a limit: what else a machine does, and drawing without a graphics card, delay ticks too. That
    nothing slow is done by the window's thread is tested in tests/blender/bake/test_baking.py.

    before, after : longest gap of the window merely redrawn, without the goo and with it
    """
    print(f"\n{title}: longest gap of the same window merely redrawn {1e3 * before:.0f} ms before, {1e3 * after:.0f} ms after")
    for stage, ticks in state["ticks"].items():
        parts = sorted(state["gap_parts"][stage].items(), key=lambda part: -part[1])
        named = ", ".join(f"{name} {1e3 * seconds:.1f}" for name, seconds in parts if seconds > 5e-4)
        print(f"{title}: {stage}: {ticks} ticks, longest gap {1e3 * state['gaps'][stage]:.0f} ms ({named or 'nothing known'})")


def require_frame(window: Any, number: int) -> None:
    """Wait until the running bake has finished that frame."""
    state = window.wait_for(
        lambda state: state["frame_done"] >= number or (state["message"] and not state["baking"]), f"frame {number}", PATIENCE
    )
    assert state["frame_done"] >= number, state["message"]


def test_preview_and_bake_by_clicks(window: Any) -> None:
    before = window.state()
    assert "Suzanne Goo" not in before["heights"]

    window.find_button("bpy.ops.dollop.tetrahedralize(")
    redrawn = redrawn_gap(window)
    window.display.click()
    previewed = window.wait_for(lambda state: len(state["heights"]) > len(before["heights"]), "a preview of the tets", PATIENCE)
    print_gaps("preview", previewed, redrawn, redrawn_gap(window))
    window.click_button("bpy.ops.dollop.preview_remove(", across=0.83)

    window.find_button("bpy.ops.dollop.bake(")
    redrawn = redrawn_gap(window)
    window.display.click()
    window.wait_for(lambda state: state["baking"], "the bake to start", 20.0)
    require_frame(window, 3)
    window.ask("frame 3")
    while_baking = window.wait_for(lambda state: "Suzanne Goo" in state["heights"], "the goo to be shown", 20.0)
    assert while_baking["baking"], "the bake was over before its first frames could be looked at"
    done = window.wait_for(lambda state: not state["baking"], "the end of the bake", PATIENCE)
    print_gaps("bake", done, redrawn, redrawn_gap(window))
    assert set(STAGES) <= set(done["ticks"]), "the timer stood still for a whole stage of the bake"
    assert done["message"].startswith("Baked frames 1 to 48.")

    assert done["active"] == "Suzanne Goo", "the body that the bake has hidden is still the active object"
    window.ask("frame 1")
    first = window.state()["heights"]["Suzanne Goo"]
    window.ask("frame 40")
    last = window.state()["heights"]["Suzanne Goo"]
    assert first - last > 0.1
    time.sleep(2.0)  # for the drawing
    picture = window.display.screenshot(window.folder / "baked.png")
    assert contrast(picture) > 0.05
    assert contrast(picture, tuple(window.state()["sidebar"])) > 0.02


def test_cancel_keeps_frames_and_resume_goes_on(window: Any) -> None:
    window.ask("last frame 2000")  # long enough to be stopped twice on any machine
    window.click_button("bpy.ops.dollop.bake(")
    require_frame(window, 3)
    window.find_button("bpy.ops.dollop.bake_cancel(")
    pressed = time.monotonic()
    window.display.click()
    stopped = window.wait_for(lambda state: not state["baking"], "the bake to stop", 60.0)
    print(f"\ncancel: stopped {time.monotonic() - pressed:.2f} s after the click")
    assert stopped["message"].startswith("Stopped"), stopped["message"]
    assert 3 <= stopped["frame_done"] < 2000

    window.click_button("bpy.ops.dollop.resume(")
    window.wait_for(lambda state: state["baking"], "the bake to go on", 20.0)
    require_frame(window, stopped["frame_done"] + 1)
    pressed = time.monotonic()
    window.display.press("Escape")
    again = window.wait_for(lambda state: not state["baking"], "Escape to stop the bake", 60.0)
    print(f"cancel: stopped {time.monotonic() - pressed:.2f} s after Escape")
    assert again["message"].startswith("Stopped"), again["message"]
    window.ask("frame 2")
    assert "Suzanne Goo" in window.state()["heights"]


def test_a_place_that_a_check_names_is_shown(window: Any) -> None:
    window.find_button("bpy.ops.dollop.preflight(")
    redrawn = redrawn_gap(window)
    window.display.click()
    checked = window.wait_for(lambda state: state["places"], "the check to name a place of Suzanne", 30.0)
    print_gaps("check", checked, redrawn, redrawn_gap(window))
    assert checked["cursor"] == [0.0, 0.0, 0.0]
    window.click_button("bpy.ops.dollop.place_show(", across=0.83)
    shown = window.wait_for(lambda state: state["cursor"] != checked["cursor"], "the cursor to go there", 30.0)
    cursor = "({:.3g}, {:.3g}, {:.3g})".format(*shown["cursor"])
    # A face is named by its number: the cursor then goes to it, somewhere on Suzanne
    on_a_face = any("face" in place for place in shown["places"]) and max(map(abs, shown["cursor"])) < 1.5
    assert on_a_face or any(cursor in place for place in shown["places"]), f"{cursor} is none of {shown['places']}"
    time.sleep(2.0)  # for the drawing
    assert contrast(window.display.screenshot(window.folder / "shown.png")) > 0.05
