"""What the files of a folder declare: a folder whose files are found by themselves asks here, and nothing lists them."""

import importlib
import pkgutil
from types import ModuleType


def modules_with(package: str, constant: str) -> list[ModuleType]:
    """Return the modules of a package, by name, that define a constant of this name, such as MODEL or FORMAT."""
    names = sorted(info.name for info in pkgutil.iter_modules(importlib.import_module(package).__path__))
    modules = [importlib.import_module(f"{package}.{name}") for name in names]
    return [module for module in modules if hasattr(module, constant)]
