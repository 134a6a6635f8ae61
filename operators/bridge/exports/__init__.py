"""Exports that play without Dollop, one file each; a new format is a new file with a FORMAT."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import bpy

from ....solver.declared import modules_with
from ....solver.errors import CacheError, ResourceError, SolverError
from ..playback import show_results, store_of
from ..result_mesh import RESULT_OF, results_of
from .contract import ExportFormat, ExportJob

__all__ = ["ExportFormat", "ExportJob", "export", "formats"]


@cache
def formats() -> dict[str, ExportFormat]:
    """Return every format by its identifier, in the order of its label."""
    found = [module.FORMAT for module in modules_with(__name__, "FORMAT")]
    return {item.identifier: item for item in sorted(found, key=lambda item: item.label)}


def export(
    scene: bpy.types.Scene,
    identifier: str,
    path: str | Path,
    *,
    frames: tuple[int, int] | None = None,
    results: Sequence[bpy.types.Object] = (),
    **options: Any,
) -> Path:
    """Export the scene's baked goo and return the file's path, with the format's extension if it had none.

    frames : first and last; the cache's whole range by default
    results : result objects; all of the scene's by default

    Raises UnsupportedExportError (not in this Blender, or not possible for this bake), CacheError (a frame of the range
    is missing or damaged), ResourceError (cannot write there, or would replace the open .blend). No half file is left.
    """
    chosen = formats()[identifier]
    chosen.require()
    store = store_of(scene)
    failure = show_results(scene)
    if not (items := list(results) or list(results_of(scene))):
        raise failure or CacheError("The scene has no baked goo.", place=scene.name, remedy="Bake first.")
    first, last = frames or (store.manifest["frame_start"], store.manifest["frame_end"])
    _require_frames(store, items, first, last)
    target = Path(chosen.named(str(path)))
    if bpy.data.filepath and target.resolve() == Path(bpy.data.filepath).resolve():
        raise ResourceError("This is the open .blend itself.", place=str(target), remedy="Choose another name.")
    chosen.write(ExportJob(scene, store, items, target, (first, last), options))
    return target


def _require_frames(store: Any, items: Sequence[bpy.types.Object], first: int, last: int) -> None:
    """Read every frame beforehand: an exporter that is under way cannot be stopped."""
    start, end = store.manifest["frame_start"], store.manifest["frame_end"]
    if not start <= first <= last <= end:
        raise CacheError(f"Frames {first} to {last} are not within the baked {start} to {end}.", remedy="Choose others.")
    for number in range(first, last + 1):
        for item in items:
            try:
                store.read_body_frame(number, item[RESULT_OF])
            except SolverError as error:
                raise CacheError(
                    error.message, body=item.name, place=error.place, frame=number, remedy="Bake this frame, then export again."
                ) from error
