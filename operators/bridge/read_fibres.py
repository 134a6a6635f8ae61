"""The fibres of a body: their directions in world space, or the weights along which they run."""

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver.cache import VertexGroups
from ...solver.errors import SceneError
from .evaluation import attribute_values, evaluated_mesh, world_matrix
from .read_paint import weights_of


def read_fibres(item: bpy.types.Object, scene: bpy.types.Scene) -> NDArray[np.float64] | None:
    """Return one direction (3,) or one a vertex (n, 3), None when the body has none of either."""
    settings = item.dollop
    if settings.fibre_kind in ("NONE", "GROUP"):
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


def read_fibre_weights(item: bpy.types.Object, groups: VertexGroups | None, count: int) -> NDArray[np.float64] | None:
    """Return weights (n, 1) along which the fibres of a body with so many vertices run; None where they run otherwise."""
    if item.dollop.fibre_kind != "GROUP":
        return None
    remedy = "Choose one of its groups, or set Fibres to Direction."
    return weights_of(item, item.dollop.fibre_group, groups, count, "its fibres", remedy)[:, None]
