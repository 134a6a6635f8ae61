"""How pairs stand with nodes at some positions: how far apart they are, which of them push, and what these push with.

An iteration of Newton's method asks for that many times where it stands: for forces, stiffness, what each of its directions
meets and how far it may go. So it is worked out once.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .carried import same
from .friction import Friction
from .pairs import Pairs
from .terms import add_barrier_gradient, add_friction_gradient, barrier_springs, friction_blocks, measure_close, within_reach

Array = NDArray[np.float64]


@dataclass
class Close:
    """The c pairs within reach: numbers (c,), weights (c, 4), normals (c, 3), forces (c,) [N] and slopes (c,) [N/m]."""

    which: NDArray[np.int64]
    weights: Array
    normal: Array
    force: Array
    slope: Array

    def taken(self, which: NDArray[np.bool_]) -> "Close":
        """Some of them (c,)."""
        return Close(*(column[which] for column in vars(self).values()))


class Springs(NamedTuple):
    """Pairs of points (c, 4) with weights (c, 4), held by blocks (c, 9) [N/m]."""

    points: NDArray[np.int32]
    weights: Array
    blocks: Array

    def joined(self, points: NDArray[np.int32], weights: Array, blocks: Array) -> "Springs":
        """These and others."""
        joined = np.concatenate
        return Springs(joined([self.points, points]), joined([self.weights, weights]), joined([self.blocks, blocks]))


class Standing:
    """k pairs whose points are at places (p, 3), with nodes at positions (n, 3).

    distance (k,)   : [m]
    pushing (c,)    : numbers of those within reach
    """

    def __init__(self, pairs: Pairs, positions: Array, places: Array) -> None:
        self.pairs, self.positions, self.places = pairs, positions.copy(), places
        self.distance, pushing = np.empty(len(pairs.nodes)), np.empty(len(pairs.nodes), np.int64)
        self.pushing = pushing[: within_reach(places, pairs.nodes, pairs.points, pairs.reach, self.distance, pushing)]
        self._springs: tuple[Friction, float, Springs] | None = None

    def of(self, pairs: Pairs, positions: Array) -> bool:
        """Whether it is that of some pairs with nodes at positions (n, 3)."""
        return self.pairs is pairs and same(self.positions, positions)

    @cached_property
    def close(self) -> Close:
        """The pairs within reach."""
        count = len(self.pushing)
        close = Close(self.pushing, np.empty((count, 4)), np.empty((count, 3)), np.empty(count), np.empty(count))
        measure_close(self.places, self.pairs, *vars(close).values())
        return close

    def add_gradient(self, friction: Friction, on_points: Array) -> float:
        """Add that of barriers and friction to on_points (p, 3) [N]; return the energy [J]."""
        f = friction
        energy: float = add_barrier_gradient(self.places, self.pairs, self.pushing, on_points)
        energy += add_friction_gradient(self.places, f.points, f.weights, f.normal, f.anchor, f.grip, f.slip, on_points)
        return energy

    def springs(self, friction: Friction) -> Springs:
        """The stiffness of barriers and friction."""
        if self._springs is None or self._springs[0] is not friction or self._springs[1] != friction.exact:
            self._springs = friction, friction.exact, self._new_springs(friction)
        return self._springs[2]

    def _new_springs(self, friction: Friction) -> Springs:
        f, close, count = friction, self.close, len(self.pushing)
        every = count + len(f.points)
        springs = Springs(np.empty((every, 4), np.int32), np.empty((every, 4)), np.empty((every, 9)))
        barrier_springs(self.pairs.nodes, close.which, close.weights, close.normal, close.slope, *springs)
        springs.points[count:], springs.weights[count:] = f.points, f.weights
        friction_blocks(
            self.places, f.points, f.weights, f.normal, f.anchor, f.grip, f.slip, f.exact, springs.blocks[count:]
        )  # fmt: skip
        return springs

    @classmethod
    def after(cls, known: Iterable["Standing"], pairs: Pairs, positions: Array, places: Array) -> Self:
        """That of pairs, after others: what pushes is not worked out again where only what is far has changed."""
        stand = cls(pairs, positions, places)
        for each in known:
            stand._learn(each)
        return stand

    def _learn(self, known: "Standing") -> None:
        """Take over what is known of other pairs at the same positions, if those that push are the same, in their order."""
        own, other, mine, theirs = self.pairs, known.pairs, self.pushing, known.pushing
        if "close" not in vars(known) or len(mine) != len(theirs) or not same(self.positions, known.positions):
            return
        for name in ("nodes", "reach", "stiffness"):
            if not np.array_equal(getattr(own, name).take(mine, 0), getattr(other, name).take(theirs, 0)):
                return
        self.close, self._springs = replace(known.close, which=mine), known._springs
