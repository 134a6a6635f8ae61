"""Slivers of what is seen, where goo is squeezed: of short edges one end is drawn onto the other, flat triangles are flipped.

Only what was not so at the start, only where nothing that lies on the surface has a border, and only as far as the surface
stays where it is to within ERROR.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..geometry.decimation import collapsed
from ..geometry.edge_crossings import crossing_pairs
from ..geometry.edges import Edges, edges_of
from ..geometry.measures import area_vectors
from ..geometry.triangle_tree import triangle_tree
from .grain import Grain, stoutness
from .patchwork import Patchwork

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]
Flags = NDArray[np.bool_]

SHRUNK = 0.2  # times the shortest edge that was there at the start: a shorter one goes,
SHORT = 0.1  # if it is shorter than so many element sizes as well
FLATTENED = 0.2  # times the stoutness of the least stout triangle that was there at the start: a flatter one is flipped,
FLAT = 0.05  # if it is flatter than this as well
ERROR = 0.01  # element sizes that a vertex which goes lies from what is left, at most
ROUNDS = 3
TRIES = 3  # that are made without what has passed through something else
TURNED = 0.7  # least cosine of the angle by which a flip may turn a triangle


def cleaned(made: Patchwork, grain: Grain, element_size: float) -> Patchwork:
    """Return a surface rid of slivers, no face of it that is new passing through another. grain is that of its vertices."""
    still = np.zeros(len(grain.fixed), dtype=bool)
    for _ in range(TRIES):
        result = made
        for _ in range(ROUNDS):
            before, result = result, _without_short_edges(result, grain, still, element_size)
            if result is before:
                break
        result = _without_flat_triangles(result, grain, still, element_size)
        if result is made:
            return made
        new = np.flatnonzero(~np.isin(_names(result), _names(made)))
        through = np.intersect1d(new, crossing_pairs(triangle_tree(result.positions, result.triangles)))
        if not len(through):
            return result
        still[result.triangles[through]] = True
    return made


def _names(made: Patchwork) -> NDArray[np.int64]:
    """A number (t,) for each triangle that only those of the same three vertices have."""
    a, b, c = np.sort(made.triangles.astype(np.int64), axis=1).T
    count = len(made.positions)
    return np.asarray((a * count + b) * count + c)


def _without_short_edges(made: Patchwork, grain: Grain, still: Flags, element_size: float) -> Patchwork:
    """The surface after a round in which vertices at short edges are drawn onto others; itself where none is."""
    triangles, positions, edges = made.triangles, made.positions, edges_of(made.triangles)
    ends = positions[edges.vertices]
    length = np.sqrt(((ends[:, 1] - ends[:, 0]) ** 2).sum(axis=1))
    short = length < np.minimum(SHRUNK * grain.shortest[edges.vertices].min(axis=1), SHORT * element_size)
    if not short.any():
        return made
    frozen = np.ones(len(positions), dtype=bool)
    frozen[edges.vertices[short]] = False
    frozen[edges.vertices[edges.counts != 2]] = True
    frozen |= grain.fixed | still
    shortest = np.full(len(positions), np.inf)
    np.minimum.at(shortest, edges.vertices, length[:, None])
    order = np.flatnonzero(~frozen)
    order = order[np.lexsort((order, shortest[order]))]
    owner = np.full(len(positions), -1, dtype=np.int64)
    after, gone = collapsed(positions, triangles, owner, order, frozen, np.inf, ERROR * element_size)
    return _drawn_together(made, after) if gone else made


def _drawn_together(made: Patchwork, after: IntArray) -> Patchwork:
    """The surface whose triangles (t, 3) a round of `collapsed` has made: -1, or beginning with what another was drawn onto."""
    before, left = made.triangles, after[:, 0] >= 0
    moved = np.flatnonzero(left & (after != before).any(axis=1))
    gone = ~np.isin(np.arange(len(made.positions)), after[left])
    closed = np.flatnonzero(~left)
    at = np.argmax(gone[before[closed]], axis=1)
    beside = np.full(len(made.positions), -1)  # of each vertex that goes, one of the two triangles that it takes along
    beside[before[closed, at]] = closed
    first = np.argmax(gone[before[moved]], axis=1)
    order = (first[:, None] + np.arange(3)) % 3
    source = beside[before[moved, first]]
    corner = np.argmax(before[source] == after[moved, :1], axis=1)
    owners, weights, untouched = made.owners.copy(), made.weights.copy(), made.untouched.copy()
    owners[moved] = np.take_along_axis(made.owners[moved], order, axis=1)
    weights[moved] = np.take_along_axis(made.weights[moved], order[:, :, None], axis=1)
    owners[moved, 0], weights[moved, 0] = made.owners[source, corner], made.weights[source, corner]
    untouched[moved] = False
    whole = replace(made, triangles=after, owners=owners, weights=weights, untouched=untouched)
    return whole.chosen(left)


def _without_flat_triangles(made: Patchwork, grain: Grain, still: Flags, element_size: float) -> Patchwork:
    """The surface with the longest side of each triangle that has become flat flipped, where that is better; or itself."""
    triangles, corners = made.triangles, made.positions[made.triangles]
    stout, length = stoutness(made.positions, triangles), np.sqrt(((np.roll(corners, -1, axis=1) - corners) ** 2).sum(axis=2))
    flat = stout < np.minimum(FLATTENED * grain.stout[triangles].min(axis=1), FLAT)
    rows = np.flatnonzero(flat & (stout * length.max(axis=1) < ERROR * element_size))
    if not len(rows):
        return made
    edges = edges_of(triangles)
    side = length[rows].argmax(axis=1)
    other = _across(edges)[3 * rows + side]
    rows, side, other = rows[other >= 0], side[other >= 0], other[other >= 0]
    # Corners 0 to 2 of the one begin with the side, and those of the other, which walks it the other way round
    one, two = ((first[:, None] + np.arange(3)) % 3 for first in (side, other % 3))
    mine, theirs = triangles[rows[:, None], one], triangles[(other // 3)[:, None], two]
    a, b, c, d = mine[:, 0], mine[:, 1], mine[:, 2], theirs[:, 2]
    new = np.stack([a, d, c], axis=1), np.stack([d, b, c], axis=1)
    fits = ~(grain.fixed[a] & grain.fixed[b]) & ~still[np.stack([a, b, c, d])].any(axis=0) & (c != d)
    fits &= _fits(made.positions, new, theirs, stout[rows])
    fits &= ~np.isin(_edge_names(c, d, made), _edge_names(edges.vertices[:, 0], edges.vertices[:, 1], made))
    taken, chosen = np.zeros(len(made.positions), dtype=bool), []
    for k in np.flatnonzero(fits)[np.argsort(stout[rows][fits], kind="stable")].tolist():
        around = [int(a[k]), int(b[k]), int(c[k]), int(d[k])]
        if not taken[around].any():
            taken[around] = True
            chosen.append(k)
    return _flip(made, rows[chosen], (other // 3)[chosen], one[chosen], two[chosen]) if chosen else made


def _edge_names(one: IntArray, other: IntArray, made: Patchwork) -> NDArray[np.int64]:
    """A number (k,) for each pair of vertices, whichever comes first."""
    return np.asarray(np.minimum(one, other).astype(np.int64) * len(made.positions) + np.maximum(one, other))


def _across(edges: Edges) -> NDArray[np.int64]:
    """The side (3t,) that walks each side the other way round; -1 where there is none, or several."""
    result = np.full(len(edges.order), -1)
    first = edges.first[:-1][edges.counts == 2]
    pairs = np.stack([edges.order[first], edges.order[first + 1]])
    pairs = pairs[:, edges.forward[first] != edges.forward[first + 1]]
    result[pairs[0]], result[pairs[1]] = pairs[1], pairs[0]
    return result


def _fits(positions: Array, new: tuple[IntArray, IntArray], beside: IntArray, stout: Array) -> Flags:
    """Whether both new triangles (k, 3) lie as the one beside the flat one does, and are twice as stout as that (k,)."""
    result, before = np.ones(len(beside), dtype=bool), area_vectors(positions, beside)
    for part in new:
        now = area_vectors(positions, part)
        sizes = np.sqrt((now**2).sum(axis=1) * (before**2).sum(axis=1))
        result &= ((now * before).sum(axis=1) > TURNED * sizes) & (stoutness(positions, part) > 2.0 * stout)
    return result


def _flip(
    made: Patchwork, rows: NDArray[np.int64], beside: NDArray[np.int64], one: NDArray[np.int64], two: NDArray[np.int64]
) -> Patchwork:
    """The surface with sides flipped: of triangles (k,) and those beside them, whose corners begin with the side: (k, 3)."""
    parts = {name: getattr(made, name).copy() for name in ("triangles", "owners", "weights")}
    for values in parts.values():
        (a, b, c), d = (values[rows, one[:, k]] for k in range(3)), values[beside, two[:, 2]]
        values[rows], values[beside] = np.stack([a, d, c], axis=1), np.stack([d, b, c], axis=1)
    untouched = made.untouched.copy()
    untouched[rows] = untouched[beside] = False
    return replace(made, **parts, untouched=untouched)
