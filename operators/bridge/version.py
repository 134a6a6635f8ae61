"""Which Dollop and which Blender this is, for the manifest of a cache."""

import tomllib
from functools import cache

import bpy

from ...solver.cache import versions
from .folders import EXTENSION_ROOT


@cache
def extension_version() -> str:
    """Return the version in blender_manifest.toml, the only place that says it."""
    manifest = tomllib.loads((EXTENSION_ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    return str(manifest["version"])


def baking_versions() -> dict[str, str]:
    """Return the versions that a bake's bytes depend on."""
    return versions(extension_version(), bpy.app.version_string)
