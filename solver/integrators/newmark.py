"""Newmark's scheme as in Irving 2004, section 9: elastic forces explicit, damping implicit, contact between.

    u     = v + step/2 a(x, u)                          the mean velocity of the step; a = (elastic + damping)/mass + gravity
    x_new = x + step u, pushed out of the colliders
    v_new = v + step/2 (a(x, v) + a(x_new, v_new))      the trapezoidal rule; what would lead into a collider is stopped

Positions change once a step, so there is one decomposition of F in it, and flow is computed there; damping, whose matrix is
that of a step's start and end, takes two more. The paper stops the velocities before the last line and holds their normal
part through it; here they are stopped after it, with the friction of the force that this takes.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .contract import Extrapolation, Integrator

if TYPE_CHECKING:
    from ..state import State

Array = NDArray[np.float64]


def extrapolate(
    state: "State", gravity: Array, step: float, previous_step: float, struck: NDArray[np.bool_]
) -> Extrapolation:
    """Where the forces of the step's start lead in it, damping left out; velocities are the step's mean ones."""
    acceleration = state.elastic_forces / state.masses[:, None] + gravity
    targets = state.positions + step * state.velocities + 0.5 * step**2 * acceleration
    return Extrapolation.none(state.positions, targets, step)


INTEGRATOR = Integrator(
    identifier="newmark",
    label="Newmark (Explicit)",
    description="Loses no life at all, in many short steps: for soft goo; the stiffer and finer it is, the longer the bake",
    source="Irving 2004, section 9, after Bridson et al. 2003; second order",
    extrapolate=extrapolate,
    rank=3,
    explicit=True,
)
