"""The rim of what is taken out of a surface, drawn smooth: triangles that it passes are cut there.

Some triangles are chosen to go, and their border runs along sides of triangles, in teeth. How far inside of it each vertex lies
is smoothed over the surface; where that is nothing the surface is cut (level_curve.py).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

from ..geometry.edges import Edges, edges_of
from ..geometry.measures import corner_angles
from ..refining.grain import side_lengths
from ..refining.patchwork import Patchwork
from ..surface import Surface
from .level_curve import LevelCurve

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]

RINGS = 5  # of triangles about the border that are looked at
PASSES = 6  # in which it is smoothed how far inside vertices lie,
STEP = 0.5  # each going by so much to the mean of those beside it
# Lengths in mean edges, or in elements where those are smaller
INSIDE = 0.3  # that vertices which have to go lie inside at least
CORE = 0.1  # that the middles of all triangles which are chosen do, but for what smoothing takes from the outermost
LIFTS = 6  # times that those which do not are lifted by what they lack, with what is about them


class Rimmed(NamedTuple):
    """A surface cut along rims: what it has become, and which of its triangles (t',) go."""

    made: Patchwork
    out: Flags

    @property
    def seen(self) -> Surface:
        """What it has become."""
        return Surface(self.made.positions, self.made.triangles)

    def parts_of(self, pairs: Indices) -> Indices:
        """Return a pair (k', 2) of triangles that go for each pair (k, 2) of old ones both of which have parts that do."""
        own = np.flatnonzero(self.out)
        own = own[np.argsort(self.made.origin[own], kind="stable")]
        origins = self.made.origin[own]
        first, last = np.searchsorted(origins, pairs), np.searchsorted(origins, pairs, side="right")
        return own[first[(first < last).all(axis=1)]]


def smoothly_cut(seen: Surface, out: Flags, must: Flags, element_size: float) -> Rimmed:
    """Return a closed surface cut along smooth rims about some of its triangles (t,), with all of those that `must` (t,) go.

    element_size [m]: new vertices lie off the surface by a small share of it at most.
    """
    made = Patchwork.of(seen)
    border = np.zeros(len(seen.positions), dtype=bool)
    border[np.intersect1d(seen.triangles[out], seen.triangles[~out])] = True
    if not border.any():
        return Rimmed(made, out)
    rows = _around(seen.triangles, border)
    near, numbered = np.unique(seen.triangles[rows], return_inverse=True)
    part = Surface(seen.positions[near], numbered.reshape(-1, 3).astype(np.int32))
    held, edges = np.zeros(len(near), dtype=bool), edges_of(part.triangles)
    held[part.triangles[must[rows]]] = True
    rim = LevelCurve(part, edges, _inside(part, edges, out[rows], border[near], held, element_size))
    rim.straighten()
    rim.snap(element_size)
    rim.straighten()
    cut = rim.applied(made, rows, rim.evened(element_size))
    side = np.zeros(len(cut.positions), dtype=np.int8)
    side[near] = rim.side
    corners = side[cut.triangles]
    # what has all of its corners on the rim goes if it was to
    return Rimmed(cut, (corners > 0).any(axis=1) | ((corners == 0).all(axis=1) & out[cut.origin]))


def _around(triangles: NDArray[np.int32], border: Flags) -> Indices:
    """The triangles within RINGS of some vertices (n,)."""
    reached = border.copy()
    for _ in range(RINGS):
        rows = np.flatnonzero(reached[triangles].any(axis=1))
        reached[triangles[rows]] = True
    return rows


def _inside(part: Surface, edges: Edges, out: Flags, border: Flags, held: Flags, element_size: float) -> Array:
    """How far (n,) each vertex lies inside of some triangles (t,) [mean edges], smoothed; less than 0 is outside.

    border (n,): the vertices on their border; held (n,) are inside for certain.
    """
    count, ends = len(part.positions), edges.vertices
    length = np.sqrt(((part.positions[ends[:, 1]] - part.positions[ends[:, 0]]) ** 2).sum(axis=1))
    mean = length.mean()
    length, unit = np.maximum(length / mean, 1e-9), min(1.0, element_size / mean)
    graph = csr_matrix((length, (ends[:, 0], ends[:, 1])), shape=(count, count))
    away = dijkstra(graph, directed=False, indices=np.flatnonzero(border), min_only=True, limit=RINGS)
    angles, around = corner_angles(part.positions, part.triangles), part.triangles.ravel()
    full = np.maximum(np.bincount(around, angles.ravel(), count), 1e-300)  # 0 between faces that are all lines
    share = np.bincount(around, (angles * out[:, None]).ravel(), count) / full
    far = np.minimum(away, RINGS)
    field = np.where(border, share - 0.5, np.where(share > 0.5, far, -far))
    mixing, free = _mean_values(part, angles), np.ones(count, dtype=bool)
    free[ends[edges.counts != 2]] = False
    field = _smoothed(field, mixing, free)
    for _ in range(LIFTS):
        lacking = np.where(held, np.maximum(INSIDE * unit - field, 0.0), 0.0)
        short = np.maximum(CORE * unit - field[part.triangles[out]].mean(axis=1), 0.0)
        np.maximum.at(lacking, part.triangles[out], short[:, None])
        if not lacking.any():
            break
        field = field + _smoothed(np.maximum(lacking, mixing @ lacking), mixing, free)
    return np.where(held, np.maximum(field, INSIDE * unit), field)


def _smoothed(field: Array, mixing: csr_matrix, free: Flags) -> Array:
    """A field (n,) whose values at free vertices (n,) have gone to the mean of those beside them."""
    for _ in range(PASSES):
        field = np.where(free, (1.0 - STEP) * field + STEP * (mixing @ field), field)
    return field


def _mean_values(part: Surface, angles: Array) -> csr_matrix:
    """Weights (n, n) of the neighbours of each vertex, none negative, that leave what is linear as it is where it is flat.

    They are mean value coordinates (Floater 2003); angles (t, 3) are those of the triangles.
    """
    triangles, count = part.triangles, len(part.positions)
    length = side_lengths(part.positions, triangles)
    length = np.maximum(length, max(1e-9 * length.max(), 1e-300))
    half = np.tan(0.5 * np.minimum(angles, 3.0))
    values = np.concatenate([(half / length).ravel(), (half / np.roll(length, 1, axis=1)).ravel()])
    columns = np.concatenate([np.roll(triangles, -1, axis=1).ravel(), np.roll(triangles, 1, axis=1).ravel()])
    weights = csr_matrix((values, (np.tile(triangles.ravel(), 2), columns)), shape=(count, count))
    total = np.asarray(weights.sum(axis=1)).ravel()
    inverse = np.divide(1.0, total, out=np.zeros(count), where=total > 0.0)
    scale = csr_matrix((inverse, np.arange(count), np.arange(count + 1)), shape=(count, count))
    return csr_matrix(scale @ weights)
