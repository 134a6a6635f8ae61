"""Dollop's settings on objects and scenes."""

import bpy

from ..registration import ClassList
from .material import material_groups
from .object import object_group
from .scene import DollopScene

_classes = ClassList((*material_groups().values(), object_group(), DollopScene))


def register() -> None:
    """Register the PropertyGroups and hang them on objects and scenes."""
    _classes.register()
    bpy.types.Object.dollop = bpy.props.PointerProperty(type=object_group(), override={"LIBRARY_OVERRIDABLE"})
    bpy.types.Scene.dollop = bpy.props.PointerProperty(type=DollopScene, override={"LIBRARY_OVERRIDABLE"})


def unregister() -> None:
    """Take them off again; the values stay in the .blend and come back with the next register()."""
    for owner in (bpy.types.Scene, bpy.types.Object):
        if "dollop" in owner.__dict__ or hasattr(owner, "dollop"):
            del owner.dollop
    _classes.unregister()
