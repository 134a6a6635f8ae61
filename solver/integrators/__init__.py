"""Time integrators, one file each: a file of this folder that defines INTEGRATOR is found by itself.

The files need no numba, so that Blender can list them.
"""

import importlib
import pkgutil
from functools import cache

from .contract import Extrapolation, Integrator

__all__ = ["Extrapolation", "Integrator", "integrators"]


@cache
def integrators() -> dict[str, Integrator]:
    """Return every integrator by its identifier, in the order of the artist's list; the first is the default."""
    found = []
    for info in pkgutil.iter_modules(__path__):
        integrator = getattr(importlib.import_module(f"{__name__}.{info.name}"), "INTEGRATOR", None)
        if isinstance(integrator, Integrator):
            found.append(integrator)
    return {one.identifier: one for one in sorted(found, key=lambda one: one.rank)}
