"""How pairs stand with nodes at some positions: how far apart they are, which of them push, and what these push with.

An iteration of Newton's method asks for that many times where it stands: for forces, stiffness, what each of its directions
meets and how far it may go. So it is worked out once.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ...jit import kernel
from .distance import moves_of
from .friction import Friction
from .friction_terms import add_friction_gradient, friction_blocks
from .measuring import measure_pairs
from .pairs import Pairs
from .terms import add_barriers, barrier_springs

Array = NDArray[np.float64]
NOTHING, NO_POINTS = np.zeros(0), np.zeros(0, np.int64)


@dataclass
class Close:
    """The c pairs that push: numbers (c,), weights (c, 4), normals (c, 3); (c,) forces [N], slopes [N/m] and energies [J]."""

    which: NDArray[np.int64]
    weights: Array
    normal: Array
    force: Array
    slope: Array
    stored: Array

    @classmethod
    def room(cls, which: NDArray[np.int64]) -> Self:
        """That of pairs by their numbers, to be filled."""
        count = len(which)
        return cls(which, np.empty((count, 4)), np.empty((count, 3)), np.empty(count), np.empty(count), np.empty(count))

    def taken(self, which: NDArray[np.bool_]) -> "Close":
        """Some of them (c,)."""
        return Close(*(column[which] for column in vars(self).values()))


class Barriers(NamedTuple):
    """What the pairs that push do: what is said of each, their gradient on points (p, 3) [N], and their energy [J]."""

    close: Close
    gradient: Array
    energy: float


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
    """k pairs whose points are at places (p, 3).

    distance (k,)   : [m] at least, where it is not exact (k,); whoever needs to know it makes it so
    pushing (c,)    : numbers of those that push, whose distance is exact
    """

    def __init__(
        self, pairs: Pairs, places: Array, before: "Standing | None" = None, paired: NDArray[np.int64] = NO_POINTS
    ) -> None:
        """before: how the same pairs have stood elsewhere, from where their points, `paired` (w,), have gone."""
        self.pairs, self.places = pairs, places
        count = len(pairs.nodes)
        self.distance, self.exact, pushing = np.empty(count), np.empty(count, np.bool_), np.empty(count, np.int64)
        known, moves = NOTHING, NOTHING
        if before is not None:
            known, moves = before.distance, np.empty(len(places))
            moves_of(before.places, places, paired, moves)
        given = places, pairs.nodes, pairs.points, pairs.reach, known, moves
        self.pushing = pushing[: measure_pairs(*given, self.distance, self.exact, pushing)]
        self._springs: tuple[Friction, float, Springs] | None = None

    def of(self, pairs: Pairs, places: Array) -> bool:
        """Whether it is that of some pairs with their points at these very places (p, 3)."""
        return self.pairs is pairs and self.places is places

    @cached_property
    def barriers(self) -> Barriers:
        """Of the pairs that push."""
        close, gradient = Close.room(self.pushing), np.zeros_like(self.places)
        which, *others = vars(close).values()
        return Barriers(close, gradient, add_barriers(self.places, self.pairs, which, gradient, *others))

    @property
    def close(self) -> Close:
        """The pairs that push."""
        return self.barriers.close

    def gradient(self, friction: Friction) -> tuple[float, Array]:
        """The energy [J] of barriers and friction, and its gradient on points (p, 3) [N]."""
        f, (_, gradient, energy) = friction, self.barriers
        if not len(f.points):
            return energy, gradient
        gradient = gradient.copy()
        energy += add_friction_gradient(self.places, f.points, f.weights, f.normal, f.anchor, f.grip, f.slip, gradient)
        return energy, gradient

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
    def after(
        cls, known: Sequence["Standing"], pairs: Pairs, places: Array, paired: NDArray[np.int64]
    ) -> Self:
        """That of pairs, after others: what can be told from these is not worked out again."""
        stand = cls(pairs, places, next((each for each in known if each.pairs is pairs), None), paired)
        for each in known:
            stand._learn(each)
        return stand

    def _learn(self, known: "Standing") -> None:
        """Take over what is known of other pairs at the same places, if those that push are the same, in their order."""
        own, other, mine, theirs = self.pairs, known.pairs, self.pushing, known.pushing
        if "barriers" not in vars(known) or len(mine) != len(theirs) or self.places is not known.places:
            return
        if not _alike(own.nodes, own.reach, own.stiffness, mine, other.nodes, other.reach, other.stiffness, theirs):
            return
        close, gradient, energy = known.barriers
        self.barriers, self._springs = Barriers(replace(close, which=mine), gradient, energy), known._springs


@kernel
def _alike(nodes, reach, stiffness, which, others, other_reach, other_stiffness, theirs):  # type: ignore[no-untyped-def]
    """Whether pairs `which` (c,) push as the others `theirs` (c,), one after the other."""
    for c in range(len(which)):
        k, m = which[c], theirs[c]
        if reach[k] != other_reach[m] or stiffness[k] != other_stiffness[m]:
            return False
        for i in range(4):
            if nodes[k, i] != others[m, i]:
                return False
    return True
