"""What leads bodies apart in one step: springs between pairs of places in two bodies, each place held by shares of nodes.

A spring asks for a place at the step's end, as firmly as it takes, up to a bound. It may push as hard as the bodies bear, but
pull back, where they go apart too fast, only as hard as the swing itself asks (parting.py): of several bodies in one place some
go apart faster than any two of them would alone, and springs that held all of them to that would squash them and work against
each other without end.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...fem.pair_coupling import PairStiffness
from .carried import Carried

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Grips:
    """g of them. Place 2k of `carried` is in the first body of number k, place 2k + 1 in the second; the last has no nodes.

    normal (g, 3)     : the way that the first body goes
    goal (g, 3)       : [m] where the one place is to be, seen from the other, at the step's end; across the normal: at rest
    firm (g,)         : [N/m] a spring along the normal towards the goal
    push, pull (g,)   : [N] what it yields at: it never pushes or pulls harder
    drag (g,)         : [N/m] a spring towards the goal across the normal
    yields (g,)       : whether it would take more than its push, without elasticity and contact, to reach the goal
    """

    carried: Carried
    normal: Array
    goal: Array
    firm: Array
    push: Array
    pull: Array
    drag: Array
    yields: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.firm)

    def force(self, positions: Array) -> Array:
        """The forces (g, 3) [N] on the first bodies with nodes at positions (n, 3); on the second they are the opposite."""
        return self._forces(*self._missing(positions))

    def add_gradient(self, positions: Array, gradient: Array) -> float:
        """Add to gradient (n, 3) [N] at positions (n, 3); return the energy [J], that of springs which yield."""
        along, across = self._missing(positions)
        force, push = self._forces(along, across), self._along(along)
        both = np.stack([-force, force], axis=1).reshape(-1, 3)
        self.carried.add_forces(np.concatenate([both, np.zeros((1, 3))]), gradient)
        return float((push * along - 0.5 * push * push / self.firm + 0.5 * self.drag * (across**2).sum(axis=1)).sum())

    def stiffness(self, positions: Array, rank: NDArray[np.int32]) -> PairStiffness:
        """That of all of them at positions (n, 3), each as a pair of two points, with node i at row rank[i] of the matrix."""
        first = 2 * np.arange(len(self), dtype=np.int32)
        none = np.full_like(first, 2 * len(self))
        points, weights = np.stack([first, first + 1, none, none], axis=1), np.tile((1.0, -1.0, 0.0, 0.0), (len(self), 1))
        return self.carried.stiffness(points, weights, self.blocks(positions), rank)

    def blocks(self, positions: Array) -> Array:
        """Their stiffness (g, 9) [N/m] at positions (n, 3).

        Where a push yields and would do so in any case it is a mere force; where it yields only so far, the secant says what it
        comes down to at the goal. A pull that yields is so small that it is a mere force: the secant would have Newton creep.
        """
        along, _ = self._missing(positions)
        push = self._along(along)
        whole = push == self.firm * along
        secant = np.where(self.yields | (along <= 0.0), 0.0, push / np.where(along > 0.0, along, 1.0))
        flat = (self.normal[:, :, None] * self.normal[:, None, :]).reshape(-1, 9)
        return np.where(whole, self.firm, secant)[:, None] * flat + self.drag[:, None] * (np.eye(3).ravel() - flat)

    def _forces(self, along: Array, across: Array) -> Array:
        forces: Array = self._along(along)[:, None] * self.normal + self.drag[:, None] * across
        return forces

    def _along(self, along: Array) -> Array:
        return np.clip(self.firm * along, -self.pull, self.push)

    def _missing(self, positions: Array) -> tuple[Array, Array]:
        """How far [m] from the goal, along the normal (g,) and across it (g, 3)."""
        away = self.goal - apart(self.carried, positions)
        along = (away * self.normal).sum(axis=1)
        return along, away - along[:, None] * self.normal


def apart(carried: Carried, field: Array) -> Array:
    """How a field (n, 3) of nodes differs (g, 3) between the two places of each of g grips."""
    places = carried.places(field)[:-1].reshape(-1, 2, 3)
    difference: Array = places[:, 0] - places[:, 1]
    return difference
