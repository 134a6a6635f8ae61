"""The boundary of a tetrahedral mesh, and how its tets hang together. numpy only."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# The faces of tet (0, 1, 2, 3), counter-clockwise seen from outside; face i is opposite corner i.
FACES = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])


class FaceTable(NamedTuple):
    """Faces of a tet mesh.

    boundary   : (b, 3) int32, boundary triangles, outward
    tet        : (b,) int32, the tet of each
    neighbours : (m, 4) int32, the tet across face i, or -1
    """

    boundary: NDArray[np.int32]
    tet: NDArray[np.int32]
    neighbours: NDArray[np.int32]


def face_table(tets: NDArray[np.int32]) -> FaceTable:
    """Return boundary and neighbours of (m, 4) tets."""
    faces = tets[:, FACES].reshape(-1, 3)
    keys = np.sort(faces, axis=1)
    order = np.lexsort((keys[:, 2], keys[:, 1], keys[:, 0]))
    same = (keys[order[1:]] == keys[order[:-1]]).all(axis=1)
    neighbours = np.full(len(faces), -1, dtype=np.int32)
    left, right = order[:-1][same], order[1:][same]
    neighbours[left], neighbours[right] = right // 4, left // 4
    alone = np.flatnonzero(neighbours < 0)
    return FaceTable(faces[alone].astype(np.int32), (alone // 4).astype(np.int32), neighbours.reshape(-1, 4))
