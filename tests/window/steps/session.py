"""Runs inside the real Blender's window: opens the shot and the sidebar tab, then tells the test what it sees.

The test is outside, with a mouse. It learns from state.json what goes on and asks through wanted.json which operator the
button under the mouse runs, for a frame, or for the end. A 20 Hz timer, the measure of a responsive window, records for
each stage its longest gap, and what is known to have been done in it: Dollop's operators and panels, evaluating the scene,
drawing the viewport. Under the stage "redrawn" are the gaps of the same scene while it is drawn at every tick and nothing
is baked. Taken off is the time in which the window's thread was ready and the machine had no processor for it.
"""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
import numpy as np

folder = Path(sys.argv[sys.argv.index("--") + 1])
TICK = 0.05
gaps: dict[str, float] = {}
gap_parts: dict[str, dict[str, float]] = {}
parts: dict[str, float] = {}  # of the gap that is under way
ticks: dict[str, int] = {}
redrawing = False
starved_before = 0.0
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
    """Let the viewport fill the window, show the sidebar, and one redraw later its Dollop tab."""
    global sidebar_asked
    window, area, region = view()
    if len(window.screen.areas) > 1:
        with bpy.context.temp_override(window=window, area=area, region=region):
            bpy.ops.screen.screen_full_area()
        return False
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
    return True


def dialog() -> tuple[bpy.types.Window, bpy.types.Area, bpy.types.Region] | None:
    """The window, the area and the row of buttons of the file dialog, if one is open."""
    for window in bpy.context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "FILE_BROWSER":
                (region,) = [item for item in area.regions if item.type == "EXECUTE"]
                return window, area, region
    return None


def dialog_path() -> str:
    """The file that the dialog would write."""
    opened = dialog()
    parameters = opened[1].spaces.active.params if opened else None
    if parameters is None:
        return ""
    return str(Path(parameters.directory.decode()) / parameters.filename)


def available_formats() -> dict[str, bool]:
    """Which exports this Blender can write."""
    formats = sys.modules[bpy.types.DOLLOP_OT_export.__module__].formats
    return {identifier: item.available for identifier, item in formats().items()}


def last_error() -> str:
    """What Blender has last reported to have failed."""
    errors = [report.message for report in bpy.context.window_manager.reports if report.type == "ERROR"]
    return errors[-1] if errors else ""


def command_under_mouse() -> str:
    """What the button under the mouse would run, as Blender's own Copy Python Command says it."""
    window, area, region = dialog() or view()
    manager = bpy.context.window_manager
    manager.clipboard = ""
    with bpy.context.temp_override(window=window, area=area, region=region):
        if not bpy.ops.ui.copy_python_command_button.poll():
            return ""
        bpy.ops.ui.copy_python_command_button()
    return manager.clipboard


def obey() -> None:
    """Do what wanted.json asks, once for each number."""
    global answered, answer, redrawing
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
        for record in (gaps, gap_parts, ticks):
            record.clear()
    elif wanted["what"].startswith("redraw "):
        redrawing = wanted["what"].endswith("on")
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


def lighten(area: bpy.types.Area) -> None:
    """Look at the body, and leave out of the viewport what is costly to draw without a graphics card."""
    bpy.context.preferences.system.viewport_aa = "OFF"
    bpy.context.preferences.view.filebrowser_display_type = "SCREEN"  # a window of its own would lie outside so small a screen
    space = area.spaces.active
    space.overlay.show_overlays = False
    space.shading.light = "FLAT"
    space.shading.show_cavity = space.shading.show_object_outline = space.shading.show_specular_highlight = False
    (region,) = [item for item in area.regions if item.type == "WINDOW"]
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0], area=area, region=region):
        bpy.ops.view3d.view_selected()


