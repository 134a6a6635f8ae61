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
from numba import prange
from numpy.typing import NDArray

from ..jit import CHUNKS, parallel
from ..state import LAMBDA, MU, Ranges, State

Array = NDArray[np.float64]


RigidFrame = tuple[int, int, Array, Array, Array]


@dataclass
class Damping:
    """rates: one a body [1/s]; extents: largest side of each [m]."""

    rates: list[float]
    extents: list[float]
    ranges: Ranges
    state: State
    values: Array = field(default_factory=lambda: np.zeros((0, 9)))
    frames: list[RigidFrame] = field(default_factory=list)

    def __post_init__(self) -> None:
        state, tets = self.state, self.ranges.tets
        self.active = any(rate > 0.0 for rate in self.rates)
        self.eta = []
        for body, (a, b) in enumerate(pairwise(tets)):
            mu, lam = state.material[MU, a:b].mean(), state.material[LAMBDA, a:b].mean()
            young = mu * (3.0 * lam + 2.0 * mu) / (lam + mu)
            slowest = 0.5 * np.pi * np.sqrt(young / state.density[a:b].mean()) / self.extents[body]
            self.eta.append(self.rates[body] / slowest**2)
        self.node_eta = np.repeat(self.eta, np.diff(self.ranges.nodes))
        self.tet_eta = np.repeat(self.eta, np.diff(tets))

    def keep(self, positions: Array, values: Array, row_offsets: NDArray[np.int32]) -> None:
        """Take the guessed end positions (n, 3) of a step and the elastic matrix's off-diagonal blocks (2e, 9) there."""
        self.frames = list(self._rigid_frames(positions))
        self.values = values * np.repeat(self.node_eta, np.diff(row_offsets))[:, None]

    def add_gradient(
        self, velocities: Array, effective: Array, rows: tuple[NDArray[np.int32], NDArray[np.int32]], gradient: Array
    ) -> float:
        """Add the damping force, turned, to gradient (n, 3); return its energy over the effective steps (n,) [J]."""
        own, force = velocities.copy(), np.empty_like(velocities)
        for a, b, masses, arms, inverse in self.frames:
            own[a:b] -= _rigid(masses * own[a:b], masses, arms, inverse)
        multiply(*rows, self.values, own, force)
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


@parallel
def multiply(row_offsets, columns, values, x, y):  # type: ignore[no-untyped-def]
    """y_i = sum_j values_ij (x_j - x_i), the elastic matrix times x (n, 3)."""
    n = len(x)
    for chunk in prange(CHUNKS):
        for i in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
            y0, y1, y2 = 0.0, 0.0, 0.0
            for k in range(row_offsets[i], row_offsets[i + 1]):
                j, a = columns[k], values[k]
                e0, e1, e2 = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
                y0 += a[0] * e0 + a[1] * e1 + a[2] * e2
                y1 += a[3] * e0 + a[4] * e1 + a[5] * e2
                y2 += a[6] * e0 + a[7] * e1 + a[8] * e2
            y[i, 0], y[i, 1], y[i, 2] = y0, y1, y2
