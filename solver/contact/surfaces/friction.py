"""Friction between surfaces: the pairs that rub in a step, and what sticks from one step to the next."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..entries import along, kept_stretch
from .pairs import numbers_among

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
    """What sticks from step to step: stretch (c, 3) [m] of pairs by their points (c, 4), or by where they are.

    places (c, 3) [m] and normals (c, 3) say that; points below 0: of a surface that is no more.
    """

    points: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 4), np.int32))
    stretch: Array = field(default_factory=lambda: np.zeros((0, 3)))
    places: Array = field(default_factory=lambda: np.zeros((0, 3)))
    normals: Array = field(default_factory=lambda: np.zeros((0, 3)))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a checkpoint keeps."""
        return {f"held_{name}": values.copy() for name, values in vars(self).items()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Held":
        """That of a checkpoint."""
        vectors = (np.asarray(arrays[f"held_{name}"], np.float64) for name in ("stretch", "places", "normals"))
        return cls(np.asarray(arrays["held_points"], np.int32), *vectors)

    def renumbered(self) -> "Held":
        """The same for a surface whose points have other numbers: each pair then takes what the nearest knew."""
        return replace(self, points=np.full_like(self.points, -1))

    def of(self, points: NDArray[np.int32], places: Array, normals: Array, near: float) -> Array:
        """The stretch (c, 3) of pairs (c, 4), at places with normals (c, 3); none of those that are new.

        Pairs of a new surface take that of the nearest one, up to so far [m]; where its normal points the other way, of two
        bodies the other one comes first now.
        """
        if len(self.points) and self.points[0, 0] < 0 and len(points):
            distance, nearest = cKDTree(self.places).query(places, distance_upper_bound=near)
            nearest = np.minimum(nearest, len(self.places) - 1)  # of those too far
            sign = np.where(np.isfinite(distance), np.sign(along(self.normals[nearest], normals)), 0.0)
            return np.asarray(sign[:, None] * self.stretch[nearest])
        number = numbers_among(self.points, points)
        kept = np.zeros((len(points), 3))
        kept[number >= 0] = self.stretch[number[number >= 0]]
        return kept


def spots(points: NDArray[np.int32], weights: Array, places: Array) -> Array:
    """Where pairs (c, 4) touch: on the first of the two surfaces (c, 3), points being at (k, 3)."""
    first: Array = (np.maximum(weights, 0.0)[:, :, None] * places[points]).sum(axis=1)
    return first
