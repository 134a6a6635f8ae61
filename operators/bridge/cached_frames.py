"""Which frames of a scene are baked, looked up cheaply enough for a panel that redraws all the time."""

from dataclasses import dataclass
from pathlib import Path

import bpy

from ...solver.cache import FrameStore
from ...solver.errors import SolverError
from .folders import cache_folder


@dataclass(frozen=True)
class CachedFrames:
    """frames: finished numbers, sorted; first, last: the range that was asked for; complaint: why the cache is unusable."""

    folder: Path
    frames: tuple[int, ...] = ()
    first: int = 0
    last: int = -1
    complaint: str = ""

    @property
    def complete(self) -> bool:
        return bool(self.frames) and set(range(self.first, self.last + 1)) <= set(self.frames)


_looked_up: dict[str, tuple[object, CachedFrames]] = {}


def cached_frames(scene: bpy.types.Scene) -> CachedFrames | None:
    """Return what is baked for the scene, None when nothing is; reads the folder only when it has changed."""
    uid = scene.dollop.uid
    if not uid:
        return None
    folder = cache_folder(scene)[0]
    try:
        stamp = (folder, folder.stat().st_mtime_ns)
    except OSError:
        return None
    known = _looked_up.get(uid)
    if known is None or known[0] != stamp:
        known = _looked_up[uid] = (stamp, _read(folder))
    return known[1] if known[1].frames or known[1].complaint else None


def cached_sentence(scene: bpy.types.Scene) -> str:
    """Return how much is baked in words, or nothing."""
    found = cached_frames(scene)
    if found is None:
        return ""
    if found.complaint:
        return found.complaint
    wanted = found.last - found.first + 1
    return f"Frames {found.frames[0]} to {found.frames[-1]} are baked, {len(found.frames)} of {wanted}"


def nothing_to_resume(scene: bpy.types.Scene) -> str:
    """Return why a bake cannot be resumed, or nothing when it can."""
    found = cached_frames(scene)
    if found is None or not found.frames:
        return "Nothing is baked yet"
    wanted = scene.dollop.frame_end if scene.dollop.use_frame_range else scene.frame_end
    return f"All frames up to {wanted} are baked" if found.complete and found.last >= wanted else ""


def _read(folder: Path) -> CachedFrames:
    try:
        store = FrameStore.open(folder)
        return CachedFrames(folder, tuple(store.frames()), store.manifest["frame_start"], store.manifest["frame_end"])
    except SolverError as error:
        manifest = folder / "dollop_cache.json"
        return CachedFrames(folder, complaint=str(error) if manifest.exists() else "")
