"""Which objects are bodies and colliders: the checks and the settings that come with it."""

import bpy
import numpy as np

from ...solver.errors import SceneError
from ...solver.presets import Preset
from .estimate import refresh_estimate
from .evaluation import evaluated_mesh, kind_in_words, made_visible, not_a_mesh, world_matrix
from .identity import ensure_random_uid, repair_all
from .material import write_preset
from .preview import remove_preview
from .result_mesh import RESULT_OF, clear_results
from .selection import body_takes_over

_SURFACES = ("MESH", "CURVE", "SURFACE", "FONT", "META")


def add_body(item: bpy.types.Object, scene: bpy.types.Scene, preset: Preset) -> None:
    """Make the object a body of the preset's goo; one that is a body already keeps its settings. Raises SceneError."""
    _require_own_object(item)
    if item.type != "MESH":
        raise not_a_mesh(item)
    if item.dollop.is_collider:
        raise SceneError("It is a collider.", body=item.name, remedy="Remove the collider first.")
    _require_faces(item, scene)
    ensure_random_uid(scene)
    ensure_random_uid(item)
    repair_all()
    if not item.dollop.is_body:
        item.dollop.is_body = True
        write_preset(item, preset)
    refresh_estimate(item, scene)


def remove_body(item: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Make the body a plain mesh again, visible, without its preview. Its settings and frames stay for a change of mind."""
    remove_preview(scene, item.dollop.uid)
    with body_takes_over(scene):
        clear_results(scene, {item.dollop.uid})
    item.dollop.is_body = False


def add_collider(item: bpy.types.Object, scene: bpy.types.Scene, kind: str = "auto") -> None:
    """Make the object a collider of that kind ("auto" looks at its shape). Raises SceneError."""
    _require_own_object(item)
    if item.dollop.is_body:
        raise SceneError("It is a body.", body=item.name, remedy="Remove the body first.")
    if kind == "auto":
        kind = "plane" if item.type == "EMPTY" or _is_flat_square(item) else "mesh"
    if kind == "mesh":
        if item.type not in _SURFACES:
            raise SceneError(f"It is {kind_in_words(item)}, without a surface.", body=item.name, remedy="Choose a mesh.")
        _require_faces(item, scene)
    ensure_random_uid(scene)
    ensure_random_uid(item)
    repair_all()
    item.dollop.is_collider = True
    item.dollop.collider_kind = kind


def _require_own_object(item: bpy.types.Object) -> None:
    if item.library is not None:
        raise SceneError(
            f"It is linked from {item.library.name}, which cannot be changed from here.",
            body=item.name,
            remedy="Use Object > Library Override > Make, or Object > Relations > Make Local.",
        )
    if item.dollop.preview_of or RESULT_OF in item:
        raise SceneError("It was made by Dollop to show a body.", body=item.name, remedy="Select the body itself.")


def _require_faces(item: bpy.types.Object, scene: bpy.types.Scene) -> None:
    with made_visible(scene, (item,)), evaluated_mesh(item, scene) as mesh:
        world_matrix(item, scene)  # names one that is not finite
        if not len(mesh.polygons):
            raise SceneError("Its mesh has no faces.", body=item.name, remedy="Choose a mesh with faces.")


def _is_flat_square(item: bpy.types.Object) -> bool:
    """Tell a ground plane as Blender adds it, however it is scaled, from a sheet that was modelled."""
    if item.type != "MESH" or len(item.data.vertices) != 4 or len(item.data.polygons) != 1 or len(item.modifiers):
        return False
    positions = np.empty(12, dtype=np.float32)
    item.data.vertices.foreach_get("co", positions)
    return bool(np.ptp(positions[2::3]) == 0)
