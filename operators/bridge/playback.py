"""Playing a cache: every frame change fills the result objects from it, in the viewport and in renders.

A frame that is missing or damaged never shows as a rest pose: the result is emptied and the scene says why; a render
in the background ends with the error's exit code before it writes the picture.
"""

import sys
import traceback
from typing import Any

import bpy
from bpy.app.handlers import persistent

from ...solver.cache import FrameStore, sample
from ...solver.errors import CacheError, SolverError
from .folders import cache_folder
from .identity import bodies_of
from .render_stop import is_still_in_window, refuse_still, restore_output, stop_render
from .result_mesh import RESULT_OF, empty_result, ensure_result, fill_result, place_result, results_of, scenes_shown
from .scene_cache import forget_stores, quick_stale_reason, stale_note, store_of
from .staleness import stale_reason

STATUS = "dollop_playback"  # on the scene: one sentence for the panels, absent while all is well
_rendering = False
_engine_frame: float | None = None  # while an engine renders this frame, others that it asks for are for motion blur


class NotBakedYetError(CacheError):
    """The bake has not come to this frame; no damage, so the window says it in the panel only."""


def play(scene: bpy.types.Scene, *, neighbour: bool = False) -> SolverError | None:
    """Show the scene's present frame, subframes included, on every result; return what went wrong, if anything.

    A frame past the last finished one of a bake that is not complete shows the last one, and the scene says so; renders
    refuse it. neighbour: the frame is only asked for by motion blur; where it is missing, what is shown stays.
    """
    failure: SolverError | None = None
    filled: set[int] = set()
    for shown in scenes_shown(scene):
        for item in results_of(shown):
            if item.data.session_uid not in filled and not item.data.is_editmode:
                filled.add(item.data.session_uid)
                error = _fill(item, shown, _time(scene), neighbour)
                failure = failure or error
    if not neighbour:
        fresh = failure is None and next(results_of(scene), None) is not None
        _say(scene, failure, quick_stale_reason(scene, store_of(scene)) if fresh else "")
    return failure


def _fill(item: bpy.types.Object, scene: bpy.types.Scene, time: float, neighbour: bool) -> SolverError | None:
    try:
        store = store_of(scene)
        try:
            fill_result(item, sample(store, item[RESULT_OF], time), store, scene)
        except CacheError:
            last = max(store.frames(), default=None)
            if neighbour or last is None or time <= last:
                raise
            fill_result(item, sample(store, item[RESULT_OF], last), store, scene)
            return NotBakedYetError(
                f"This frame is not baked; frame {last}, the last one, is shown.", body=item.name, remedy="Resume the bake."
            )
    except SolverError as error:
        if not neighbour:
            empty_result(item)
        return type(error)(error.message, body=item.name, place=error.place, frame=error.frame, remedy=error.remedy)
    except Exception as error:  # a fault of Dollop's own must not show a wrong frame either
        traceback.print_exc()
        empty_result(item)
        return CacheError(f"Playback failed ({error!r}).", body=item.name, remedy="Please report this.")
    return None


def _time(scene: bpy.types.Scene) -> float:
    """Return the present frame with its part between frames, and with the scene's time stretching, as Blender's own caches."""
    return float(scene.frame_current_final)


def show_results(scene: bpy.types.Scene) -> SolverError | None:
    """Make what result objects are missing, for bodies that the cache knows, and show the present frame."""
    try:
        store = store_of(scene)
        for body in bodies_of(scene):
            if store.body(body.dollop.uid):
                item = ensure_result(scene, store, body.dollop.uid)
                place_result(item, store.read_body_frame(store.manifest["frame_start"], body.dollop.uid), store, scene)
    except SolverError as error:
        _say(scene, error)
        return error
    return play(scene)


def _say(scene: bpy.types.Scene, failure: SolverError | None, note: str = "") -> None:
    """Keep the sentence for the panels; damage also pops up once, later, because a handler may not open a window."""
    text = str(failure) if failure else note
    if scene.get(STATUS, "") == text:
        return
    if not text:
        del scene[STATUS]
        return
    scene[STATUS] = text
    if failure is not None and not _rendering and not isinstance(failure, NotBakedYetError):
        _pop_up_soon(text)


