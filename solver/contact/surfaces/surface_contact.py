"""All contact of the bodies' surfaces, as one energy of a step: what Newton's method asks for, and how far it may go."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from ...fem.pair_coupling import PairStiffness
from ...geometry.edges import connected
from ..entries import across, kept_stretch
from .candidates import Neighbourhood, SurfaceBoxes
from .crossing import surfaces_cross
from .free_way import free_fraction, meetings
from .pairs import Pairs, distances, joined, no_pairs
from .surface import ContactSurface
from .terms import add_barrier_gradient, add_friction_gradient, close_pairs, force_error, friction_blocks

Array = NDArray[np.float64]

REACH = 0.02  # distance at which surfaces begin to push, in mean edges
NOTHING = 1e-6  # share of the reach that is no distance
SETTLED = 0.1  # share of all pushing forces by which a correction may miss what they are
EXACT_FRICTION = 0.5  # share of friction's true stiffness against its secant, as with colliders


@dataclass(frozen=True)
class Touch:
    """What a body brings into its contacts.

    modulus  : sizes the barrier [Pa]: of two bodies the softer's counts
    friction : coefficient; of two bodies the geometric mean counts
    slip     : how far what sticks gives way before it slips [m]
    own      : whether it touches itself
    groups   : bits; it touches bodies that share one of them
    """

    modulus: float
    friction: float
    slip: float
    own: bool = True
    groups: int = 1


@dataclass
class Friction:
    """The pairs that rubbed at the step's start: lagged, but for how far they slip; c pairs, see terms.py."""

    nodes: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 4), np.int32))
    weights: Array = field(default_factory=lambda: np.zeros((0, 4)))
    normal: Array = field(default_factory=lambda: np.zeros((0, 3)))
    anchor: Array = field(default_factory=lambda: np.zeros((0, 3)))
    grip: Array = field(default_factory=lambda: np.zeros(0))
    slip: float = 1.0

    def stretch(self, positions: Array) -> Array:
        """How far (c, 3) [m] each pair is stretched across its normal at positions (n, 3), at most by as much as sticks."""
        away = (self.weights[:, :, None] * positions[self.nodes]).sum(axis=1) - self.anchor
        return kept_stretch(away, self.normal, np.full(len(away), self.slip))


@dataclass
class Meetings:
    """Pairs that meet on the way, each as a spring about its reach; m of them: see `meetings`.

    Newton's method learns from them what its direction runs into, without having to be stopped there first.
    """

    nodes: NDArray[np.int32]
    weights: Array
    normal: Array
    gap: Array
    reach: Array
    stiffness: Array

    def add_gradient(self, gradient: Array) -> None:
        """Add what they pull with at the way's start to gradient (n, 3) [N]."""
        pull = (self.stiffness * (self.gap - self.reach))[:, None] * self.normal
        np.add.at(gradient, self.nodes, self.weights[:, :, None] * pull[:, None, :])

    def pressed(self, direction: Array) -> "Meetings":
        """Those that are closer than their reach at the end of another direction (n, 3)."""
        moved = np.einsum("km,kmi,ki->k", self.weights, direction[self.nodes], self.normal)
        kept = self.gap + moved < self.reach
        return Meetings(*(column[kept] for column in vars(self).values()))

    def joined(self, other: "Meetings") -> "Meetings":
        """These and others."""
        return Meetings(*map(np.concatenate, zip(vars(self).values(), vars(other).values(), strict=True)))

    def beside(self, stiffness: PairStiffness, rank: NDArray[np.int32]) -> PairStiffness:
        """Their stiffness and that of pairs in touch."""
        blocks = self.stiffness[:, None] * (self.normal[:, :, None] * self.normal[:, None, :]).reshape(-1, 9)
        return PairStiffness(
            np.concatenate([stiffness.rows, rank[self.nodes]]), np.concatenate([stiffness.weights, self.weights]),
            np.concatenate([stiffness.blocks, blocks]),
        )  # fmt: skip


