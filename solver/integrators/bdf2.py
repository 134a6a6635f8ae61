"""Variable-step BDF2 (Hairer, Norsett, Wanner, III.5), with w = step / previous step:

    y'(t) = [ (1 + 2w)/(1 + w) y_new - (1 + w) y + w^2/(1 + w) y_previous ] / step.

Applied to x' = v and M v' = f it is a backward Euler step of length `effective` = step (1 + w)/(1 + 2w) from an
extrapolated state, so one energy is minimised as in backward Euler, without its loss of life.
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
    """The past of a step.

    Nodes `struck` (n,) by a collider are stepped by backward Euler: their velocity jumps, and BDF2 would carry the old
    one across the blow and throw the surface back by half of it.
    """
    w = step / previous_step
    now, before, reach = (1.0 + w) ** 2 / (1.0 + 2.0 * w), w * w / (1.0 + 2.0 * w), step * (1.0 + w) / (1.0 + 2.0 * w)
    base = now * state.positions - before * state.previous_positions
    targets = base + reach * (now * state.velocities - before * state.previous_velocities + reach * gravity)
    effective = np.full(len(base), reach)
    hit = np.flatnonzero(struck)
    base[hit], effective[hit] = state.positions[hit], step
    targets[hit] = state.positions[hit] + step * (state.velocities[hit] + step * np.broadcast_to(gravity, base.shape)[hit])
    return Extrapolation(base, targets, effective, effective, struck)


INTEGRATOR = Integrator(
    identifier="bdf2",
    label="BDF2",
    description="Calms what swings sooner than Generalized Alpha does: keeps as much life in steps half as long",
    source="Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, III.5; second order",
    extrapolate=extrapolate,
    rank=1,
    calms=True,
)
