"""Undo goes back in the scene, never on the disk: afterwards the result objects have to match the frames again."""

import bpy

from ...solver.cache import FrameStore
from .cache_clearing import was_cleared
from .folders import cache_folder
from .identity import bodies_of
from .playback import show_results
from .result_mesh import clear_results, results_of


def match_results(scene: bpy.types.Scene) -> None:
    """Make missing result objects of a baked scene, remove those of a cleared one; otherwise leave all as it is."""
    if not scene.dollop.uid:
        return
    if was_cleared(scene):
        clear_results(scene)
    elif bodies_of(scene) and next(results_of(scene), None) is None and FrameStore.exists(cache_folder(scene)[0]):
        show_results(scene)
