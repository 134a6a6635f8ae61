"""Stickiness: colliders hold on to points that have touched them, until they are pulled off.

With the stickiness s [Pa] on a point's share of the surface A, and t = gap beyond contact over RANGE body extents, the pull
is s A 27/4 t (1 - t)^2: nothing at contact, s A at most (t = 1/3), nothing from t = 1 on, where the point comes free. So s is
the stress that a sticky surface bears, whatever the mesh, and coming free takes 9/16 s RANGE extent joules a square metre. Only
what has touched is pulled; what comes free stays free until it touches again, so sticking takes energy and never gives any.
Sliding is resisted too: friction acts on the normal force and s A (1 - t)^2 together (Derjaguin 1934: friction grows with load
plus adhesion).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .response import add_forces, carry, contact_stiffness

Array = NDArray[np.float64]

RANGE = 0.01  # in body extents
PEAK = 27.0 / 4.0  # of 1 / (t (1 - t)^2)


@dataclass
class Adhesion:
    """The sticking contacts of one Newton iteration, c of them, as in contacts.Entries.

    bound : (c,) the most pull [N]; reach : (c,) gap [m] from which on it pulls; range : (c,) and for how far [m]
    """

    tets: NDArray[np.int32]
    nodes: NDArray[np.int32]
    weights: Array
    normal: Array
    level: Array
    reach: Array
    range: Array
    bound: Array

    def _way(self, positions: Array) -> Array:
        """How far off the contacts are at positions (n, 3), 0 to 1: (c,)."""
        here = np.empty_like(self.normal)
        carry(positions, self.nodes, self.weights, here)
        gap = np.einsum("ki,ki->k", here, self.normal) - self.level
        way: Array = np.clip((gap - self.reach) / self.range, 0.0, 1.0)
        return way

    def hold(self, positions: Array) -> Array:
        """What friction acts on beside the normal force at positions (n, 3): (c,) [N]."""
        held: Array = self.bound * (1.0 - self._way(positions)) ** 2
        return held

    def add_gradient(self, positions: Array, gradient: Array) -> float:
        """Add to gradient (n, 3) [N], return the energy [J]."""
        t = self._way(positions)
        self._add(self._pull(t), gradient)
        return self._energy(t)

    def rise(self, positions: Array, way: Array) -> tuple[float, float]:
        """The energy [J] at positions (n, 3), and how it rises along a way (n, 3) [J]."""
        t, moved = self._way(positions), np.empty_like(self.normal)
        carry(way, self.nodes, self.weights, moved)
        return self._energy(t), float((self._pull(t) * np.einsum("ki,ki->k", moved, self.normal)).sum())

    def add_linear_gradient(self, around: Array, positions: Array, gradient: Array) -> None:
        """Add to gradient (n, 3) what the law, taken for linear around one place, says at positions (n, 3)."""
        there, here = np.empty_like(self.normal), np.empty_like(self.normal)
        carry(positions, self.nodes, self.weights, there)
        carry(around, self.nodes, self.weights, here)
        t = self._way(around)
        moved = np.einsum("ki,ki->k", there - here, self.normal)
        self._add(self._pull(t) + self._slope(t) * moved, gradient)

    def add_stiffness(self, positions: Array, blocks: NDArray[np.float32], diagonal: Array) -> None:
        """Add to the element blocks and to the diagonal (n, 9), where the pull grows."""
        none, ones = np.zeros_like(self.bound), np.ones_like(self.bound)
        deep = np.full_like(self.bound, 1e30)  # where contact's own law is linear: its kernel does for this one too
        contact_stiffness(
            positions, self.tets, self.nodes, self.weights, self.normal, deep, ones, self._slope(self._way(positions)),
            np.zeros_like(self.normal), none, ones, 1.0, blocks, diagonal,
        )  # fmt: skip

    def _pull(self, t: Array) -> Array:
        """The pull (c,) [N]."""
        pull: Array = self.bound * PEAK * t * (1.0 - t) ** 2
        return pull

    def _energy(self, t: Array) -> float:
        """Of all of them [J]."""
        return float((self.bound * self.range * PEAK * t * t * (0.5 - t * (2.0 / 3.0 - 0.25 * t))).sum())

    def _slope(self, t: Array) -> Array:
        """How the pull grows with the gap [N/m]; what gives way counts as nothing, so that the matrix stays positive."""
        slope: Array = self.bound / self.range * PEAK * np.maximum((1.0 - t) * (1.0 - 3.0 * t), 0.0)
        return np.where((t > 0.0) & (t < 1.0 / 3.0), slope, 0.0)

    def _add(self, pull: Array, gradient: Array) -> None:
        add_forces(self.nodes, self.weights, -pull[:, None] * self.normal, gradient)
