"""Whether a body has folded onto itself, as a lattice sees it."""

import numpy as np
from numpy.typing import NDArray

from ..jit import inline, kernel
from ..tetmesh.lattice import DIRECTIONS, neighbour
from ..tetmesh.lattice_points import Lattice
from ..tetmesh.mesh import TetMesh
from .sheets import Sheets

Array = NDArray[np.float64]

DETOUR = 3  # points of the lattice that lead around a notch
AROUND = 2.0  # cells about two points within which old tets may lead from one to the other as well


def is_folded(sheets: Sheets, lattice: Lattice, points: Array, old: TetMesh) -> bool:
    """Whether parts of a body lie nearer to each other than a cell between which it does not lead, or in each other.

    Parts between which it leads within DETOUR points are a notch, as the rims of puddles have, and no fold. Nor are those of an
    arm, or a rim, that is thinner than a cell, or a little in itself: the points (n, 3) of the lattice miss most of it, but its
    old tets lead from one to the other all the same.
    """
    twice = np.flatnonzero(np.diff(sheets.place) == 0)
    beside = _far_along(lattice, sheets.place, sheets.begin, sheets.link)
    pairs = np.concatenate([np.stack([twice, twice + 1], axis=1), beside])
    here, reach = points[sheets.place[pairs]].mean(axis=1), AROUND * lattice.size
    return bool(_leads_nowhere(old.positions, old.tets, old.faces.neighbours, sheets.tet[pairs], here, reach))


@kernel
def _far_along(lattice, place, begin, link):  # type: ignore[no-untyped-def]
    """Pairs (k, 2) of neighbouring points of which one is not to be reached from the other along links in DETOUR steps."""
    around, step = np.empty(DIRECTIONS**2 * DIRECTIONS, dtype=np.int32), np.full(len(place), -1, dtype=np.int32)
    pairs, found = np.empty((64, 2), dtype=np.int64), 0
    for s in range(len(place)):
        known, count = False, 0
        for direction in range(DIRECTIONS):
            other = neighbour(lattice, place[s], direction)
            if other < place[s] or link[s, direction] >= 0 or begin[other + 1] == begin[other]:
                continue
            if not known:
                known, around[0], count, first = True, s, 1, 0
                step[s] = 0
                while first < count and step[around[first]] < DETOUR:
                    here = around[first]
                    first += 1
                    for way_on in range(DIRECTIONS):
                        there = link[here, way_on]
                        if there >= 0 and step[there] < 0:
                            step[there] = step[here] + 1
                            around[count] = there
                            count += 1
            for r in range(begin[other], begin[other + 1]):
                if step[r] < 0:
                    if found == len(pairs):
                        pairs = np.concatenate((pairs, np.empty((found, 2), dtype=np.int64)))
                    pairs[found, 0], pairs[found, 1] = s, r
                    found += 1
        for n in range(count):
            step[around[n]] = -1
    return pairs[:found].copy()


@kernel
def _leads_nowhere(positions, tets, neighbours, pairs, places, reach):  # type: ignore[no-untyped-def]
    """Whether of some pair (k, 2) of tets none leads to the other over tets that come within reach [m] of its place (k, 3)."""
    stamp, ring = np.full(len(tets), -1, dtype=np.int64), np.empty(len(tets), dtype=np.int32)
    for k in range(len(pairs)):
        ring[0], first, count, met = pairs[k, 0], 0, 1, False
        stamp[pairs[k, 0]] = k
        while first < count and not met:
            here = ring[first]
            first += 1
            for a in range(4):
                for b in range(4):
                    met |= tets[here, a] == tets[pairs[k, 1], b]
            for face in range(4):
                there = neighbours[here, face]
                if there < 0 or stamp[there] == k:
                    continue
                stamp[there] = k
                if _comes_within(positions, tets[there], places[k], reach):
                    ring[count] = there
                    count += 1
        if not met:
            return True
    return False


@inline
def _comes_within(positions, tet, place, reach):  # type: ignore[no-untyped-def]
    """Whether the box around a tet does: those of worn bodies may be longer than the reach."""
    total = 0.0
    for a in range(3):
        p, q, r, s = positions[tet[0], a], positions[tet[1], a], positions[tet[2], a], positions[tet[3], a]
        low, high = min(min(p, q), min(r, s)), max(max(p, q), max(r, s))
        away = max(low - place[a], place[a] - high, 0.0)
        total += away * away
    return total <= reach * reach
