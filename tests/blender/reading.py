"""What the reading tests share: the bridge of the loaded extension, and bodies and colliders set up by hand."""

import importlib
from typing import Any

import bpy


def bridge(name: str) -> Any:
    """Return a module of dollop.operators.bridge."""
    return importlib.import_module(f"dollop.operators.bridge.{name}")


def solver(name: str) -> Any:
    """Return a module of dollop.solver."""
    return importlib.import_module(f"dollop.solver.{name}")


def read(scene: bpy.types.Scene, **options: Any) -> Any:
    """Return the solver's scene."""
    return bridge("read_scene").read_scene(scene, **options).scene


def make_body(item: bpy.types.Object) -> bpy.types.Object:
    """Make the object a body as a script does it."""
    item.dollop.is_body = True
    return item


def add_cube(**options: Any) -> bpy.types.Object:
    """Add a cube by Blender's own operator."""
    bpy.ops.mesh.primitive_cube_add(**options)
    return bpy.context.object


def add_plane(**options: Any) -> bpy.types.Object:
    """Add a plane by Blender's own operator."""
    bpy.ops.mesh.primitive_plane_add(**options)
    return bpy.context.object