def _pop_up_soon(text: str) -> None:
    """Open a popup from the event loop, since a handler may not."""

    def pop_up() -> None:
        windows = bpy.context.window_manager.windows
        if len(windows):
            with bpy.context.temp_override(window=windows[0]):
                bpy.context.window_manager.popup_menu(
                    lambda menu, _context: menu.layout.label(text=text), title="Dollop", icon="ERROR"
                )

    if not bpy.app.background:
        bpy.app.timers.register(pop_up, first_interval=0.0)


@persistent
def _on_frame_change(scene: bpy.types.Scene, *_: Any) -> None:
    if _engine_frame is not None and _time(scene) != _engine_frame:
        play(scene, neighbour=True)
        return
    failure = play(scene)
    if failure is not None and _rendering:
        stop_render(failure, scene)


@persistent
def _on_load(*_: Any) -> None:
    show_all()


def show_all() -> None:
    """Show the present frame of every scene that is baked, from caches opened anew."""
    forget_stores()
    for scene in bpy.data.scenes:
        if bodies_of(scene) and FrameStore.exists(cache_folder(scene)[0]):
            show_results(scene)
        elif next(results_of(scene), None):
            play(scene)


@persistent
def _on_render_start(scene: bpy.types.Scene, *_: Any) -> None:
    global _rendering, _engine_frame
    _rendering, _engine_frame = True, None
    shown = {item[RESULT_OF] for item in results_of(scene)}
    if shown:
        scene.render.use_lock_interface = True
    for body in bodies_of(scene):
        if body.dollop.uid not in shown and not body.hide_render:
            print(f"Dollop: '{body.name}' is not baked and renders as it stands.", file=sys.stderr, flush=True)
    if shown:
        _report_stale(scene)
        if is_still_in_window() and (failure := play(scene)) is not None:
            refuse_still(failure, scene)


def _report_stale(scene: bpy.types.Scene) -> None:
    """Say on the terminal when older settings are rendered; in the background, when anything else has changed too.

    In the window this runs beside the drawing, where the scene cannot be read.
    """
    try:
        note = stale_reason(scene) if bpy.app.background else stale_note(scene)
    except SolverError as error:
        note = f"Whether the bake is still that of the scene cannot be told: {error}"
    if note:
        print(f"Dollop: {note} The frames of the last bake are rendered.", file=sys.stderr, flush=True)


@persistent
def _on_render_frame(scene: bpy.types.Scene, *_: Any) -> None:
    """The last moment before the engine starts; the frame has been set by now, but not by every kind of render."""
    global _engine_frame
    failure = play(scene)
    if failure is not None:
        stop_render(failure, scene)
    _engine_frame = _time(scene)


@persistent
def _on_render_frame_end(*_: Any) -> None:
    global _engine_frame
    _engine_frame = None


@persistent
def _on_render_end(*_: Any) -> None:
    global _rendering, _engine_frame
    _rendering, _engine_frame = False, None
    failure = restore_output()
    if failure is not None:
        _pop_up_soon(f"The render was stopped. {failure}")


_HANDLERS = {
    "frame_change_pre": _on_frame_change,
    "load_post": _on_load,
    "render_init": _on_render_start,
    "render_pre": _on_render_frame,
    "render_post": _on_render_frame_end,
    "render_complete": _on_render_end,
    "render_cancel": _on_render_end,
}


def register() -> None:
    """Install the handlers once, however often this is called."""
    unregister()
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    """Remove the handlers; those of an earlier load of this module too."""
    for name, handler in _HANDLERS.items():
        handlers = getattr(bpy.app.handlers, name)
        for old in [h for h in handlers if h.__name__ == handler.__name__ and h.__module__ == handler.__module__]:
            handlers.remove(old)
    forget_stores()
