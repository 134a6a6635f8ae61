"""Baked frames off the disk, result objects out of the scene, bodies back in sight."""

from pathlib import Path

import bpy

from ...solver.cache import FrameStore
from ...solver.errors import CacheError
from .bake_status import BakeStatus, keep_status
from .folders import cache_folder
from .identity import repair_all
from .playback import play
from .result_mesh import clear_results
from .selection import body_takes_over


def clear_cache(scene: bpy.types.Scene) -> Path:
    """Delete the scene's frames, Dollop's own files only, and return their folder.

    Raises ResourceError, VersionError, and CacheError for frames that another scene of the file has baked.
    """
    repair_all()  # a copied scene still carries the identifier of the one it was copied from, and with it that one's folder
    folder = cache_folder(scene)[0]
    try:
        store = FrameStore.open(folder)
        _require_own_frames(store, scene, folder)
        store.clear()
    except CacheError:
        if (folder / "dollop_cache.json").exists():
            raise
    with body_takes_over(scene):
        clear_results(scene)  # only now: frames that cannot be deleted play on
    keep_status(scene.dollop.uid, BakeStatus())
    play(scene)  # nothing, so that nothing is said of frames any more
    return folder


def _require_own_frames(store: FrameStore, scene: bpy.types.Scene, folder: Path) -> None:
    owner = (store.manifest.get("scene") or {}).get("uid", "")
    others = [other.name for other in bpy.data.scenes if other != scene and other.dollop.uid == owner]
    if owner and others:
        raise CacheError(
            f"Scene '{others[0]}' has baked these frames.",
            place=str(folder),
            remedy="Clear them there, or choose another folder.",
        )
