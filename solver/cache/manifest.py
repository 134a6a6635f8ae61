"""The manifest: what a cache was baked from and by, as JSON, replaced atomically.

format, format_version               of the cache
versions                             of the add-on, Blender, Python, numpy and numba that baked it
scene                                {"uid", "name"} of the scene in Blender
settings                             by body and collider identifier, "" for the scene: what the artist had set
scene_hash                           of all that the frames depend on (solver/job.py)
bake                                 one identifier for each bake from the start
status, warnings                     "baking", "done", "cancelled", "failed"; each frame's own are in the journal
frames_per_second, frame_start, frame_end, bodies, meshes

A manifest of an older Dollop lacks "scene" and "settings"; whatever reads them does without.
"""

import importlib.metadata
import json
import platform
import uuid
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import CacheError, VersionError
from .atomic import write_atomically

FILE = "dollop_cache.json"
FORMAT = "dollop-cache"
FORMAT_VERSION = 1
REQUIRED = ("frames_per_second", "frame_start", "frame_end", "bodies", "versions")


def versions(dollop: str, blender: str = "") -> dict[str, str]:
    """Return the versions that a bake's bytes depend on; numba is named without importing it."""
    try:
        numba = importlib.metadata.version("numba")
    except importlib.metadata.PackageNotFoundError:
        numba = ""
    return {
        "dollop": dollop,
        "blender": blender,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba,
    }


def checked(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return a new cache's manifest with its format filled in; raise ValueError if something is left out.

    "bake" tells one bake from the next in the same folder; it is the only entry that differs when a bake is repeated.
    """
    missing = [key for key in REQUIRED if key not in manifest]
    if missing:
        raise ValueError(f"The cache manifest lacks {', '.join(missing)}.")
    filled = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "bake": uuid.uuid4().hex,
        "scene_hash": "",
        "status": "baking",
        "warnings": [],
        **manifest,
        "bodies": _body_list(manifest["bodies"]),
    }
    return json.loads(json.dumps(filled, default=_plain))


def _body_list(bodies: Any) -> list[dict[str, Any]]:
    """Return the bodies as a list of {"uid", "name", ...}; {uid: {"name", ...}} is taken too."""
    if isinstance(bodies, dict):
        return [{"uid": uid, **body} for uid, body in bodies.items()]
    return [dict(body) for body in bodies]


def write(folder: Path, manifest: dict[str, Any]) -> None:
    """Replace the manifest on the disk. Raises ResourceError."""
    text = json.dumps(manifest, indent=1, ensure_ascii=False, default=_plain)
    write_atomically(folder / FILE, text.encode("utf-8"))


def read(folder: Path) -> dict[str, Any]:
    """Return the manifest. Raises CacheError when there is none or it is damaged, VersionError when it is newer."""
    path = folder / FILE
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise CacheError("There is no baked cache.", place=str(folder), remedy="Bake, or choose the right folder.") from None
    except (OSError, ValueError) as error:
        raise CacheError(f"The cache's manifest cannot be read ({error}).", place=str(path), remedy="Bake again.") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise CacheError("This is not a Dollop cache.", place=str(path), remedy="Choose another folder.")
    if manifest.get("format_version") != FORMAT_VERSION:
        raise VersionError(
            f"The cache has format {manifest.get('format_version')}, this Dollop reads format {FORMAT_VERSION}.",
            place=str(path),
            remedy="Use the Dollop that baked it, or bake again.",
        )
    lacking = [key for key in REQUIRED if key not in manifest]
    if lacking:
        raise CacheError(f"The cache's manifest lacks {', '.join(lacking)}.", place=str(path), remedy="Bake again.")
    return manifest


def _plain(value: object) -> object:
    """Let numpy's numbers and arrays into JSON."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} cannot be written to the manifest.")
