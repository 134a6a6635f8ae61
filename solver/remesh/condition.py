"""When a mesh is worn out: the condition number of its basis matrices (Bargteil 2007, section 4; claim B13).

beta takes the edges of a tet to its elastic deformation, and flow moves it away from what it was in a well shaped mesh. With
W the edges of a regular tet of unit size,

    condition = |beta^-1 W^-1| |W beta| / 3        (Frobenius norms)

is that of the map from the regular tet to the rest shape: 1 for a regular rest shape, and the same whichever corner comes
first (Freitag and Knupp 2002). It depends on the flow alone, not on the step.
"""

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..fem.commit import slenderness
from ..jit import CHUNKS, kernel, parallel

Array = NDArray[np.float64]

# W: the edges of a regular tet from its first corner, as columns
W01, W11, W12, W22 = 0.5, float(np.sqrt(0.75)), float(np.sqrt(0.75) / 3.0), float(np.sqrt(2.0 / 3.0))


def conditions(rest_shape_inverse: Array) -> Array:
    """The condition number (m,) of basis matrices (m, 3, 3) [1/m]; at least 1."""
    result = np.empty(len(rest_shape_inverse))
    _conditions(rest_shape_inverse.reshape(-1, 9), result)
    return result


@parallel
def _conditions(inverse, result):  # type: ignore[no-untyped-def]
    for chunk in prange(CHUNKS):
        product, adjugate = np.empty(9), np.empty(9)
        for t in range(len(result) * chunk // CHUNKS, len(result) * (chunk + 1) // CHUNKS):
            _in_units_of_regular(inverse[t], product)
            result[t] = slenderness(product, adjugate) / 3.0


@kernel
def _in_units_of_regular(b, out):  # type: ignore[no-untyped-def]
    """out (9) := W b of a row-major b (9)."""
    for j in range(3):
        out[j] = b[j] + W01 * (b[3 + j] + b[6 + j])
        out[3 + j] = W11 * b[3 + j] + W12 * b[6 + j]
        out[6 + j] = W22 * b[6 + j]
