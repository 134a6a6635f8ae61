"""Pairs that a refined surface brings begin where they are: nobody has pressed them yet.

What is refined while it is pressed has its new points far within reach of what lies there, all but touching it or a fold of
itself. With their whole barriers at once they would be loaded springs out of nothing, and what they hold would be shot away. So
each reaches no further at first than it is apart, and pushes with nothing; where an old pair was pushing there, it reaches so far
that it is as much nearer than its reach as that one is. A pair that the old surface had as well keeps its reach. They reach
further again as they part, each as far as it has been apart since; that gives no energy, as at that distance nothing pushes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from .known_reach import ALIGNED, ASKED, apart
from .pairs import Pairs, distances, numbers_among

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

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
    the unit way along which each is apart (k, 3), its reach (k,) [m], and the share of it that it is apart (k,), at most 1."""

    places: Array
    sides: Sides
    spots: Array
    ways: Array
    reach: Array
    share: Array

    @classmethod
    def of(cls, pairs: Pairs, nominal: float, places: Array) -> Self:
        """That of pairs nearer than the nominal reach [m], with points at places (p, 3)."""
        spots, ways, gaps, _ = apart(places, pairs.nodes, pairs.points)
        near = (gaps < nominal) & (gaps > 0.0)
        sides = Sides.of(pairs.nodes[near], int(near[: pairs.points].sum()))
        share = np.minimum(gaps[near] / pairs.reach[near], 1.0)
        return cls(places, sides, spots[near], ways[near], pairs.reach[near], share)


@dataclass(frozen=True)
class FreshPairs:
    """k pairs, told apart by their points, that reach less far than they will: so far (k,) [m]."""

    sides: Sides
    reach: Array

    @classmethod
    def of(cls, pairs: Pairs, places: Array, told: Told | None, radius: float, same: float) -> "FreshPairs | None":
        """Those of pairs, points at places (k, 3), which none of the old surface was; None if there are none.

        told: of that surface; what it tells within a radius [m] holds, and points as near as `same` [m] are those of it.
        """
        spots, ways, gaps, _ = apart(places, pairs.nodes, pairs.points)
        near = np.flatnonzero(gaps < pairs.reach)
        if not len(near):
            return None
        sides = Sides.of(pairs.nodes[near], int((near < pairs.points).sum()))
        reach = gaps[near].copy()
        if told is not None and len(told.reach):
            reach /= _shares(told, spots[near], ways[near], radius)
            old = _renumbered(sides, places, told, same).among(told.sides)
            reach = np.where(old >= 0, told.reach[old], reach)
        less = reach < pairs.reach[near]
        if not less.any():
            return None
        kept = Sides(sides.nodes[less], int(less[: sides.points].sum()))
        return cls(kept, reach[less])

    def limited(self, pairs: Pairs) -> Pairs:
        """Pairs, of which those that are fresh reach as far as they do."""
        found = Sides.of(pairs.nodes, pairs.points).among(self.sides)
        return pairs._replace(reach=np.where(found < 0, pairs.reach, np.minimum(pairs.reach, self.reach[found])))

    def parted(self, places: Array, nominal: float) -> "FreshPairs | None":
        """They with points at places (k, 3), which they know by: None once all reach as far as the nominal reach [m]."""
        reach = np.maximum(self.reach, distances(places, *self.sides))
        left = reach < nominal
        if left.all():
            return FreshPairs(self.sides, reach) if (reach > self.reach).any() else self
        kept = Sides(self.sides.nodes[left], int(left[: self.sides.points].sum()))
        return FreshPairs(kept, reach[left]) if left.any() else None

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


def _renumbered(sides: Sides, places: Array, told: Told, same: float) -> Sides:
    """Pairs by the old surface's numbers of their points, negative ones for new points."""
    far, old = cKDTree(told.places).query(places, distance_upper_bound=same)
    number = np.where(np.isfinite(far), old, -1 - np.arange(len(places))).astype(np.int32)
    return Sides.of(number[sides.nodes], sides.points)
