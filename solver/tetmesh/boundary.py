"""The boundary of a tetrahedral mesh, and how its tets hang together."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

# The faces of tet (0, 1, 2, 3), counter-clockwise seen from outside; face i is opposite corner i.
FACES = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])
MANY = 4096  # tets from which on all threads look for neighbours


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
    """Return boundary and neighbours of (m, 4) tets, in time linear in their number."""
    import numba

    from ..geometry.chunks import in_parts
    from .face_pairs import pair_faces

    neighbours = np.full((len(tets), 4), -1, dtype=np.int32)
    if len(tets):
        threads, count = numba.get_num_threads() if len(tets) > MANY else 1, int(tets.max()) + 1
        bounds = [count * part // threads for part in range(threads + 1)]
        in_parts(pair_faces, list(pairwise(bounds)), tets, neighbours)
    return _table(tets, neighbours)


def table_without(tets: NDArray[np.int32], table: FaceTable, gone: NDArray[np.bool_]) -> FaceTable:
    """Return that of the (m, 4) tets that are left of those of a table when some (m,) go."""
    numbers = np.cumsum(~gone, dtype=np.int32) - np.int32(1)
    across = table.neighbours[~gone]
    return _table(tets[~gone], np.where((across < 0) | gone[across], np.int32(-1), numbers[across]))


def _table(tets: NDArray[np.int32], neighbours: NDArray[np.int32]) -> FaceTable:
    alone = np.flatnonzero(neighbours.ravel() < 0)
    boundary = np.take_along_axis(tets[alone // 4], FACES[alone % 4], axis=1)
    return FaceTable(boundary.astype(np.int32), (alone // 4).astype(np.int32), neighbours)
