"""What holds vertices of a body: its own animation, a collider, or another shape."""

from typing import Any

import bpy
from bpy.props import FloatProperty, PointerProperty

from .goal import only_with_shape, other_shape
from .influence import Influence, kind
from .named_data import vertex_group
from .settings import KEYED, SETTING


def _hold(prefix: str, stiffness: float, group_about: str) -> dict[str, Any]:
    """Return what all that holds has: the vertices that it holds, its springs, and a strength that lets go."""
    return {
        f"{prefix}_group": vertex_group("Vertex Group", group_about),
        f"{prefix}_stiffness": FloatProperty(
            name="Stiffness",
            description="Of the springs, in N/m for each kg of goo, so that neither density nor resolution matters: goo that "
            "hangs on them sinks by gravity over this",
            default=stiffness,
            min=1e-3,
            soft_max=1e4,
            **SETTING,
        ),
        f"{prefix}_damping": FloatProperty(
            name="Damping",
            description="How fast the springs take the speed from goo that moves otherwise than what it is held to, per second",
            default=10.0,
            min=0.0,
            soft_max=100.0,
            **SETTING,
        ),
        f"{prefix}_strength": FloatProperty(
            name="Strength",
            description="Springs weaken with it; what is firm lets a vertex go once its weight times this is below a half. Can "
            "be keyed, and acts between frames too: 0 lets go, and goo that is taken again is taken where it is",
            default=1.0,
            min=0.0,
            max=1.0,
            subtype="FACTOR",
            **KEYED,
        ),
    }


def _springs_only(prefix: str) -> dict[str, str]:
    return {f"{prefix}_stiffness": "SPRINGS", f"{prefix}_damping": "SPRINGS"}


PIN = Influence(
    "pin",
    "Pin",
    "The vertices that follow the object's own animation",
    "holds",
    {
        "pin_kind": kind(
            "Pin",
            "Whether a vertex group follows the object's own motion, from keys, bones or modifiers",
            ("NONE", "None", "All of the goo is free"),
            ("FIRM", "Firm", "Its vertices are where the animation puts them"),
            ("SPRINGS", "Springs", "Springs pull its goo to where the animation puts it"),
        ),
        **_hold("pin", 400.0, "The vertices that are held, and how much"),
    },
    only_with=_springs_only("pin"),
    keyed=("pin_strength",),
)

ATTACHMENT = Influence(
    "attachment",
    "Attachment",
    "The vertices that go with a collider",
    "holds",
    {
        "attachment_kind": kind(
            "Attachment",
            "Whether a vertex group is fixed to a collider, at the distance that it has when that begins",
            ("NONE", "None", "Nothing is fixed to a collider"),
            ("FIRM", "Firm", "Its vertices go with the collider"),
            ("SPRINGS", "Springs", "Springs pull its goo along with the collider"),
        ),
        "attachment_object": PointerProperty(
            type=bpy.types.Object,
            name="Collider",
            description="The collider that the goo is fixed to",
            poll=lambda _group, item: item.dollop.is_collider,
            **SETTING,
        ),
        **_hold("attachment", 400.0, "The vertices that are fixed, and how much"),
    },
    only_with=_springs_only("attachment"),
    keyed=("attachment_strength",),
)

GOAL_POSITIONS = Influence(
    "pull",
    "Goal Positions",
    "Where springs pull the goo in space",
    "holds",
    {
        "pull_kind": kind(
            "Goal",
            "Positions in space that springs pull the goo to; a Goal Shape changes what it is instead",
            ("NONE", "None", "Nothing pulls"),
            ("OBJECT", "Object", "Another object, in its place: a changed copy, its vertices in the same order"),
            ("SHAPE_KEY", "Shape Key", "One of this object's own shape keys, where the object is"),
        ),
        **other_shape(
            "pull",
            "The object whose vertices, as they move, the goo is pulled to",
            "The key whose vertices the goo is pulled to",
        ),
        **_hold("pull", 100.0, "The vertices that are pulled, and how much; empty: all of them"),
    },
    only_with=only_with_shape("pull"),
    keyed=("pull_strength",),
)
