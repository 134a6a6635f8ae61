"""Lengths between Blender's units and metres, and numbers as the artist typed them."""

import bpy
import numpy as np


def metres_per_unit(scene: bpy.types.Scene) -> float:
    """Return how many metres one Blender unit is."""
    return typed_number(scene.unit_settings.scale_length)


def typed_number(value: float) -> float:
    """Return the shortest decimal that Blender's single-precision property stands for: 0.49, not 0.49000000954."""
    return float(str(np.float32(value)))
