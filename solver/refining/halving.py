"""Edges of what is seen that goo has drawn out are halved: the surface stays where it is, and bends with the tets from then on.

Rivara's bisection (1984): what shares an edge is cut alike, so that no gap opens, and of two sides of a triangle the longer one
goes first; but for diagonals of what is drawn out, which are flipped where the surface is flat there. Each half of an edge is
measured by what lay there at the start, as its ends are.
"""

import numpy as np
from numpy.typing import NDArray

from ..geometry.edges import Edges, edges_of
from ..geometry.flipping import flips, moves_by, new_triangles, sound
from ..geometry.splitting import middles
from ..jit import kernel
from ..surface import Surface
from .grain import Grain, side_lengths
from .patchwork import Patchwork

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

FINEST = 0.5  # element sizes: shorter edges show no more of what tets do
ROUNDS = 12  # in each of which edges become half as long, or wait for the next
NUMBERS = np.int64(2**31)  # more than there are of vertices


def longest_allowed(grain: Grain, factor: float, element_size: float) -> Array:
    """How long edges at each vertex (k,) may be [m]; between two of them the shorter length holds.

    That is `factor` times the longest edge that was there at the start, but no less than FINEST tets.
    """
    return np.maximum(factor * grain.longest, FINEST * element_size)


def halved(seen: Surface, allowed: Array, most: int, fixed: Flags, error: float) -> Patchwork:
    """Return a surface none of whose edges is longer than its ends allow (k,) [m], as long as it has `most` triangles or fewer.

    Where they would be more, those that are too long by most are halved. A diagonal of what is drawn out waits until its sides
    are halved, and is flipped then: the surface moves by `error` [m] at most, no border of `fixed` vertices (k,) goes.
    """
    made, waited = Patchwork.of(seen), np.zeros(0, dtype=np.int64)
    for _ in range(ROUNDS):
        edges = edges_of(made.triangles)
        ends = made.positions[edges.vertices]
        length = np.sqrt(((ends[:, 1] - ends[:, 0]) ** 2).sum(axis=1))
        excess = length / allowed[edges.vertices].min(axis=1)
        long = _affordable(excess, edges.counts, most - len(made.triangles))
        if not long.any():
            break
        name = edges.vertices[:, 0] * NUMBERS + edges.vertices[:, 1]
        waits = _diagonals(edges, length, long) & ~np.isin(name, waited)
        waited = np.union1d(waited, name[waits])
        sides, added = middles(edges, long & ~waits, len(made.positions))
        made = _cut(made, sides, ends[added].mean(axis=1))
        allowed = np.concatenate([allowed, allowed[edges.vertices[added]].mean(axis=1)])
        fixed = np.concatenate([fixed, fixed[edges.vertices[added]].all(axis=1)])
        if waits.any():
            made = _with_shorter_diagonals(made, allowed, fixed, error)
    return made


def _diagonals(edges: Edges, length: Array, long: Flags) -> Flags:
    """Which of the edges (e,) are the longest of two triangles each of which has another one that is to be halved."""
    of_sides = np.empty(len(edges.order), dtype=np.int64)
    of_sides[edges.order] = np.repeat(np.arange(len(length)), edges.counts)
    edge = of_sides.reshape(-1, 3)
    longest = edge[np.arange(len(edge)), length[edge].argmax(axis=1)]
    return np.bincount(longest[long[edge].sum(axis=1) == 2], minlength=len(length)) == 2


def _with_shorter_diagonals(made: Patchwork, allowed: Array, fixed: Flags, error: float) -> Patchwork:
    """The surface with edges that are too long, and the longest of two triangles, flipped where no edge is too long then.

    So none is halved that is of two old triangles: what its middle would come from is not known.
    """
    edges, length = edges_of(made.triangles), side_lengths(made.positions, made.triangles)
    side, rows = length.argmax(axis=1), np.arange(len(length))
    own = np.take_along_axis(made.triangles, np.stack([side, (side + 1) % 3], axis=1), axis=1)
    rows = rows[length.max(axis=1) > allowed[own].min(axis=1)]
    some = flips(made, edges, rows, side[rows])
    some = some.taken((some.rows < some.beside) & (side[some.beside] == some.two[:, 0]))
    good = moves_by(made, some) <= error
    for part in new_triangles(some):
        most = np.minimum(allowed[part], allowed[np.roll(part, -1, axis=1)])
        good &= (side_lengths(made.positions, part) <= most).all(axis=1)
    some = some.taken(good & sound(made, edges, some, fixed))
    return made.flipped(some) if len(some.rows) else made


def _affordable(excess: Array, counts: NDArray[np.int64], room: int) -> Flags:
    """Which edges (e,) are halved, each of which makes so many triangles more (e,): the longest, alike ones together."""
    long = excess > 1.0
    if counts[long].sum() <= room:
        return np.asarray(long)
    order = np.argsort(-excess, kind="stable")
    over = int(np.searchsorted(np.cumsum(counts[order]), room, side="right"))
    return np.asarray(long & (excess > excess[order[over]]))


def _cut(made: Patchwork, sides: NDArray[np.int64], added: Array) -> Patchwork:
    """Triangles cut at middles (t, 3), -1 where a side stays whole, given where the added ones lie (k, 3)."""
    length = side_lengths(made.positions, made.triangles)
    first = (np.argmin(sides >= 0, axis=1) + 1) % 3  # of two sides in a row that are halved
    rows = np.arange(len(first))
    longer = length[rows, first] > length[rows, (first + 1) % 3]
    return made.cut(sides, added, np.full(sides.shape, 0.5), longer)


@kernel
def drawn_out(positions, triangles, allowed):  # type: ignore[no-untyped-def]
    """Return how many times as long as its ends allow (k,) the longest edge of triangles (t, 3) is."""
    worst = 0.0
    for t in range(len(triangles)):
        for side in range(3):
            i, j = triangles[t, side], triangles[t, (side + 1) % 3]
            x, y, z = positions[j, 0] - positions[i, 0], positions[j, 1] - positions[i, 1], positions[j, 2] - positions[i, 2]
            least = min(allowed[i], allowed[j])
            worst = max(worst, (x * x + y * y + z * z) / (least * least))
    return np.sqrt(worst)
