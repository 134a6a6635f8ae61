"""What holds vertices of a body: the settings of properties/pins.py → solver Pins."""

from collections.abc import Iterable

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver.cache import VertexGroups
from ...solver.errors import SceneError
from ...solver.pins.pin import Pin
from .identity import ensure_uid
from .read_goal import shape_key_of
from .shape_samples import ShapeSamples
from .units import typed_number

Keys = dict[str, NDArray[np.float64]]


def pull_objects(bodies: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
    """Return the objects whose vertices are goal positions; they are evaluated too, hidden as they often are."""
    settings = (item.dollop for item in bodies)
    return [one.pull_object for one in settings if one.pull_kind == "OBJECT" and one.pull_object is not None]


def shapes_of(item: bpy.types.Object) -> dict[str, ShapeSamples]:
    """Return the shapes that a body is held to over time, by what holds it; what is set wrongly is left to `read_pins`."""
    settings, shapes = item.dollop, {}
    if settings.pin_kind != "NONE":
        shapes["pin"] = ShapeSamples(item)
    if settings.pull_kind == "OBJECT" and settings.pull_object is not None and settings.pull_object.type == "MESH":
        shapes["pull"] = ShapeSamples(settings.pull_object)
    keys = item.data.shape_keys
    if settings.pull_kind == "SHAPE_KEY" and keys is not None and settings.pull_shape_key in keys.key_blocks:
        shapes["pull"] = ShapeSamples(item, settings.pull_shape_key)
    return shapes


def read_pins(
    item: bpy.types.Object, groups: VertexGroups | None, count: int, shapes: dict[str, ShapeSamples], keys: Keys
) -> tuple[Pin, ...]:
    """Return the pins of a body with so many vertices in these groups; shapes as in `shapes_of`, keys of what is animated."""
    settings, pins = item.dollop, []
    if settings.pin_kind != "NONE":
        pins.append(_pin(item, "pin", settings.pin_kind == "FIRM", groups, count, shapes, keys))
    if settings.attachment_kind != "NONE":
        if settings.attachment_object is None:
            raise SceneError(
                "Its attachment names no collider.", body=item.name, remedy="Choose one, or set Attachment to None."
            )
        pins.append(_pin(item, "attachment", settings.attachment_kind == "FIRM", groups, count, shapes, keys))
    if settings.pull_kind != "NONE":
        _require_goal(item)
        pins.append(_pin(item, "pull", False, groups, count, shapes, keys))
    return tuple(pins)


_NAMES = {"pin": "pin", "attachment": "attachment", "pull": "goal positions"}
_LABELS = {"pin": "Pin", "attachment": "Attachment", "pull": "the Goal of Goal Positions"}


def _pin(
    item: bpy.types.Object, prefix: str, firm: bool, groups: VertexGroups | None, count: int,
    shapes: dict[str, ShapeSamples], keys: Keys,
) -> Pin:  # fmt: skip
    settings = item.dollop

    def value(name: str) -> float:
        return typed_number(getattr(settings, f"{prefix}_{name}"))

    vertices, weights = _members(item, prefix, groups, count)
    return Pin(
        name=_NAMES[prefix],
        vertices=vertices,
        weights=weights,
        targets=shapes[prefix].places(vertices, count, item.name) if prefix in shapes else None,
        collider=ensure_uid(settings.attachment_object) if prefix == "attachment" else "",
        stiffness=0.0 if firm else value("stiffness"),
        damping=0.0 if firm else value("damping"),
        strength=keys.get(f"{prefix}_strength", np.array([value("strength")])),
    )


def _members(
    item: bpy.types.Object, prefix: str, groups: VertexGroups | None, count: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The vertices (p,) of what holds the body, and their weights (p,)."""
    name = getattr(item.dollop, f"{prefix}_group")
    if not name and prefix == "pull":
        return np.arange(count, dtype=np.int32), np.ones(count)
    if not name or groups is None or name not in groups.names:
        missing = f"It has no vertex group '{name}'" if name else "No vertex group is chosen"
        raise SceneError(
            f"{missing} for its {_NAMES[prefix]}.",
            body=item.name,
            remedy=f"Choose one of its groups, or set {_LABELS[prefix]} to None.",
        )
    own = groups.groups == groups.names.index(name)
    vertices = np.repeat(np.arange(count, dtype=np.int32), np.diff(groups.offsets))[own]
    return vertices, np.clip(groups.weights[own].astype(np.float64), 0.0, 1.0)


def _require_goal(item: bpy.types.Object) -> None:
    """Raise SceneError where goal positions name nothing that has any."""
    if item.dollop.pull_kind == "SHAPE_KEY":
        shape_key_of(item, item.dollop.pull_shape_key)
    elif item.dollop.pull_object is None or item.dollop.pull_object.type != "MESH":
        raise SceneError("Its goal positions name no mesh.", body=item.name, remedy="Choose an object, or set Goal to None.")
