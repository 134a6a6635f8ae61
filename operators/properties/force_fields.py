"""Which of Blender's force fields act on a body, and how much."""

from typing import Any

import bpy
from bpy.props import FloatProperty, PointerProperty

from ...solver.force_fields.kinds import kinds
from .influence import Influence, kind
from .settings import SETTING


def _weight(name: str, of: str) -> Any:
    return FloatProperty(
        name=name, description=f"How much {of} on this body", default=1.0, min=0.0, soft_max=1.0, subtype="FACTOR", **SETTING
    )


FORCE_FIELDS = Influence(
    "force_fields",
    "Force Fields",
    "Which force fields act, and how much",
    "forces",
    {
        "field_kind": kind(
            "Fields",
            "Which of Blender's force fields act: on every kg of goo as on a particle with a mass of 1",
            ("ALL", "Scene", "All of the scene"),
            ("COLLECTION", "Collection", "Those of one collection"),
            ("NONE", "None", "No field acts"),
        ),
        "field_collection": PointerProperty(
            type=bpy.types.Collection, name="Collection", description="The collection whose fields act", **SETTING
        ),
        "field_all": _weight("All", "all fields act"),
        **{f"field_{one.lower()}": _weight(one.capitalize(), f"fields of kind {one.capitalize()} act") for one in kinds()},
    },
    only_with={"field_collection": "COLLECTION"},
)
