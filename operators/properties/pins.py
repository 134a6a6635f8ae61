"""What holds vertices of a body: its own animation, a collider, or another shape."""

from typing import Any

import bpy
from bpy.props import EnumProperty, FloatProperty, PointerProperty, StringProperty

from .goal import shape_keys_of
from .influence import Influence
from .settings import KEYED, SETTING


def _vertex_groups(group: Any, context: bpy.types.Context, typed: str) -> list[str]:
    return list(group.id_data.vertex_groups.keys())


def _group(about: str) -> Any:
    return StringProperty(
        name="Vertex Group", description=about, search=_vertex_groups, search_options={"SUGGESTION"}, **SETTING
    )


def _springs(prefix: str, stiffness: float) -> dict[str, Any]:
    return {
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
    }


def _strength(prefix: str) -> dict[str, Any]:
    return {
        f"{prefix}_strength": FloatProperty(
            name="Strength",
            description="Springs weaken with it; what is firm lets a vertex go once its weight times this is below a half. Can "
            "be keyed, and acts between frames too: 0 lets go, and goo that is taken again is taken where it is",
            default=1.0,
            min=0.0,
            max=1.0,
            subtype="FACTOR",
            **KEYED,
        )
    }


PIN = Influence(
    "pin",
    "Pin",
    "The vertices that follow the object's own animation",
    {
        "pin_kind": EnumProperty(
            name="Pin",
            description="Whether a vertex group follows the object's own motion, from keys, bones or modifiers",
            items=(
                ("NONE", "None", "All of the goo is free"),
                ("FIRM", "Firm", "Its vertices are where the animation puts them"),
                ("SPRINGS", "Springs", "Springs pull its goo to where the animation puts it"),
            ),
            **SETTING,
        ),
        "pin_group": _group("The vertices that are held, and how much"),
        **_springs("pin", 400.0),
        **_strength("pin"),
    },
    only_with={"pin_stiffness": "SPRINGS", "pin_damping": "SPRINGS"},
    keyed=("pin_strength",),
)

ATTACHMENT = Influence(
    "attachment",
    "Attachment",
    "The vertices that go with a collider",
    {
        "attachment_kind": EnumProperty(
            name="Attachment",
            description="Whether a vertex group is fixed to a collider, at the distance that it has when that begins",
            items=(
                ("NONE", "None", "Nothing is fixed to a collider"),
                ("FIRM", "Firm", "Its vertices go with the collider"),
                ("SPRINGS", "Springs", "Springs pull its goo along with the collider"),
            ),
            **SETTING,
        ),
        "attachment_object": PointerProperty(
            type=bpy.types.Object,
            name="Collider",
            description="The collider that the goo is fixed to",
            poll=lambda _group, item: item.dollop.is_collider,
            **SETTING,
        ),
        "attachment_group": _group("The vertices that are fixed, and how much"),
        **_springs("attachment", 400.0),
        **_strength("attachment"),
    },
    only_with={"attachment_stiffness": "SPRINGS", "attachment_damping": "SPRINGS"},
    keyed=("attachment_strength",),
)

GOAL_POSITIONS = Influence(
    "pull",
    "Goal Positions",
    "Where springs pull the goo in space",
    {
        "pull_kind": EnumProperty(
            name="Goal",
            description="Positions in space that springs pull the goo to; a Goal Shape changes what it is instead",
            items=(
                ("NONE", "None", "Nothing pulls"),
                ("OBJECT", "Object", "Another object, in its place: a changed copy, its vertices in the same order"),
                ("SHAPE_KEY", "Shape Key", "One of this object's own shape keys, where the object is"),
            ),
            **SETTING,
        ),
        "pull_object": PointerProperty(
            type=bpy.types.Object,
            name="Object",
            description="The object whose vertices, as they move, the goo is pulled to",
            poll=lambda _group, item: item.type == "MESH",
            **SETTING,
        ),
        "pull_shape_key": StringProperty(
            name="Shape Key", description="The key whose vertices the goo is pulled to", search=shape_keys_of, **SETTING
        ),
        "pull_group": _group("The vertices that are pulled, and how much; empty: all of them"),
        **_springs("pull", 100.0),
        **_strength("pull"),
    },
    only_with={"pull_object": "OBJECT", "pull_shape_key": "SHAPE_KEY"},
    keyed=("pull_strength",),
)
