"""Where the points of contact surfaces are and go, as nodes do: worked out once for each of the last places asked for."""

import numpy as np
from numpy.typing import NDArray

from ...jit import kernel
from .carried import Carried

Array = NDArray[np.float64]

SOME = 16  # coordinates of which one is asked for the share: the others have to agree
KEPT = 4  # places of nodes: those of an iteration, and of its line search
ROUNDED = 1e-12  # of the largest coordinate, by which a place on a way is off it as sums are rounded


class Going:
    """Places of points that nodes carry, the same arrays for as long as the same are asked for."""

    def __init__(self, carried: Carried) -> None:
        self.carried = carried
        self._places: list[tuple[Array, Array]] = []  # of carriers, and of points
        self._way: tuple[Array, Array, Array] | None = None  # a direction of carriers, from which places, and the points' ways

    def places(self, positions: Array) -> Array:
        """Places (k, 3) of points with nodes at positions (n, 3)."""
        for known, places in self._places:
            if not self.carried.moved_from(positions, known):
                return places
        known = positions.take(self.carried.carriers, 0)
        self._places = [(known, self.carried.places(positions)), *self._places[: KEPT - 1]]
        return self._places[0][1]

    def way(self, positions: Array, direction: Array) -> tuple[Array, Array]:
        """Places and ways (k, 3) of points with nodes at positions (n, 3) on a direction (n, 3)."""
        places, known = self.places(positions), self._way
        if known is None or known[1] is not places or self.carried.moved_from(direction, known[0]):
            own = direction.take(self.carried.carriers, 0)
            known = self._way = own, places, self.carried.places(direction)
        return known[1:]


@kernel
def share_of(start, ways, places):  # type: ignore[no-untyped-def]
    """After which share of a way, from a start along ways (k, 3), points are at places (k, 3); nan where they are not on it."""
    begins, goes, ends = start.ravel(), ways.ravel(), places.ravel()
    most, size, at = 0.0, 0.0, 0
    for k in range(0, len(goes), SOME):
        size = max(size, abs(begins[k]))
        if abs(goes[k]) > most:
            most, at = abs(goes[k]), k
    share = (ends[at] - begins[at]) / goes[at] if most > 0.0 else 0.0
    rounding, off = ROUNDED * (size + most), 0
    for k in range(len(goes)):  # without a branch, so that several numbers are looked at at once
        off += not abs(ends[k] - begins[k] - share * goes[k]) <= rounding
    return share if off == 0 and -ROUNDED <= share <= 1.0 + ROUNDED else np.nan
