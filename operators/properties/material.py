"""One PropertyGroup for each material model, generated from the model's own declaration."""

from functools import cache
from typing import Any

import bpy

from ...solver.materials import Choice, MaterialModel, Parameter, models
from .settings import KEYED, SETTING

_DECIMALS = {"Pa": 1, "N/m": 4, "kg/m^3": 1, "s": 4, "1/s": 3, "": 3}


@cache
def material_groups() -> dict[str, type]:
    """Return the PropertyGroup of each material model by the model's identifier."""
    return {identifier: _group(model) for identifier, model in models().items()}


def _group(model: MaterialModel) -> type:
    annotations: dict[str, Any] = {parameter.name: _number(parameter) for parameter in model.parameters}
    annotations |= {choice.name: _choice(choice) for choice in model.choices}
    name = f"DOLLOP_PG_{model.identifier}"
    conditions = {parameter.name: parameter.only_with for parameter in model.parameters if parameter.only_with}
    units = {parameter.name: parameter.unit.replace("^3", "\N{SUPERSCRIPT THREE}") for parameter in model.parameters}
    namespace = {"__annotations__": annotations, "__doc__": model.description, "conditions": conditions, "units": units}
    return type(name, (bpy.types.PropertyGroup,), namespace)


def _number(parameter: Parameter) -> Any:
    unit = f" [{parameter.unit}]" if parameter.unit else ""
    # Blender has no units for pressure, density or rates; only a bounded pure number gets a slider
    slider = not parameter.unit and parameter.maximum <= 1.0
    return bpy.props.FloatProperty(
        name=parameter.label,
        description=parameter.description + unit + ("; can be keyed, and acts between frames too" if parameter.keyed else ""),
        default=parameter.default,
        min=parameter.minimum,
        max=parameter.maximum,
        precision=_DECIMALS[parameter.unit],
        subtype="FACTOR" if slider else "NONE",
        update=_mark_changed,
        **(KEYED if parameter.keyed else SETTING),
    )


def _choice(choice: Choice) -> Any:
    return bpy.props.EnumProperty(
        name=choice.label,
        description=choice.description,
        items=choice.options,
        default=choice.default,
        update=_mark_changed,
        **SETTING,
    )


def _mark_changed(group: Any, context: bpy.types.Context) -> None:
    """Let the preset menu show that the values are no longer the preset's."""
    group.id_data.dollop.preset_changed = True
