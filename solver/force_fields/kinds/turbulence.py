"""Turbulence: eddies that stand in space, or in the field's."""

import numpy as np

from ..seen import Push, Seen

KIND = "TURBULENCE"


def push(seen: Seen) -> Push:
    """a = strength falloff noise(x / size), noise between -1 and 1."""
    from ..eddies import turbulence  # compiled

    places = seen.positions if seen.field.world_noise else seen.offsets + seen.axis
    size = seen.number("size")
    eddies = np.empty_like(places)
    turbulence(places / size if size > 0.0 else places, np.uint32(seen.field.seed), eddies)
    return Push((seen.strength * seen.falloff)[:, None] * eddies)
