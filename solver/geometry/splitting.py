"""Triangles cut until no edge is long, the surface staying the same. numpy only."""

import numpy as np
from numpy.typing import NDArray

from .edges import Edges, edges_of

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
        sides, added = middles(edges, long, len(positions))
        positions = np.concatenate([positions, ends[added].mean(axis=1)])
        owner, points = parts(sides >= 0)
        triangles = np.concatenate([triangles, sides], axis=1)[owner[:, None], points].astype(np.int32)


def middles(edges: Edges, halved: NDArray[np.bool_], count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the numbers (t, 3) of the middles of triangles' sides, from `count` on, -1 for a side that stays whole; and which
    edges (k,) they halve, given that by edge (e,)."""
    added = np.flatnonzero(halved)
    middle = np.full(len(halved), -1)
    middle[added] = count + np.arange(len(added))
    sides = np.empty(len(edges.order), dtype=np.int64)
    sides[edges.order] = np.repeat(middle, edges.counts)
    return sides.reshape(-1, 3), added


def parts(
    halved: NDArray[np.bool_], first_longer: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the parts of triangles whose sides (t, 3) are halved: of which one each is (t',), and its corners (t', 3).

    0 to 2 are the corners of the whole one, 3 to 5 the middles of the sides from them on. Where two sides in a row are halved
    the longer one is first, as if they were halved one after the other: `first_longer` (t,) says where that is the first.
    """
    count = halved.sum(axis=1)
    turn = np.where(count == 2, (np.argmin(halved, axis=1) + 1) % 3, np.argmax(halved, axis=1))
    order = (turn[:, None] + np.arange(3)) % 3  # the first sides are those that are halved
    points = np.concatenate([order, 3 + order], axis=1)
    kind = count if first_longer is None else np.where((count == 2) & first_longer, 4, count)
    a, b, c, d, e, f = range(6)
    faces = {
        0: [(a, b, c)],
        1: [(a, d, c), (d, b, c)],
        2: [(d, b, e), (a, d, e), (a, e, c)],
        3: [(a, d, f), (d, b, e), (f, e, c), (d, e, f)],
        4: [(d, b, e), (a, d, c), (d, e, c)],
    }
    which = [(np.flatnonzero(kind == many), face) for many, made in faces.items() for face in made]
    return np.concatenate([own for own, _ in which]), np.concatenate([points[own][:, face] for own, face in which])
