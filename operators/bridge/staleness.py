"""Whether a cache still shows what its scene would bake now."""

import bpy

from ...solver.cache import FrameStore
from ...solver.job import scene_hash
from .read_scene import read_scene
from .scene_cache import quick_stale_reason, store_of


def stale_reason(scene: bpy.types.Scene) -> str:
    """Return a sentence if the scene has changed since the bake, nothing if the cache is fresh.

    Reads the whole scene as a bake does, so it belongs into a command or a button, not into a frame change.
    Raises CacheError when there is no cache, SceneError when the scene cannot be read.
    """
    store = store_of(scene)
    return quick_stale_reason(scene, store) or _changed(scene, store)


def _changed(scene: bpy.types.Scene, store: FrameStore) -> str:
    baked = store.manifest.get("scene_hash")
    if not baked:
        return ""
    first, last = store.manifest["frame_start"], store.manifest["frame_end"]
    same = scene_hash(read_scene(scene, frames=(first, last)).scene, last) == baked
    return "" if same else "The scene has changed since the bake."
