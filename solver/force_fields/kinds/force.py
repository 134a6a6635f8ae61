"""Force: away from the field, or towards it where its strength is negative."""

import numpy as np

from ..seen import LEAST, Push, Seen

KIND = "FORCE"


def push(seen: Seen) -> Push:
    """a = strength falloff r/|r|, over |r|^2 with inverse_square."""
    strength = seen.strength * seen.falloff
    if seen.field.inverse_square:
        strength = np.where(seen.distance > LEAST, strength / np.maximum(seen.distance, LEAST) ** 2, 0.0)
    return Push(strength[:, None] * seen.along())
