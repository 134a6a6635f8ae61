"""What a time integrator declares about itself, and what it says about a step's end."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # what a scene may name must not need the state that is built from it
    from ..state import State

Array = NDArray[np.float64]


@dataclass
class Extrapolation:
    """What the past says about a step's end: velocity there is (x - base)/effective.

    base (n, 3) [m]; targets (n, 3), where nodes go under the forces that are known before the step [m]; effective (n,) [s];
    inertial (n,) [s], over which a node's other forces move it: mass (x - target)/inertial^2 balances them;
    struck (n,) bool: nodes that take the step as if they had no past; onward (n, 3) or 0 [m/s^2]: with what acceleration
    these go on after it
    """

    base: Array
    targets: Array
    effective: Array
    inertial: Array
    struck: NDArray[np.bool_]
    onward: Array | float = 0.0

    @classmethod
    def none(cls, start: Array, targets: Array, step: float) -> "Extrapolation":
        """A step from start (n, 3) that knows of nothing before it."""
        reach = np.full(len(start), step)
        return cls(start, targets, reach, reach, np.ones(len(start), dtype=bool))

    def velocities(self, positions: Array) -> Array:
        """Velocities (n, 3) of a step that ends at `positions`."""
        from ..fem.node_sums import velocities  # what only names an integrator needs no compiler

        speeds: Array = velocities(positions, self.base, self.effective)
        return speeds


def start_in_free_flight(state: "State", gravity: Array, step: float) -> None:
    """Give every scheme the past of a flight under gravity (3,) or (n, 3), which makes the first steps of a fall exact."""
    state.previous_positions = state.positions - step * state.velocities + 0.5 * step * step * gravity
    state.previous_velocities = state.velocities - step * gravity
    state.accelerations = np.broadcast_to(gravity, state.positions.shape).copy()
    state.loads = state.accelerations.copy()


@dataclass(frozen=True)
class Integrator:
    """A way to step through time.

    extrapolate : (state, gravity (3,) or one a node (n, 3) [m/s^2], step [s], previous step [s], struck (n,) bool) ->
                  Extrapolation. Nodes that a collider has struck must not carry their old velocity across the blow
    explicit    : elastic forces are those of the step's start, and steps are bounded by the speed of sound
                  (fem/explicit_step.py); otherwise they are those of its end, balanced by Newton's method (fem/newton.py)
    rank        : its place in the artist's list
    remember    : (state at the step's start, Extrapolation, velocities (n, 3) at its end, step), where the scheme carries
                  more than positions and velocities over to the next step
    calms       : its error is of the kind that fem/step_control.surprise tells, so steps may grow where that is small
    """

    identifier: str
    label: str
    description: str
    source: str
    extrapolate: Callable[["State", Array, float, float, NDArray[np.bool_]], Extrapolation]
    rank: int
    remember: Callable[["State", Extrapolation, Array, float], None] | None = None
    explicit: bool = False
    calms: bool = False
