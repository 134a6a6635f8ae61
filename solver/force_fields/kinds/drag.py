"""Drag: takes speed away.

What Blender's panel calls linear drag, the field's strength, acts by the square of the speed, and what it calls quadratic, the
damping, by the speed itself: its particles move so.
"""

import numpy as np

from ..seen import Push, Seen

KIND = "DRAG"
MOST = 2.0  # of either number


def push(seen: Seen) -> Push:
    """a = -falloff (strength |v| + damping) v."""
    speed = np.sqrt(np.einsum("ni,ni->n", seen.velocities, seen.velocities))
    rate = min(seen.strength, MOST) * speed + min(seen.number("damping"), MOST)
    return Push(np.zeros_like(seen.velocities), drag=np.maximum(seen.falloff * rate, 0.0))
