"""Where folds end: sheets of a lattice without notches that are no folds, and with an end to each fold.

A fold ends somewhere, in a crease or in the open. Three points that are neighbours of each other of which only two pairs are
joined lie across a crease. One of the three is given up there and becomes a point of the surface, so that all that is left of
a lattice tet hangs together pair by pair: then neighbouring tets agree on what they share.
"""

from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..geometry.incident import incident_corners
from ..geometry.tet_walk import way
from ..jit import kernel
from ..tetmesh.cage import ASIDE
from ..tetmesh.cuts import opposite
from ..tetmesh.lattice import DIRECTIONS, LONG_DIRECTIONS, neighbour
from ..tetmesh.lattice_points import Lattice
from ..tetmesh.mesh import TetMesh
from .sheets import Sheets

Array = NDArray[np.float64]

HALVINGS = 6  # to find where a crease ends
# Up to which share of the way from the middle of a crease to its sides the middle is given up. Found by trying: creases stay
# where they are over 20 remeshes then; with a half they close by a fifth of a cell a remesh.
OF_MIDDLE = 0.9
FARTHEST = 0.35  # cells by which a point that is given up moves towards the crease


def _directions() -> NDArray[np.int64]:
    """(14, 14) the direction from a point's neighbour in one direction to that in another, -1 where these are no neighbours."""
    steps = []
    for direction in range(DIRECTIONS):
        if direction < LONG_DIRECTIONS:
            step = [0, 0, 0]
            step[direction // 2] = 2 if direction % 2 else -2
        else:
            bits = direction - LONG_DIRECTIONS
            step = [2 * ((bits >> axis) & 1) - 1 for axis in range(3)]
        steps.append(tuple(step))
    known = {step: direction for direction, step in enumerate(steps)}
    return np.array([
        [known.get((b[0] - a[0], b[1] - a[1], b[2] - a[2]), -1) for b in steps] for a in steps
    ])  # fmt: skip


BETWEEN = _directions()
BACKWARDS = np.array([
    direction ^ 1 if direction < LONG_DIRECTIONS else DIRECTIONS - 1 - (direction - LONG_DIRECTIONS)
    for direction in range(DIRECTIONS)
])  # fmt: skip


class Mended(NamedTuple):
    """Sheets without notches that are no folds, and with an end to each fold.

    given_up : (s,) bool, points that are none inside any more, for they lie at a crease
    places   : (s, 3) where the points are [m]; those that are given up lie nearer to the crease
    at_fold  : (s,) bool, points that have a neighbour of another sheet, or one that is far along their own
    """

    sheets: Sheets
    given_up: NDArray[np.bool_]
    places: Array
    at_fold: NDArray[np.bool_]


def mended(sheets: Sheets, old: TetMesh, lattice: Lattice, points: Array) -> Mended:
    """Return the sheets of a mesh mended.

    A notch is where two points that are not joined have a neighbour that both are joined to, and none of the two lies at a
    fold. At a crease the point in the middle is given up, or the one at the side that it ends next to.
    """
    at_fold, pairs = _near(lattice, sheets)
    link = sheets.link.copy()
    _fill(pairs, at_fold, link)
    sheets = sheets._replace(link=link)
    creases = _creases(link, BETWEEN)
    looked = points + lattice.size * np.array(ASIDE)
    share, bottoms = _bottoms(creases, looked, old.positions, old.tets, old.faces.neighbours, sheets.place, sheets.tet)
    return Mended(sheets, *_ended(creases, share, bottoms, points[sheets.place], lattice.size), at_fold)


def _ended(
    creases: NDArray[np.int64], share: Array, bottoms: Array, places: Array, size: float
) -> tuple[NDArray[np.bool_], Array]:
    """Return which points (s,) are given up for creases (k, 3), and the places (s, 3) of all of them then.

    Those that end most creases come first.
    """
    given_up, places = np.zeros(len(places), dtype=bool), places.copy()
    way_off = ((places[creases[:, 1:]] - bottoms[:, None]) ** 2).sum(axis=2)
    nearest = creases[np.arange(len(creases)), 1 + way_off.argmin(axis=1)]
    wanted = np.where(share < OF_MIDDLE, creases[:, 0], nearest)
    counts, left = np.bincount(wanted, minlength=len(places)), np.ones(len(creases), dtype=bool)
    start, corners = incident_corners(creases.astype(np.int32), len(places))
    most = [(-int(counts[point]), int(point)) for point in np.unique(wanted)]
    heapify(most)
    while most:
        count, worst = heappop(most)
        if -count > counts[worst] > 0:  # some of its creases have been ended by others since
            heappush(most, (-int(counts[worst]), worst))
        if -count != counts[worst]:
            continue
        own = corners[start[worst] : start[worst + 1]] // 3
        covered = own[left[own]]
        given_up[worst], left[covered] = True, False
        np.subtract.at(counts, wanted[covered], 1)
        step = bottoms[covered].mean(axis=0) - places[worst]
        places[worst] += step * min(1.0, FARTHEST * size / max(float(np.sqrt(step @ step)), 1e-300))
    return given_up, places


def _near(lattice: Lattice, sheets: Sheets) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
    """Which (s,) have a neighbour of another sheet, or of their own by another way only; and pairs (k, 3) over a notch.

    Of a pair: the two, and the direction from the first to the second.
    """
    return _at_folds(lattice, sheets.place, sheets.begin, sheets.link, BETWEEN)  # type: ignore[no-any-return]


@kernel
def _at_folds(lattice, place, begin, link, between):  # type: ignore[no-untyped-def]
    at_fold, pairs, count = np.zeros(len(place), dtype=np.bool_), np.empty((64, 3), dtype=np.int32), 0
    for s in range(len(place)):
        for direction in range(DIRECTIONS):
            other = neighbour(lattice, place[s], direction)
            if other < 0:
                continue
            at_fold[s] |= begin[place[s] + 1] - begin[place[s]] > 1
            for r in range(begin[other], begin[other + 1]):
                if link[s, direction] == r:
                    continue
                if link[s, direction] < 0 and link[r, opposite(direction)] < 0 and _common(link, between, s, direction, r):
                    if count == len(pairs):
                        pairs = np.concatenate((pairs, np.empty((count, 3), dtype=np.int32)))
                    pairs[count, 0], pairs[count, 1], pairs[count, 2] = s, r, direction
                    count += 1
                else:
                    at_fold[s] = True
    return at_fold, pairs[:count].copy()


@kernel
def _common(link, between, s, direction, r):  # type: ignore[no-untyped-def]
    """Whether a neighbour of s is joined to both s and r, which lies in a direction from s."""
    for one in range(DIRECTIONS):
        middle, on = link[s, one], between[one, direction]
        if middle >= 0 and on >= 0 and link[middle, on] == r:
            return True
    return False


@kernel
def _fill(pairs, at_fold, link):  # type: ignore[no-untyped-def]
    """Join the pairs over notches of which none lies at a fold."""
    for k in range(len(pairs)):
        s, r, direction = pairs[k]
        if not (at_fold[s] or at_fold[r]) and link[s, direction] < 0 and link[r, opposite(direction)] < 0:
            link[s, direction], link[r, opposite(direction)] = r, s


@kernel
def _creases(link, between):  # type: ignore[no-untyped-def]
    """List (k, 3) the triples of points, each a neighbour of the others, of which two pairs are joined and one is not."""
    found, count = np.empty((64, 3), dtype=np.int64), 0
    for s in range(len(link)):
        for one in range(DIRECTIONS):
            for other in range(one):
                a, b, on = link[s, one], link[s, other], between[one, other]
                if a < 0 or b < 0 or on < 0 or link[a, on] == b:
                    continue
                if count == len(found):
                    found = np.concatenate((found, np.empty((count, 3), dtype=np.int64)))
                found[count, 0], found[count, 1], found[count, 2] = s, a, b
                count += 1
    return found[:count].copy()


@kernel
def _bottoms(creases, points, positions, tets, neighbours, place, held):  # type: ignore[no-untyped-def]
    """Where each crease (k, 2 sides and before them the middle) ends: at which share of the ways from the middle to its sides
    the way across is no more inside, and where (k, 3) it leaves [m]."""
    shares, found = np.ones(len(creases)), np.empty((len(creases), 3))
    for k in range(len(creases)):
        s, a, b = creases[k]
        middle, first, second = points[place[s]], points[place[a]], points[place[b]]
        low, high = 0.0, 1.0
        found[k] = 0.5 * (first + second)
        for _ in range(HALVINGS):
            here = 0.5 * (low + high)
            one, other = middle + here * (first - middle), middle + here * (second - middle)
            tet = way(positions, tets, neighbours, held[s], middle, one)[0]
            reached, left = way(positions, tets, neighbours, tet, one, other) if tet >= 0 else (np.int64(-1), 0.0)
            if reached >= 0:
                low = here
            else:
                high = here
                found[k] = one + left * (other - one)
        shares[k] = high
    return shares, found
