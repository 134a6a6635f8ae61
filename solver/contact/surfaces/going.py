"""Where the points of contact surfaces are and go, as nodes do: worked out once for each of the last places asked for."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit import kernel
from .carried import Carried

Array = NDArray[np.float64]

SOME = 16  # coordinates of which one is asked for the share
KEPT = 4  # places of nodes: those of an iteration, and of its line search


class Share(NamedTuple):
    """Where points are on a way: about after this share of it, off that place by so much along an axis at most [m], and off the
    end of the way."""

    share: float
    off: float
    off_end: float


class Going:
    """Places of points that nodes carry, the same arrays for as long as the same are asked for.

    What is asked for is known by the array that it is in, so nobody may write into it afterwards.
    """

    def __init__(self, carried: Carried) -> None:
        self.carried = carried
        self._places: list[tuple[Array, Array, bool]] = []  # of nodes, of points, and whether these are from those alone
        self._way: tuple[Array, Array, Array] | None = None  # a direction of nodes, from which places, and the points' ways
        self._end: tuple[Array, Array] | None = None  # the points' ways, and places at their end
        self._went: tuple[Array, Array, float] | None = None  # places, after a share of which ways

    def places(self, positions: Array) -> Array:
        """Places (k, 3) of points with nodes at positions (n, 3)."""
        for known, places, _ in self._places:
            if known is positions:
                return places
        return self._keep(positions, self.carried.places(positions), True)

    def way(self, positions: Array, direction: Array) -> tuple[Array, Array]:
        """Places and ways (k, 3) of points with nodes at positions (n, 3) on a direction (n, 3)."""
        places, known = self.places(positions), self._way
        if known is None or known[0] is not direction or known[1] is not places:
            known = self._way = direction, places, self.carried.places(direction)
        return known[1:]

    @property
    def end(self) -> Array:
        """Places (k, 3) at the end of the last way that was asked for."""
        assert self._way is not None
        _, start, ways = self._way
        if self._end is None or self._end[0] is not ways:
            self._end = ways, _gone_on(start, 1.0, ways)
        return self._end[1]

    def went(self, share: float, positions: Array) -> None:
        """Let nodes be at positions (n, 3), after a share of the last direction that was asked for."""
        if self._way is None or any(known is positions for known, _, _ in self._places):
            return
        _, start, ways = self._way
        places = self._keep(positions, self.end if share == 1.0 else _gone_on(start, share, ways), False)
        self._went = places, ways, share

    def anew(self, positions: Array) -> None:
        """Let places with nodes at positions (n, 3) be what these say by themselves, not where they went: so a resumed bake has
        them too."""
        self._places = [known for known in self._places if known[2] or known[0] is not positions]

    def share_of(self, start: Array, ways: Array, places: Array) -> Share:
        """As the kernel of this name says, without a look where it is known."""
        if self._went is not None and self._went[0] is places and self._went[1] is ways:
            return Share(self._went[2], 0.0, 0.0 if self._went[2] == 1.0 else np.inf)
        return Share(*share_of(start, ways, places))

    def _keep(self, positions: Array, places: Array, alone: bool) -> Array:
        self._places = [(positions, places, alone), *self._places[: KEPT - 1]]
        return places


def _gone_on(start: Array, share: float, ways: Array) -> Array:
    """Places (k, 3) after a share of ways (k, 3)."""
    places = np.empty_like(start)
    _go_on(start, share, ways, places)
    return places


@kernel
def _go_on(start, share, ways, places):  # type: ignore[no-untyped-def]
    """places := start + share ways, all (k, 3)."""
    begins, goes, ends = start.ravel(), ways.ravel(), places.reshape(-1)
    for k in range(len(ends)):
        ends[k] = begins[k] + share * goes[k]


@kernel
def share_of(start, ways, places):  # type: ignore[no-untyped-def]
    """About after which share of a way, from a start along ways (k, 3), points are at places (k, 3); by how much they are off
    that along an axis at most [m], and off the way's end, without end where one is nowhere."""
    begins, goes, ends = start.ravel(), ways.ravel(), places.ravel()
    most, at = 0.0, 0
    for k in range(0, len(goes), SOME):
        if abs(goes[k]) > most:
            most, at = abs(goes[k]), k
    share = min(max((ends[at] - begins[at]) / goes[at], 0.0), 1.0) if most > 0.0 else 0.0
    off, off_end, bad = 0.0, 0.0, 0
    for k in range(len(goes)):  # without a branch, so that several numbers are looked at at once
        beside, behind = abs(ends[k] - begins[k] - share * goes[k]), abs(ends[k] - begins[k] - goes[k])
        off, off_end, bad = max(off, beside), max(off_end, behind), bad + (not beside + behind < np.inf)
    return (share, off, off_end) if bad == 0 else (share, np.inf, np.inf)
