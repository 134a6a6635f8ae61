"""The fibres of a body: their directions in world space."""

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver.errors import SceneError
from .evaluation import attribute_values, evaluated_mesh, world_matrix


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
