"""What Dollop does by itself when files are opened, saved and left."""

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


def take_up_open_file() -> None:
    """Show what the open file has, when Dollop is switched on in one.

    Blender hides its data from what it switches on, so this waits for the event loop. While Blender starts there is no file
    yet: opening one drops what waits, and load_post does the same.
    """
    # As a module, bpy hides its data from Blender's own scripts alone, of which Dollop uses some
    seen_by_scripts = getattr(bpy.path, "_bpy", bpy).data
    if isinstance(seen_by_scripts, bpy.types.BlendData):
        _take_up()
    else:
        bpy.app.timers.register(_take_up, first_interval=0.0)


def _take_up() -> None:
    """Switching on in an open file is like opening it: identifiers first, and an undo step for what was made."""
    from .bridge.identity import complete_all
    from .bridge.playback import show_all

    complete_all()
    before = len(bpy.data.objects)
    show_all()
    if len(bpy.data.objects) != before and not bpy.app.background:
        bpy.app.timers.register(_push_undo, first_interval=0.0)


def _push_undo() -> None:
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
    for waiting in (_take_up, _push_undo):
        if bpy.app.timers.is_registered(waiting):
            bpy.app.timers.unregister(waiting)
    for handlers, handler in _lists():
        for present in [item for item in handlers if getattr(item, "__name__", "") == handler.__name__]:
            if present.__module__ == handler.__module__:
                handlers.remove(present)
