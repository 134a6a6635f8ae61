"""Damping of a body's internal motion, and of nothing else.

The force is -eta K v with K the elastic stiffness at the step's first guess, projected to be positive, and
eta = rate / w^2 with w = pi/2 sqrt(E/density)/extent, about the slowest vibration of a body that stands on the ground:
that vibration's speed decays with `rate` [1/s], shorter waves faster. The rigid motion with the same linear and angular
momentum is taken out of v, and net force and torque out of the result, so fall and spin are untouched (Irving's damping,
section 6.2, does not keep angular momentum).
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..slots import LAMBDA, MU, NODAL_BULK
from ..state import Ranges, State
from .linear_solve import FrozenStiffness

Array = NDArray[np.float64]


RigidFrame = tuple[int, int, Array, Array, Array]


@dataclass
class Damping:
    """rates: one a body [1/s]; extents: largest side of each [m]."""

    rates: list[float]
    extents: list[float]
    ranges: Ranges
    state: State
    stiffness: FrozenStiffness = field(init=False)
    frames: list[RigidFrame] = field(default_factory=list)

    def __post_init__(self) -> None:
        state, tets = self.state, self.ranges.tets
        self.active = any(rate > 0.0 for rate in self.rates)
        self.eta = []
        for body, (a, b) in enumerate(pairwise(tets)):
            mu, lam = state.material[MU, a:b].mean(), state.material[[LAMBDA, NODAL_BULK], a:b].sum(axis=0).mean()
            young = mu * (3.0 * lam + 2.0 * mu) / (lam + mu)
            slowest = 0.5 * np.pi * np.sqrt(young / state.density[a:b].mean()) / self.extents[body]
            self.eta.append(self.rates[body] / slowest**2)
        self.node_eta = np.repeat(self.eta, np.diff(self.ranges.nodes))
        self.tet_eta = np.repeat(self.eta, np.diff(tets))

    def keep(self, positions: Array, stiffness: FrozenStiffness) -> None:
        """Take the guessed end positions (n, 3) of a step and the elastic stiffness there."""
        self.frames = list(self._rigid_frames(positions))
        self.stiffness = stiffness

    def add_gradient(self, velocities: Array, effective: Array, gradient: Array) -> float:
        """Add the damping force, turned, to gradient (n, 3); return its energy over the effective steps (n,) [J]."""
        own = velocities.copy()
        for a, b, masses, arms, inverse in self.frames:
            own[a:b] -= _rigid(masses * own[a:b], masses, arms, inverse)
        force = self.node_eta[:, None] * self.stiffness.times(own)
        for a, b, masses, arms, inverse in self.frames:
            force[a:b] -= masses * _rigid(force[a:b], masses, arms, inverse)
        gradient += force
        return 0.5 * float((effective[:, None] * force * own).sum())

    def _rigid_frames(self, positions: Array) -> Iterator[RigidFrame]:
        """Of each damped body: its range, masses (k, 1), arms from the centre of mass (k, 3), inverse inertia (3, 3)."""
        for rate, a, b in zip(self.rates, self.ranges.nodes[:-1], self.ranges.nodes[1:], strict=True):
            if rate > 0.0:
                masses = self.state.masses[a:b, None]
                arms = positions[a:b] - (masses * positions[a:b]).sum(axis=0) / masses.sum()
                products = np.einsum("ni,nj->ij", masses * arms, arms)
                yield int(a), int(b), masses, arms, np.linalg.inv(np.trace(products) * np.eye(3) - products)


def _rigid(momenta: Array, masses: Array, arms: Array, inverse: Array) -> Array:
    """The rigid velocity field (k, 3) with the net momentum of momenta (k, 3)."""
    spin = inverse @ np.cross(arms, momenta).sum(axis=0)
    field_: Array = momenta.sum(axis=0) / masses.sum() + np.cross(spin, arms)
    return field_
