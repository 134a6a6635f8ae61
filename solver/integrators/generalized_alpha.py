"""The generalized-alpha scheme (Chung and Hulbert 1993), with the forces of a step's two ends weighted, not its shape:

    (1 - m) a_new + m a = (1 - f) F_new + f F              F: force per mass, all of them together
    x_new = x + step v + step^2 ((1/2 - beta) a + beta a_new)
    v_new = v + step ((1 - gamma) a + gamma a_new).

Its four numbers follow from the share of an endlessly fast swing that is left after a step, `KEPT`. Slow swings lag half
as much behind as in BDF2, and lose about a fifth as much. The acceleration a is the scheme's own; it is not F.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .contract import Extrapolation, Integrator

if TYPE_CHECKING:
    from ..state import State

Array = NDArray[np.float64]

KEPT = 0.4
M = (2.0 * KEPT - 1.0) / (KEPT + 1.0)
F = KEPT / (KEPT + 1.0)
GAMMA = 0.5 - M + F
BETA = 0.25 * (1.0 - M + F) ** 2


def extrapolate(
    state: "State", gravity: Array, step: float, previous_step: float, struck: NDArray[np.bool_]
) -> Extrapolation:
    """The past of a step.

    Nodes `struck` (n,) by a collider are stepped by backward Euler: an acceleration that stopped them must not go on.
    """
    from ..fem.node_sums import led_on  # one pass over the nodes; what only names an integrator needs no compiler

    count, share = len(state.positions), BETA * step**2 / (1.0 - M)
    reach, time = BETA * step / GAMMA, step * np.sqrt(BETA * (1.0 - F) / (1.0 - M))
    base, targets = led_on(
        state.positions, state.velocities, state.accelerations, state.loads, np.array(share * (1.0 - F) * gravity, ndmin=2),
        (1.0, step, (0.5 - BETA) * step**2), (1.0, -reach, -reach * (1.0 - GAMMA) * step), (1.0, share * F, -share * M),
    )  # fmt: skip
    effective, inertial = np.full(count, reach), np.full(count, time)
    hit = np.flatnonzero(struck)
    base[hit], effective[hit], inertial[hit] = state.positions[hit], step, step
    targets[hit] = state.positions[hit] + step * (state.velocities[hit] + step * np.broadcast_to(gravity, base.shape)[hit])
    return Extrapolation(base, targets, effective, inertial, struck)


def remember(state: "State", past: Extrapolation, velocities: Array, step: float) -> None:
    """Take accelerations and loads on to the step's end, where velocities are (n, 3); what was struck forgets its own."""
    from ..fem.node_sums import combined

    rate, rest = 1.0 / (GAMMA * step), 1.0 / (1.0 - F)
    new = combined(rate, velocities, -rate, state.velocities, -(1.0 - GAMMA) / GAMMA, state.accelerations)
    loads = combined((1.0 - M) * rest, new, M * rest, state.accelerations, -F * rest, state.loads)
    hit = np.flatnonzero(past.struck)
    onward = past.onward if isinstance(past.onward, float) else past.onward[hit]
    new[hit] = loads[hit] = onward
    state.accelerations, state.loads = new, loads


INTEGRATOR = Integrator(
    identifier="generalized_alpha",
    label="Generalized Alpha",
    description="Keeps more life than BDF2 in steps twice as long; what is struck hard may shiver a little longer",
    source="Chung and Hulbert 1993; second order",
    extrapolate=extrapolate,
    remember=remember,
    rank=0,
    calms=True,
)
