"""Short edges that a boolean leaves where it cuts and sews: drawn together, lest rounding alone lets slivers cross."""

import numpy as np
from numpy.typing import NDArray

from ..geometry.decimation import collapsed
from ..geometry.edges import edges_of

Array = NDArray[np.float64]

SHORT = 0.02  # element sizes; a shorter edge goes,
ERROR = 0.005  # if what goes with it lies so many element sizes from what is left, at most
ROUNDS = 4


def without_short_edges(
    places: Array, triangles: NDArray[np.int64], fresh: NDArray[np.bool_], element_size: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return triangles (k, 3) of places (n, 3), one end of each short edge drawn onto the other, and which of (t, 3) they were.

    Only vertices that are fresh (n,) go; one that the artist made stays.
    """
    were = np.arange(len(triangles))
    for _ in range(ROUNDS):
        now = triangles.astype(np.int32)
        edges = edges_of(now)
        ends = places[edges.vertices]
        length = np.sqrt(((ends[:, 1] - ends[:, 0]) ** 2).sum(axis=1))
        short = (length < SHORT * element_size) & fresh[edges.vertices].any(axis=1)
        still = np.ones(len(places), dtype=bool)
        still[edges.vertices[short]] = False
        still[edges.vertices[edges.counts != 2]] = True
        shortest = np.full(len(places), np.inf)
        np.minimum.at(shortest, edges.vertices, length[:, None])
        going = np.flatnonzero(fresh & ~still)
        going = going[np.lexsort((going, shortest[going]))]
        owner = np.full(len(places), -1, dtype=np.int64)
        after, gone = collapsed(places, now, owner, going, still, np.inf, ERROR * element_size, 0.0, SHORT * element_size)
        if not gone:
            break
        left = after[:, 0] >= 0
        triangles, were = after[left].astype(np.int64), were[left]
    return triangles, were
