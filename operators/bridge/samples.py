"""What moves or changes over the frames of a bake, read in one pass through them."""

from dataclasses import dataclass, field

import bpy
import numpy as np
from numpy.typing import NDArray

from ...solver.errors import SceneError
from ...solver.scene import Settings
from .animation import keyed_settings
from .evaluation import view_layer_of, world_matrix
from .read_settings import read_gravity
from .steps import Steps
from .units import typed_number

Array = NDArray[np.float64]


@dataclass
class Samples:
    """Values over time; objects by their full name.

    matrices : of each collider (k, 4, 4) world matrices from the frame before the first to the last; k = 1 when it rests
    settings : of each body, by name, (k,) values from the first frame on of what is animated (animation.keyed_settings)
    gravity  : (k, 3) from the first frame on [m/s^2], None where it is not animated
    """

    matrices: dict[str, Array] = field(default_factory=dict)
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
    moving = [item for item in colliders if item.dollop.follow_animation and _may_move(item)]
    changing = {item: list(animation) for item in bodies if (animation := keyed_settings(item))}
    falling = bool(keyed_settings(scene))
    matrices: dict[str, list[Array]] = {item.name_full: [] for item in moving}
    values: dict[str, list[list[float]]] = {item.name_full: [] for item in changing}
    gravities = []
    if moving or changing or falling:
        for frame in range(settings.frame_start - 1, settings.frame_end + 1):
            scene.frame_set(frame)
            for item in moving:
                matrices[item.name_full].append(world_matrix(item, scene))
            for item, names in changing.items():
                values[item.name_full].append(_values(item, scene, names))
            gravities.append(read_gravity(scene))
            yield f"Reading frame {frame} of {settings.frame_end}"
    scene.frame_set(settings.frame_start)
    resting = {item.name_full: world_matrix(item, scene)[None] for item in colliders if item not in moving}
    return Samples(
        resting | {name: np.array(seen) for name, seen in matrices.items()},
        {
            item.name_full: dict(zip(names, np.array(values[item.name_full][1:]).T, strict=True))
            for item, names in changing.items()
        },
        np.array(gravities[1:]) if falling else None,
    )


def _values(item: bpy.types.Object, scene: bpy.types.Scene, names: list[str]) -> list[float]:
    """The named settings of a body at the frame that the scene stands on."""
    settings = item.evaluated_get(view_layer_of(scene).depsgraph).dollop
    material = getattr(settings, settings.model)
    return [typed_number(getattr(settings if hasattr(settings, name) else material, name)) for name in names]


def _may_move(item: bpy.types.Object) -> bool:
    """Tell whether anything could move the object over time; without any of these there is no need to look."""
    return bool(item.parent or item.animation_data or len(item.constraints) or item.rigid_body)
