"""Points as a force field sees them: where from, how far, and how much of it is left there."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .field import ForceField

Array = NDArray[np.float64]

LEAST = 1e-12  # length below which a direction is none [m]


@dataclass
class Seen:
    """Points (n,) at one moment.

    place      : in frames after the first
    axis       : (3,) the field's
    offsets    : (n, 3) from the field's own point [m]; arms (n, 3) from what distances are taken from; distance (n,) [m]
    positions, velocities : (n, 3) [m], [m/s]
    falloff    : (n,) share that is left, with the body's weight in it
    """

    field: ForceField
    place: float
    axis: Array
    offsets: Array
    arms: Array
    distance: Array
    positions: Array
    velocities: Array
    falloff: Array
    strength: float

    def number(self, name: str) -> float:
        """One of the field's numbers at this moment."""
        return self.field.number(name, self.place)

    def along(self) -> Array:
        """Unit vectors (n, 3) away from the field; zero where it is."""
        unit: Array = self.arms / np.maximum(self.distance, LEAST)[:, None]
        return unit


@dataclass
class Push:
    """What a field does to points (n,), by mass.

    acceleration (n, 3) [m/s^2], beside which a drag (n,) [1/s] takes speed away, and springs (n,) [1/s^2] pull to centers
    (n, 3) [m]
    """

    acceleration: Array
    drag: Array | None = None
    springs: Array | None = None
    centers: Array = field(default_factory=lambda: np.zeros((0, 3)))


def look(
    one: ForceField, place: float, origin: Array, axis: Array, positions: Array, velocities: Array, weight: float
) -> Seen:
    """See points at positions (n, 3) from a field at `origin` (3,) with its `axis` (3,), a unit vector."""
    offsets = positions - origin
    height = np.einsum("ni,i->n", offsets, axis)
    arms = offsets
    if one.shape == "LINE" or (one.shape == "PLANE" and one.kind == "VORTEX"):
        arms = offsets - height[:, None] * axis
    elif one.shape == "PLANE":
        arms = height[:, None] * axis
    distance = np.sqrt(np.einsum("ni,ni->n", arms, arms))
    seen = Seen(one, place, axis, offsets, arms, distance, positions, velocities, np.empty(0), _strength(one, place))
    seen.falloff = weight * _falloff(seen, height)
    return seen


def _falloff(seen: Seen, height: Array) -> Array:
    """The share (n,) of the field that is left at points at a height (n,) along its axis."""
    one = seen.field
    if one.falloff == "SPHERE":
        left = _fading(seen, seen.distance, "distance", "falloff_power")
    else:
        left = _fading(seen, np.abs(height), "distance", "falloff_power")
        away = seen.offsets - height[:, None] * seen.axis
        across = np.sqrt(np.einsum("ni,ni->n", away, away))
        if one.falloff == "CONE":
            across = np.degrees(np.arctan2(across, height))
        left = left * _fading(seen, across, "radial", "radial_falloff")
    if one.side != "BOTH":
        left = np.where(height < 0.0 if one.side == "POSITIVE" else height > 0.0, 0.0, left)
    return left


def _fading(seen: Seen, distance: Array, limits: str, power: str) -> Array:
    """(1 + distance - least)^-power, 1 below the least distance and 0 beyond the largest, where these count."""
    least = seen.number(f"{limits}_min") if f"{limits}_min" in seen.field.limits else 0.0
    left: Array = (1.0 + np.maximum(distance - least, 0.0)) ** -seen.number(power)
    if f"{limits}_max" in seen.field.limits:
        left = np.where(distance > seen.number(f"{limits}_max"), 0.0, left)
    return left


def _strength(one: ForceField, place: float) -> float:
    """Strength with its noise: a number a frame out of -noise to noise, linear between frames."""
    noise = one.number("noise", place)
    if noise == 0.0:
        return one.number("strength", place)
    first = int(np.floor(place))
    now, then = (np.random.RandomState((one.seed * 7919 + k) % 2**32).uniform(-1.0, 1.0) for k in (first, first + 1))
    return one.number("strength", place) + noise * (now + (place - first) * (then - now))
