"""Properties that name something an object carries; typing in them offers what is there."""

from collections.abc import Callable
from typing import Any

import bpy
from bpy.props import StringProperty

from .settings import SETTING


def vertex_group(name: str, about: str) -> Any:
    """Return a property that names one of the object's vertex groups."""
    return _searched(name, about, lambda item: item.vertex_groups.keys())


def shape_key(about: str) -> Any:
    """Return a property that names one of the object's shape keys."""
    return _searched("Shape Key", about, _shape_keys)


def vector_attribute(about: str, default: str) -> Any:
    """Return a property that names a vector attribute of the object's vertices, one that modifiers make included."""
    return _searched("Attribute", about, _vector_attributes, default)


def number_attribute(about: str, default: str) -> Any:
    """Return a property that names an attribute of numbers of the object's vertices, one that modifiers make included."""
    return _searched("Attribute", about, _number_attributes, default)


def _searched(name: str, about: str, there: Callable[[bpy.types.Object], Any], default: str = "") -> Any:
    def search(group: Any, context: bpy.types.Context, typed: str) -> list[str]:
        return list(there(group.id_data))

    return StringProperty(name=name, description=about, default=default, search=search, **SETTING)


def _shape_keys(item: bpy.types.Object) -> list[str]:
    keys = getattr(item.data, "shape_keys", None)
    return list(keys.key_blocks.keys()) if keys else []


def _vector_attributes(item: bpy.types.Object) -> list[str]:
    return sorted(_of_type(item, "FLOAT_VECTOR") - {"position"})


def _number_attributes(item: bpy.types.Object) -> list[str]:
    return sorted(_of_type(item, "FLOAT"))


def _of_type(item: bpy.types.Object, kind: str) -> set[str]:
    layers = getattr(item.data, "attributes", ())
    return {layer.name for layer in layers if (layer.data_type, layer.domain) == (kind, "POINT")}
