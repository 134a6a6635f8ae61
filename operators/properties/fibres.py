"""What makes a body's goo a muscle: fibres along a direction, and how far they are activated."""

from typing import Any

import bpy
from bpy.props import EnumProperty, FloatProperty, FloatVectorProperty, StringProperty

from .influence import Influence
from .settings import KEYED, SETTING

_KINDS = (
    ("NONE", "None", "The goo is alike in every direction"),
    ("DIRECTION", "Direction", "All fibres run along one direction of the object"),
    ("ATTRIBUTE", "Attribute", "Fibres run along a vector attribute of the object's vertices; there are none where it is zero"),
)


def _vector_attributes(group: Any, context: bpy.types.Context, typed: str) -> list[str]:
    layers = getattr(group.id_data.data, "attributes", ())
    own = {layer.name for layer in layers if (layer.data_type, layer.domain) == ("FLOAT_VECTOR", "POINT")}
    return sorted(own - {"position"})


FIBRES = Influence(
    "fibres",
    "Fibres",
    "What makes the goo a muscle",
    {
        "fibre_kind": EnumProperty(name="Fibres", description="Where fibres run through the goo", items=_KINDS, **SETTING),
        "fibre_direction": FloatVectorProperty(
            name="Direction", description="Along which the fibres run, in the object's own axes", default=(0, 0, 1), **SETTING
        ),
        "fibre_attribute": StringProperty(
            name="Attribute",
            description="Name of a vector attribute of the vertices; modifiers may make it",
            default="fibre",
            search=_vector_attributes,
            search_options={"SUGGESTION"},
            **SETTING,
        ),
        "fibre_stiffness": FloatProperty(
            name="Stiffness",
            description="How much the fibres resist being stretched, in Pa; being shortened costs them nothing",
            default=1e4,
            min=0.0,
            soft_max=1e6,
            **SETTING,
        ),
        "fibre_tension": FloatProperty(
            name="Tension",
            description="With how much stress the fibres pull themselves together when they are fully activated, in Pa",
            default=1e4,
            min=0.0,
            soft_max=1e6,
            **SETTING,
        ),
        "fibre_activation": FloatProperty(
            name="Activation",
            description="How much of their tension the fibres pull with; can be keyed, and acts between frames too",
            default=1.0,
            min=0.0,
            max=1.0,
            subtype="FACTOR",
            **KEYED,
        ),
    },
    only_with={"fibre_direction": "DIRECTION", "fibre_attribute": "ATTRIBUTE"},
    keyed=("fibre_activation",),
)
