"""Slivers of what is seen, where goo is squeezed: of short edges one end is drawn onto the other, flat triangles are flipped.

Only what was not so at the start, only where nothing that lies on the surface has a border, and only as far as the surface
stays where it is to within ERROR.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..geometry.decimation import collapsed
from ..geometry.edge_crossings import piercing_pairs
from ..geometry.edges import edges_of
from ..geometry.flipping import apart, flips, moves_by, new_triangles, sound
from .grain import Grain, side_lengths, stoutness
from .patchwork import Patchwork

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]
Flags = NDArray[np.bool_]

SHRUNK = 0.2  # times the shortest edge that was there at the start: a shorter one goes,
SHORT = 0.1  # if it is shorter than so many element sizes as well
FLATTENED = 0.5  # times the stoutness of the least stout triangle that was there at the start: a flatter one is flipped,
FLAT = 0.3  # if it is flatter than this as well,
BETTER = 1.3  # and both that come are so many times as stout
ERROR = 0.01  # element sizes that a vertex which goes lies from what is left, and one diagonal from the other, at most
KEEPS = 0.5  # share of its stoutness that a slender triangle beside it has left at least
ROUNDS = 3  # of each
TRIES = 3  # that are made without what has passed through something else


def cleaned(made: Patchwork, grain: Grain, allowed: Array, element_size: float) -> Patchwork:
    """Return a surface rid of slivers, no face of it that is new passing through another.

    grain is that of its vertices (k), between which no flip makes an edge longer than both allow (k,) [m].
    """
    still = np.zeros(len(grain.fixed), dtype=bool)
    for _ in range(TRIES):
        result = made
        for step in (_without_short_edges, _without_flat_triangles):
            for _ in range(ROUNDS):
                before, result = result, step(result, grain, allowed, still, element_size)
                if result is before:
                    break
        if result is made:
            return made
        new = np.flatnonzero(~np.isin(_names(result), _names(made)))
        through = np.intersect1d(new, piercing_pairs(result.positions, result.triangles))
        if not len(through):
            return result
        still[result.triangles[through]] = True
    return made


def _names(made: Patchwork) -> NDArray[np.int64]:
    """A number (t,) for each triangle that only those of the same three vertices have."""
    a, b, c = np.sort(made.triangles.astype(np.int64), axis=1).T
    count = len(made.positions)
    return np.asarray((a * count + b) * count + c)


def _without_short_edges(
    made: Patchwork, grain: Grain, allowed: Array, still: Flags, element_size: float
) -> Patchwork:
    """The surface after a round in which vertices at short edges are drawn onto others; itself where none is."""
    triangles, positions = made.triangles, made.positions
    least = np.minimum(SHRUNK * grain.shortest, SHORT * element_size)
    if not (side_lengths(positions, triangles) < np.minimum(least[triangles], least[np.roll(triangles, -1, axis=1)])).any():
        return made
    edges = edges_of(triangles)
    ends = positions[edges.vertices]
    length = np.sqrt(((ends[:, 1] - ends[:, 0]) ** 2).sum(axis=1))
    short = length < least[edges.vertices].min(axis=1)
    frozen = np.ones(len(positions), dtype=bool)
    frozen[edges.vertices[short]] = False
    frozen[edges.vertices[edges.counts != 2]] = True
    frozen |= grain.fixed | still
    shortest = np.full(len(positions), np.inf)
    np.minimum.at(shortest, edges.vertices, length[:, None])
    order = np.flatnonzero(~frozen)
    order = order[np.lexsort((order, shortest[order]))]
    owner = np.full(len(positions), -1, dtype=np.int64)
    after, gone = collapsed(positions, triangles, owner, order, frozen, allowed.max(), ERROR * element_size, KEEPS)
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


def _without_flat_triangles(
    made: Patchwork, grain: Grain, allowed: Array, still: Flags, element_size: float
) -> Patchwork:
    """The surface with the longest side of each triangle that has become flat flipped, where that is better; or itself."""
    triangles, stout = made.triangles, stoutness(made.positions, made.triangles)
    rows = np.flatnonzero(stout < np.minimum(FLATTENED * grain.stout[triangles].min(axis=1), FLAT))
    if not len(rows):
        return made
    edges = edges_of(triangles)
    some = flips(made, edges, rows, side_lengths(made.positions, triangles[rows]).argmax(axis=1))
    better = np.minimum(*(stoutness(made.positions, part) for part in new_triangles(some))) > BETTER * stout[some.rows]
    long = ((made.positions[some.across[:, 1]] - made.positions[some.across[:, 0]]) ** 2).sum(axis=1)
    better &= (long <= allowed[some.across].min(axis=1) ** 2) & (moves_by(made, some) < ERROR * element_size)
    stays = still[some.ends].any(axis=1) | still[some.across].any(axis=1)
    some = some.taken(better & ~stays & sound(made, edges, some, grain.fixed))
    some = some.taken(apart(some, stout[some.rows]))
    return made.flipped(some) if len(some.rows) else made
