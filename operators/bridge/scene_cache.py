"""The open cache of each scene, kept between frames."""

from pathlib import Path

import bpy

from ...solver.cache import FrameStore
from ...solver.cache.manifest import FILE
from ...solver.errors import CacheError, SolverError
from .baked_settings import changed_setting
from .folders import cache_folder
from .identity import bodies_of

_stores: dict[Path, tuple[int, FrameStore]] = {}


def store_of(scene: bpy.types.Scene) -> FrameStore:
    """Return the scene's cache, opened again when a bake has replaced its manifest. Raises CacheError, VersionError."""
    folder = cache_folder(scene)[0]
    try:
        stamp = (folder / FILE).stat().st_mtime_ns
    except OSError:
        _stores.pop(folder, None)
        raise CacheError("The baked cache is missing.", place=str(folder), remedy="Bake, or choose its folder.") from None
    known = _stores.get(folder)
    if known is None or known[0] != stamp:
        _stores[folder] = known = (stamp, FrameStore.open(folder))
    return known[1]


def forget_stores() -> None:
    """Let go of every open cache; another file has been opened."""
    _stores.clear()


def quick_stale_reason(scene: bpy.types.Scene, store: FrameStore) -> str:
    """Return what is visible without reading a mesh: another frame rate, a body that was added, a changed setting."""
    now, then = scene.render.fps / scene.render.fps_base, float(store.manifest["frames_per_second"])
    if abs(now - then) > 1e-6 * then:
        return f"The cache was baked at {then:g} frames a second, the scene runs at {now:g}."
    added = [body.name for body in bodies_of(scene) if store.body(body.dollop.uid) is None]
    if added:
        return f"'{added[0]}' was added after the bake."
    baked = store.manifest.get("settings")
    return changed_setting(scene, baked) if baked else ""


def stale_note(scene: bpy.types.Scene) -> str:
    """Return `quick_stale_reason` of the scene's cache, nothing where there is none; for panels, which look all the time."""
    try:
        return quick_stale_reason(scene, store_of(scene)) if scene.dollop.uid else ""
    except SolverError:
        return ""
