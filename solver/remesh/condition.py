"""When a mesh is worn out: the condition number of its basis matrices (Bargteil 2007, section 4; claim B13).

beta takes the edges of a tet to its elastic deformation, and flow moves it away from what it was in a well shaped mesh. With
W the edges of a regular tet of unit size,

    condition = |beta^-1 W^-1| |W beta| / 3        (Frobenius norms)

is that of the map from the regular tet to the rest shape: 1 for a regular rest shape, and the same whichever corner comes
first (Freitag and Knupp 2002). It depends on the flow alone, not on the step.
"""

from itertools import pairwise

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..fem.commit import slenderness
from ..fem.tile import Tiles
from ..jit import CHUNKS, parallel
from ..state import Ranges, State

Array = NDArray[np.float64]

# W: the edges of a regular tet from its first corner, as columns
W01, W11, W12, W22 = 0.5, float(np.sqrt(0.75)), float(np.sqrt(0.75) / 3.0), float(np.sqrt(2.0 / 3.0))


def conditions(rest_shape_inverse: Array) -> Array:
    """The condition number (m,) of basis matrices (m, 3, 3) [1/m]; at least 1."""
    result = np.empty(len(rest_shape_inverse))
    _conditions(rest_shape_inverse.reshape(-1, 9), result)
    return result


class WorstCondition:
    """The largest condition number of all tets, looked for only when rest shapes may have changed since the last time."""

    def __init__(self) -> None:
        self.tiles: Tiles | None = None
        self.changes, self.last = 0, 0.0

    def of(self, state: State, tiles: Tiles) -> float:
        """That of a state whose tiles these are."""
        if self.tiles is not tiles or self.changes != tiles.reshaped:
            self.tiles, self.changes, self.last = tiles, tiles.reshaped, float(conditions(state.rest_shape_inverse).max())
        return self.last


def worst_conditions(state: State, ranges: Ranges) -> Array:
    """The largest condition number (b,) of each body's basis matrices."""
    every = conditions(state.rest_shape_inverse)
    return np.array([every[a:b].max() for a, b in pairwise(ranges.tets.tolist())])


@parallel
def _conditions(inverse, result):  # type: ignore[no-untyped-def]
    """Those of row-major bases (m, 9): W times each is more or less slender."""
    for chunk in prange(CHUNKS):
        for t in range(len(result) * chunk // CHUNKS, len(result) * (chunk + 1) // CHUNKS):
            a, b, c, d, e, f = inverse[t, 0], inverse[t, 1], inverse[t, 2], inverse[t, 3], inverse[t, 4], inverse[t, 5]
            g, h, i = inverse[t, 6], inverse[t, 7], inverse[t, 8]
            slender = slenderness(
                a + W01 * (d + g), b + W01 * (e + h), c + W01 * (f + i),
                W11 * d + W12 * g, W11 * e + W12 * h, W11 * f + W12 * i, W22 * g, W22 * h, W22 * i,
            )  # fmt: skip
            result[t] = slender / 3.0
