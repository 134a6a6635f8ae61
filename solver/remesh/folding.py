"""Whether a body has folded onto itself, as a lattice sees it."""

import numpy as np

from ..jit import kernel
from ..tetmesh.lattice import DIRECTIONS, neighbour
from ..tetmesh.lattice_points import Lattice
from .sheets import Sheets

DETOUR = 3  # points of the lattice that lead around a notch


def is_folded(sheets: Sheets, lattice: Lattice) -> bool:
    """Whether parts of a body lie nearer to each other than a cell between which it does not lead, or in each other.

    Parts between which it leads within DETOUR points are a notch, as the rims of puddles have, and no fold.
    """
    if (np.diff(sheets.begin) > 1).any():
        return True
    return bool(_parts_far_along(lattice, sheets.place, sheets.begin, sheets.link))


@kernel
def _parts_far_along(lattice, place, begin, link):  # type: ignore[no-untyped-def]
    """Whether some point has a neighbour that is not to be reached along links in DETOUR steps."""
    around, step = np.empty(DIRECTIONS**2 * DIRECTIONS, dtype=np.int32), np.full(len(place), -1, dtype=np.int32)
    for s in range(len(place)):
        known = False
        for direction in range(DIRECTIONS):
            other = neighbour(lattice, place[s], direction)
            if other < 0 or link[s, direction] >= 0 or begin[other + 1] == begin[other]:
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
                    return True
        if known:
            for n in range(count):
                step[around[n]] = -1
    return False
