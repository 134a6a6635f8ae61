"""Time: the clock with its halving steps, and variable-step BDF2.

BDF2 with w = step / previous step (Hairer, Norsett, Wanner, III.5):
    y'(t) = [ (1 + 2w)/(1 + w) y_new - (1 + w) y + w^2/(1 + w) y_previous ] / step.
Applied to x' = v and M v' = f it is a backward Euler step of length `effective` = step (1 + w)/(1 + 2w) from an
extrapolated state, so one energy is minimised as in backward Euler, without its loss of life.
"""

import numpy as np
from numpy.typing import NDArray

from ..state import State

Array = NDArray[np.float64]

LEVELS = 12  # the smallest step is the largest / 2**LEVELS
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

    def tick(self, step: float) -> None:
        """Move on by the step just accepted, and double it after PATIENCE good ones where the grid allows."""
        self.ticks += 1 << (LEVELS - self.level)
        self.previous_step = step
        self.good += 1
        if self.good >= PATIENCE and self.level > 0 and self.ticks % (1 << (LEVELS - self.level + 1)) == 0:
            self.level -= 1
            self.good = 0


def multistep_targets(
    state: State, gravity: Array, step: float, previous_step: float, struck: NDArray[np.bool_]
) -> tuple[Array, Array]:
    """Where the nodes go without internal forces (n, 3), and their effective steps (n,) [s].

    Nodes `struck` (n,) by a collider are stepped by backward Euler: their velocity jumps, and BDF2 would carry the old
    one across the blow and throw the surface back by half of it.
    """
    w = step / previous_step
    now, before = (1.0 + w) ** 2 / (1.0 + 2.0 * w), w * w / (1.0 + 2.0 * w)
    effective = np.where(struck, step, step * (1.0 + w) / (1.0 + 2.0 * w))
    before_node = np.where(struck, 0.0, before)[:, None]
    now_node = np.where(struck, 1.0, now)[:, None]
    positions = now_node * state.positions - before_node * state.previous_positions
    velocities = now_node * state.velocities - before_node * state.previous_velocities
    return positions + effective[:, None] * (velocities + effective[:, None] * gravity), effective


def multistep_velocities(
    state: State, positions: Array, step: float, previous_step: float, struck: NDArray[np.bool_]
) -> Array:
    """Velocities (n, 3) at the end of the step that led to `positions`."""
    w = step / previous_step
    change = (1.0 + 2.0 * w) / (1.0 + w) * positions - (1.0 + w) * state.positions
    smooth = (change + w * w / (1.0 + w) * state.previous_positions) / step
    return np.where(struck[:, None], (positions - state.positions) / step, smooth)


def starting_history(state: State, gravity: Array, step: float) -> None:
    """Give BDF2 a past in free flight, which makes the first steps of a fall exact."""
    state.previous_positions = state.positions - step * state.velocities + 0.5 * step * step * gravity
    state.previous_velocities = state.velocities - step * gravity
