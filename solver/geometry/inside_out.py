"""How many tets are inside out."""

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel
from .chunks import evenly


def count_inverted(positions: NDArray[np.float64], tets: NDArray[np.int32]) -> float:
    """How many of tets (m, 4) have no volume, or a negative one, at node positions (n, 3) [m]."""
    return float(sum(evenly(_count, len(tets), positions, tets)))


@kernel
def _count(begin, end, positions, tets):  # type: ignore[no-untyped-def]
    count = 0.0
    for t in range(begin, end):
        o, a, b, c = tets[t, 0], tets[t, 1], tets[t, 2], tets[t, 3]
        ax, ay, az = positions[a, 0] - positions[o, 0], positions[a, 1] - positions[o, 1], positions[a, 2] - positions[o, 2]
        bx, by, bz = positions[b, 0] - positions[o, 0], positions[b, 1] - positions[o, 1], positions[b, 2] - positions[o, 2]
        cx, cy, cz = positions[c, 0] - positions[o, 0], positions[c, 1] - positions[o, 1], positions[c, 2] - positions[o, 2]
        volume = ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        count += not volume > 0.0
    return count
