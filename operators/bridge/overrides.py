"""Library overrides of bodies: their material has to be stored value by value."""

import bpy

from ...solver.materials import models


def prepare_overrides() -> None:
    """Let the linked originals of overridden bodies have their material groups, before the file is saved.

    Blender compares an override with its original; where the original lacks a whole group it notes the group as one
    pointer, which it cannot set again on loading, and the values are lost. Looking at a group makes it.
    """
    for item in bpy.data.objects:
        if item.override_library is not None and item.dollop.is_body:
            for model in models():
                getattr(item.override_library.reference.dollop, model)
