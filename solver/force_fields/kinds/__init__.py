"""Force fields, one kind a file: a file of this folder that defines KIND and push(seen) is found by itself.

The motion is that of a particle of Blender with a mass of 1: fields act by mass, every kg alike, so that neither density nor
resolution changes a look. A file says what its kind does to points that are seen from the field (seen.py); acting.py does the
rest. The files need no numba, so that Blender can list them.
"""

from functools import cache
from types import ModuleType

from ...declared import modules_with

__all__ = ["kinds"]


@cache
def kinds() -> dict[str, ModuleType]:
    """Return the module of every kind of field by Blender's name of it."""
    return {module.KIND: module for module in modules_with(__name__, "KIND")}
