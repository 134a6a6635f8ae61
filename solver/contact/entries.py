"""Contacts of one Newton iteration, linearised: planes that push, friction, and what sticks."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from .adhesion import Adhesion
from .points import REACH
from .response import (
    add_forces,
    busy,
    carry,
    contact_gradient,
    contact_rise,
    contact_stiffness,
    linear_forces,
    mark_pressed,
    normal_forces,
    touched,
)  # fmt: skip
from .settle import settle

Array = NDArray[np.float64]
HeldByPoints = tuple[Array, NDArray[np.int64], Array]  # places (k, 3), colliders (k,), areas (k,) [m^2]
NOTHING_HELD: HeldByPoints = (np.zeros((0, 3)), np.zeros(0, np.int64), np.zeros(0))

_COLUMNS = (
    "tets", "nodes", "weights", "normal", "level", "reach", "stiffness", "anchor", "grip", "slip", "friction", "bond", "pull",
    "length", "places", "keys",
)  # fmt: skip


@dataclass
class Entries:
    """Linearised contacts of one Newton iteration, in the argument order of contact/response.py; c contacts.

    Beyond what is said there: friction (c,) coefficients, grip being these times the normal forces and bond (c,) [N], what
    stickiness adds to it; pull (c,) [N] the most that stickiness pulls, for a length (c,) [m]; places (c,) their numbers among
    all points of all colliders; adhesion is that of those that stick, None where nothing is sticky; exact: the share of
    friction's true stiffness in its stiffness, the rest being its secant; keys (m, 4) of the last m of them, those of edges
    (contact/edges).
    """

    tets: NDArray[np.int32]
    nodes: NDArray[np.int32]
    weights: Array
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
        return replace(self, **columns)

    def taken(self, which: NDArray[np.bool_]) -> "Entries":
        """Some of these (c,), all being of edges."""
        return replace(self, **{name: getattr(self, name)[which] for name in _COLUMNS})

    def stretch(self, positions: Array) -> Array:
        """How far (c, 3) [m] contacts that hold are stretched across their normals at positions (n, 3), until they slip."""
        here, push = np.empty_like(self.normal), np.empty_like(self.grip)
        carry(positions, self.nodes, self.weights, here)
        normal_forces(along(here, self.normal) - self.level, self.reach, self.stiffness, push)
        return kept_stretch(here - self.anchor, self.normal, np.where(push + self.bond > 0.0, self.slip, 0.0))

    def depth(self, positions: Array) -> Array:
        """How deep (c,) [m] contacts are inside their planes at positions (n, 3); negative outside."""
        here = np.empty_like(self.normal)
        carry(positions, self.nodes, self.weights, here)
        return self.level - along(here, self.normal)

    def add_gradient(self, positions: Array, gradient: Array) -> float:
        """Add to gradient (n, 3), return the energy."""
        sticking = 0.0 if self.adhesion is None else self.adhesion.add_gradient(positions, gradient)
        energy: float = sticking + contact_gradient(
            positions, self.nodes, self.weights, self.normal, self.level, self.reach, self.stiffness,
            self.anchor, self.grip, self.slip, gradient,
        )  # fmt: skip
        return energy

    def rise(self, positions: Array, way: Array) -> tuple[float, float]:
        """The energy [J] at positions (n, 3), and how it rises along a way (n, 3) [J]."""
        energy, rise = contact_rise(
            positions, way, self.nodes, self.weights, self.normal, self.level, self.reach, self.stiffness, self.anchor,
            self.grip, self.slip,
        )  # fmt: skip
        if self.adhesion is not None:
            more = self.adhesion.rise(positions, way)
            energy, rise = energy + more[0], rise + more[1]
        return energy, rise

    def add_stiffness(self, positions: Array, blocks: NDArray[np.float32], diagonal: Array) -> None:
        """Add to the element blocks and to the diagonal (n, 9)."""
        self._add_stiffness(positions, self.tets, blocks, diagonal)
        if self.adhesion is not None:
            self.adhesion.add_stiffness(positions, blocks, diagonal)

    def _add_stiffness(
        self, positions: Array, tets: NDArray[np.int32], blocks: NDArray[np.float32], diagonal: Array
    ) -> None:  # fmt: skip
        """The same but for what sticks, for blocks numbered by `tets` (c,)."""
        contact_stiffness(
            positions, tets, self.nodes, self.weights, self.normal, self.level, self.reach, self.stiffness,
            self.anchor, self.grip, self.slip, self.exact, blocks, diagonal,
        )  # fmt: skip

    def add_apart(self, positions: Array, diagonal: Array) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """Add to the diagonal (n, 9) alone; return the nodes (k, 4) of tets, and what to add to their blocks (k, 6, 9)."""
        adhesion, numbers = self.adhesion, np.empty_like(self.tets)
        own = busy(positions, self.nodes, self.weights, self.normal, self.level, self.reach, self.grip, numbers)
        nodes = self.nodes.take(own, axis=0)
        own, nodes = len(nodes), nodes if adhesion is None else np.concatenate([nodes, adhesion.nodes])
        blocks = np.zeros((len(nodes), 6, 9), np.float32)
        self._add_stiffness(positions, numbers, blocks, diagonal)
        if adhesion is not None:
            replace(adhesion, tets=np.arange(own, len(nodes), dtype=np.int32)).add_stiffness(positions, blocks, diagonal)
        return nodes, blocks

    @property
    def touching_nodes(self) -> NDArray[np.int64]:
        """The nodes (t,) that these contacts can move, rising."""
        return self.touching[0]

    @cached_property
    def touching(self) -> tuple[NDArray[np.int64], Array]:
        """These, and the element size (t,) [m] about each."""
        nodes, reach = touched(self.nodes, self.weights, self.reach)
        return nodes, reach / REACH

    def add_linear_gradient(self, around: Array, positions: Array, gradient: Array) -> None:
        """Add to gradient (n, 3) what contact's laws, taken for linear around one place, say at positions (n, 3)."""
        add_forces(self.nodes, self.weights, self._linear_forces(around, positions), gradient)
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
        linear_forces(
            around, positions, self.nodes, self.weights, self.normal, self.level, self.reach, self.stiffness,
            self.anchor, self.grip, self.slip, self.exact, force,
        )  # fmt: skip
        return force

    def stick(self, positions: Array) -> None:
        """Let those contacts pull that do; friction at positions (n, 3) holds on to it."""
        which = np.flatnonzero(self.pull)
        self.adhesion = Adhesion(
            self.tets[which], self.nodes[which], self.weights[which], self.normal[which], self.level[which], self.reach[which],
            self.length[which], self.pull[which],
        )  # fmt: skip
        self.bond[which] = self.friction[which] * self.adhesion.hold(positions)
        self.grip += self.bond

    def _settle(self, positions: Array, hold: Array, force: Array, free: bool) -> None:
        settle(
            positions, self.nodes, self.weights, self.normal, self.level, self.reach, self.stiffness, self.anchor,
            self.friction, self.bond, self.grip, self.slip, hold, force, free,
        )  # fmt: skip

    def lag(self, positions: Array) -> float:
        """By which share the friction bounds are not those of the normal forces at positions (n, 3)."""
        here, bounds = np.empty_like(self.normal), np.empty_like(self.grip)
        carry(positions, self.nodes, self.weights, here)
        normal_forces((here * self.normal).sum(axis=1) - self.level, self.reach, self.stiffness, bounds)
        bounds = self.friction * bounds + self.bond
        return float(np.abs(bounds - self.grip).sum() / max(bounds.sum(), self.grip.sum(), 1e-300))

    def pressed_nodes(self, positions: Array, count: int) -> NDArray[np.bool_]:
        """Nodes (count,) of the tets whose contacts push or stick at these positions."""
        nodes = np.zeros(count, dtype=bool)
        mark_pressed(positions, self.nodes, self.weights, self.normal, self.level, self.reach, nodes)
        if self.adhesion is not None:
            nodes[self.adhesion.nodes[self.adhesion.weights != 0.0]] = True
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