@dataclass
class Held:
    """What sticks from step to step: stretch (c, 3) [m] of pairs by their nodes (c, 4)."""

    nodes: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 4), np.int32))
    stretch: Array = field(default_factory=lambda: np.zeros((0, 3)))

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a checkpoint keeps."""
        return {"held_nodes": self.nodes.copy(), "held_stretch": self.stretch.copy()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> "Held":
        """That of a checkpoint."""
        return cls(np.asarray(arrays["held_nodes"], np.int32), np.asarray(arrays["held_stretch"], np.float64))

    def of(self, nodes: NDArray[np.int32]) -> Array:
        """The stretch (k, 3) of pairs (k, 4); none of those that are new."""
        _, number = np.unique(np.concatenate([self.nodes, nodes]), axis=0, return_inverse=True)
        kept = np.zeros((len(number), 3))
        kept[number[: len(self.nodes)]] = self.stretch
        return kept[number[len(self.nodes) :]]


class SurfaceContact:
    """Barriers between surfaces, with friction.

    But for `held` everything that is kept from step to step can be rebuilt from node positions; after a change of the mesh
    make a new one.
    """

    def __init__(self, surfaces: list[ContactSurface], touches: list[Touch], rest: Array) -> None:
        """surfaces and touches of the bodies; rest (n, 3) is where their nodes are without any contact [m]."""
        self.slip = min((touch.slip for touch in touches), default=1.0)
        self.neighbourhoods: list[Neighbourhood] = []
        self.pairs: Pairs = no_pairs()
        self.friction, self.held = Friction(), Held()
        self.bodies: list[tuple[int, int]] = []  # the numbers of each neighbourhood's bodies,
        self.left_out: list[tuple[int, int]] = []  # and of those that do not collide
        boxed = [(k, SurfaceBoxes(surfaces[k], rest), touch) for k, touch in enumerate(touches)]
        for (i, boxes, touch), (j, others, other) in combinations_with_replacement(boxed, 2):
            if touch.own if boxes is others else touch.groups & other.groups:
                self.bodies.append((i, j))
                self.neighbourhoods.append(Neighbourhood(
                    boxes, others, rest, REACH * min(boxes.edge_length, others.edge_length),
                    min(touch.modulus, other.modulus), float(np.sqrt(touch.friction * other.friction)),
                ))  # fmt: skip

    def begin(self, positions: Array) -> None:
        """Leave out bodies that touch or pass through each other, or a body itself, before the first step: `left_out`.

        Pairs know no inside, so that contact would hold them together instead of apart.
        """
        self.cover(positions, positions)
        crossing = [
            bool((distances(positions, pair.pairs.nodes, pair.pairs.points) < NOTHING * pair.reach).any())
            or surfaces_cross(pair.first, pair.second, positions)
            for pair in self.neighbourhoods
        ]
        self.left_out = [bodies for bodies, crosses in zip(self.bodies, crossing, strict=True) if crosses]
        self.bodies = [bodies for bodies, crosses in zip(self.bodies, crossing, strict=True) if not crosses]
        self.neighbourhoods = [pair for pair, crosses in zip(self.neighbourhoods, crossing, strict=True) if not crosses]
        self.pairs = joined([neighbourhood.pairs for neighbourhood in self.neighbourhoods])

    @property
    def near(self) -> bool:
        """Whether any pair may come close."""
        return len(self.pairs.nodes) > 0

    def reachable(self, start: Array, end: Array) -> Array:
        """Positions (n, 3) on the way from a start to an end (n, 3): the end, where nothing touches on the way."""
        share = self.limit(start, end - start)
        return end if share == 1.0 else start + share * (end - start)

    def cover(self, before: Array, after: Array) -> None:
        """Make `pairs` hold wherever nodes are between two places (n, 3)."""
        changed = [neighbourhood.cover(before, after) for neighbourhood in self.neighbourhoods]
        if any(changed):
            self.pairs = joined([neighbourhood.pairs for neighbourhood in self.neighbourhoods])

    def begin_step(self, start: Array) -> None:
        """Take friction's normals and bounds from the step's start (n, 3) (Li et al. 2020, section 5.4).

        What stuck in the step before is still stretched by as much, so that what sticks comes to rest instead of creeping.
        """
        self.cover(start, start)
        which, weights, normal, force, _ = self._close(start)
        grip = self.pairs.friction[which] * force
        rubs = grip > 0.0
        nodes, weights, normal = self.pairs.nodes[which][rubs], weights[rubs], normal[rubs]
        stretch = across(self.held.of(nodes), normal)
        anchor = (weights[:, :, None] * start[nodes]).sum(axis=1) - stretch
        self.friction = Friction(nodes, weights, normal, anchor, grip[rubs], self.slip)

    def end_step(self, positions: Array) -> None:
        """Keep what sticks at the end of an accepted step, positions (n, 3)."""
        self.held = Held(self.friction.nodes, self.friction.stretch(positions))

    def limit(self, positions: Array, direction: Array, most: float = 1.0) -> float:
        """The share, at most `most`, of a direction (n, 3) that nodes may go from positions (n, 3) until surfaces touch."""
        self.cover(positions, positions + most * direction)
        share: float = free_fraction(positions, direction, self.pairs.nodes, self.pairs.points, self.pairs.reach, most)
        return share

    def meetings(self, positions: Array, direction: Array) -> Meetings:
        """The pairs that do not touch at positions (n, 3) but would on the way along a direction (n, 3)."""
        self.cover(positions, positions + direction)
        pairs, most = self.pairs, len(self.pairs.nodes)
        which, weights, normal, gap = np.empty(most, np.int64), np.empty((most, 4)), np.empty((most, 3)), np.empty(most)
        count = meetings(positions, direction, pairs.nodes, pairs.points, pairs.reach, which, weights, normal, gap)
        which = which[:count]
        return Meetings(
            pairs.nodes[which], weights[:count], normal[:count], gap[:count], pairs.reach[which], pairs.stiffness[which]
        )

    def add_gradient(self, positions: Array, gradient: Array) -> float:
        """Add to gradient (n, 3) [N] at positions that `cover` was asked for; return the energy [J]."""
        f = self.friction
        energy: float = add_barrier_gradient(positions, self.pairs, gradient)
        energy += add_friction_gradient(positions, f.nodes, f.weights, f.normal, f.anchor, f.grip, f.slip, gradient)
        return energy

    def stiffness(self, positions: Array, rank: NDArray[np.int32]) -> PairStiffness:
        """The stiffness at positions (n, 3), for a matrix with node i at row rank[i]."""
        f = self.friction
        which, weights, normal, _, slope = self._close(positions)
        rubbing = np.empty((len(f.nodes), 9))
        friction_blocks(
            positions, f.nodes, f.weights, f.normal, f.anchor, f.grip, f.slip, EXACT_FRICTION, rubbing
        )
        pushing = slope[:, None] * (normal[:, :, None] * normal[:, None, :]).reshape(-1, 9)
        rows = rank[np.concatenate([self.pairs.nodes[which], f.nodes])]
        return PairStiffness(rows, np.concatenate([weights, f.weights]), np.concatenate([pushing, rubbing]))

    def settled(self, before: Array, after: Array) -> bool:
        """Whether a correction from one set of positions (n, 3) to another has found forces about as it took them to be.

        What is small for a body can be large for a gap.
        """
        missed, force = force_error(before, after, self.pairs)
        return bool(missed <= SETTLED * force)

    def touching(self, positions: Array, bodies: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each body the first of those that it hangs together with by pairs that push; bodies (n,) of the nodes."""
        nodes = self.pairs.nodes[self._close(positions)[0]]
        return connected(bodies[nodes[:, [0, 3]]].T, int(bodies.max()) + 1)

    def touched(self, positions: Array) -> NDArray[np.bool_]:
        """Which nodes (n,) belong to pairs that push at positions (n, 3)."""
        which, weights, _, _, _ = self._close(positions)
        nodes = np.zeros(len(positions), dtype=bool)
        nodes[self.pairs.nodes[which][weights != 0.0]] = True
        return nodes

    def _close(self, positions: Array) -> tuple[NDArray[np.int64], Array, Array, Array, Array]:
        """The pairs within reach: their numbers, weights (k, 4), normals (k, 3), forces and slopes (k,)."""
        most = len(self.pairs.nodes)
        which, weights, normal = np.empty(most, dtype=np.int64), np.empty((most, 4)), np.empty((most, 3))
        force, slope = np.empty(most), np.empty(most)
        count = close_pairs(positions, self.pairs, which, weights, normal, force, slope)
        return which[:count], weights[:count], normal[:count], force[:count], slope[:count]
