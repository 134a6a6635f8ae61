"""Triangles cut until no edge is long, the surface staying the same. numpy only."""

import numpy as np
from numpy.typing import NDArray

from .edges import edges_of

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]


def split(positions: Array, triangles: IntArray, longest: float) -> tuple[Array, IntArray]:
    """Return positions (n, 3) with middles of edges added, and triangles (t, 3) none of whose edges is longer than `longest`.

    Edges are halved, and what shares them is cut alike, so that no gap opens.
    """
    while True:
        edges = edges_of(triangles)
        ends = positions[edges.vertices]
        long = np.sqrt(((ends[:, 1] - ends[:, 0]) ** 2).sum(axis=1)) > longest
        if not long.any():
            return positions, triangles
        middle = np.full(len(long), -1)
        middle[long] = len(positions) + np.arange(int(long.sum()))
        positions = np.concatenate([positions, ends[long].mean(axis=1)])
        sides = np.empty(3 * len(triangles), dtype=np.int64)
        sides[edges.order] = np.repeat(middle, edges.counts)
        triangles = _cut(triangles, sides.reshape(-1, 3)).astype(np.int32)


def _cut(triangles: IntArray, middles: NDArray[np.int64]) -> NDArray[np.int64]:
    """The triangles (t, 3) cut at the middles (t, 3) of their sides, the k-th from corner k on; -1 where a side stays whole."""
    halved = middles >= 0
    count = halved.sum(axis=1)
    turn = np.where(count == 2, (np.argmin(halved, axis=1) + 1) % 3, np.argmax(halved, axis=1))
    order = (turn[:, None] + np.arange(3)) % 3  # the first sides are those that are halved
    corners = np.take_along_axis(triangles.astype(np.int64), order, axis=1)
    middles = np.take_along_axis(middles, order, axis=1)
    (a, b, c), (d, e, f) = corners.T, middles.T
    parts = {
        0: [(a, b, c)],
        1: [(a, d, c), (d, b, c)],
        2: [(d, b, e), (a, d, e), (a, e, c)],
        3: [(a, d, f), (d, b, e), (f, e, c), (d, e, f)],
    }
    return np.concatenate([np.stack(face, axis=1)[count == many] for many, faces in parts.items() for face in faces])
