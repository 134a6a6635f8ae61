"""Blender's force fields → solver ForceFields, and how much of each acts on a body."""

from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver.force_fields.field import NUMBERS, SHAPES, ForceField
from ...solver.force_fields.kinds import kinds
from .collider_samples import may_move
from .evaluation import view_layer_of, world_matrix
from .units import metres_per_unit, typed_number

# Blender keeps the two numbers of Drag where strength and damping are
_NAMES = {"damping": "harmonic_damping"}
_LENGTHS = {"size", "rest_length", "distance_min", "distance_max"}
_ACROSS = {"radial_min", "radial_max"}  # lengths too, but for a cone's, which are degrees
_LIMITS = {
    "distance_min": "use_min_distance", "distance_max": "use_max_distance", "radial_min": "use_radial_min",
    "radial_max": "use_radial_max",
}  # fmt: skip
_SILENT = {"NONE", "GUIDE"}


def fields_of(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """Return the objects whose fields act on goo, ordered by name."""
    found = [item for item in scene.objects if item.field is not None and item.field.type in kinds()]
    acting = [item for item in found if item.field.shape in SHAPES and item.field.apply_to_location]
    return sorted(acting, key=lambda item: item.name_full)


def field_notes(scene: bpy.types.Scene) -> tuple[str, ...]:
    """Return a sentence on every field that does not act, or not as it is set."""
    notes = []
    acting = fields_of(scene)
    for item in sorted(scene.objects, key=lambda item: item.name_full):
        field = item.field
        if field is None or field.type in _SILENT or not field.apply_to_location:
            continue
        kind = field.bl_rna.properties["type"].enum_items[field.type].name
        if field.type not in kinds():
            notes.append(f"'{item.name}' does not act on goo: force fields of type {kind} are not known to it.")
        elif item not in acting:
            shape = field.bl_rna.properties["shape"].enum_items[field.shape].name
            notes.append(f"'{item.name}' does not act on goo: choose Point, Line or Plane in place of the shape {shape}.")
        elif field.use_absorption:
            notes.append(f"'{item.name}' acts through colliders too: its Absorption is not known to goo.")
    return tuple(notes)


def field_weights(item: bpy.types.Object, fields: list[bpy.types.Object]) -> dict[str, float]:
    """Return how much each field acts on a body, by its uid; those that do not are left out."""
    settings = item.dollop
    if settings.field_kind == "COLLECTION":
        chosen = set() if settings.field_collection is None else set(settings.field_collection.all_objects)
        fields = [one for one in fields if one in chosen]
    elif settings.field_kind == "NONE":
        fields = []
    whole = typed_number(settings.field_all)
    weights = {_uid(one): whole * typed_number(getattr(settings, f"field_{one.field.type.lower()}")) for one in fields}
    return {uid: weight for uid, weight in weights.items() if weight != 0.0}


class FieldSamples:
    """Where a field is and what is set on it, from the frame before the first on; once where nothing animates it."""

    def __init__(self, item: bpy.types.Object) -> None:
        self.item, self.moves = item, may_move(item)
        self._matrices: list[NDArray[np.float64]] = []
        self._numbers: list[list[float]] = []

    def look(self, scene: bpy.types.Scene) -> None:
        """Take in what the scene shows at the frame that it stands on."""
        matrix, metres = world_matrix(self.item, scene), metres_per_unit(scene)
        matrix[:3, 3] *= metres
        self._matrices.append(matrix)
        self._numbers.append(list(_numbers(self.item.evaluated_get(view_layer_of(scene).depsgraph).field, metres).values()))

    def read(self) -> ForceField:
        """The field."""
        settings, table = self.item.field, np.array(self._numbers)
        columns = dict(zip(NUMBERS, table.T, strict=True))
        changing = {name: values[1:] for name, values in columns.items() if (values != values[0]).any()}
        matrices = np.array(self._matrices)
        return ForceField(
            uid=_uid(self.item),
            name=self.item.name,
            kind=settings.type,
            transforms=matrices[:1] if (matrices == matrices[0]).all() else matrices,
            numbers={name: float(values[0]) for name, values in columns.items() if name not in changing and values[0] != 0.0},
            keys=changing,
            limits=tuple(name for name, switch in _LIMITS.items() if getattr(settings, switch)),
            shape=settings.shape,
            falloff=settings.falloff_type,
            side=settings.z_direction,
            seed=settings.seed,
            inverse_square=settings.use_gravity_falloff,
            world_noise=settings.use_global_coords,
        )


def fields_as_set(scene: bpy.types.Scene) -> dict[str, Any]:
    """What is set on the fields that nothing animates, by name, and the names of the others, as plain data."""
    metres = metres_per_unit(scene)
    return {
        item.name: None if may_move(item) else [item.field.type, item.field.shape, list(_numbers(item.field, metres).values())]
        for item in fields_of(scene)
    }


def _numbers(settings: bpy.types.FieldSettings, metres: float) -> dict[str, float]:
    lengths = _LENGTHS if settings.falloff_type == "CONE" else _LENGTHS | _ACROSS
    values = {name: typed_number(getattr(settings, _NAMES.get(name, name))) for name in NUMBERS}
    return {name: value * metres if name in lengths else value for name, value in values.items()}


def _uid(item: bpy.types.Object) -> str:
    return f"force field {item.name_full}"
