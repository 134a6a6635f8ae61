"""How pairs stand with nodes at some positions: how far apart they are, which of them push, and what these push with.

An iteration of Newton's method asks for that many times where it stands: for forces, stiffness, what each of its directions
meets and how far it may go. So it is worked out once.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...fem.pair_coupling import PairStiffness
from .carried import Carried
from .friction import Friction
from .pairs import Pairs
from .terms import add_barrier_gradient, add_friction_gradient, friction_blocks, measure_close, within_reach

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


class Standing:
    """k pairs whose points are at places (p, 3), with nodes at positions (n, 3).

    distance (k,)   : [m]
    pushing (c,)    : numbers of those within reach
    """

    def __init__(self, pairs: Pairs, positions: Array, places: Array) -> None:
        self.pairs, self.positions, self.places = pairs, positions.copy(), places
        self.distance, pushing = np.empty(len(pairs.nodes)), np.empty(len(pairs.nodes), np.int64)
        self.pushing = pushing[: within_reach(places, pairs.nodes, pairs.points, pairs.reach, self.distance, pushing)]
        self._stiffness: tuple[Friction, float, NDArray[np.int32], PairStiffness] | None = None

    def of(self, pairs: Pairs, positions: Array) -> bool:
        """Whether it is that of some pairs with nodes at positions (n, 3)."""
        return self.pairs is pairs and np.array_equal(self.positions, positions)

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

    def stiffness(self, friction: Friction, carried: Carried, rank: NDArray[np.int32]) -> PairStiffness:
        """That of barriers and friction, with node i at row rank[i] of the matrix."""
        known = self._stiffness
        if known is None or known[0] is not friction or known[1] != friction.exact or known[2] is not rank:
            known = self._stiffness = friction, friction.exact, rank, self._new_stiffness(friction, carried, rank)
        return known[3]

    def _new_stiffness(self, friction: Friction, carried: Carried, rank: NDArray[np.int32]) -> PairStiffness:
        f, close = friction, self.close
        rubbing = np.empty((len(f.points), 9))
        friction_blocks(self.places, f.points, f.weights, f.normal, f.anchor, f.grip, f.slip, f.exact, rubbing)
        pushing = close.slope[:, None] * (close.normal[:, :, None] * close.normal[:, None, :]).reshape(-1, 9)
        points, weights = np.concatenate([self.pairs.nodes[close.which], f.points]), np.concatenate([close.weights, f.weights])
        return carried.stiffness(points, weights, np.concatenate([pushing, rubbing]), rank)
