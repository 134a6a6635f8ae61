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

from ..fem.spring_coupling import Springs
from .carriers import Carriers

Array = NDArray[np.float64]

RANGE = 0.01  # in body extents
PEAK = 27.0 / 4.0  # of 1 / (t (1 - t)^2)


@dataclass
class Adhesion:
    """The sticking contacts of one Newton iteration, c of them, as in contacts.Entries.

    bound : (c,) the most pull [N]; reach : (c,) gap [m] from which on it pulls; range : (c,) and for how far [m]
    """

    carriers: Carriers
    normal: Array
    level: Array
    reach: Array
    range: Array
    bound: Array

    def _way(self, positions: Array) -> Array:
        """How far off the contacts are at positions (n, 3), 0 to 1: (c,)."""
        gap = self._along(positions) - self.level
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
        t = self._way(positions)
        return self._energy(t), float((self._pull(t) * self._along(way)).sum())

    def add_linear_gradient(self, around: Array, positions: Array, gradient: Array) -> None:
        """Add to gradient (n, 3) what the law, taken for linear around one place, says at positions (n, 3)."""
        t, moved = self._way(around), self._along(positions - around)
        self._add(self._pull(t) + self._slope(t) * moved, gradient)

    def stiffness(
        self, positions: Array, diagonal: Array, rank: NDArray[np.int32]
    ) -> tuple[NDArray[np.int32], NDArray[np.float32], Springs]:
        """What goes into the matrix, as `Carriers.stiffness` has it, where the pull grows."""
        none, ones = np.zeros_like(self.bound), np.ones_like(self.bound)
        touching = self._along(positions)  # a gap of nothing, where contact's own slope is what it is told: its kernel does
        slope = self._slope(self._way(positions))
        laws = self.normal, touching, ones, slope, np.zeros_like(self.normal), none, ones
        return self.carriers.stiffness(positions, laws, 1.0, diagonal, rank)

    def _along(self, vectors: Array) -> Array:
        """How far (c,) [m] vectors (n, 3) of the nodes lead the points along their normals."""
        product: Array = np.einsum("ki,ki->k", self.carriers.places(vectors), self.normal)
        return product

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
        self.carriers.add_forces(-pull[:, None] * self.normal, gradient)
