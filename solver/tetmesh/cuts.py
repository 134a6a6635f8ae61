"""Where the surface cuts the edges of the lattice: one cut on every edge from an inside to an outside point."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import inline, kernel
from .lattice import DIRECTIONS, LONG_DIRECTIONS, coordinates, neighbour, neighbour_of
from .lattice_points import Lattice


class Cuts(NamedTuple):
    """The lattice edges with one end inside and one outside.

    inner, outer : (c,) int64, lattice points
    active : (n,) int32, row of `table` of a lattice point with such an edge, or -1
    table  : (a, 14) int32, number of the cut on each of its edges, or -1
    """

    inner: NDArray[np.int64]
    outer: NDArray[np.int64]
    active: NDArray[np.int32]
    table: NDArray[np.int32]


def find_cuts(lattice: Lattice, inside: NDArray[np.bool_]) -> Cuts:
    """Return the edges that the surface cuts, given which of the (n,) lattice points are inside."""
    active = np.full(len(inside), -1, dtype=np.int32)
    rows, cuts = _count_cuts(lattice, inside, active)
    table = np.full((rows, DIRECTIONS), -1, dtype=np.int32)
    ends = np.empty((2, cuts), dtype=np.int64)
    _list_cuts(lattice, inside, active, table, ends)
    return Cuts(ends[0], ends[1], active, table)


@kernel
def _count_cuts(lattice, inside, active):  # type: ignore[no-untyped-def]
    rows, cuts = 0, 0
    for point in range(len(inside)):
        found, place = 0, coordinates(lattice, point)
        for direction in range(DIRECTIONS):
            other = neighbour_of(lattice, place, direction)
            if other >= 0 and inside[other] != inside[point]:
                found += 1
        if found:
            active[point] = rows
            rows += 1
            if inside[point]:
                cuts += found
    return rows, cuts


@kernel
def _list_cuts(lattice, inside, active, table, ends):  # type: ignore[no-untyped-def]
    cut = 0
    for point in range(len(inside)):
        if active[point] < 0 or not inside[point]:
            continue
        for direction in range(DIRECTIONS):
            other = neighbour(lattice, point, direction)
            if other >= 0 and not inside[other]:
                ends[0, cut], ends[1, cut] = point, other
                table[active[point], direction] = cut
                table[active[other], opposite(direction)] = cut
                cut += 1


@inline
def opposite(direction):  # type: ignore[no-untyped-def]
    """The direction that leads back."""
    if direction < LONG_DIRECTIONS:
        return direction ^ 1
    return 6 + (7 - (direction - 6))
