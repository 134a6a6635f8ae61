"""Ending a render whose goo cannot be shown. Blender offers no way to, and swallows whatever a handler raises."""

import os
import sys

import bpy

from ...solver.errors import SolverError

_outputs: dict[str, str] = {}  # scene name: where its pictures were to go
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


def restore_output() -> SolverError | None:
    """Put back the output paths that `stop_render` took away; return why it did, None if it did not."""
    global _failure
    while _outputs:
        name, path = _outputs.popitem()
        if name in bpy.data.scenes:
            bpy.data.scenes[name].render.filepath = path
    failure, _failure = _failure, None
    return failure
