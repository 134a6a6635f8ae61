"""The goal shape that a body's flow is led to."""

from typing import Any

import bpy
from bpy.props import FloatProperty, PointerProperty

from .influence import Influence, kind
from .named_data import shape_key
from .settings import SETTING


def other_shape(prefix: str, object_about: str, key_about: str) -> dict[str, Any]:
    """Return the two properties that choose a shape of the same vertices: of another object, or a shape key."""
    return {
        f"{prefix}_object": PointerProperty(
            type=bpy.types.Object,
            name="Object",
            description=object_about,
            poll=lambda _group, item: item.type == "MESH",
            **SETTING,
        ),
        f"{prefix}_shape_key": shape_key(key_about),
    }


def only_with_shape(prefix: str) -> dict[str, str]:
    """Return to which kind each property of `other_shape` belongs."""
    return {f"{prefix}_object": "OBJECT", f"{prefix}_shape_key": "SHAPE_KEY"}


GOAL = Influence(
    "goal",
    "Goal Shape",
    "The shape that flow leads to",
    "holds",
    {
        "goal_kind": kind(
            "Goal",
            "A shape that the goo's flow is led to",
            ("NONE", "None", "The goo flows freely"),
            ("OBJECT", "Object", "The shape of another object: a changed copy of this one, its vertices in the same order"),
            ("SHAPE_KEY", "Shape Key", "One of this object's own shape keys"),
        ),
        **other_shape(
            "goal",
            "The object whose shape the goo takes on; where it stands does not matter",
            "The key whose shape the goo takes on",
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
    only_with=only_with_shape("goal"),
)
