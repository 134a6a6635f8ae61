"""Pairs that a refined surface brings begin where they are: nobody has pressed them yet.

What is refined while it is pressed has its new points far within reach of what lies there, all but touching it or a fold of
itself. With their whole barriers at once they would be loaded springs out of nothing, and what they hold would be shot away. So
each reaches no further at first than it is apart, and pushes with nothing; where an old pair was pushing there, it reaches so
far that it is as much nearer than its reach as that one is. A pair that the old surface had as well keeps its reach. Together
they hold no more energy than was there. They reach further again as they part, each as far as it has been apart since: at that
distance nothing pushes, so that gives none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from .known_reach import ALIGNED, ASKED, apart
from .pairs import LEAST, NOTHING, Pairs, distances, numbers_among, taken
from .standing import Standing

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]
Number = TypeVar("Number", bound=np.generic)

HALVINGS = 12  # of the span in which is looked for how soft new pairs have to be
SAME = 1e-9  # element sizes: points of two surfaces that lie so close are the same


class Sides(NamedTuple):
    """Pairs told apart by their points (k, 4) alone, of whatever order in a side: the first `points` of a vertex and a
    triangle, the others of two edges."""

    nodes: IntArray
    points: int

    @classmethod
    def of(cls, nodes: IntArray, points: int) -> Self:
        """Those of pairs, as of `Pairs`."""
        corners = np.column_stack([nodes[:points, :1], np.sort(nodes[:points, 1:], axis=1)])
        edges = np.sort(nodes[points:].reshape(-1, 2, 2), axis=2)
        swapped = edges[:, 0, 0] > edges[:, 1, 0]
        edges[swapped] = edges[swapped, ::-1]
        return cls(np.ascontiguousarray(np.concatenate([corners, edges.reshape(-1, 4)]), np.int32), points)

    def among(self, known: "Sides") -> NDArray[np.int64]:
        """Which of known ones each is, -1 where none is."""
        one = numbers_among(known.nodes[: known.points], self.nodes[: self.points])
        other = numbers_among(known.nodes[known.points :], self.nodes[self.points :])
        return np.concatenate([one, np.where(other < 0, -1, other + known.points)])


class Told(NamedTuple):
    """What the pairs within reach of a surface tell the next: its points (p, 3), and of k pairs which they are, where (k, 3),
    the unit way along which each is apart (k, 3), its reach (k,) [m], the share of it that it is apart (k,), at most 1; and the
    energy of all [J]."""

    places: Array
    sides: Sides
    spots: Array
    ways: Array
    reach: Array
    share: Array
    energy: float

    @classmethod
    def of(cls, pairs: Pairs, nominal: float, places: Array) -> Self:
        """That of pairs nearer than the nominal reach [m], with points at places (p, 3)."""
        spots, ways, gaps, _ = apart(places, pairs.nodes, pairs.points)
        near = (gaps < nominal) & (gaps > 0.0)
        pairs = taken(pairs, near)
        share, sides = np.minimum(gaps[near] / pairs.reach, 1.0), Sides.of(pairs.nodes, pairs.points)
        return cls(places, sides, spots[near], ways[near], pairs.reach, share, energy_of(pairs, places))


class Begun(NamedTuple):
    """Pairs within reach as they begin: how near (k,) [m], how far each reaches (k,) [m], and whether it is new (k,)."""

    pairs: Pairs
    gaps: Array
    reach: Array
    new: NDArray[np.bool_]

    @classmethod
    def of(cls, pairs: Pairs, places: Array, told: Told | None = None, radius: float = 0.0, same: float = 0.0) -> Self:
        """Those of pairs, points at places (p, 3), after what an old surface has told, if any was.

        What it tells within a radius [m] holds, and points as near as `same` [m] are those of it.
        """
        spots, ways, gaps, _ = apart(places, pairs.nodes, pairs.points)
        near = gaps < pairs.reach
        pairs, gaps, reach = taken(pairs, near), gaps[near], gaps[near].copy()
        new = np.ones(len(gaps), dtype=np.bool_)
        if told is not None and len(told.reach) and len(gaps):
            old = _renumbered(pairs, places, told, same).among(told.sides)
            new = old < 0
            reach = np.where(new, gaps / _shares(told, spots[near], ways[near], radius), told.reach[old])
        reach = np.where(new & (gaps < NOTHING * pairs.reach), 0.0, np.minimum(reach, pairs.reach))
        return cls(pairs, gaps, reach, new)

    def softer(self, new: float, old: float) -> "Begun":
        """The same where only such shares of what the reach is more than the gap are left to new and to old ones."""
        less = np.where(self.new, new, old) * np.maximum(self.reach - self.gaps, 0.0)
        return self._replace(reach=np.where(self.reach > self.gaps, self.gaps + less, self.reach))

    def energy(self, places: Array) -> float:
        """Of all [J], with points at places (p, 3)."""
        return energy_of(self.pairs._replace(reach=self.reach), places)

    @property
    def fresh(self) -> "FreshPairs | None":
        """Those that reach less far than they will; None if there are none."""
        less = self.reach < self.pairs.reach
        pairs = taken(self.pairs, less)
        return FreshPairs(Sides.of(pairs.nodes, pairs.points), self.reach[less]) if less.any() else None


def energy_of(pairs: Pairs, places: Array) -> float:
    """What pairs hold with points at places (p, 3) [J]."""
    return float(Standing(pairs, places).barriers.energy)


def softened(begun: list[Begun], places: Array, most: float) -> list[Begun]:
    """Pairs that together hold no more than `most` [J] with points at places (p, 3): the new ones are softened as much as that
    takes, and only what they cannot make up for by the others."""

    def energy(new: float, old: float) -> float:
        return sum(each.softer(new, old).energy(places) for each in begun)

    if energy(1.0, 1.0) <= most:
        return begun
    only_new = energy(0.0, 1.0) <= most
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        share = 0.5 * (low + high)
        enough = energy(*((share, 1.0) if only_new else (0.0, share))) <= most
        low, high = (share, high) if enough else (low, share)
    return [each.softer(*((low, 1.0) if only_new else (0.0, low))) for each in begun]


@dataclass(frozen=True)
class FreshPairs:
    """k pairs, told apart by their points, that reach less far than they will: so far (k,) [m]."""

    sides: Sides
    reach: Array

    def limited(self, pairs: Pairs) -> Pairs:
        """Pairs, of which those that are fresh reach as far as they do, without those that do not at all."""
        if not len(pairs.nodes) or not len(self.reach):
            return pairs
        ours = np.zeros(max(int(pairs.nodes.max()), int(self.sides.nodes.max())) + 1, dtype=np.bool_)
        ours[self.sides.nodes] = True
        perhaps = np.flatnonzero(ours[pairs.nodes].all(axis=1))  # a few of many, which alone are sorted
        found = Sides.of(pairs.nodes[perhaps], int(np.searchsorted(perhaps, pairs.points))).among(self.sides)
        perhaps, found = perhaps[found >= 0], found[found >= 0]
        reach = pairs.reach.copy()
        reach[perhaps] = np.minimum(reach[perhaps], self.reach[found])
        return taken(pairs._replace(reach=reach), reach > 0.0)

    def parted(self, places: Array, nominal: float) -> "FreshPairs | None":
        """They with points at places (k, 3), which they know by: None once all reach as far as the nominal reach [m]."""
        gaps = distances(places, *self.sides)
        reach = np.maximum(self.reach, np.where((self.reach > 0.0) | (gaps > LEAST * nominal), gaps, 0.0))
        left = reach < nominal
        if left.all():
            return FreshPairs(self.sides, reach) if (reach > self.reach).any() else self
        kept = Sides(self.sides.nodes[left], int(left[: self.sides.points].sum()))
        return FreshPairs(kept, reach[left]) if left.any() else None

    def besides(self, others: "FreshPairs | None") -> "FreshPairs":
        """They, and of others those that are not among them."""
        if others is None:
            return self
        own, point, left = self.sides.points, others.sides.points, others.sides.among(self.sides) < 0

        def both(mine: NDArray[Number], others: NDArray[Number]) -> NDArray[Number]:
            return np.concatenate([mine[:own], others[:point][left[:point]], mine[own:], others[point:][left[point:]]])

        sides = Sides(both(self.sides.nodes, others.sides.nodes), own + int(left[:point].sum()))
        return FreshPairs(sides, both(self.reach, others.reach))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """All of it by name, for a checkpoint."""
        return {"nodes": self.sides.nodes, "points": np.array(self.sides.points), "reach": self.reach}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "FreshPairs":
        """That of a checkpoint."""
        sides = Sides(np.array(arrays["nodes"], np.int32), int(arrays["points"]))
        return cls(sides, np.array(arrays["reach"], np.float64))


def _shares(told: Told, spots: Array, ways: Array, radius: float) -> Array:
    """The share (k,) of their reach that old pairs are apart that are nearest to spots (k, 3), by about the same ways (k, 3);
    1 where none is within a radius [m]."""
    far, near = cKDTree(told.spots).query(spots, k=ASKED, distance_upper_bound=radius)
    there = np.isfinite(far)
    near = np.where(there, near, 0)
    there &= np.abs(np.einsum("ki,kmi->km", ways, told.ways[near])) > ALIGNED
    first = there.argmax(axis=1)
    return np.where(there.any(axis=1), told.share[near[np.arange(len(near)), first]], 1.0)


def _renumbered(pairs: Pairs, places: Array, told: Told, same: float) -> Sides:
    """Pairs by the old surface's numbers of their points, negative ones for new points."""
    far, old = cKDTree(told.places).query(places, distance_upper_bound=same)
    number = np.where(np.isfinite(far), old, -1 - np.arange(len(places))).astype(np.int32)
    return Sides.of(number[pairs.nodes], pairs.points)
