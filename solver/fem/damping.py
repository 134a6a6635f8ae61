"""Damping of a body's internal motion: every node is held back from leaving the body's own rigid motion.

The force -rate m (v - v_rigid), v_rigid the rigid motion with the same linear and angular momentum, slows vibration and
creeping at `rate` [1/s] and neither the fall nor the spin (Mueller et al. 2007, "Position based dynamics", 3.5, as a
force inside the implicit step). Irving's stiffness-proportional damping (6.2) does not conserve angular momentum.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..state import Ranges

Array = NDArray[np.float64]


@dataclass
class Damping:
    """rates: one a body [1/s]; `begin_step` fixes the rigid frames for a step."""

    rates: list[float]
    ranges: Ranges
    masses: Array

    def __post_init__(self) -> None:
        self.active = any(rate > 0.0 for rate in self.rates)
        self.node_rates = np.repeat(self.rates, np.diff(self.ranges.nodes))
        self.arms = np.zeros((len(self.masses), 3))
        self.inverse_inertia = [np.zeros((3, 3)) for _ in self.rates]

    def begin_step(self, positions: Array) -> None:
        """Take centres of mass and moments of inertia from positions (n, 3)."""
        if not self.active:
            return
        for body, (a, b) in enumerate(zip(self.ranges.nodes[:-1], self.ranges.nodes[1:], strict=True)):
            masses = self.masses[a:b]
            arms = positions[a:b] - masses @ positions[a:b] / masses.sum()
            self.arms[a:b] = arms
            products = np.einsum("n,ni,nj->ij", masses, arms, arms)
            self.inverse_inertia[body] = np.linalg.inv(np.trace(products) * np.eye(3) - products)

    def add_gradient(self, velocities: Array, effective: Array, gradient: Array) -> float:
        """Add rate m (v - v_rigid) to gradient (n, 3); return its energy over the effective steps (n,) [J]."""
        if not self.active:
            return 0.0
        energy = 0.0
        for body, (a, b) in enumerate(zip(self.ranges.nodes[:-1], self.ranges.nodes[1:], strict=True)):
            masses, arms, velocity = self.masses[a:b, None], self.arms[a:b], velocities[a:b]
            mean = (masses * velocity).sum(axis=0) / masses.sum()
            spin = self.inverse_inertia[body] @ np.cross(arms, masses * velocity).sum(axis=0)
            own = velocity - mean - np.cross(spin, arms)
            force = self.rates[body] * masses * own
            gradient[a:b] += force
            energy += 0.5 * float((effective[a:b, None] * force * own).sum())
        return energy