def tell(ready: bool) -> None:
    """Write state.json whole, never half."""
    opened = dialog()
    window, _, region = opened or view()
    scene = bpy.context.scene
    settings = scene.dollop
    place = [region.x, region.y, region.width, region.height]
    state = {
        "ready": ready,
        "answered": answered,
        "answer": answer,
        "window": [window.width, window.height],
        "sidebar": [] if opened else place,
        "dialog": place if opened else [],
        "dialog_path": dialog_path(),
        "formats": available_formats(),
        "error": last_error(),
        "baking": settings.is_baking,
        "stage": settings.stage,
        "message": settings.message,
        "frame_done": settings.frame_done,
        "frame": scene.frame_current,
        "heights": {item.name: mean_height(item) for item in scene.objects if item.type == "MESH" and item.visible_get()},
        "active": active.name if (active := window.view_layer.objects.active) else "",
        "places": settings.places.splitlines(),
        "cursor": list(scene.cursor.location),
        "gaps": gaps,
        "gap_parts": gap_parts,
        "ticks": ticks,
    }
    unfinished = folder / "state.part"
    unfinished.write_text(json.dumps(state), encoding="utf-8")
    unfinished.replace(folder / "state.json")


def starved_time() -> float:
    """Seconds that this thread, the window's, has been ready to run and not let."""
    return float(Path("/proc/thread-self/schedstat").read_text(encoding="ascii").split()[1]) * 1e-9


def stage() -> str:
    """What goes on, in a word."""
    if redrawing:
        return "redrawn"
    return (bpy.context.scene.dollop.stage or "idle").split()[0]


def note(part: str, before: float, starved: float) -> None:
    """Add what a part of the gap took since then, by both clocks."""
    parts[part] = parts.get(part, 0.0) + time.perf_counter() - before - (starved_time() - starved)


@contextmanager
def clocked(part: str) -> Iterator[None]:
    """Note how long the block takes."""
    before, starved = time.perf_counter(), starved_time()
    try:
        yield
    finally:
        note(part, before, starved)


class Span:
    """A part of the gap between two of Blender's own callbacks."""

    def __init__(self, part: str) -> None:
        self.part = part
        self.begun: tuple[float, float] | None = None

    def begin(self, *_: Any) -> None:
        self.begun = time.perf_counter(), starved_time()

    def end(self, *_: Any) -> None:
        if self.begun is not None:
            note(self.part, *self.begun)
            self.begun = None


def timed_draw(draw: Any) -> Any:
    """The same, timed. Blender counts a function's parameters, so they have to be named."""

    def measured(self: Any, context: Any) -> Any:
        with clocked("panels"):
            return draw(self, context)

    return measured


def timed_event(method: Any) -> Any:
    """The same for what takes an event."""

    def measured(self: Any, context: Any, event: Any) -> Any:
        with clocked(f"operator's {method.__name__}"):
            return method(self, context, event)

    return measured


def measure_blenders_time() -> None:
    """Time what Blender tells about: evaluating the scene, drawing the viewport."""
    evaluation, drawing = Span("evaluation"), Span("viewport")
    bpy.app.handlers.depsgraph_update_pre.append(evaluation.begin)
    bpy.app.handlers.depsgraph_update_post.append(evaluation.end)
    bpy.types.SpaceView3D.draw_handler_add(drawing.begin, (), "WINDOW", "PRE_VIEW")
    bpy.types.SpaceView3D.draw_handler_add(drawing.end, (), "WINDOW", "POST_PIXEL")


def measure_own_time() -> None:
    """Time every call that Blender makes into Dollop in the window's thread."""
    beating = bpy.types.DOLLOP_OT_preflight.__mro__[1]  # what all long operators share
    panels = {getattr(bpy.types, name).__mro__[1] for name in dir(bpy.types) if name.startswith("DOLLOP_PT_")}
    for owner in (beating, *panels):
        for name, timed in (("invoke", timed_event), ("modal", timed_event), ("draw", timed_draw)):
            if name in vars(owner):
                setattr(owner, name, timed(getattr(owner, name)))


def tick() -> float:
    """One beat of the timer."""
    global last_tick, starved_before
    now, starved = time.perf_counter(), starved_time()
    name = stage()
    gap = now - last_tick - (starved - starved_before)
    if gap > gaps.get(name, 0.0):
        gaps[name], gap_parts[name] = gap, dict(parts)
    parts.clear()
    ticks[name] = ticks.get(name, 0) + 1
    last_tick, starved_before = now, starved
    ready = now - started > 2.0 and (dialog() is not None or open_sidebar())
    if redrawing:
        for area in view()[0].screen.areas:
            area.tag_redraw()
    obey()
    tell(ready)
    return TICK


bpy.context.preferences.view.show_splash = False
measure_own_time()
measure_blenders_time()
bpy.app.timers.register(tick, first_interval=0.5, persistent=True)
