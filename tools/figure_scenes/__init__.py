"""The papers' figures as scenes, one file each: a file of this folder that defines FIGURE is found by itself."""

import importlib
import pkgutil
from functools import cache

from .contract import Figure


@cache
def figures() -> dict[str, Figure]:
    """Return every figure by the name of its file."""
    modules = {info.name: importlib.import_module(f"{__name__}.{info.name}") for info in pkgutil.iter_modules(__path__)}
    return {name: module.FIGURE for name, module in sorted(modules.items()) if hasattr(module, "FIGURE")}
