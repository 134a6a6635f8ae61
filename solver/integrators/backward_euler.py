"""Backward Euler: v_new = v + step a_new, x_new = x + step v_new. First order; it takes the life out of what swings.

A mode of angular frequency w keeps 1/(1 + (w step)^2)^(1/2) of its amplitude in a step.
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
    """The past of a step is its start alone."""
    targets = state.positions + step * (state.velocities + step * gravity)
    return Extrapolation.none(state.positions, targets, step)


INTEGRATOR = Integrator(
    identifier="backward_euler",
    label="Backward Euler",
    description="Calms everything down: whatever swings dies within a few swings, the sooner the longer the steps",
    source="Baraff and Witkin 1998; first order",
    extrapolate=extrapolate,
    rank=2,
)
