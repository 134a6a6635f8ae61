"""The curve on a surface on which a field of its vertices is nothing, and the surface cut along it.

It crosses edges where the field does, is drawn straight along them, and goes through vertices that it all but meets.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..geometry.edges import Edges
from ..refining.patchwork import Patchwork
from ..surface import Surface

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]

STRAIGHTER = 6  # rounds in which it is drawn straight, by half of what is left each,
ALONG = 0.2  # shares of an edge at most
LEAST = 0.02  # of an edge at its ends that it keeps away from until it goes through them
SNAP = 0.1  # of an edge: nearer to an end of it it goes through that,
SHORT = 0.02  # and so many element sizes from it
EVENED = 8  # rounds in which it is evened out across the surface,
OFF = 0.02  # element sizes from where it was at most,
BESIDE = 0.4  # and so much of the way to an end of the edge, or to a place beside it
STEPS = 2.0**20  # in which places on an edge are told: exactly, whichever way it is walked


class LevelCurve:
    """Where edges of a surface cross the level of a field (n,).

    side  : (n,) 1 where the field is above nothing, -1 below, 0 where the curve goes through the vertex
    along : (e,) where it crosses each edge, from the lower vertex, 0 to 1; of no meaning elsewhere
    """

    def __init__(self, part: Surface, edges: Edges, field: Array) -> None:
        self.part, self.edges = part, edges
        self.side = np.where(field > 0.0, 1, -1).astype(np.int8)
        self.low, self.high = part.positions[edges.vertices].transpose(1, 0, 2)
        self.length = np.sqrt(((self.high - self.low) ** 2).sum(axis=1))
        sides = np.empty(len(edges.order), dtype=np.int64)
        sides[edges.order] = np.repeat(np.arange(len(edges.vertices)), edges.counts)
        self.sides = sides.reshape(-1, 3)  # the edge of each triangle's
        low, high = field[edges.vertices].T
        self.along = np.clip(low / np.where(self.crossed, low - high, 1.0), LEAST, 1.0 - LEAST)
        self.first, self.least = self.along.copy(), LEAST

    @property
    def crossed(self) -> Flags:
        """Which edges (e,) it crosses between their ends."""
        return np.asarray(self.side[self.edges.vertices].prod(axis=1) < 0)

    def places(self) -> Array:
        """Where (e, 3) it does so."""
        return np.asarray((1.0 - self.along[:, None]) * self.low + self.along[:, None] * self.high)

    def straighten(self) -> None:
        """Draw it along edges to where a straight line would cross them, were the two triangles at each laid flat."""
        items, beside = self._neighbours()
        way, count = (self.high - self.low)[items], len(self.along)
        squared = np.maximum(self.length[items] ** 2, 1e-300)
        least, most = np.maximum(self.first - ALONG, self.least), np.minimum(self.first + ALONG, 1.0 - self.least)
        for _ in range(STRAIGHTER):
            arm = beside(self.places()) - self.low[items]
            foot = (arm * way).sum(axis=1) / squared
            off = np.sqrt(((arm - foot[:, None] * way) ** 2).sum(axis=1))
            weight = 1.0 / np.maximum(off, 1e-9 * self.length[items])
            wanted = np.bincount(items, weight * foot, count) / np.maximum(np.bincount(items, weight, count), 1e-300)
            moved = np.clip(0.5 * (self.along + wanted), least, most)
            self.along = np.where(self.crossed, moved, self.along)

    def snap(self, element_size: float) -> None:
        """Have it go through the vertices that it all but meets."""
        nearest = np.maximum(SNAP, SHORT * element_size / np.maximum(self.length, 1e-300))
        near = self.crossed[:, None] & (np.stack([self.along, 1.0 - self.along], axis=1) < np.minimum(nearest, 0.5)[:, None])
        self.side[self.edges.vertices[near]] = 0
        self.least = SNAP

    def evened(self, element_size: float) -> Array:
        """Where (e, 3) it crosses edges, each place drawn to the line between those beside it."""
        items, beside = self._neighbours()
        start, crossed = self.places(), self.crossed
        places, count = start, len(start)
        near = np.minimum(self.along, 1.0 - self.along) * self.length
        np.minimum.at(near, items, np.sqrt(((beside(start) - start[items]) ** 2).sum(axis=1)))
        most = np.minimum(OFF * element_size, BESIDE * near)
        for _ in range(EVENED):
            others = beside(places)
            weight = 1.0 / np.maximum(np.sqrt(((others - places[items]) ** 2).sum(axis=1)), 1e-3 * element_size)
            total = np.maximum(np.bincount(items, weight, count), 1e-300)
            mean = np.stack([np.bincount(items, weight * others[:, k], count) / total for k in range(3)], axis=1)
            off = np.where(crossed[:, None], 0.5 * (places + mean) - start, 0.0)
            length = np.maximum(np.sqrt((off**2).sum(axis=1)), 1e-300)
            places = start + off * np.minimum(1.0, most / length)[:, None]
        return places

    def applied(self, made: Patchwork, rows: Indices, places: Array) -> Patchwork:
        """Return the whole surface, of which this one's triangles are some (r,), cut where the curve crosses edges.

        places (e, 3): where they are cut, or all but there.
        """
        crossed = np.flatnonzero(self.crossed)
        number, along = np.full(len(self.along), -1, dtype=np.int64), np.zeros(len(self.along))
        number[crossed] = len(made.positions) + np.arange(len(crossed))
        along[crossed] = np.round(self.along[crossed] * STEPS) / STEPS
        forward = np.empty(len(self.edges.order), dtype=bool)
        forward[self.edges.order] = self.edges.forward
        own = along[self.sides]
        sides, shares = np.full(made.triangles.shape, -1, dtype=np.int64), np.zeros(made.triangles.shape)
        sides[rows], shares[rows] = number[self.sides], np.where(forward.reshape(-1, 3), own, 1.0 - own)
        return made.cut(sides, places[crossed], shares, _shorter(made, sides, shares))

    def _neighbours(self) -> tuple[Indices, Callable[[Array], Array]]:
        """The edges (k,) that it crosses, one for each way that it goes on from there, and where to (k, 3), by its places."""
        crossed = self.crossed[self.sides]
        rows = np.flatnonzero(crossed.any(axis=1))
        two = crossed[rows].sum(axis=1) == 2
        one, other = np.argmax(crossed[rows], axis=1), 2 - np.argmax(crossed[rows, ::-1], axis=1)
        leaves, enters = self.sides[rows, one], self.sides[rows, other]
        across = self.part.positions[self.part.triangles[rows, (one + 2) % 3]]  # of a triangle that is cut through a corner
        through = ~two[:, None]

        def beside(places: Array) -> Array:
            return np.concatenate([np.where(through, across, places[enters]), places[leaves[two]]])

        return np.concatenate([leaves, enters[two]]), beside


def _shorter(made: Patchwork, sides: Indices, shares: Array) -> Flags:
    """Of triangles (t,) cut at two sides in a row, whether the shorter diagonal of what is left is that to the second's end."""
    first, rows = (np.argmin(sides >= 0, axis=1) + 1) % 3, np.arange(len(sides))
    a, b, c = (made.positions[made.triangles[rows, (first + k) % 3]] for k in range(3))
    s, t = shares[rows, first][:, None], shares[rows, (first + 1) % 3][:, None]
    one, other = (1.0 - s) * a + s * b - c, (1.0 - t) * b + t * c - a
    return np.asarray((one**2).sum(axis=1) < (other**2).sum(axis=1))
