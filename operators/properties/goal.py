"""The goal shape that a body's flow is led to."""

from typing import Any

import bpy
from bpy.props import EnumProperty, FloatProperty, PointerProperty, StringProperty

from .influence import Influence
from .settings import SETTING

_KINDS = (
    ("NONE", "None", "The goo flows freely"),
    ("OBJECT", "Object", "The shape of another object: a changed copy of this one, with the same vertices in the same order"),
    ("SHAPE_KEY", "Shape Key", "One of this object's own shape keys"),
)


def shape_keys_of(group: Any, context: bpy.types.Context, typed: str) -> list[str]:
    """Return the names of an object's shape keys, for a search."""
    keys = getattr(group.id_data.data, "shape_keys", None)
    return list(keys.key_blocks.keys()) if keys else []


GOAL = Influence(
    "goal",
    "Goal Shape",
    "The shape that flow leads to",
    {
        "goal_kind": EnumProperty(name="Goal", description="A shape that the goo's flow is led to", items=_KINDS, **SETTING),
        "goal_object": PointerProperty(
            type=bpy.types.Object,
            name="Object",
            description="The object whose shape the goo takes on; where it stands does not matter",
            poll=lambda _group, item: item.type == "MESH",
            **SETTING,
        ),
        "goal_shape_key": StringProperty(
            name="Shape Key", description="The key whose shape the goo takes on", search=shape_keys_of, **SETTING
        ),
        "goal_rate": FloatProperty(
            name="Pull",
            description="How fast the goo flows to its goal by itself, per second; at 0 only what deforms it leads it there",
            default=2.0,
            min=0.0,
            soft_max=20.0,
            **SETTING,
        ),
    },
    only_with={"goal_object": "OBJECT", "goal_shape_key": "SHAPE_KEY"},
)
