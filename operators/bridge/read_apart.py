"""With which bodies a body never merges: those of the collection that its settings name."""

import bpy

from ...solver.errors import SceneError
from .animation import keyed_settings
from .identity import bodies_of, ensure_uid
from .result_mesh import RESULT_OF


def kept_apart(item: bpy.types.Object, scene: bpy.types.Scene) -> tuple[str, ...]:
    """Return the identifiers of the scene's bodies that a body never merges with, itself left out, rising."""
    chosen = _chosen(item)
    if chosen is None:
        return ()
    members = set(chosen.all_objects)
    return tuple(sorted(ensure_uid(one) for one in bodies_of(scene) if one in members and one != item))


def require_kept_apart(item: bpy.types.Object, scene: bpy.types.Scene) -> None:
    """Raise SceneError where a body is to keep apart from what is no body."""
    chosen = _chosen(item)
    if chosen is None:
        return
    members, bodies = set(chosen.all_objects) - {item}, set(bodies_of(scene))
    missing = sorted(one.name for one in members if one.type == "MESH" and one not in bodies and not _shows_a_body(one))
    if not members & bodies:
        raise SceneError(
            f"The collection '{chosen.name}', whose bodies it never merges with, holds no other body of this scene.",
            body=item.name,
            remedy="Put some in, or clear Except With.",
        )
    if missing:
        raise SceneError(
            f"The collection '{chosen.name}', whose bodies it never merges with, holds '{missing[0]}', which is no body.",
            body=item.name,
            remedy="Make it one with Add Body, or take it out of the collection.",
        )


def _shows_a_body(item: bpy.types.Object) -> bool:
    """Dollop links what it makes to the collections of the body that it shows, so from the first bake on it is there too."""
    return RESULT_OF in item or bool(item.dollop.preview_of)


def _chosen(item: bpy.types.Object) -> bpy.types.Collection | None:
    """The collection of a body that merges, and keeps apart from it, now or ever."""
    settings, keyed = item.dollop, keyed_settings(item)
    wanted = (settings.merging or "merging" in keyed) and (settings.keep_apart or "keep_apart" in keyed)
    return settings.never_merge_collection if wanted else None
