"""The pins of all bodies at work: what they ask of each step.

Every pinned node has an anchor, the point that it is held to. Anchors go with the pin's targets or collider while it holds;
where it does not they stay on their nodes, so that a pin whose strength is keyed up later takes the goo where that is then,
and leads it to its targets within a few REACHED.

A spring's force is -mass weight strength (stiffness (x - anchor) + damping (v - anchor's v)): by mass, so that a denser or a
finer body moves alike, and resists its step's end, so that no stiffness is too much for a step.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..embedding import Binding
from ..fem.restraint import Restraint
from ..keyframes import at_frame
from ..scene import Body, Scene
from ..state import Ranges, Solids
from ..topology.parentage import Parentage
from .bearing import Bearing, first_vertices
from .pin import Pin
from .places import MovingLeastSquares, Nodes, held_nodes, sprung_nodes

Array = NDArray[np.float64]

REACHED = 0.1  # time constant with which nodes go to targets that they were taken away from [s]
LEAST_AROUND = 1e-9  # share of old pinned nodes around a new one that is none
HOLDS = 0.5  # weight times strength above which a pin without give holds


class Follows(Protocol):
    """What a collider tells pins (solver/colliders)."""

    still: bool

    def carried(self, points: Array, begun: float, time: float) -> Array:
        """Where points (k, 3) that are fixed to it at one time [s] lie at another."""


class Targets:
    """Where a pin wants its nodes over time: parabolas through three frames, which ask for no frame that is not due yet."""

    def __init__(self, keys: Array, followed: MovingLeastSquares, frames_per_second: float) -> None:
        """keys (k, p, 3) are a pin's targets for the vertices that `followed` goes by."""
        self.keys, self.followed, self.frames_per_second = keys, followed, frames_per_second
        self._known: dict[int, Array] = {}

    def at(self, time: float) -> Array:
        """Places (h, 3) at a time [s] since the first frame."""
        last = len(self.keys) - 1
        place = min(max(time * self.frames_per_second + 1.0, 0.0), float(last))
        first = min(int(place), max(last - 1, 0))
        if last == 0 or place == first:
            return self._frame(first)
        share = place - first
        now, then = self._frame(first), self._frame(first + 1)
        bend = 0.5 * share * (share - 1.0) * (then - 2.0 * now + self._frame(max(first - 1, 0))) if first > 0 else 0.0
        return now + share * (then - now) + bend

    def _frame(self, key: int) -> Array:
        if key not in self._known:
            self._known = {k: places for k, places in self._known.items() if k >= key - 3}
            self._known[key] = self.followed.places(self.keys[key])
        return self._known[key]


@dataclass
class Grip:
    """A pin on its nodes (h,) with weights (h,) of a body; exactly one of targets and collider is set.

    uid            : the name of the body that has the pin, which may be part of another by now
    left           : share of its vertices, by their weights, that no cut has taken away
    anchors (h, 3) : at the end of the last step [m]
    ahead (h, 3)   : at the end of the step in hand
    """

    pin: Pin
    uid: str
    nodes: Nodes
    weights: Array
    left: float
    targets: Targets | None
    collider: Follows | None
    anchors: Array
    ahead: Array = field(init=False)

    def begin_step(self, positions: Array, time: float, step: float) -> None:
        """Move the anchors to a step's end; positions (n, 3) and time [s] of its start."""
        if self.targets is not None:
            fading = np.exp(-step / REACHED)
            self.ahead = self.targets.at(time + step) + fading * (self.anchors - self.targets.at(time))
        elif self.collider is not None:
            self.ahead = self.collider.carried(self.anchors, time, time + step)

    def shares(self, place: float) -> Array:
        """How firmly it holds each of its nodes (h,), 0 to 1, at a place in frames after the first."""
        strength: Array = self.weights * float(at_frame(self.pin.strength, place))
        return strength if self.pin.stiffness > 0.0 else (strength > HOLDS).astype(np.float64)


