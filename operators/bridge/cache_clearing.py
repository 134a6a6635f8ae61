"""Baked frames off the disk, result objects out of the scene, bodies back in sight."""

from pathlib import Path

import bpy

from ...solver.cache import FrameStore
from ...solver.errors import CacheError
from .bake_status import BakeStatus, keep_status
from .folders import cache_folder
from .playback import play
from .result_mesh import clear_results
from .selection import body_takes_over


def clear_cache(scene: bpy.types.Scene) -> Path:
    """Delete the scene's frames, Dollop's own files only, and return their folder. Raises ResourceError, VersionError."""
    folder = cache_folder(scene)[0]
    try:
        FrameStore.open(folder).clear()
    except CacheError:
        if (folder / "dollop_cache.json").exists():
            raise
    with body_takes_over(scene):
        clear_results(scene)  # only now: frames that cannot be deleted play on
    keep_status(scene.dollop.uid, BakeStatus())
    play(scene)  # nothing, so that nothing is said of frames any more
    return folder
