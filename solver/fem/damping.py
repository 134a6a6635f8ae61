"""Damping: a linear drag on velocities, frozen over a step at the positions that it is guessed to end at.

Three models, one a body (the material's choice `damping_model`):

internal : the force is -eta K v with K the elastic stiffness, projected to be positive, and eta = rate / w^2 with
           w = pi/2 sqrt(E/density)/extent, about the slowest vibration of a body that stands on the ground: that vibration's
           energy decays with `damping` [1/s], shorter waves faster.
rayleigh : mass_damping M v + stiffness_damping K v; a mode of angular frequency w decays as exp(-(mass_damping +
           stiffness_damping w^2) t/2). The mass part is a drag against the world: it damps the fall and the spin.
rotated  : Irving 2004, section 6.2: the velocity gradient in the frame of F's decomposition answers with a stress of its own
           (rotated_damping.py); a mode decays as exp(-rotated_damping w^2 t/2) at small strains.

From the velocities that stiffness damps, the rigid motion with the same linear and angular momentum is taken out, and net
force and torque out of the result, so fall and spin are untouched by it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..jit import parallel
from ..materials import Material
from ..slots import LAMBDA, MU, NODAL_BULK
from ..state import Ranges, State
from .linear_solve import FrozenStiffness
from .rotated_damping import add_rotated_damping
from .stiffness import stiffness

if TYPE_CHECKING:
    from .newton import Workspace

Array = NDArray[np.float64]


def slowest_vibration(young: float, density: float, extent: float) -> float:
    """About the smallest angular frequency [1/s] of a standing body: Young's modulus [Pa], density [kg/m^3], its size [m]."""
    return float(0.5 * np.pi * np.sqrt(young / density) / extent)


RigidFrame = tuple[int, int, Array, Array, Array]


