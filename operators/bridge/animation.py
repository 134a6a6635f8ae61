"""What is keyed or driven: which properties of an object or a scene, and by what."""

from collections.abc import Iterator
from typing import Any

import bpy

from ...solver.collider import KEYED
from ...solver.topology_checks import SWITCHES
from ..properties.influences import INFLUENCES


def keyed_settings(owner: bpy.types.Object | bpy.types.Scene) -> dict[str, list[Any]]:
    """Return what animates the settings that may change during a bake, by their names, as plain data.

    That is the keys of curves and the expressions of drivers; nothing is looked at of what animates anything else.
    """
    found: dict[str, list[Any]] = {}
    data = owner.animation_data
    if data is None:
        return found
    names = _scene_name if isinstance(owner, bpy.types.Scene) else _object_name
    for driver in data.drivers:
        if name := names(owner, driver.data_path):
            found.setdefault(name, []).append([driver.array_index, driver.driver.expression])
    strips = [strip for track in data.nla_tracks for strip in track.strips]
    for user in (data, *strips):
        if user.action is not None:
            for curve in _curves(user.action, getattr(user, "action_slot", None)):
                if name := names(owner, curve.data_path):
                    points = [[point.interpolation, *(float(part) for part in point.co)] for point in curve.keyframe_points]
                    found.setdefault(name, []).append([curve.data_path, curve.array_index, points])
    return found


def _scene_name(_scene: bpy.types.Scene, path: str) -> str:
    """The setting that a data path of a scene leads to, or nothing."""
    return "gravity" if path in ("gravity", "use_gravity") else ""


def _object_name(item: bpy.types.Object, path: str) -> str:
    """The setting that a data path of a body or a collider leads to, or nothing; those of other models do not count."""
    if item.dollop.is_collider:
        return next((name for name in KEYED if path == f"dollop.{name}"), "")
    material = f"dollop.{item.dollop.model}."
    if path.startswith(material):
        return path.removeprefix(material)
    name = path.removeprefix("dollop.")
    keyed = name in SWITCHES or any(name in influence.keyed for influence in INFLUENCES)
    return name if path != name and keyed else ""


def _curves(action: bpy.types.Action, slot: Any) -> Iterator[bpy.types.FCurve]:
    if not hasattr(action, "layers"):  # Blender 4.2 and 4.3
        yield from action.fcurves
        return
    for layer in action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(slot) if slot is not None else None
            yield from bag.fcurves if bag is not None else ()
