"""What a direction of Newton's method runs into: pairs that do not touch yet, and would on the way."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .carried import Carried

Array = NDArray[np.float64]


@dataclass
class Meetings:
    """Pairs that meet on the way, each as a spring about its reach; m of them: see `meetings` in free_way.py.

    Newton's method learns from them what its direction runs into, without having to be stopped there first.
    """

    points: NDArray[np.int32]
    weights: Array
    normal: Array
    gap: Array
    reach: Array
    stiffness: Array
    carried: Carried

    def __len__(self) -> int:
        return len(self.gap)

    def add_gradient(self, gradient: Array) -> None:
        """Add what they pull with at the way's start to gradient (n, 3) [N] on nodes."""
        pull = (self.stiffness * (self.gap - self.reach))[:, None] * self.normal
        on_points = np.zeros((len(self.carried.start) - 1, 3))
        np.add.at(on_points, self.points, self.weights[:, :, None] * pull[:, None, :])
        self.carried.add_forces(on_points, gradient)

    def pressed(self, direction: Array) -> "Meetings":
        """Those that are closer than their reach at the end of another direction (n, 3) of nodes."""
        moves = self.carried.places(direction)[self.points]
        kept = self.gap + np.einsum("km,kmi,ki->k", self.weights, moves, self.normal) < self.reach
        return replace(self, **{name: column[kept] for name, column in self.columns.items()})

    def joined(self, other: "Meetings") -> "Meetings":
        """These and others."""
        return replace(self, **{name: np.concatenate([own, other.columns[name]]) for name, own in self.columns.items()})

    @property
    def columns(self) -> dict[str, Any]:
        """What is said of each of them, by name."""
        return {name: column for name, column in vars(self).items() if name != "carried"}

    @property
    def blocks(self) -> Array:
        """Their stiffness (m, 9) [N/m]."""
        return self.stiffness[:, None] * (self.normal[:, :, None] * self.normal[:, None, :]).reshape(-1, 9)
