"""Vortex: a turn about the field's axis.

Seen from a line or a plane (Blender's default) speeds are led to those of a turn with strength radians a second, and inwards
as such a turn needs it; seen from a point, which is Blender's older way, it only pushes sideways.
"""

import numpy as np

from ..seen import LEAST, Push, Seen

KIND = "VORTEX"


def push(seen: Seen) -> Push:
    """a = s z x r + s^2 z x (z x r) - v with s = strength falloff, r from the field; or s |r| along z x r from a point."""
    turn = seen.strength * seen.falloff
    if seen.field.shape == "POINT":
        around = np.cross(seen.axis, seen.arms)
        length = np.sqrt(np.einsum("ni,ni->n", around, around))
        return Push((turn * seen.distance / np.maximum(length, LEAST))[:, None] * around)
    around = turn[:, None] * np.cross(seen.axis, seen.offsets)
    return Push(around + turn[:, None] * np.cross(seen.axis, around), drag=(seen.falloff > 0.0).astype(np.float64))
