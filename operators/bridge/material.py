"""Materials and presets between object.dollop and the solver."""

from typing import Any

import bpy

from ...solver.materials import Material, models
from ...solver.presets import Preset
from .units import typed_number


def read_material(item: bpy.types.Object) -> Material:
    """Return the material that the object's properties describe."""
    model = models()[item.dollop.model]
    group = getattr(item.dollop, model.identifier)
    return Material(
        model.identifier,
        values={parameter.name: typed_number(getattr(group, parameter.name)) for parameter in model.parameters},
        options={choice.name: getattr(group, choice.name) for choice in model.choices},
    )


def write_preset(item: bpy.types.Object, preset: Preset) -> None:
    """Set the object's material and real size to the preset's."""
    settings: Any = item.dollop
    settings.model = preset.material.model
    group = getattr(settings, preset.material.model)
    for name, value in {**preset.material.values, **preset.material.options}.items():
        setattr(group, name, value)
    settings.real_size = preset.real_size
    settings.preset = preset.identifier
    settings.preset_changed = False


def read_preset(item: bpy.types.Object, name: str, look: str) -> Preset:
    """Return the object's material as a preset of the artist's own."""
    return Preset("", name, look, "Saved from Blender", typed_number(item.dollop.real_size), read_material(item))
