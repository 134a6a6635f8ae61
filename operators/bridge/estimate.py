"""What a resolution means in metres and tets, worked out when it changes and kept in the object's settings."""

import bpy

from ...solver.errors import SolverError
from .evaluation import made_visible
from .read_body import read_surface
from .units import metres_per_unit


def refresh_estimate(item: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Write the size of a tet [Blender units] and their expected number into object.dollop; 0 where there is no surface."""
    from ...solver.tetmesh.estimate import estimated_tet_count

    settings = item.dollop
    try:
        with made_visible(scene, (item,)):
            surface = read_surface(item, scene)
    except SolverError:
        settings.element_size, settings.estimated_tets = 0.0, 0
        return
    size = surface.extent / settings.resolution
    settings.element_size = size / metres_per_unit(scene)
    settings.estimated_tets = estimated_tet_count(surface, size) if size > 0 else 0
