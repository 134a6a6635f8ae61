"""Sides of triangles flipped until what is flat has no slivers: those whose angles across are more than a half turn together.

That is Delaunay's criterion; in a plane it comes to an end, with the largest least angles that there are.
"""

import numpy as np
from numpy.typing import NDArray

from ..surface import Surface
from .edges import edges_of
from .flipping import Flips, apart, flipped, flips, moves_by, sound

Array = NDArray[np.float64]

BEYOND = 1e-3  # by which the two angles are more than a half turn: else rounding flips to and fro
ROUNDS = 60  # at most; a few as a rule


def evened(
    positions: Array, triangles: NDArray[np.int32], error: float, fixed: NDArray[np.bool_] | None = None
) -> NDArray[np.int32]:  # fmt: skip
    """Triangles (t, 3) of positions (n, 3) with sides flipped, but for those of vertices that are `fixed` (n,).

    No flip moves the surface by more than `error` [m].
    """
    fixed = np.zeros(len(positions), dtype=bool) if fixed is None else fixed
    for _ in range(ROUNDS):
        made = Surface(positions, triangles)
        edges = edges_of(triangles)
        some = flips(made, edges, np.repeat(np.arange(len(triangles)), 3), np.tile(np.arange(3), len(triangles)))
        some = some.taken((some.rows < some.beside) & ~fixed[some.ends].any(axis=1))
        angles = _angles(positions, some)
        wanted = (angles > np.pi + BEYOND) & (moves_by(made, some) < error)
        some, angles = some.taken(wanted), angles[wanted]
        good = sound(made, edges, some, fixed)
        some = some.taken(good)
        some = some.taken(apart(some, -angles[good]))
        if not len(some.rows):
            break
        triangles = flipped(triangles, some)
    return triangles


def _angles(positions: Array, some: Flips) -> Array:
    """The angles (k,) across from each side, together."""
    total = np.zeros(len(some.rows))
    for apex in some.across.T:
        one, other = (positions[end] - positions[apex] for end in some.ends.T)
        total += np.arctan2(np.sqrt((np.cross(one, other) ** 2).sum(axis=1)), (one * other).sum(axis=1))
    return total
