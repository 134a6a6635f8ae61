"""Say what the scene would bake and what its cache holds"""

import argparse
import json
from typing import Any

import bpy

from ...solver.cache import FrameStore
from ...solver.errors import SolverError
from ..bridge.folders import cache_folder
from ..bridge.identity import bodies_of, colliders_of
from ..bridge.read_settings import read_settings
from ..bridge.staleness import stale_reason
from ..bridge.version import extension_version


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines to read")


def run(options: argparse.Namespace, scene: bpy.types.Scene) -> int:
    facts = scene_facts(scene)
    if options.json:
        print(json.dumps(facts), flush=True)
        return 0
    for key, value in facts.items():
        print(f"dollop: {key.replace('_', ' ')}: {_readable(value)}", flush=True)
    return 0


def scene_facts(scene: bpy.types.Scene) -> dict[str, Any]:
    """Return what a farm wants to know before and after a bake, as plain values."""
    settings = read_settings(scene)
    folder, _ = cache_folder(scene)
    facts: dict[str, Any] = {
        "dollop": extension_version(),
        "blender": bpy.app.version_string,
        "scene": scene.name,
        "frame_start": settings.frame_start,
        "frame_end": settings.frame_end,
        "frames_per_second": settings.frames_per_second,
        "bodies": [{"name": item.name, "uid": item.dollop.uid} for item in bodies_of(scene)],
        "colliders": [{"name": item.name, "uid": item.dollop.uid} for item in colliders_of(scene)],
        "cache": str(folder),
        "status": "none",
        "frames": [],
    }
    if FrameStore.exists(folder):
        store = FrameStore.open(folder)
        facts["status"] = store.status
        facts["frames"] = store.frames()
        facts["versions"] = store.manifest["versions"]
        facts["stale"] = _stale(scene)
    return facts


def _stale(scene: bpy.types.Scene) -> str:
    """Return why the frames no longer show the scene; a scene that cannot be read is no longer what was baked."""
    try:
        return stale_reason(scene)
    except SolverError as error:
        return str(error)


def _readable(value: Any) -> str:
    if isinstance(value, list):
        words = [item["name"] if isinstance(item, dict) else str(item) for item in value]
        return f"{len(words)}" + (f" ({words[0]} … {words[-1]})" if words else "")
    return str(value)
