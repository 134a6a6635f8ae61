"""The tetrahedral mesh as plain arrays."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class TetMesh:
    """A tetrahedral mesh.

    positions : (n, 3) float64, world space [m]
    tets      : (m, 4) int32, positively oriented: det[x1 - x0, x2 - x0, x3 - x0] > 0
    """

    positions: NDArray[np.float64]
    tets: NDArray[np.int32]
