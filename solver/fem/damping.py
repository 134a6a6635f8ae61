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

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..materials import Material
from ..slots import LAMBDA, MU, NODAL_BULK
from ..state import Ranges, State
from .linear_solve import Beside, FrozenStiffness
from .node_sums import second_moments, take_rigid, torque, weighted_mean
from .stiffness_sum import EVERYWHERE

if TYPE_CHECKING:
    from .workspace import Workspace

Array = NDArray[np.float64]
Floats = NDArray[np.float32]


def slowest_vibration(young: float, density: float, extent: float) -> float:
    """About the smallest angular frequency [1/s] of a standing body: Young's modulus [Pa], density [kg/m^3], its size [m]."""
    return float(0.5 * np.pi * np.sqrt(young / density) / extent)


@dataclass(frozen=True)
class RigidFrame:
    """One body as a rigid one: masses (k,) [kg] at positions (k, 3) [m] around its center of mass, inverse inertia (3, 3)."""

    nodes: slice
    masses: Array
    positions: Array
    center: Array
    total: float
    inverse: Array

    @classmethod
    def of(cls, nodes: slice, masses: Array, positions: Array) -> "RigidFrame":
        """The frame of the nodes of one body."""
        center, total = weighted_mean(masses, positions)
        products = second_moments(masses, positions, center)
        return cls(nodes, masses, positions, center, total, np.linalg.inv(np.trace(products) * np.eye(3) - products))

    def take_out(self, weights: Array, moved: Array, vectors: Array) -> None:
        """Take the rigid motion out of vectors (n, 3) in place, `moved` (k,) times: that with the net momentum of
        weights (k,) times them."""
        own = vectors[self.nodes]
        moment, momentum = torque(weights, self.positions, self.center, own)
        take_rigid(moved, self.positions, self.center, momentum / self.total, self.inverse @ moment, own)


@dataclass
class Damping:
    """extents: largest side of each body [m]. `set_materials` comes first, and again whenever they change."""

    extents: list[float]
    ranges: Ranges
    state: State
    matrix: FrozenStiffness | None = None
    changes: FrozenStiffness | None = None
    scaled: FrozenStiffness | None = None
    own: Array | None = None
    frames: list[RigidFrame] = field(default_factory=list)

    def __post_init__(self) -> None:
        # As when the tets were new: what rises or flows since would leave a bake that is resumed, and asks again, other numbers
        self.densities = [float(self.state.density[a:b].mean()) for a, b in pairwise(self.ranges.tets.tolist())]

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
        self.tet_eta, self.tet_times = self._of_tets(eta), self._of_tets(times)
        self.node_times = np.repeat(np.add(eta, times), np.diff(self.ranges.nodes))
        self.drag = np.repeat(np.array(drags), np.diff(self.ranges.nodes)) * self.state.masses
        self.elastic, self.rotated, self.dragging = any(eta), any(times), any(drags)

    def _of_tets(self, values: list[float]) -> NDArray[np.float32]:
        """Each body's value at its tets (m,); nothing but zeros are never written, so that they take no memory."""
        count = np.diff(self.ranges.tets)
        return np.repeat(np.array(values, np.float32), count) if any(values) else np.zeros(count.sum(), np.float32)

    @property
    def active(self) -> bool:
        """Whether anything is damped at all."""
        return self.elastic or self.rotated or self.dragging

    def keep(self, positions: Array, space: "Workspace", effective: Array) -> None:
        """Freeze the damping at positions (n, 3), where the tiles have been evaluated, for a step whose
        velocities are displacements over the effective steps (n,) [s].

        What the force changes by with the step's end, K over effective by columns, is symmetric only where all effective
        steps are alike. Else each entry takes the root of both nodes' steps: right on the diagonal, and Newton converges.
        """
        nodes = [slice(a, b) for a, b in pairwise(self.ranges.nodes.tolist())]
        self.frames = [RigidFrame.of(own, self.state.masses[own], positions[own]) for own in (nodes[k] for k in self.held)]
        times = self.tet_times if self.rotated else EVERYWHERE

        def fill(values: Floats, more: Floats, rate: float) -> None:
            space.stiffness.fill(positions, space.tiles, values, 0.0, more, rate, self.tet_eta, times)

        self.matrix = self.changes = space.linear.summed(fill, self.matrix)
        self.own = None
        if (effective != effective[0]).any():
            self.scaled, self.own = self.matrix.weighed(np.sqrt(effective.min() / effective), self.scaled)
            self.changes = self.scaled

    def gradient(self, velocities: Array) -> Array:
        """Minus the damping force (n, 3) [N] at velocities (n, 3)."""
        assert self.matrix is not None, "keep comes first"
        inner = velocities.copy()
        for frame in self.frames:
            frame.take_out(frame.masses, np.ones_like(frame.masses), inner)
        force = self.matrix.times(inner)
        for frame in self.frames:
            frame.take_out(np.ones_like(frame.masses), frame.masses, force)
        if self.dragging:
            force += self.drag[:, None] * velocities
        return force

    def add_gradient(self, velocities: Array, effective: Array, gradient: Array) -> float:
        """Add the damping force, turned, to gradient (n, 3); return its energy over the effective steps (n,) [J]."""
        force = self.gradient(velocities)
        gradient += force
        return 0.5 * float(np.einsum("n,ni,ni->", effective, force, velocities))

    def beside(self, effective: Array) -> Beside | None:
        """What the force changes by with a step's end, for LinearSolve.assemble, over the effective steps (n,) [s] of `keep`;
        rigid motion is not taken out of it, and what `add_own` adds is not in it."""
        return (self.changes, 1.0 / float(effective.min())) if self.active and self.changes is not None else None

    def add_own(self, effective: Array, diagonal: Array) -> None:
        """Add what drag changes by with a step's end to diagonal (n, 9), and what `beside` leaves out of its diagonal."""
        if self.dragging:
            diagonal[:, ::4] += (self.drag / effective)[:, None]
        if self.own is not None:
            diagonal += self.own / float(effective.min())

    def hold(self, firmness: Array, effective: Array) -> Array:
        """About how hard damping holds each node (n,) [N/m] while the others rest, over the effective steps (n,) [s].

        firmness (n,) [N/m] is how hard elasticity holds it.
        """
        held: Array = (self.node_times * firmness + self.drag) / effective
        return held

    def lags(self) -> Array:
        """The time (b,) in which each body follows what its stiffness asks of it, where nothing else moves it [s]."""
        return np.asarray(self.node_times[self.ranges.nodes[:-1]])

    def _slowest(self, body: int) -> float:
        """Angular frequency of about the slowest vibration of a body that stands on the ground [1/s]."""
        a, b = self.ranges.tets[body], self.ranges.tets[body + 1]
        mu, lam = self.state.material[MU, a:b].mean(), self.state.material[[LAMBDA, NODAL_BULK], a:b].sum(axis=0).mean()
        young = mu * (3.0 * lam + 2.0 * mu) / (lam + mu)
        return slowest_vibration(float(young), self.densities[body], self.extents[body])
