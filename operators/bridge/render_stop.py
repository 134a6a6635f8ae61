"""Ending a render whose goo cannot be shown. Blender offers no way to, and swallows whatever a handler raises.

In the background the process ends. In the window the render of one frame is kept from starting, an animation from going on.
"""

import os
import sys
import threading
import time

import bpy

from ...solver.errors import SolverError

_NOTED_DOWN = 2.0  # seconds in which a window surely has
_outputs: dict[str, str] = {}  # scene name: where its pictures were to go
_sizes: dict[str, tuple[int, int, int]] = {}  # scene name: how large its picture was to be
_failure: SolverError | None = None


def stop_render(failure: SolverError, scene: bpy.types.Scene) -> None:
    """End a background render with the error's exit code, before the picture is written; in the window, end the animation.

    In the window the process has to live, so the output path is made one that cannot be written: Blender gives up the
    animation at the first picture that it cannot write. `restore_output` puts the path back when it has.
    """
    global _failure
    if scene.name in _outputs:
        return
    print(f"Error: {failure}", file=sys.stderr, flush=True)
    if bpy.app.background:
        sys.stdout.flush()
        os._exit(failure.exit_code)
    _failure, _outputs[scene.name] = failure, scene.render.filepath
    scene.render.filepath = os.path.join(__file__, "no picture of a missing frame ")


def is_still_in_window() -> bool:
    """Tell whether the render that starts is that of one frame, by F12 or the menu: an animation begins at another frame.

    Such renders have a thread of their own, which may come here before the window has noted down their operator.
    """
    if bpy.app.background or threading.current_thread() is threading.main_thread():
        return False
    until = time.monotonic() + _NOTED_DOWN
    while time.monotonic() < until:
        time.sleep(0.02)
        running = [item for window in bpy.context.window_manager.windows for item in window.modal_operators]
        renders = [item for item in running if item.bl_idname == "RENDER_OT_render"]
        if renders:
            return not renders[-1].properties.animation
    return False


def refuse_still(failure: SolverError, scene: bpy.types.Scene) -> None:
    """Keep the window's render of one frame from starting: Blender draws no picture that is less than a pixel large.

    Only before Blender has taken its copy of the render's settings, in `render_init`; `restore_output` puts them back.
    """
    global _failure
    render = scene.render
    print(f"Error: {failure}", file=sys.stderr, flush=True)
    _failure, _sizes[scene.name] = failure, (render.resolution_x, render.resolution_y, render.resolution_percentage)
    render.resolution_x, render.resolution_y, render.resolution_percentage = 4, 4, 1


def restore_output() -> SolverError | None:
    """Put back the paths and sizes that were taken away to stop a render; return why, None if none was."""
    global _failure
    while _outputs:
        name, path = _outputs.popitem()
        if name in bpy.data.scenes:
            bpy.data.scenes[name].render.filepath = path
    while _sizes:
        name, size = _sizes.popitem()
        if name in bpy.data.scenes:
            render = bpy.data.scenes[name].render
            render.resolution_x, render.resolution_y, render.resolution_percentage = size
    failure, _failure = _failure, None
    return failure
