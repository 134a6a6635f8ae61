"""Baked frames off the disk, result objects out of the scene, bodies back in sight."""

from pathlib import Path

import bpy

from ...solver.cache import FrameStore
from ...solver.errors import CacheError
from .bake_status import BakeStatus, keep_status
from .folders import cache_folder
from .result_mesh import clear_results

_cleared: set[Path] = set()


def clear_cache(scene: bpy.types.Scene) -> Path:
    """Delete the scene's frames, Dollop's own files only, and return their folder. Raises ResourceError, VersionError."""
    folder = cache_folder(scene)[0]
    clear_results(scene)
    try:
        FrameStore.open(folder).clear()
    except CacheError:
        if (folder / "dollop_cache.json").exists():
            raise
    _cleared.add(folder)
    keep_status(scene.dollop.uid, BakeStatus())
    return folder


def was_cleared(scene: bpy.types.Scene) -> bool:
    """Tell whether the scene's frames were cleared in this session and not baked again since."""
    folder, _ = cache_folder(scene)
    return folder in _cleared and not FrameStore.exists(folder)
