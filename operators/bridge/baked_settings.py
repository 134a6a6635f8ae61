"""What the artist has set, as plain data that the manifest of a cache keeps: a change is seen without reading a mesh."""

from dataclasses import asdict, replace
from itertools import chain
from typing import Any

import bpy

from ..properties.influences import INFLUENCES
from .animation import keyed_settings
from .identity import bodies_of, colliders_of
from .read_body import body_settings
from .read_collider import collider_settings
from .read_force_fields import fields_as_set
from .read_settings import read_settings

ANIMATION = "animation of "
GOO = "goo"  # the preset that was applied last


def origin_of(scene: bpy.types.Scene, versions: dict[str, str], settings: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return what the manifest keeps of where a bake comes from (solver/cache/manifest.py).

    settings : `settings_of` the scene at the first frame, which is what is baked
    """
    return {"versions": versions, "scene": {"uid": scene.dollop.uid, "name": scene.name}, "settings": settings}


def settings_of(scene: bpy.types.Scene) -> dict[str, dict[str, Any]]:
    """Return the settings by the identifier of body or collider, the scene's own under ""; JSON gives them back as they are.

    Those that are animated are of the frame that the scene stands on; what animates them stands under ANIMATION and the name.
    """
    # The range may be extended, the number of threads changes nothing, and gravity's keys stand under ANIMATION
    settings = _flat(asdict(replace(read_settings(scene), frame_start=0, frame_end=0, threads=0)))
    del settings["gravity_keys"]
    bodies = {item.dollop.uid: _of_body(item, scene) for item in bodies_of(scene)}
    colliders = {item.dollop.uid: _flat(collider_settings(item, scene)) | _animation(item) for item in colliders_of(scene)}
    return {"": settings | _animation(scene) | {"set_of_force_fields": fields_as_set(scene)}, **bodies, **colliders}


def _of_body(item: bpy.types.Object, scene: bpy.types.Scene) -> dict[str, Any]:
    """All of a body: numbers, and what acts on it as it is set."""
    names = [name for influence in INFLUENCES for name in influence.in_use(item.dollop)]
    influences = {name: _plain(getattr(item.dollop, name)) for name in names}
    return {GOO: item.dollop.preset} | influences | _flat(body_settings(item, scene)) | _animation(item)


def _plain(value: Any) -> Any:
    """A property's value as JSON keeps it: an object by its name, a vector as a list."""
    if isinstance(value, bpy.types.ID):
        return value.name_full
    return value if value is None or isinstance(value, str | float) else list(value)


def _animation(owner: bpy.types.Object | bpy.types.Scene) -> dict[str, Any]:
    return {ANIMATION + name: parts for name, parts in keyed_settings(owner).items()}


def changed_setting(scene: bpy.types.Scene, baked: dict[str, dict[str, Any]]) -> str:
    """Return a sentence on the first setting that is another one than at the bake, or nothing.

    Settings that are animated are others at every frame; of them what animates them is compared. What the bake did not
    keep, since its Dollop had no such setting, is left out.
    """
    owners = {item.dollop.uid: item for item in (*bodies_of(scene), *colliders_of(scene))}
    for uid, now in settings_of(scene).items():
        then = baked.get(uid)
        if then is None:
            return f"'{owners[uid].name}' was added after the bake."
        changed = _difference(then, now)
        if changed:
            owner = f" of '{owners[uid].name}'" if uid else ""
            return f"The {changed.replace('_', ' ')}{owner} was changed after the bake."
    gone = [uid for uid in baked if uid and uid not in owners]
    return "A body or a collider was removed after the bake." if gone else ""


def _difference(then: dict[str, Any], now: dict[str, Any]) -> str:
    """The name of the first setting that is not the same; of another preset nothing else is said, for it changes many."""
    animated = {key.removeprefix(ANIMATION) for key in now if key.startswith(ANIMATION)}
    plain = (key for key in now if key in then and then[key] != now[key] and key not in animated)
    keyed = (key for key in {**now, **then} if key.startswith(ANIMATION) and then.get(key) != now.get(key))
    changed = [*chain(plain, keyed)]
    return next(iter(changed), "") if changed != [GOO] else ""  # the same numbers under another name


def _flat(values: dict[str, Any]) -> dict[str, Any]:
    """A material's numbers and choices beside the other settings, tuples as lists."""
    material = values.get("material")
    inner = {} if material is None else {"material": material.model, **material.values, **material.options}
    outer = {key: list(value) if isinstance(value, tuple) else value for key, value in values.items() if key != "material"}
    return {**outer, **inner}
