"""The presets an artist can choose from: those shipped and their own; files are data and are never executed."""

from pathlib import Path

import bpy

from ...solver.errors import SceneError
from ...solver.presets import Preset, list_presets, save_preset
from .folders import preset_folders, user_folder
from .material import read_preset, write_preset

_cache: tuple[object, dict[str, Preset]] = (None, {})


def available_presets() -> dict[str, Preset]:
    """Return all readable presets by identifier; read again only when a file has changed, because menus ask often."""
    global _cache
    folders = preset_folders()
    stamp = tuple((path, path.stat().st_mtime_ns) for folder in folders for path in sorted(folder.glob("*.toml")))
    if stamp != _cache[0]:
        presets, complaints = list_presets(*folders)
        for complaint in complaints:
            print(f"Dollop: {complaint}")
        _cache = (stamp, presets)
    return _cache[1]


def find_preset(identifier: str) -> Preset:
    """Return a preset; SceneError when there is none of that name."""
    presets = available_presets()
    if identifier not in presets:
        raise SceneError(f"There is no preset '{identifier}'.", remedy=f"Choose one of {', '.join(sorted(presets))}.")
    return presets[identifier]


def apply_preset(item: bpy.types.Object, identifier: str) -> None:
    """Set the body's material to the preset's. Raises SceneError."""
    write_preset(item, find_preset(identifier))


def save_as_preset(item: bpy.types.Object, name: str, look: str) -> Path:
    """Save the body's material among the artist's own presets. Raises SceneError or OSError."""
    path = save_preset(user_folder("presets"), read_preset(item, name, look))
    item.dollop.preset = path.stem
    item.dollop.preset_changed = False
    return path


def own_preset_path(identifier: str) -> Path | None:
    """Return the file of one of the artist's own presets, None for a shipped one."""
    path = preset_folders()[1] / f"{identifier}.toml"
    return path if identifier and path.is_file() else None
