"""What is painted on a body: the settings of properties/paint.py → factors of the material's values by vertex."""

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver.cache import VertexGroups
from ...solver.errors import SceneError
from ..properties.paint import PAINTED
from .evaluation import attribute_values, evaluated_mesh
from .units import typed_number


def read_paint(
    item: bpy.types.Object, scene: bpy.types.Scene, groups: VertexGroups | None, count: int
) -> dict[str, NDArray[np.float64]]:
    """Return factors (n,) by the parameter that they multiply, of a body with so many vertices in these groups."""
    if item.dollop.paint_kind == "NONE":
        return {}
    if item.dollop.paint_kind == "GROUP":
        remedy = "Choose one of its groups, or set Paint to None."
        weights = weights_of(item, item.dollop.paint_group, groups, count, "what is painted on it", remedy)
    else:
        weights = _of_attribute(item, scene)
    times = {parameter: typed_number(getattr(item.dollop, name)) for parameter, name in PAINTED.items()}
    return {name: 1.0 + weights * (factor - 1.0) for name, factor in times.items() if factor != 1.0}


def weights_of(
    item: bpy.types.Object, name: str, groups: VertexGroups | None, count: int, what: str, remedy: str
) -> NDArray[np.float64]:
    """Return the weights (n,) of a vertex group, 0 outside it; SceneError where there is none for what needs it."""
    if not name or groups is None or name not in groups.names:
        missing = f"It has no vertex group '{name}'" if name else "No vertex group is chosen"
        raise SceneError(f"{missing} for {what}.", body=item.name, remedy=remedy)
    weights = np.zeros(count)
    own = groups.groups == groups.names.index(name)
    weights[np.repeat(np.arange(count), np.diff(groups.offsets))[own]] = groups.weights[own]
    return np.clip(weights, 0.0, 1.0)


def _of_attribute(item: bpy.types.Object, scene: bpy.types.Scene) -> NDArray[np.float64]:
    """Weights (n,) of the named attribute."""
    name = item.dollop.paint_attribute
    with evaluated_mesh(item, scene) as mesh:
        layer = mesh.attributes.get(name)
        if layer is None or layer.domain != "POINT" or layer.data_type != "FLOAT":
            raise SceneError(
                f"It has no attribute '{name}' of numbers on its vertices, for what is painted on it.",
                body=item.name,
                remedy="Add it under Object Data > Attributes, or set Paint to Vertex Group.",
            )
        values = attribute_values(mesh, layer.name, "value", 1, np.float32).astype(np.float64)
    return np.clip(np.nan_to_num(values), 0.0, 1.0)