class Holding:
    """All pins of a simulation."""

    def __init__(
        self, scene: Scene, hosts: NDArray[np.int64], state: Solids, ranges: Ranges, bearings: list[Bearing],
        surfaces: list[Binding], fields: Sequence[Follows], first: "Holding | None" = None,
    ) -> None:  # fmt: skip
        """bearings, and surfaces bound to their tets, hold one item a body that is still one of its own, fields one a collider.

        scene: with all of its bodies; hosts (b,) says which of them each one is a part of by now.
        first: the pins at rest, whose springs hold as much mass as these do, however new tets lie.
        """
        self.frames_per_second, self.first = scene.settings.frames_per_second, ranges.nodes
        colliders = {collider.uid: field for collider, field in zip(scene.colliders, fields, strict=False)}
        self.grips: list[Grip] = []
        starts = first_vertices([body.surface for body in scene.bodies])
        for body, start, host in zip(scene.bodies, starts, np.unique(hosts, return_inverse=True)[1].tolist(), strict=True):
            for pin in body.pins:
                self._grip(body, start, host, pin, bearings[host], surfaces[host], colliders.get(pin.collider))
        self.masses, self.ending = state.masses, 0.0
        if first is not None:
            for key, grip in self._by_pin().items():
                grip.weights = grip.weights * (first.sprung(key) / self.sprung(key))

    def _by_pin(self) -> dict[tuple[str, int], Grip]:
        """The grips by body and pin; all holdings of a simulation share its pins."""
        return {(grip.uid, id(grip.pin)): grip for grip in self.grips}

    def sprung(self, key: tuple[str, int]) -> float:
        """The mass that a pin's springs hold [kg], by the weights of its vertices that are left; 1 where it has no give."""
        grip = self._by_pin()[key]
        if grip.pin.stiffness == 0.0:
            return 1.0
        return float((self.masses[grip.nodes] * grip.weights).sum()) / grip.left

    def _grip(
        self, body: Body, start: int, host: int, pin: Pin, bearing: Bearing, surface: Binding, collider: Follows | None
    ) -> None:
        """Add the pin's grip on what the body is a part of, unless all of its vertices have been cut away."""
        which, there = bearing.left(pin, start)
        if not len(which):
            return
        weights = np.zeros(len(bearing.positions))
        weights[there] = pin.weights[which]
        if pin.stiffness > 0.0:
            nodes, shares = sprung_nodes(weights, bearing, surface)
        else:
            nodes, shares = held_nodes(weights, 0.5 * body.element_size, bearing, surface)
        targets, places = None, bearing.nodes[nodes]
        if pin.targets is not None:
            followed = MovingLeastSquares(places, bearing.positions[there], body.element_size)
            targets = Targets(pin.targets[:, which], followed, self.frames_per_second)
        left = float(pin.weights[np.unique(which)].sum() / pin.weights.sum())
        self.grips.append(Grip(pin, body.uid, nodes + self.first[host], shares, left, targets, collider, places.copy()))

    @property
    def still(self) -> bool:
        """Whether nothing about the pins ever changes."""
        return all(grip.pin.still and (grip.collider is None or grip.collider.still) for grip in self.grips)

    @property
    def stiffest(self) -> float:
        """The stiffest spring [1/s^2]."""
        return max((grip.pin.stiffness for grip in self.grips), default=0.0)

    def begin_step(self, positions: Array, time: float, step: float) -> Restraint:
        """What holds nodes at the end of a step from positions (n, 3) and a time [s] since the first frame."""
        nodes, places = [np.zeros(0, dtype=np.int64)], [np.zeros((0, 3))]
        self.ending = (time + step) * self.frames_per_second
        restraint = Restraint(len(self.masses))
        for grip in self.grips:
            grip.begin_step(positions, time, step)
            share = grip.shares(self.ending)
            if grip.pin.stiffness == 0.0:
                nodes.append(grip.nodes[share > 0.0])
                places.append(grip.ahead[share > 0.0])
                continue
            stiffness, drag = (self.masses[grip.nodes] * share * each for each in (grip.pin.stiffness, grip.pin.damping))
            restraint.add_springs(grip.nodes, stiffness, stiffness[:, None] * grip.ahead)
            restraint.add_drag(grip.nodes, drag, drag[:, None] * (grip.ahead - grip.anchors) / step)
        restraint.held, which = np.unique(np.concatenate(nodes), return_index=True)  # where two hold a node, the first does
        restraint.places = np.concatenate(places)[which]
        return restraint

    def end_step(self, positions: Array) -> None:
        """Take in that the step was accepted, with its end at positions (n, 3)."""
        for grip in self.grips:
            holds = grip.shares(self.ending) > 0.0
            grip.anchors = np.where(holds[:, None], grip.ahead, positions[grip.nodes])

    def arrays(self) -> Array:
        """All anchors (h, 3), for a checkpoint."""
        return np.concatenate([np.zeros((0, 3)), *(grip.anchors for grip in self.grips)])

    def restore(self, anchors: Array) -> None:
        """Take `arrays` back."""
        ends = np.cumsum([0, *(len(grip.nodes) for grip in self.grips)])
        for grip, (a, b) in zip(self.grips, pairwise(ends.tolist()), strict=True):
            grip.anchors = anchors[a:b].copy()

    def hand_on(self, old: "Holding", before: Array, after: Array, nodes: Parentage) -> None:
        """Take over where the old pins' anchors are, with nodes at (n, 3) then and (n', 3) now, and what these come from.

        A new anchor is as far from its node as those of the old nodes around it were on the mean; one of a node that stays is
        where it was.
        """
        theirs = old._by_pin()
        for key, grip in self._by_pin().items():
            had, were = theirs[key], nodes.same[grip.nodes]
            offsets = np.zeros((len(before), 4))
            offsets[had.nodes] = np.column_stack([had.anchors - before[had.nodes], np.ones(len(had.nodes))])
            mean = nodes.carried(offsets)[grip.nodes]
            grip.anchors = after[grip.nodes] + mean[:, :3] / np.maximum(mean[:, 3:], LEAST_AROUND)
            place = np.full(len(before) + 1, -1)
            place[had.nodes] = np.arange(len(had.nodes))
            stays = place[were] >= 0
            grip.anchors[stays] = had.anchors[place[were[stays]]]

    def start(self, state: Solids) -> None:
        """Let nodes that are held without give start with the speed of their targets."""
        frame = 1.0 / self.frames_per_second
        for grip in self.grips:
            if grip.pin.stiffness == 0.0 and grip.targets is not None:
                holds = grip.shares(0.0) > 0.0
                speed = (grip.targets.at(0.0) - grip.targets.at(-frame)) / frame
                state.velocities[grip.nodes[holds]] = speed[holds]
