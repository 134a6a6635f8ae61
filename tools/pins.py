"""The pinned versions: pyproject.toml and blender_manifest.toml, read once."""

import sys
from pathlib import Path
from typing import Any

try:
    import tomllib
except ModuleNotFoundError:  # every tool passes here first
    sys.exit(f"Dollop's tools need Python 3.11 or 3.13, as Blender carries; this is {sys.version.split()[0]}.")

from failure import SetUpError

ROOT = Path(__file__).resolve().parent.parent


def _read(name: str) -> dict[str, Any]:
    with (ROOT / name).open("rb") as file:
        return tomllib.load(file)


PINS: dict[str, Any] = _read("pyproject.toml")["tool"]["dollop"]
MANIFEST: dict[str, Any] = _read("blender_manifest.toml")


def tag_of(python_version: str) -> str:
    """'3.11' or '3.11.7' -> 'cp311'."""
    major, minor = python_version.split(".")[:2]
    return f"cp{major}{minor}"


def wheel_requirements(tag: str) -> list[str]:
    """What the zip for this Python carries."""
    if tag not in PINS["wheels"]:
        raise SetUpError(f"No packages are pinned for {tag}: pyproject.toml knows {', '.join(PINS['wheels'])}.")
    return [f"{name}=={version}" for name, version in PINS["wheels"][tag].items()]


def venv_requirements(tag: str) -> list[str]:
    """What the development environment of this Python holds: its Blender, the zip's wheels and the test tools."""
    venv = PINS["venvs"][tag]
    tests = [f"{name}=={version}" for name, version in PINS["test_packages"].items()]
    return [f"bpy=={venv['bpy']}", f"numpy=={venv['numpy']}", *wheel_requirements(tag), *tests]
