"""Frames that were baked before the file had a place: they move beside it once it is saved."""

import os
import shutil
from pathlib import Path

import bpy

from .bake_status import status_of
from .folders import cache_folder, stand_in_folder


def settle_cache(scene: bpy.types.Scene) -> None:
    """Move the scene's frames beside the .blend that it is saved in by now; the panels say where they are if they cannot.

    What cannot be moved, and what would land on other frames, is played where it is. Not while the scene is baked.
    """
    if not scene.dollop.uid or not bpy.data.filepath:
        return
    stand_in = stand_in_folder(scene)
    path = scene.dollop.cache_path or f"//dollop_cache/{scene.dollop.uid}"
    folder = Path(os.path.abspath(bpy.path.abspath(path.replace("\\", "/"))))
    if stand_in.is_dir() and path.startswith("//") and not folder.exists():
        _move(stand_in, folder)
    status = status_of(scene.dollop.uid)
    if status.cache_note:
        status.cache_note = cache_folder(scene)[1]


def _move(stand_in: Path, folder: Path) -> None:
    """Another disk makes a copy of it, which may end half-way: the folder gets its name when all is there."""
    unfinished = folder.with_name(f"{folder.name}.part")
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(stand_in, unfinished)
        unfinished.rename(folder)
    except OSError:
        if stand_in.is_dir():
            shutil.rmtree(unfinished, ignore_errors=True)
