"""Runs inside the real Blender's window: opens the shot and the sidebar tab, then tells the test what it sees.

The test is outside, with a mouse. It learns from state.json what goes on and asks through wanted.json which operator the
button under the mouse runs, for a frame, or for the end. A 20 Hz timer, the measure of a responsive window, records its
longest gaps. Taken off is the time in which the window's thread was ready and the machine had no processor for it. Gaps in
which the viewport was drawn are kept apart: here the processor draws it, which alone can take 0.1 s (`redraw`).
"""

import json
import sys
import time
from pathlib import Path

import bpy
import numpy as np

folder = Path(sys.argv[sys.argv.index("--") + 1])
TICK = 0.05
gaps: dict[str, float] = {}
gaps_with_drawing: dict[str, float] = {}
raw_gaps: dict[str, float] = {}
long_gaps: dict[str, int] = {}
LONG = 0.1
ticks: dict[str, int] = {}
redraw = 0.0
starved_before = 0.0
draws = 0
draws_seen = 0
last_tick = time.perf_counter()
started = time.perf_counter()
answered = -1
answer = ""
sidebar_asked = False


def view() -> tuple[bpy.types.Window, bpy.types.Area, bpy.types.Region]:
    """The window, its viewport and the viewport's sidebar."""
    window = bpy.context.window_manager.windows[0]
    area = max((item for item in window.screen.areas if item.type == "VIEW_3D"), key=lambda item: item.width * item.height)
    (region,) = [item for item in area.regions if item.type == "UI"]
    return window, area, region


def open_sidebar() -> bool:
    """Show the sidebar, and one redraw later its Dollop tab."""
    global sidebar_asked
    _, area, region = view()
    if not sidebar_asked:
        area.spaces.active.show_region_ui = True
        lighten(area)
        sidebar_asked = True
        return False
    if region.width <= 1:
        return False
    if region.active_panel_category != "Dollop":
        region.active_panel_category = "Dollop"
        region.tag_redraw()
        return False
    if not redraw:
        measure_redraw()
    return True


def command_under_mouse() -> str:
    """What the button under the mouse would run, as Blender's own Copy Python Command says it."""
    window, area, region = view()
    manager = bpy.context.window_manager
    manager.clipboard = ""
    with bpy.context.temp_override(window=window, area=area, region=region):
        if not bpy.ops.ui.copy_python_command_button.poll():
            return ""
        bpy.ops.ui.copy_python_command_button()
    return manager.clipboard


def obey() -> None:
    """Do what wanted.json asks, once for each number."""
    global answered, answer
    path = folder / "wanted.json"
    if not path.exists():
        return
    wanted = json.loads(path.read_text(encoding="utf-8"))
    if wanted["number"] == answered:
        return
    if wanted["what"] == "quit":
        bpy.ops.wm.quit_blender()
        return
    if wanted["what"] == "forget gaps":
        for record in (gaps, gaps_with_drawing, raw_gaps, long_gaps, ticks):
            record.clear()
    elif wanted["what"].startswith("last frame "):
        bpy.context.scene.frame_end = int(wanted["what"].split()[-1])
    elif wanted["what"].startswith("frame "):
        bpy.context.scene.frame_set(int(wanted["what"].split()[1]))
    answer = command_under_mouse() if wanted["what"] == "button" else ""
    answered = wanted["number"]


def mean_height(item: bpy.types.Object) -> float:
    """Mean z of a mesh's vertices, in the world."""
    values = np.empty(3 * len(item.data.vertices), dtype=np.float32)
    item.data.vertices.foreach_get("co", values)
    return float(values[2::3].mean() + item.matrix_world.translation.z) if len(values) else 0.0


def count_drawing() -> None:
    """Called by Blender for each drawing of a viewport."""
    global draws
    draws += 1


def lighten(area: bpy.types.Area) -> None:
    """Look at the body, and leave out of the viewport what is costly to draw without a graphics card."""
    bpy.context.preferences.system.viewport_aa = "OFF"
    space = area.spaces.active
    space.overlay.show_overlays = False
    space.shading.light = "FLAT"
    space.shading.show_cavity = space.shading.show_object_outline = False
    (region,) = [item for item in area.regions if item.type == "WINDOW"]
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0], area=area, region=region):
        bpy.ops.view3d.view_selected()


def tell(ready: bool) -> None:
    """Write state.json whole, never half."""
    window, _, region = view()
    scene = bpy.context.scene
    settings = scene.dollop
    state = {
        "ready": ready,
        "answered": answered,
        "answer": answer,
        "window": [window.width, window.height],
        "sidebar": [region.x, region.y, region.width, region.height],
        "baking": settings.is_baking,
        "stage": settings.stage,
        "message": settings.message,
        "frame_done": settings.frame_done,
        "frame": scene.frame_current,
        "heights": {item.name: mean_height(item) for item in scene.objects if item.type == "MESH" and item.visible_get()},
        "gaps": gaps,
        "gaps_with_drawing": gaps_with_drawing,
        "raw_gaps": raw_gaps,
        "long_gaps": long_gaps,
        "redraw": redraw,
        "ticks": ticks,
    }
    unfinished = folder / "state.part"
    unfinished.write_text(json.dumps(state), encoding="utf-8")
    unfinished.replace(folder / "state.json")


def starved_time() -> float:
    """Seconds that this thread, the window's, has been ready to run and not let."""
    return float(Path("/proc/thread-self/schedstat").read_text(encoding="ascii").split()[1]) * 1e-9


def measure_redraw() -> None:
    """How long the whole window takes to draw on this machine."""
    global redraw
    before = time.perf_counter()
    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=5)
    redraw = (time.perf_counter() - before) / 5


def tick() -> float:
    """One beat of the timer."""
    global last_tick, draws_seen, starved_before
    now, starved = time.perf_counter(), starved_time()
    name = (bpy.context.scene.dollop.stage or "idle").split()[0]
    raw = now - last_tick
    own = raw - (starved - starved_before)
    record = gaps if draws == draws_seen else gaps_with_drawing
    record[name] = max(record.get(name, 0.0), own)
    long_gaps[name] = long_gaps.get(name, 0) + (record is gaps and own > LONG)
    raw_gaps[name] = max(raw_gaps.get(name, 0.0), raw)
    ticks[name] = ticks.get(name, 0) + 1
    last_tick, draws_seen, starved_before = now, draws, starved
    ready = time.perf_counter() - started > 2.0 and open_sidebar()
    obey()
    tell(ready)
    return TICK


bpy.context.preferences.view.show_splash = False
bpy.types.SpaceView3D.draw_handler_add(count_drawing, (), "WINDOW", "POST_PIXEL")
bpy.app.timers.register(tick, first_interval=0.5, persistent=True)
