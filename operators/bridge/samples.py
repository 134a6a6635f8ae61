"""What moves or changes over the frames of a bake, read in one pass through them."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver.errors import SceneError
from ...solver.force_fields.field import ForceField
from ...solver.scene import Settings
from .animation import keyed_settings
from .collider_samples import ColliderSamples
from .evaluation import view_layer_of
from .read_force_fields import FieldSamples, fields_of
from .read_pins import shapes_of
from .read_settings import read_gravity
from .shape_samples import ShapeSamples
from .steps import Steps
from .units import typed_number

Array = NDArray[np.float64]


@dataclass
class Samples:
    """Values over time; objects by their full name.

    colliders : of each one how it moves and deforms, once when it rests
    shapes   : of each body the shapes that it is held to (read_pins.shapes_of)
    fields   : the force fields
    settings : of each body and collider, by name, (k,) values from the first frame on of what is animated
    gravity  : (k, 3) from the first frame on [m/s^2], None where it is not animated
    """

    colliders: dict[str, ColliderSamples] = field(default_factory=dict)
    shapes: dict[str, dict[str, ShapeSamples]] = field(default_factory=dict)
    fields: tuple[ForceField, ...] = ()
    settings: dict[str, dict[str, Array]] = field(default_factory=dict)
    gravity: Array | None = None


def sampling_steps(
    scene: bpy.types.Scene, bodies: list[bpy.types.Object], colliders: list[bpy.types.Object], settings: Settings
) -> Steps[Samples]:
    """Step through the frames where anything is animated; the scene stands on the first frame afterwards."""
    if settings.frame_end < settings.frame_start:
        raise SceneError(
            f"The frame range {settings.frame_start} to {settings.frame_end} is empty.", remedy="Set End to at least Start."
        )
    seen = {item.name_full: ColliderSamples(item) for item in colliders}
    shapes = {item.name_full: shapes_of(item) for item in bodies}
    fields = [FieldSamples(item) for item in fields_of(scene)]
    following: list[ShapeSamples | FieldSamples] = [*(shape for own in shapes.values() for shape in own.values()), *fields]
    moving = [samples for samples in seen.values() if samples.moves or samples.deforms]
    changing = {item: list(animation) for item in (*bodies, *colliders) if (animation := keyed_settings(item))}
    falling = bool(keyed_settings(scene))
    values: dict[str, list[list[float]]] = {item.name_full: [] for item in changing}
    gravities = []
    if moving or changing or falling or any(one.moves for one in following):
        for frame, part in _moments(settings, moving):
            scene.frame_set(frame, subframe=float(part))
            for samples in moving:
                if samples.is_due(part):
                    samples.look(scene)
            if not part:
                for item, names in changing.items():
                    values[item.name_full].append(_values(item, scene, names))
                for one in following:
                    if one.moves:
                        one.look(scene)
                gravities.append(read_gravity(scene))
            yield f"Reading frame {frame} of {settings.frame_end}"
    scene.frame_set(settings.frame_start)
    for samples in seen.values():
        if samples not in moving:
            samples.look(scene)
    for one in following:
        if not one.moves:
            one.look(scene)
    return Samples(
        seen,
        shapes,
        tuple(one.read() for one in fields),
        {
            item.name_full: dict(zip(names, np.array(values[item.name_full][1:]).T, strict=True))
            for item, names in changing.items()
        },
        np.array(gravities[1:]) if falling else None,
    )


def _values(item: bpy.types.Object, scene: bpy.types.Scene, names: list[str]) -> list[float]:
    """The named settings of a body or a collider at the frame that the scene stands on."""
    settings = item.evaluated_get(view_layer_of(scene).depsgraph).dollop
    material = getattr(settings, settings.model)
    return [typed_number(getattr(settings if hasattr(settings, name) else material, name)) for name in names]


def _moments(settings: Settings, moving: list[ColliderSamples]) -> Iterator[tuple[int, Fraction]]:
    """The frames, from the one before the first on, and the parts of a frame after each, at which something is to be seen."""
    parts = {Fraction(k, samples.samples) for samples in moving for k in range(samples.samples)} | {Fraction(0)}
    for frame in range(settings.frame_start - 1, settings.frame_end):
        yield from ((frame, part) for part in sorted(parts))
    yield settings.frame_end, Fraction(0)
