"""What the artist has set, as plain data that the manifest of a cache keeps: a change is seen without reading a mesh."""

from dataclasses import asdict, replace
from typing import Any

import bpy

from .animated_gravity import gravity_is_animated
from .identity import bodies_of, colliders_of
from .read_body import body_settings
from .read_collider import collider_settings
from .read_settings import read_settings


def origin_of(scene: bpy.types.Scene, versions: dict[str, str], settings: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return what the manifest keeps of where a bake comes from (solver/cache/manifest.py).

    settings : `settings_of` the scene at the first frame, which is what is baked
    """
    return {"versions": versions, "scene": {"uid": scene.dollop.uid, "name": scene.name}, "settings": settings}


def settings_of(scene: bpy.types.Scene) -> dict[str, dict[str, Any]]:
    """Return the settings by the identifier of body or collider, the scene's own under ""; JSON gives them back as they are.

    Gravity, which alone can be animated, is that of the frame that the scene stands on.
    """
    # The range may be extended, and the number of threads changes nothing
    settings = replace(read_settings(scene), frame_start=0, frame_end=0, threads=0)
    bodies = {item.dollop.uid: _flat(body_settings(item, scene)) for item in bodies_of(scene)}
    colliders = {item.dollop.uid: _flat(collider_settings(item, scene)) for item in colliders_of(scene)}
    return {"": _flat(asdict(settings)), **bodies, **colliders}


def changed_setting(scene: bpy.types.Scene, baked: dict[str, dict[str, Any]]) -> str:
    """Return a sentence on the first setting that is another one than at the bake, or nothing.

    Gravity that is animated is left out: it is another one at every frame.
    """
    left_out = {"gravity"} if gravity_is_animated(scene) else set()
    owners = {item.dollop.uid: item for item in (*bodies_of(scene), *colliders_of(scene))}
    for uid, now in settings_of(scene).items():
        then = baked.get(uid)
        if then is None:
            return f"'{owners[uid].name}' was added after the bake."
        changed = next((key for key in now if then.get(key) != now[key] and key not in left_out), "")
        if changed:
            owner = f" of '{owners[uid].name}'" if uid else ""
            return f"The {changed.replace('_', ' ')}{owner} was changed after the bake."
    gone = [uid for uid in baked if uid and uid not in owners]
    return "A body or a collider was removed after the bake." if gone else ""


def _flat(values: dict[str, Any]) -> dict[str, Any]:
    """A material's numbers and choices beside the other settings, tuples as lists."""
    material = values.get("material")
    inner = {} if material is None else {"material": material.model, **material.values, **material.options}
    outer = {key: list(value) if isinstance(value, tuple) else value for key, value in values.items() if key != "material"}
    return {**outer, **inner}
