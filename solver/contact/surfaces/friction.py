"""Friction between surfaces: the pairs that rub in a step, and what sticks from one step to the next."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..entries import kept_stretch

Array = NDArray[np.float64]


@dataclass
class Friction:
    """The pairs of points that rubbed at the step's start: lagged, but for how far they slip; c pairs, see terms.py.

    exact: the share of friction's true stiffness in its stiffness, the rest being its secant; fem/newton.py says it.
    """

    points: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 4), np.int32))
    weights: Array = field(default_factory=lambda: np.zeros((0, 4)))
    normal: Array = field(default_factory=lambda: np.zeros((0, 3)))
    anchor: Array = field(default_factory=lambda: np.zeros((0, 3)))
    grip: Array = field(default_factory=lambda: np.zeros(0))
    slip: float = 1.0
    exact: float = 0.5

    def stretch(self, places: Array) -> Array:
        """How far (c, 3) [m] each pair is stretched across its normal, points at (k, 3), at most by as much as sticks."""
        away = (self.weights[:, :, None] * places[self.points]).sum(axis=1) - self.anchor
        return kept_stretch(away, self.normal, np.full(len(away), self.slip))


@dataclass
class Held:
    """What sticks from step to step: stretch (c, 3) [m] of pairs by their points (c, 4)."""

    points: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 4), np.int32))
    stretch: Array = field(default_factory=lambda: np.zeros((0, 3)))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a checkpoint keeps."""
        return {"held_points": self.points.copy(), "held_stretch": self.stretch.copy()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Held":
        """That of a checkpoint."""
        return cls(np.asarray(arrays["held_points"], np.int32), np.asarray(arrays["held_stretch"], np.float64))

    def of(self, points: NDArray[np.int32]) -> Array:
        """The stretch (c, 3) of pairs (c, 4); none of those that are new."""
        _, number = np.unique(np.concatenate([self.points, points]), axis=0, return_inverse=True)
        number = number.ravel()
        kept = np.zeros((len(number), 3))
        kept[number[: len(self.points)]] = self.stretch
        return kept[number[len(self.points) :]]
