"""A few faces of a surface that pass through others, drawn apart: what is left where it has been cut or sewn."""

import numpy as np
from numpy.typing import NDArray

from .edge_crossings import pairs_of_shells
from .edges import edges_of

Array = NDArray[np.float64]

STEP = 0.15  # share of the way to the middle of its neighbours that a vertex goes in a round
ROUNDS = 12
FEW = 24  # faces that pass through others; more of them are no leavings


def eased(positions: Array, triangles: NDArray[np.int32], most: float, settled: int = 0) -> Array | None:
    """Return positions (n, 3) in which no triangles (t, 3) of one shell pass through each other, a few vertices moved.

    Vertices of triangles that do are drawn towards their neighbours, a little at a time. None where none do, or more than a
    FEW, or where that does not part them before a vertex has gone further than `most` [m]. The first `settled` vertices, which
    the artist made, go only where moving the others alone does not part them: that they jump would be seen.
    """
    through = np.unique(pairs_of_shells(positions, triangles))
    if not 0 < len(through) <= FEW:
        return None
    edges = edges_of(triangles).vertices
    for first in sorted({settled, 0}, reverse=True):
        moved = _drawn(positions, triangles, edges, through, first, most)
        if moved is not None:
            return moved
    return None


def _drawn(
    positions: Array,
    triangles: NDArray[np.int32],
    edges: NDArray[np.int32],
    through: NDArray[np.int64],
    first: int,
    most: float,
) -> Array | None:
    """The positions with vertices from number `first` on drawn towards their neighbours until nothing passes through."""
    moved = positions.copy()
    for _ in range(ROUNDS):
        corners = np.unique(triangles[through])
        if corners[-1] < first:
            return None
        for vertex in corners[corners >= first]:
            around = np.setdiff1d(edges[(edges == vertex).any(axis=1)], vertex)
            moved[vertex] += STEP * (moved[around].mean(axis=0) - moved[vertex])
        if (((moved - positions) ** 2).sum(axis=1) > most**2).any():
            return None
        through = np.unique(pairs_of_shells(moved, triangles))
        if not len(through):
            return moved
    return None
