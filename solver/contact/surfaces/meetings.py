"""What a direction of Newton's method runs into: pairs that do not touch yet and would on the way, or that it crushes.

Of a pair that a blow presses together a spring of the slope that its barrier has before knows far too little: the direction
would lead through it, and be cut short there, by one pair after the other. So it is given the slope of the chord instead, from
where it is to where the barrier pushes as hard as the spring says it is pressed.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..response import add_forces
from .barrier import pushed_to
from .carried import Carried
from .free_way import EARLY, NEAR
from .pairs import numbers_among

Array = NDArray[np.float64]

FIRMER = 1.2  # times as firm: by less it is not worth another solve
FIRMEST = 1e6  # times as firm as its barrier's spring a pair is made at most: float32 solves nothing firmer


@dataclass
class Meetings:
    """Pairs that meet on the way, or that it crushes, each as a spring; m of them: see `meetings` in free_way.py.

    points, weights, normal: what they are and along what they meet
    gap, begin     : (m,) [m] where they are, and from where on they push: the reach, or where they are already
    stiffness      : (m,) [N/m] of the spring, that of the chord
    slope, force   : (m,) [N/m], [N] of their barriers where they begin, which count by themselves
    across         : (m,) [N/m] of a spring that holds them back across what they meet along, which does not pull
    held           : (m,) [N m^3], what a barrier holds where it is small (barrier.py)
    spring         : (m,) [N/m] of their barriers from the reach to SPRING of it

    Newton's method learns from them what its direction runs into, without having to be stopped there first.
    """

    points: NDArray[np.int32]
    weights: Array
    normal: Array
    gap: Array
    begin: Array
    stiffness: Array
    slope: Array
    force: Array
    held: Array
    across: Array
    spring: Array
    carried: Carried

    def __len__(self) -> int:
        return len(self.gap)

    def add_gradient(self, gradient: Array) -> None:
        """Add what they pull with at the way's start to gradient (n, 3) [N] on nodes."""
        pull = (self.stiffness * (self.gap - self.begin))[:, None] * self.normal
        on_points = np.zeros((len(self.carried), 3))
        add_forces(self.points, self.weights, -pull, on_points)
        self.carried.add_forces(on_points, gradient)

    def pressed(self, left: Array) -> NDArray[np.bool_]:
        """Which (m,) push, or push more, where they have gaps left (m,) [m], or are held back across them."""
        pressed: NDArray[np.bool_] = (left < self.begin) | (self.across > 0.0)
        return pressed

    @property
    def holds_back(self) -> bool:
        """Whether a direction goes less far for it than forces say: pairs that touch already are firmer than they are."""
        return bool((self.slope > 0.0).any())

    def crushed(self, left: Array) -> NDArray[np.bool_]:
        """Which (m,) a way to gaps (m,) [m] leaves so little of that they would stop it early on."""
        crushed: NDArray[np.bool_] = self.gap - NEAR * self.begin < EARLY * (self.gap - left)
        return crushed

    def firmed(self, left: Array) -> "Meetings":
        """The same with springs of those that are crushed as firm as they have to be for what they hold at gaps (m,) [m]."""
        deep = self.crushed(left)
        short = np.where(deep, self.begin - left, 1.0)
        push = self.force + (self.slope + self.stiffness) * short
        there = np.where(deep, pushed_to(self.held, push), 0.0)
        chord = (push - self.force) / np.where(deep, self.begin - there, 1.0)
        firm = np.minimum(chord, FIRMEST * self.spring) - self.slope
        return replace(self, stiffness=np.where(deep, np.maximum(firm, self.stiffness), self.stiffness))

    def much_firmer(self, before: "Meetings") -> bool:
        """Whether any is much firmer than the same of before."""
        return bool((self.stiffness > FIRMER * before.stiffness).any())

    def left(self, direction: Array) -> Array:
        """The gaps (m,) [m] at the end of a direction (n, 3), as seen from its start."""
        return self.gap + growth(self.carried.places(direction, self.points.ravel()), self.points, self.weights, self.normal)

    def taken(self, which: NDArray[np.bool_]) -> "Meetings":
        """Some of them (m,)."""
        return replace(self, **{name: column[which] for name, column in self.columns.items()})

    def others_than(self, known: "Meetings") -> "Meetings":
        """Those whose points are not those of a pair that is known."""
        return self.taken(numbers_among(known.points, self.points) < 0)

    def joined(self, other: "Meetings") -> "Meetings":
        """These and others."""
        return replace(self, **{name: np.concatenate([own, other.columns[name]]) for name, own in self.columns.items()})

    @property
    def columns(self) -> dict[str, Any]:
        """What is said of each of them, by name."""
        return {name: column for name, column in vars(self).items() if name != "carried"}

    @property
    def blocks(self) -> Array:
        """Their stiffness (m, 9) [N/m]."""
        along = (self.normal[:, :, None] * self.normal[:, None, :]).reshape(-1, 9)
        return self.stiffness[:, None] * along + self.across[:, None] * (np.eye(3).ravel() - along)


def learned(known: Meetings | None, met: Meetings, direction: Array) -> Meetings | None:
    """Return what a linear system is to know that has known some pairs and given a direction (n, 3) that meets others.

    None where it has known enough.
    """
    if known is None:
        return met if len(met) else None
    met = met.others_than(known)
    left = known.left(direction)
    pressed = known.pressed(left)
    kept = known.taken(pressed).firmed(left[pressed])
    if not len(met) and len(kept) == len(known) and not kept.much_firmer(known):
        return None
    return kept.joined(met)


def growth(ways: Array, points: NDArray[np.int32], weights: Array, normal: Array) -> Array:
    """By how much the distances of pairs (m,) grow when points go ways (k, 3) [m]."""
    grown: Array = np.einsum("km,kmi,ki->k", weights, ways[points], normal)
    return grown
