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


def joined_meshes(parts: list[TetMesh]) -> TetMesh:
    """Return several meshes as one, one after another, with nothing between them."""
    first = np.cumsum([0, *(len(part.positions) for part in parts)]).tolist()
    tets = np.concatenate([part.tets + start for part, start in zip(parts, first, strict=False)])
    return TetMesh(np.concatenate([part.positions for part in parts]), tets.astype(np.int32))
