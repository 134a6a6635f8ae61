"""An object with object.dollop.is_body → solver.Body: the evaluated mesh, in world space and metres."""

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver.errors import SceneError
from ...solver.scene import Body, Surface
from ...solver.topology_checks import SWITCHES
from ..properties.influences import INFLUENCES
from .collision_groups import collision_groups
from .evaluation import evaluated_mesh, mesh_surface, not_a_mesh, world_matrix
from .identity import ensure_uid
from .material import read_material
from .read_apart import kept_apart, require_kept_apart
from .read_fibres import read_fibres
from .read_goal import read_goal
from .units import metres_per_unit, typed_number


def read_body(item: bpy.types.Object, scene: bpy.types.Scene, keys: dict[str, NDArray[np.float64]] | None = None) -> Body:
    """Return the body at the frame that the scene stands on; `keys` (k,) of what is animated (samples.Samples)."""
    keys = keys or {}
    require_kept_apart(item, scene)
    acting = {name for influence in INFLUENCES for name in influence.keyed}
    return Body(
        uid=ensure_uid(item),
        name=item.name,
        surface=read_surface(item, scene),
        goal=read_goal(item, scene),
        fibres=read_fibres(item, scene),
        activation=keys.get("fibre_activation", np.array([typed_number(item.dollop.fibre_activation)])),
        rise=_rise(item, keys),
        keys={name: values for name, values in keys.items() if name not in acting and name not in SWITCHES},
        switches=_switches(item, keys, scene),
        **body_settings(item, scene),
    )


def _switches(
    item: bpy.types.Object, keys: dict[str, NDArray[np.float64]], scene: bpy.types.Scene
) -> dict[str, NDArray[np.float64]]:
    """Return (k,) how the body merges and tears, where that is animated, in metres."""
    units = {"tear_thickness": metres_per_unit(scene)}
    unused = {"keep_apart"} if item.dollop.never_merge_collection is None else set()
    return {name: keys[name] * units.get(name, 1.0) for name in SWITCHES if name in keys and name not in unused}


def _rise(item: bpy.types.Object, keys: dict[str, NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return (k,) the rates at which it rises [1/s]."""
    if item.dollop.rise_kind == "NONE":
        return np.zeros(1)
    return keys.get("rise_rate", np.array([typed_number(item.dollop.rise_rate)]))


def body_settings(item: bpy.types.Object, scene: bpy.types.Scene) -> dict[str, Any]:
    """Return what the artist has set on a body, as the solver's Body takes it; reads no mesh."""
    settings = item.dollop
    metres = metres_per_unit(scene)
    return {
        "material": read_material(item),
        "real_size": typed_number(settings.real_size) if settings.use_real_size else 0.0,
        "method": settings.method,
        "resolution": settings.resolution,
        "contact_detail": settings.contact_detail,
        "remeshing": settings.remeshing,
        "remesher": settings.remesher,
        "refine_length": typed_number(settings.refine_length) if settings.refine_surface else 0.0,
        "seen": settings.seen,
        "tear_thickness": typed_number(settings.tear_thickness) * metres,
        "merging": settings.merging,
        "merge_group": settings.merge_group,
        "apart_from": kept_apart(item, scene),
        "velocity": tuple(float(value) for value in np.array(settings.velocity, dtype=np.float64) * metres),
        "angular_velocity": tuple(settings.angular_velocity),
        "groups": collision_groups(item),
        "goal_rate": settings.goal_rate,
        "volume_rate": 0.0 if settings.volume_kind == "NONE" else typed_number(settings.volume_rate),
        "fibre_stiffness": typed_number(settings.fibre_stiffness),
        "fibre_tension": typed_number(settings.fibre_tension),
    }


def read_surface(item: bpy.types.Object, scene: bpy.types.Scene) -> Surface:
    """Return the object's evaluated surface in world space [m]; SceneError when there is none."""
    if item.type != "MESH":
        raise not_a_mesh(item)
    with evaluated_mesh(item, scene) as mesh:
        surface = mesh_surface(mesh, world_matrix(item, scene), metres_per_unit(scene))
    if not len(surface.triangles):
        raise SceneError("Its mesh has no faces.", body=item.name, remedy="Choose a mesh with faces.")
    return surface