@dataclass
class Damping:
    """extents: largest side of each body [m]. `set_materials` comes first, and again whenever they change."""

    extents: list[float]
    ranges: Ranges
    state: State
    matrix: FrozenStiffness = field(init=False)
    blocks: NDArray[np.float32] | None = None
    frames: list[RigidFrame] = field(default_factory=list)

    def set_materials(self, materials: list[Material]) -> None:
        """Take each body's damping at its size in the scene; elastic moduli are those of the state."""
        eta, times, drags = [], [], []
        for body, material in enumerate(materials):
            model, value = material.options["damping_model"], material.values
            internal, rayleigh = model == "internal", model == "rayleigh"
            slow = value["damping"] / self._slowest(body) ** 2 if internal else 0.0
            eta.append(value["stiffness_damping"] if rayleigh else slow)
            drags.append(value["mass_damping"] if rayleigh else 0.0)
            times.append(value["rotated_damping"] if model == "rotated" else 0.0)
        self.held = [k for k, value in enumerate(eta) if value > 0.0]
        self.tet_eta = np.repeat(np.array(eta), np.diff(self.ranges.tets))
        self.tet_times = np.repeat(np.array(times), np.diff(self.ranges.tets))
        self.node_times = np.repeat(np.add(eta, times), np.diff(self.ranges.nodes))
        self.drag = np.repeat(np.array(drags), np.diff(self.ranges.nodes)) * self.state.masses
        self.elastic, self.rotated, self.dragging = any(eta), any(times), any(drags)

    @property
    def active(self) -> bool:
        """Whether anything is damped at all."""
        return self.elastic or self.rotated or self.dragging

    def keep(self, positions: Array, space: "Workspace") -> None:
        """Freeze the damping at positions (n, 3), where the tiles have been evaluated and decomposed."""
        self.frames = list(self._rigid_frames(positions))
        if self.elastic:
            stiffness(*space.tiles.arrays, 0.0, space.blocks)
            space.blocks[: len(self.tet_eta)] *= self.tet_eta[:, None, None].astype(np.float32)
            space.blocks[len(self.tet_eta) :] = 0.0
        else:
            space.blocks[:] = 0.0
        if self.rotated:
            add_rotated_damping(*space.tiles.arrays, self.tet_times, space.blocks)
        if self.blocks is None:
            self.blocks = np.empty_like(space.blocks)
        np.copyto(self.blocks, space.blocks)
        space.linear.assemble(space.blocks, np.ones_like(space.diagonal))
        self.matrix = space.linear.stiffness()

    def gradient(self, velocities: Array) -> Array:
        """Minus the damping force (n, 3) [N] at velocities (n, 3)."""
        force = self.matrix.times(self._inner(velocities))
        for a, b, masses, arms, inverse in self.frames:
            force[a:b] -= masses * _rigid(force[a:b], masses, arms, inverse)
        force += self.drag[:, None] * velocities
        return force

    def add_gradient(self, velocities: Array, effective: Array, gradient: Array) -> float:
        """Add the damping force, turned, to gradient (n, 3); return its energy over the effective steps (n,) [J]."""
        force = self.gradient(velocities)
        gradient += force
        return 0.5 * float((effective[:, None] * force * velocities).sum())

    def add_stiffness(self, effective: Array, blocks: NDArray[np.float32], diagonal: Array) -> None:
        """Add what the force changes by with a step's end to blocks (.., 6, 9) and diagonal (n, 9), velocities being
        displacements over the effective steps (n,) [s]; rigid motion is not taken out of it."""
        _add_scaled(blocks, self.blocks, np.float32(1.0 / effective.min()))
        for k in (0, 4, 8):
            diagonal[:, k] += self.drag / effective

    def hold(self, firmness: Array, effective: Array) -> Array:
        """About how hard damping holds each node (n,) [N/m] while the others rest, over the effective steps (n,) [s].

        firmness (n,) [N/m] is how hard elasticity holds it.
        """
        held: Array = (self.node_times * firmness + self.drag) / effective
        return held

    def _slowest(self, body: int) -> float:
        """Angular frequency of about the slowest vibration of a body that stands on the ground [1/s]."""
        a, b = self.ranges.tets[body], self.ranges.tets[body + 1]
        mu, lam = self.state.material[MU, a:b].mean(), self.state.material[[LAMBDA, NODAL_BULK], a:b].sum(axis=0).mean()
        young = mu * (3.0 * lam + 2.0 * mu) / (lam + mu)
        return slowest_vibration(float(young), float(self.state.density[a:b].mean()), self.extents[body])

    def _inner(self, velocities: Array) -> Array:
        """Velocities (n, 3) without the rigid motion of the bodies whose stiffness damps."""
        own = velocities.copy()
        for a, b, masses, arms, inverse in self.frames:
            own[a:b] -= _rigid(masses * own[a:b], masses, arms, inverse)
        return own

    def _rigid_frames(self, positions: Array) -> Iterator[RigidFrame]:
        """Of each body whose stiffness damps: range, masses (k, 1), arms from the centre of mass (k, 3), inverse inertia."""
        nodes = list(pairwise(self.ranges.nodes.tolist()))
        for a, b in (nodes[body] for body in self.held):
            masses = self.state.masses[a:b, None]
            arms = positions[a:b] - (masses * positions[a:b]).sum(axis=0) / masses.sum()
            products = np.einsum("ni,nj->ij", masses * arms, arms)
            yield a, b, masses, arms, np.linalg.inv(np.trace(products) * np.eye(3) - products)


@parallel
def _add_scaled(blocks, own, rate):  # type: ignore[no-untyped-def]
    """blocks (lanes, 6, 9) += rate own, without a copy of either."""
    for k in prange(len(blocks)):
        for pair in range(6):
            for c in range(9):
                blocks[k, pair, c] += rate * own[k, pair, c]


def _rigid(momenta: Array, masses: Array, arms: Array, inverse: Array) -> Array:
    """The rigid velocity field (k, 3) with the net momentum of momenta (k, 3)."""
    spin = inverse @ np.cross(arms, momenta).sum(axis=0)
    field_: Array = momenta.sum(axis=0) / masses.sum() + np.cross(spin, arms)
    return field_
