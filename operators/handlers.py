"""What Dollop does by itself when files are opened, saved and left."""

from contextlib import contextmanager

import bpy
from bpy.app.handlers import persistent


@persistent
def _before_load(*_):
    """A bake belongs to its file."""
    from .bridge.bake_session import stop_running

    stop_running()


@persistent
def _before_save(*_):
    """Duplicates get identifiers of their own while it is still known which one is the original."""
    from .bridge.identity import repair_all
    from .bridge.overrides import prepare_overrides

    repair_all()
    prepare_overrides()


@persistent
def _after_save(*_):
    """Frames of a file that has got its place move there."""
    from .bridge.bake_session import running_session
    from .bridge.unsaved_cache import settle_cache

    if running_session() is None:
        for scene in bpy.data.scenes:
            settle_cache(scene)


@persistent
def _after_load(*_):
    """Before playback looks for the caches, everything has its identifier."""
    from .bridge.identity import complete_all

    complete_all()


@persistent
def _after_undo(*_):
    """Undo brings back what a result showed then; its frame on the disk is what it has to show."""
    from .bridge.playback import play
    from .bridge.result_mesh import results_of

    for scene in bpy.data.scenes:
        if next(results_of(scene), None) is not None:
            play(scene)


@contextmanager
def in_open_file():
    """Switching on in an open file is like opening it: identifiers first, and an undo step for what was made.

    While Blender starts there is no file yet; load_post comes later.
    """
    from .bridge.identity import complete_all

    if not isinstance(bpy.data, bpy.types.BlendData):
        yield
        return
    complete_all()
    before = len(bpy.data.objects)
    yield
    if len(bpy.data.objects) != before and not bpy.app.background:
        bpy.app.timers.register(_push_undo, first_interval=0.0)


def _push_undo():
    """From the event loop, because switching on happens inside an operator that pushes none."""
    bpy.ops.ed.undo_push(message="Show Goo")


def _lists():
    handlers = bpy.app.handlers
    return (
        (handlers.load_post, _after_load),
        (handlers.save_post, _after_save),
        (handlers.undo_post, _after_undo),
        (handlers.redo_post, _after_undo),
        (handlers.load_pre, _before_load),
        (handlers.save_pre, _before_save),
    )


def register() -> None:
    """Add the handlers once."""
    unregister()
    for handlers, handler in _lists():
        handlers.append(handler)


def unregister() -> None:
    """Take them out again, also those of an earlier load of this module."""
    for handlers, handler in _lists():
        for present in [item for item in handlers if getattr(item, "__name__", "") == handler.__name__]:
            if present.__module__ == handler.__module__:
                handlers.remove(present)
