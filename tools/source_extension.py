"""Load this checkout as the extension into a bpy that runs as a module, under a plain package name."""

import importlib.util
import sys
from types import ModuleType

from pins import ROOT

PACKAGE = "dollop"


def load() -> ModuleType:
    """Import the checkout's root as the package `dollop` and register it; harmless when it is loaded already."""
    if PACKAGE not in sys.modules:
        specification = importlib.util.spec_from_file_location(
            PACKAGE, ROOT / "__init__.py", submodule_search_locations=[str(ROOT)]
        )
        assert specification and specification.loader
        module = importlib.util.module_from_spec(specification)
        sys.modules[PACKAGE] = module
        specification.loader.exec_module(module)
    sys.modules[PACKAGE].register()
    return sys.modules[PACKAGE]
