"""Where an implicit step begins to look for its end."""

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel
from ..state import State

MOST_ACCELERATION = 15.0  # that the guess carries on [m/s^2]


def first_guess(state: State, step: float, previous_step: float) -> NDArray[np.float64]:
    """Return where nodes (n, 3) go in a step [s] if they keep speeding up as they do, but not as they did in a blow."""
    guess = np.empty_like(state.positions)
    _guess(state.positions, state.velocities, state.previous_velocities, step, 1.0 / previous_step, MOST_ACCELERATION, guess)
    return guess


@kernel
def _guess(positions, velocities, before, step, rate, most, guess):  # type: ignore[no-untyped-def]
    for i in range(len(positions)):
        square = 0.0
        for k in range(3):
            square += ((velocities[i, k] - before[i, k]) * rate) ** 2
        share = 0.5 * step * step * rate * min(1.0, most / max(np.sqrt(square), 1e-300))
        for k in range(3):
            guess[i, k] = positions[i, k] + step * velocities[i, k] + share * (velocities[i, k] - before[i, k])
