"""Time: the clock with its halving steps, and variable-step BDF2.

BDF2 with w = step / previous step (Hairer, Norsett, Wanner, III.5):
    y'(t) = [ (1 + 2w)/(1 + w) y_new - (1 + w) y + w^2/(1 + w) y_previous ] / step.
Applied to x' = v and M v' = f it is a backward Euler step of length `effective` = step (1 + w)/(1 + 2w) from an
extrapolated state, so one energy is minimised as in backward Euler, without its loss of life.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..state import State

Array = NDArray[np.float64]

LEVELS = 10  # the smallest step is the largest / 2**LEVELS
PATIENCE = 4  # good steps before growing again


class Clock:
    """Time in whole ticks, so that halving and doubling are exact and steps stay aligned to the grid."""

    def __init__(self, largest: float) -> None:
        self.largest = largest
        self.ticks = 0
        self.level = 0
        self.good = 0
        self.previous_step = largest

    @property
    def step(self) -> float:
        """Length of the next step [s]."""
        return self.largest / (1 << self.level)

    @property
    def time(self) -> float:
        """Seconds since the first frame."""
        return self.ticks * (self.largest / (1 << LEVELS))

    def halve(self) -> bool:
        """Halve the step; False when it is the smallest already."""
        self.good = 0
        if self.level == LEVELS:
            return False
        self.level += 1
        return True

    def tick(self) -> None:
        """Move on by the step just accepted, and double it after PATIENCE good ones where the grid allows."""
        self.previous_step = self.step
        self.ticks += 1 << (LEVELS - self.level)
        self.good += 1
        if self.good >= PATIENCE and self.level > 0 and self.ticks % (1 << (LEVELS - self.level + 1)) == 0:
            self.level -= 1
            self.good = 0

    def array(self) -> Array:
        """All of it, for a checkpoint."""
        return np.array([self.largest, self.ticks, self.level, self.good, self.previous_step])

    def restore(self, values: Array) -> None:
        """Take `array` back."""
        self.largest, self.previous_step = float(values[0]), float(values[4])
        self.ticks, self.level, self.good = int(values[1]), int(values[2]), int(values[3])


@dataclass
class Extrapolation:
    """What the past says about a step's end: velocity there is (x - base)/effective.

    base (n, 3) [m]; targets (n, 3), where nodes go under gravity alone [m]; effective (n,) [s]
    """

    base: Array
    targets: Array
    effective: Array

    def velocities(self, positions: Array) -> Array:
        """Velocities (n, 3) of a step that ends at `positions`."""
        return (positions - self.base) / self.effective[:, None]


def extrapolate(state: State, gravity: Array, step: float, previous_step: float, struck: NDArray[np.bool_]) -> Extrapolation:
    """The past of a step.

    Nodes `struck` (n,) by a collider are stepped by backward Euler: their velocity jumps, and BDF2 would carry the old
    one across the blow and throw the surface back by half of it.
    """
    w = step / previous_step
    effective = np.where(struck, step, step * (1.0 + w) / (1.0 + 2.0 * w))
    now = np.where(struck, 1.0, (1.0 + w) ** 2 / (1.0 + 2.0 * w))[:, None]
    before = np.where(struck, 0.0, w * w / (1.0 + 2.0 * w))[:, None]
    base = now * state.positions - before * state.previous_positions
    velocities = now * state.velocities - before * state.previous_velocities
    reach = effective[:, None]
    return Extrapolation(base, base + reach * (velocities + reach * gravity), effective)


def starting_history(state: State, gravity: Array, step: float) -> None:
    """Give BDF2 a past in free flight, which makes the first steps of a fall exact."""
    state.previous_positions = state.positions - step * state.velocities + 0.5 * step * step * gravity
    state.previous_velocities = state.velocities - step * gravity
