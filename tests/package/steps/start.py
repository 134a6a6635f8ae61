"""First lines of every step: the step's arguments, the installed extension enabled, and one line of result for the test."""

import json
import sys
from pathlib import Path
from typing import Any

import bpy

MODULE = "bl_ext.user_default.dollop"


def arguments() -> list[str]:
    """What stands behind '--' and the step's name."""
    return sys.argv[sys.argv.index("--") + 2 :]


def enable() -> None:
    """The real program has it enabled by its preferences; bpy as a module starts without them."""
    import addon_utils  # found only once bpy is there

    addon_utils.enable("cycles")
    if MODULE not in bpy.context.preferences.addons:
        addon_utils.enable(MODULE)
    if not hasattr(bpy.types.Object, "dollop"):
        raise SystemExit("The installed extension did not register.")


def report(**values: Any) -> None:
    """Hand the test its result."""
    print("RESULT " + json.dumps(values), flush=True)


def origin_of(module: str) -> str:
    """The folder that a module of the installed extension's wheels would be loaded from."""
    import importlib.util

    found = importlib.util.find_spec(module)
    return str(Path(found.origin).resolve()) if found and found.origin else ""
