"""Values of new elements mixed from those of old ones."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Indices = NDArray[np.int64]


class Blend:
    """New elements (k,), each from up to three old ones by indices (k, 3) and weights (k, 3).

    Floating-point values are mixed, all others taken from where the weight is largest; a weight of 1 changes no bit.
    """

    def __init__(self, indices: Indices, weights: NDArray[np.float64]) -> None:
        self.indices, self.weights = indices, weights
        self.main = indices[np.arange(len(indices)), weights.argmax(axis=1)]
        self.mixed = np.flatnonzero(weights.max(axis=1) < 1.0)

    @classmethod
    def after(cls, kept: Indices, indices: Indices, weights: NDArray[np.float64]) -> "Blend":
        """Old elements (a,) as they are, and after them mixed ones, by indices and weights (b, 3)."""
        unmixed = np.tile([1.0, 0.0, 0.0], (len(kept), 1))
        return cls(np.concatenate([np.repeat(kept[:, None], 3, axis=1), indices]), np.concatenate([unmixed, weights]))

    def of(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values (k, ...) from the old ones (n, ...)."""
        result = values[self.main]
        if np.issubdtype(values.dtype, np.floating) and len(self.mixed):
            parts = values[self.indices[self.mixed]].astype(np.float64)
            result[self.mixed] = np.einsum("ki,ki...->k...", self.weights[self.mixed], parts)
        return result
