"""The goal shape of a body: another object's evaluated mesh, or one of its own shape keys."""

from collections.abc import Iterable

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver.errors import SceneError
from .evaluation import evaluated_mesh, mesh_surface, world_matrix
from .units import metres_per_unit


def goal_objects(bodies: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """Return the objects whose shapes are goals; they are evaluated too, hidden as they often are."""
    settings = (item.dollop for item in bodies)
    return [one.goal_object for one in settings if one.goal_kind == "OBJECT" and one.goal_object is not None]


def read_goal(item: bpy.types.Object, scene: bpy.types.Scene) -> NDArray[np.float64] | None:
    """Return where the body's vertices lie in its goal shape (n, 3) [m], None when it has none."""
    kind = item.dollop.goal_kind
    if kind == "NONE":
        return None
    return _from_object(item, scene) if kind == "OBJECT" else _from_shape_key(item, scene)


def _from_object(item: bpy.types.Object, scene: bpy.types.Scene) -> NDArray[np.float64]:
    goal = item.dollop.goal_object
    if goal is None or goal.type != "MESH":
        raise SceneError("Its goal shape names no mesh.", body=item.name, remedy="Choose an object, or set Goal to None.")
    with evaluated_mesh(goal, scene) as mesh:
        return mesh_surface(mesh, world_matrix(goal, scene), metres_per_unit(scene)).positions


def shape_key_of(item: bpy.types.Object, name: str) -> bpy.types.ShapeKey:
    """Return the shape key of that name; SceneError when there is none."""
    keys = item.data.shape_keys
    if keys is None:
        raise SceneError("Its goal is a shape key, but it has none.", body=item.name, remedy="Add one, or set Goal to Object.")
    block = keys.key_blocks.get(name)
    if block is None:
        raise SceneError(f"It has no shape key '{name}'.", body=item.name, remedy="Choose one of its shape keys.")
    return block


def _from_shape_key(item: bpy.types.Object, scene: bpy.types.Scene) -> NDArray[np.float64]:
    block = shape_key_of(item, item.dollop.goal_shape_key)
    local = np.empty(3 * len(block.data))
    block.data.foreach_get("co", local)
    matrix = np.array(world_matrix(item, scene), dtype=np.float64)
    world = local.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]
    return world * metres_per_unit(scene)
