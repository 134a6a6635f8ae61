"""The fibres of a body: their directions in world space, and how far they are activated."""

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver.errors import SceneError
from .evaluation import attribute_values, evaluated_mesh, view_layer_of, world_matrix


def read_fibres(item: bpy.types.Object, scene: bpy.types.Scene) -> NDArray[np.float64] | None:
    """Return one direction (3,) or one a vertex (n, 3), None when the body has no fibres."""
    settings = item.dollop
    if settings.fibre_kind == "NONE":
        return None
    turn = world_matrix(item, scene)[:3, :3].T
    if settings.fibre_kind == "DIRECTION":
        return np.array(settings.fibre_direction, dtype=np.float64) @ turn
    with evaluated_mesh(item, scene) as mesh:
        layer = mesh.attributes.get(settings.fibre_attribute)
        if layer is None or layer.domain != "POINT" or layer.data_type != "FLOAT_VECTOR":
            raise SceneError(
                f"It has no vector attribute '{settings.fibre_attribute}' on its vertices.",
                body=item.name,
                remedy="Add it under Object Data > Attributes, or set Fibres to Direction.",
            )
        return attribute_values(mesh, layer.name, "vector", 3, np.float32).astype(np.float64) @ turn


def activation_moves(item: bpy.types.Object) -> bool:
    """Tell whether the body's activation could be another one at every frame."""
    return item.dollop.fibre_kind != "NONE" and item.animation_data is not None


def read_activation(item: bpy.types.Object, scene: bpy.types.Scene) -> float:
    """Return how far the fibres are activated at the frame that the scene stands on."""
    return float(item.evaluated_get(view_layer_of(scene).depsgraph).dollop.fibre_activation)
