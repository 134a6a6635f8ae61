"""Sides of triangles flipped to the other diagonal of the two triangles that they lie between."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from .edges import Edges
from .measures import area_vectors

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]

TURNED = 0.7  # least cosine of the angle between the normals of what comes and of what goes


class Faces(Protocol):
    """What has vertices at positions (n, 3) [m] and triangles (t, 3)."""

    @property
    def positions(self) -> Array: ...

    @property
    def triangles(self) -> NDArray[np.int32]: ...


class Flips(NamedTuple):
    """Sides (k,) of triangles that may be flipped.

    rows, beside : (k,) the two triangles of each
    one, two     : (k, 3) their corners in the order in which the side comes first
    ends, across : (k, 2) the vertices that it joins, and those that it would join
    """

    rows: Indices
    beside: Indices
    one: Indices
    two: Indices
    ends: Indices
    across: Indices

    def taken(self, which: Flags | Indices) -> "Flips":
        """Some of them."""
        return Flips(*(values[which] for values in self))


def flips(made: Faces, edges: Edges, rows: Indices, side: Indices) -> Flips:
    """Return the flips of sides (k,) of triangles (k,), where just one other triangle walks them the other way round."""
    other = _walked_back(edges)[3 * rows + side]
    rows, side, other = rows[other >= 0], side[other >= 0], other[other >= 0]
    one, two = ((first[:, None] + np.arange(3)) % 3 for first in (side, other % 3))
    mine = made.triangles[rows[:, None], one].astype(np.int64)
    theirs = made.triangles[(other // 3)[:, None], two].astype(np.int64)
    return Flips(rows, other // 3, one, two, mine[:, :2], np.stack([mine[:, 2], theirs[:, 2]], axis=1))


def sound(made: Faces, edges: Edges, some: Flips, fixed: Flags) -> Flags:
    """Which flips (k,) leave two triangles that lie as the two do, make no edge twice, and no border of `fixed` vertices go."""
    names = _names(some.across, made)
    _, number, count = np.unique(names, return_inverse=True, return_counts=True)
    result = (count[number] == 1) & ~np.isin(names, _names(edges.vertices.astype(np.int64), made))
    result &= (some.across[:, 0] != some.across[:, 1]) & ~fixed[some.ends].all(axis=1)
    one, two = (area_vectors(made.positions, made.triangles[which]) for which in (some.rows, some.beside))
    before = one + two
    size = np.sqrt((before**2).sum(axis=1))
    for part in new_triangles(some):
        now = area_vectors(made.positions, part)
        result &= (now * before).sum(axis=1) > TURNED * size * np.sqrt((now**2).sum(axis=1))
    return np.asarray(result)


def moves_by(made: Faces, some: Flips) -> Array:
    """How far (k,) the two diagonals are apart [m]: as far as the surface moves at most."""
    (a, b), (c, d) = made.positions[some.ends].transpose(1, 0, 2), made.positions[some.across].transpose(1, 0, 2)
    normal = np.cross(b - a, d - c)
    length = np.sqrt((normal**2).sum(axis=1))
    return np.asarray(np.abs(((c - a) * normal).sum(axis=1)) / np.maximum(length, 1e-300))


def new_triangles(some: Flips) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The triangles (k, 3) that come for the rows, and for those beside them."""
    (a, b), (c, d) = some.ends.T, some.across.T
    return np.stack([a, d, c], axis=1).astype(np.int32), np.stack([d, b, c], axis=1).astype(np.int32)


def apart(some: Flips, order: Array) -> Indices:
    """Which of the flips (j,), by rising order (k,), have no triangle in common with an earlier one."""
    turn = np.argsort(order, kind="stable")
    both = np.stack([some.rows[turn], some.beside[turn]], axis=1)
    first = np.unique(both.ravel(), return_index=True, return_inverse=True)
    earliest = (first[1] // 2)[first[2].reshape(both.shape)]
    return turn[(earliest == np.arange(len(turn))[:, None]).all(axis=1)]


def flipped(values: NDArray[Any], some: Flips) -> NDArray[Any]:
    """Values (t, 3, ...) of the corners of triangles, or these themselves, after flips that have no triangle in common."""
    result = values.copy()
    a, b, c = (values[some.rows, some.one[:, k]] for k in range(3))
    d = values[some.beside, some.two[:, 2]]
    result[some.rows], result[some.beside] = np.stack([a, d, c], axis=1), np.stack([d, b, c], axis=1)
    return result


def _walked_back(edges: Edges) -> Indices:
    """The side (3t,) that walks each side the other way round; -1 where there is none, or several."""
    result = np.full(len(edges.order), -1)
    first = edges.first[:-1][edges.counts == 2]
    pairs = np.stack([edges.order[first], edges.order[first + 1]])
    pairs = pairs[:, edges.forward[first] != edges.forward[first + 1]]
    result[pairs[0]], result[pairs[1]] = pairs[1], pairs[0]
    return result


def _names(ends: Indices, made: Faces) -> Indices:
    """A number (k,) for each pair of vertices (k, 2), whichever comes first."""
    return np.asarray(ends.min(axis=1) * len(made.positions) + ends.max(axis=1))
