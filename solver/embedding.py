"""Points carried by a tetrahedral mesh: bound once by barycentric weights, evaluated every frame."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Binding:
    """Points bound to tets; a point outside every tet has negative weights in its nearest one.

    tets    : (k,) int32, index into TetMesh.tets
    weights : (k, 4) float64, summing to 1
    """

    tets: NDArray[np.int32]
    weights: NDArray[np.float64]
