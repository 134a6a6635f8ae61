"""What differs from place to place in a body's goo."""

from typing import Any

from bpy.props import FloatProperty

from .influence import Influence, kind
from .named_data import number_attribute, vertex_group
from .settings import SETTING

# The property of each of the material's parameters that can be painted (solver/painted.py)
PAINTED = {
    "young_modulus": "paint_stiffness",
    "yield_stress": "paint_yield",
    "flow_rate": "paint_flow",
    "hardening_modulus": "paint_hardening",
}


def _times(name: str, about: str, least: float = 1e-3) -> Any:
    return FloatProperty(
        name=name,
        description=f"{about} is multiplied by this where the weight is 1, by less of it where it is lower, by 1 where it is 0",
        default=1.0,
        min=least,
        max=1e3,
        soft_min=max(least, 0.0),
        soft_max=10.0,
        precision=3,
        **SETTING,
    )


PAINT = Influence(
    "paint",
    "Paint",
    "Where the goo is softer, firmer or runnier than elsewhere",
    "material",
    {
        "paint_kind": kind(
            "Paint",
            "Whether the goo differs from place to place; what is painted on its surface goes on inside, and along as it flows",
            ("NONE", "None", "It is the same all over"),
            ("GROUP", "Vertex Group", "It differs by the weights of a vertex group"),
            ("ATTRIBUTE", "Attribute", "It differs by an attribute of the vertices, 0 to 1; modifiers may make it"),
        ),
        "paint_group": vertex_group("Vertex Group", "The vertices at which the goo differs, and how much"),
        "paint_attribute": number_attribute("Name of an attribute of the vertices, 0 to 1; modifiers may make it", "paint"),
        "paint_stiffness": _times("Stiffness ×", "Young's modulus"),
        "paint_yield": _times("Yield ×", "The yield stress, the softest one too,"),
        "paint_flow": _times("Flow ×", "The flow rate"),
        "paint_hardening": _times("Hardening ×", "The hardening; below 0 what hardens elsewhere softens there and", -1e3),
    },
    only_with={"paint_group": "GROUP", "paint_attribute": "ATTRIBUTE"},
)
