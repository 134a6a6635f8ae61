"""Contacts of one Newton iteration, linearised: planes that push, friction, and what sticks."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..fem.contact_coupling import ContactStiffness
from .adhesion import Adhesion
from .carriers import Carriers, Laws, Part
from .points import REACH
from .response import contact_gradient, contact_rise, linear_forces, normal_forces
from .settle import settle

Array = NDArray[np.float64]
HeldByPoints = tuple[Array, NDArray[np.int64], Array]  # places (k, 3), colliders (k,), areas (k,) [m^2]
NOTHING_HELD: HeldByPoints = (np.zeros((0, 3)), np.zeros(0, np.int64), np.zeros(0))

_COLUMNS = (
    "normal", "level", "reach", "stiffness", "anchor", "grip", "slip", "friction", "bond", "pull", "length", "places", "keys",
)


@dataclass
class Entries:
    """Linearised contacts of one Newton iteration, in the argument order of contact/response.py; c contacts.

    Beyond what is said there: carriers, of their points; friction (c,) coefficients, grip being these times the normal forces
    and bond (c,) [N], what stickiness adds to it; pull (c,) [N] the most that stickiness pulls, for a length (c,) [m]; places
    (c,) their numbers among all points of all colliders; adhesion is that of those that stick, None where nothing is sticky;
    exact: the share of friction's true stiffness in its stiffness, the rest being its secant; keys (m, 4) of the last m of
    them, those of edges (contact/edges).
    """

    carriers: Carriers
    normal: Array
    level: Array
    reach: Array
    stiffness: Array
    anchor: Array
    grip: Array
    slip: Array
    friction: Array
    bond: Array
    pull: Array
    length: Array
    places: NDArray[np.int64]
    adhesion: Adhesion | None = None
    exact: float = 0.5  # for who does not iterate; fem/newton.py says when it takes more
    keys: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 4), np.int32))

    def joined(self, *others: "Entries") -> "Entries":
        """These and after them others, all of edges."""
        every = (self, *others)
        columns = {name: np.concatenate([getattr(one, name) for one in every]) for name in _COLUMNS}
        return replace(self, carriers=self.carriers.joined([other.carriers for other in others]), **columns)

    def taken(self, which: NDArray[np.bool_]) -> "Entries":
        """Some of these (c,), all being of edges."""
        columns = {name: getattr(self, name)[which] for name in _COLUMNS}
        return replace(self, carriers=self.carriers.taken(which), **columns)

    @property
    def _laws(self) -> Laws:
        return self.normal, self.level, self.reach, self.stiffness, self.anchor, self.grip, self.slip

    @cached_property
    def _parts(self) -> list[tuple[Part, Laws]]:
        """What kernels are called with, one after the other; the laws are views, which see what `settle` makes of grip."""
        return [(part, part.taken(self._laws)) for part in self.carriers.parts]

    def stretch(self, positions: Array) -> Array:
        """How far (c, 3) [m] contacts that hold are stretched across their normals at positions (n, 3), until they slip."""
        here, push = self.carriers.places(positions), np.empty_like(self.grip)
        normal_forces(along(here, self.normal) - self.level, self.reach, self.stiffness, push)
        return kept_stretch(here - self.anchor, self.normal, np.where(push + self.bond > 0.0, self.slip, 0.0))

    def depth(self, positions: Array) -> Array:
        """How deep (c,) [m] contacts are inside their planes at positions (n, 3); negative outside."""
        return self.level - along(self.carriers.places(positions), self.normal)

    def add_gradient(self, positions: Array, gradient: Array) -> float:
        """Add to gradient (n, 3), return the energy."""
        energy: float = 0.0 if self.adhesion is None else self.adhesion.add_gradient(positions, gradient)
        for part, laws in self._parts:
            here = part.seen(positions)
            into = gradient if part.rows is None else np.zeros_like(here)
            energy += contact_gradient(here, part.nodes, part.weights, *laws, into)
            if part.rows is not None:
                part.rows.add_forces(into, gradient)
        return energy

    def rise(self, positions: Array, way: Array) -> tuple[float, float]:
        """The energy [J] at positions (n, 3), and how it rises along a way (n, 3) [J]."""
        energy, rise = (0.0, 0.0) if self.adhesion is None else self.adhesion.rise(positions, way)
        for part, laws in self._parts:
            more = contact_rise(part.seen(positions), part.seen(way), part.nodes, part.weights, *laws)
            energy, rise = energy + more[0], rise + more[1]
        return energy, rise

    def add_stiffness(self, positions: Array, diagonal: Array, rank: NDArray[np.int32]) -> ContactStiffness:
        """Add to the diagonal (n, 9); return what goes beside it into the matrix, node i being its row rank[i]."""
        nodes, blocks, beside = self.carriers.stiffness(positions, self._laws, self.exact, diagonal, rank)
        if self.adhesion is not None:
            more = self.adhesion.stiffness(positions, diagonal, rank)
            nodes, blocks = np.concatenate([nodes, more[0]]), np.concatenate([blocks, more[1]])
            beside = beside.joined(more[2])
        return ContactStiffness(self.touching_nodes, nodes, blocks, beside)

    @property
    def touching_nodes(self) -> NDArray[np.int64]:
        """The nodes (t,) that these contacts can move, rising."""
        return self.touching[0]

    @cached_property
    def touching(self) -> tuple[NDArray[np.int64], Array]:
        """These, and the element size (t,) [m] about each."""
        nodes, reach = self.carriers.touching(self.reach)
        return nodes, reach / REACH

    def add_linear_gradient(self, around: Array, positions: Array, gradient: Array) -> None:
        """Add to gradient (n, 3) what contact's laws, taken for linear around one place, say at positions (n, 3)."""
        self.carriers.add_forces(self._linear_forces(around, positions), gradient)
        if self.adhesion is not None:
            self.adhesion.add_linear_gradient(around, positions, gradient)

    def settle_guess(self, positions: Array, pressing: Array, hold: Array) -> None:
        """Move the contacts' nodes of a guess in place to where contact balances the force pressing (n, 3) [N] on them.

        Each node is held by a spring, hold (n,) [N/m]. The friction bounds follow.
        """
        if self.adhesion is not None:
            pull = np.zeros_like(positions)
            self.adhesion.add_gradient(positions, pull)
            pressing = pressing - pull
        nodes = self.touching_nodes
        positions[nodes] += pressing[nodes] / hold[nodes, None]
        self._settle(positions, hold, np.zeros_like(self.normal), True)

    def settle_step(self, start: Array, positions: Array, hold: Array, free: bool) -> None:
        """Correct in place positions (n, 3) that a linear solve from `start` found, for what contact's laws truly are."""
        self._settle(positions, hold, self._linear_forces(start, positions), free)

    def _linear_forces(self, around: Array, positions: Array) -> Array:
        force = np.empty_like(self.normal)
        for part, laws in self._parts:
            there, here = part.seen(around), part.seen(positions)
            linear_forces(there, here, part.nodes, part.weights, *laws, self.exact, force[part.own])
        return force

    def stick(self, positions: Array) -> None:
        """Let those contacts pull that do; friction at positions (n, 3) holds on to it."""
        which = self.pull != 0.0
        self.adhesion = Adhesion(
            self.carriers.taken(which), self.normal[which], self.level[which], self.reach[which], self.length[which],
            self.pull[which],
        )  # fmt: skip
        self.bond[which] = self.friction[which] * self.adhesion.hold(positions)
        self.grip += self.bond

    def _settle(self, positions: Array, hold: Array, force: Array, free: bool) -> None:
        carriers, rows = self.carriers, self.carriers.rows
        settle(
            positions, carriers.nodes, carriers.weights, rows.start, rows.nodes, rows.weights, self.normal, self.level,
            self.reach, self.stiffness, self.anchor, self.friction, self.bond, self.grip, self.slip, hold, force, free,
        )  # fmt: skip

    def lag(self, positions: Array) -> float:
        """By which share the friction bounds are not those of the normal forces at positions (n, 3)."""
        bounds = self._bounds(positions)
        return float(np.abs(bounds - self.grip).sum() / max(bounds.sum(), self.grip.sum(), 1e-300))

    def excess(self, positions: Array) -> float:
        """By which share of what they should be all friction bounds together are too high at positions (n, 3)."""
        bounds = self._bounds(positions).sum()
        return float((self.grip.sum() - bounds) / max(bounds, 1e-300))

    def rub_as_pressed(self, positions: Array) -> None:
        """Let the friction bounds be those of the normal forces at positions (n, 3)."""
        self.grip[:] = self._bounds(positions)

    def _bounds(self, positions: Array) -> Array:
        bounds = np.empty_like(self.grip)
        normal_forces(-self.depth(positions), self.reach, self.stiffness, bounds)
        return self.friction * bounds + self.bond

    def pressed_nodes(self, positions: Array, count: int) -> NDArray[np.bool_]:
        """Nodes (count,) that carry contacts which push or stick at these positions."""
        nodes = np.zeros(count, dtype=bool)
        self.carriers.mark(-self.depth(positions) < self.reach, nodes)
        if self.adhesion is not None:
            self.adhesion.carriers.mark(np.ones(len(self.adhesion.bound), dtype=bool), nodes)
        return nodes


def along(vectors: Array, directions: Array) -> Array:
    """The products (k,) of vectors and directions (k, 3)."""
    product: Array = np.einsum("ki,ki->k", vectors, directions)
    return product


def across(vectors: Array, normal: Array) -> Array:
    """What is left of vectors (k, 3) across unit normals (k, 3)."""
    left: Array = vectors - along(vectors, normal)[:, None] * normal
    return left


def kept_stretch(away: Array, normal: Array, most: Array) -> Array:
    """Of displacements (k, 3) [m] what lies across normals (k, 3), at most (k,) long: friction that sticks pulls it back."""
    stretch = across(away, normal)
    length = np.sqrt(along(stretch, stretch))
    stretch *= np.minimum(1.0, most / np.maximum(length, 1e-300))[:, None]
    return stretch
