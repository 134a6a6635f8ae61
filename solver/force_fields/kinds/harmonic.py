"""Harmonic: a damped spring to the field."""

import numpy as np

from ..seen import Push, Seen

KIND = "HARMONIC"


def push(seen: Seen) -> Push:
    """a = -strength falloff (|r| - rest_length) r/|r| - 2 damping sqrt(strength) v, the second where the first reaches."""
    rest = seen.number("rest_length")
    away = seen.along() * (seen.distance - rest)[:, None] if rest else seen.arms
    drag = np.where(seen.falloff > 0.0, 2.0 * seen.number("damping") * np.sqrt(abs(seen.strength)), 0.0)
    stiffness = seen.strength * seen.falloff
    if seen.strength < 0.0:
        return Push(-stiffness[:, None] * away, drag)
    return Push(np.zeros_like(away), drag, stiffness, seen.positions - away)
