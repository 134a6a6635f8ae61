"""Whether gravity is keyed or driven; of the other settings only the activation of fibres can be."""

from collections.abc import Iterator
from typing import Any

import bpy


def gravity_is_animated(scene: bpy.types.Scene) -> bool:
    """Tell whether the scene's gravity may be another one at every frame."""
    return scene.animation_data is not None and any(path in ("gravity", "use_gravity") for path in _paths(scene.animation_data))


def _paths(data: bpy.types.AnimData) -> Iterator[str]:
    yield from (driver.data_path for driver in data.drivers)
    strips = [strip for track in data.nla_tracks for strip in track.strips]
    for user in (data, *strips):
        if user.action is not None:
            yield from (curve.data_path for curve in _curves(user.action, getattr(user, "action_slot", None)))


def _curves(action: bpy.types.Action, slot: Any) -> Iterator[bpy.types.FCurve]:
    if not hasattr(action, "layers"):  # Blender 4.2 and 4.3
        yield from action.fcurves
        return
    for layer in action.layers:
        for strip in layer.strips:
            bag = strip.channelbag(slot) if slot is not None else None
            yield from bag.fcurves if bag is not None else ()
