"""What holds nodes during one step, besides elasticity and contact: places where they are told to be, springs, and drag."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..integrators import Extrapolation

Array = NDArray[np.float64]
Nodes = NDArray[np.int64] | slice


@dataclass
class Restraint:
    """That of one step, of n nodes.

    held   : (h,) nodes that are at `places` (h, 3) [m] when the step ends, whatever that takes: no unknowns of its solve
    springs, drag : None, or of each node the stiffness (n,) [N/m] and stiffness times the place that it pulls to (n, 3) [N], or
                    the drag (n,) [kg/s] and drag times the velocity that it leads to
    """

    count: int
    held: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    places: Array = field(default_factory=lambda: np.zeros((0, 3)))
    springs: tuple[Array, Array] | None = None
    drag: tuple[Array, Array] | None = None

    def put(self, positions: Array) -> None:
        """Move the nodes that are held, of positions (n, 3), to their places."""
        positions[self.held] = self.places

    def add_springs(self, nodes: Nodes, stiffness: Array, pull: Array) -> None:
        """Add springs on h nodes, each once: stiffness (h,) [N/m], and pull (h, 3), stiffness times where they lead to [N]."""
        if self.springs is None:
            self.springs = np.zeros(self.count), np.zeros((self.count, 3))
        self.springs[0][nodes] += stiffness
        self.springs[1][nodes] += pull

    def add_drag(self, nodes: Nodes, drag: Array, push: Array | float = 0.0) -> None:
        """Add drag (h,) [kg/s] on h nodes, each once; push (h, 3): drag times the velocities that it leads to [N]."""
        if not drag.any():
            return
        if self.drag is None:
            self.drag = np.zeros(self.count), np.zeros((self.count, 3))
        self.drag[0][nodes] += drag
        self.drag[1][nodes] += push

    def forces(self, positions: Array) -> Array:
        """What the springs do to nodes at positions (n, 3) [N]."""
        if self.springs is None:
            return np.zeros_like(positions)
        stiffness, pull = self.springs
        return pull - stiffness[:, None] * positions

    def energies(self, positions: Array) -> Array | float:
        """Energy of the springs (n,) [J] with nodes at positions (n, 3), but for what is the same anywhere."""
        if self.springs is None:
            return 0.0
        stiffness, pull = self.springs
        return (0.5 * stiffness[:, None] * positions**2 - pull * positions).sum(axis=1)

    def dragging(self, velocities: Array) -> Array | float:
        """What drag does to nodes with velocities (n, 3) [N]."""
        return 0.0 if self.drag is None else self.drag[1] - self.drag[0][:, None] * velocities

    def accelerations(self, positions: Array, velocities: Array, masses: Array) -> Array:
        """What springs and drag do to nodes of masses (n,) at positions and with velocities (n, 3) [m/s^2]."""
        force = self.forces(positions)
        force += self.dragging(velocities)
        return force / masses[:, None]

    def damped(self, velocities: Array, masses: Array, step: float) -> Array:
        """What drag alone leaves of velocities (n, 3) after a step [s]."""
        if self.drag is None:
            return velocities
        drag, push = self.drag
        led = push / np.where(drag > 0.0, drag, 1.0)[:, None]
        kept: Array = led + np.exp(-step * drag / masses)[:, None] * (velocities - led)
        return kept

    def joined(self, inertia: Array, past: Extrapolation) -> tuple[Array, Array]:
        """Inertia (n,) [N/m] about the past's targets as one with springs and drag at the step's end, and its targets (n, 3).

        All are springs on the place where a node ends, and two springs are one between them.
        """
        if self.springs is None and self.drag is None:
            return inertia, past.targets
        stiffness, pull = np.zeros(self.count), np.zeros((self.count, 3))
        if self.springs is not None:
            stiffness, pull = stiffness + self.springs[0], pull + self.springs[1]
        if self.drag is not None:
            drag, push = self.drag
            stiffness = stiffness + drag / past.effective
            pull = pull + push + (drag / past.effective)[:, None] * past.base
        both = inertia + stiffness
        return both, past.targets + (pull - stiffness[:, None] * past.targets) / both[:, None]
