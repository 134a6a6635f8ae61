"""Where Dollop may write: the extension's user folder, and the cache folder of a scene."""

import os
import sys
from pathlib import Path

import bpy

EXTENSION_ROOT = Path(__file__).resolve().parents[2]
_PACKAGE = __package__.rpartition(".operators")[0]


def user_folder(name: str, *, create: bool = True) -> Path:
    """Return a folder of the extension's own user data, which survives updates of the extension."""
    try:
        folder = Path(bpy.utils.extension_path_user(_PACKAGE, path=name, create=create))
    except ValueError:
        # Loaded as a plain package, as the tests do: Blender knows no user folder for it
        folder = Path(bpy.utils.user_resource("DATAFILES", path=os.path.join("dollop", name), create=create))
    return folder


def numba_cache_folder() -> Path:
    """Return the folder of compiled kernels; an environment that names one already keeps it."""
    if named := os.environ.get("NUMBA_CACHE_DIR"):
        return Path(named)
    if _PACKAGE.startswith("bl_ext."):
        return user_folder("numba_cache")
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home())
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "dollop" / "numba"


def preset_folders() -> tuple[Path, Path]:
    """Return the folder of the shipped presets and that of the artist's own."""
    return EXTENSION_ROOT / "presets", user_folder("presets", create=False)


def cache_folder(scene: bpy.types.Scene) -> tuple[Path, str]:
    """Return the scene's cache folder, and a sentence when the artist would look for it elsewhere.

    Without a path it is dollop_cache/<identifier> beside the .blend. A "//" path of a file that was never saved has no
    place, so a folder of the extension stands in, whose frames move beside the .blend when it is saved. The scene has
    its identifier already.
    """
    path = scene.dollop.cache_path or f"//dollop_cache/{scene.dollop.uid}"
    stand_in = stand_in_folder(scene)
    if not path.startswith("//"):
        return Path(os.path.abspath(path)), ""
    if not bpy.data.filepath:
        return stand_in, "This file was never saved: until it is, its frames lie in Dollop's own folder."
    # A path typed on Windows has to work on the farm's Linux too
    folder = Path(os.path.abspath(bpy.path.abspath(path.replace("\\", "/"), library=scene.library)))
    if not folder.exists() and stand_in.exists():
        return stand_in, f"The frames could not be moved beside the file; they are in {stand_in}."
    return folder, ""


def stand_in_folder(scene: bpy.types.Scene) -> Path:
    """Return where the frames of a scene lie while its file was never saved."""
    return user_folder("unsaved", create=False) / scene.dollop.uid
