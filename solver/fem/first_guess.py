"""Where an implicit step begins to look for its end."""

import numpy as np
from numpy.typing import NDArray

from ..state import State

MOST_ACCELERATION = 15.0  # that the guess carries on [m/s^2]


def first_guess(state: State, step: float, previous_step: float) -> NDArray[np.float64]:
    """Return where nodes (n, 3) go in a step [s] if they keep speeding up as they do, but not as they did in a blow."""
    acceleration = (state.velocities - state.previous_velocities) / previous_step
    size = np.sqrt(np.einsum("ni,ni->n", acceleration, acceleration))[:, None]
    acceleration *= np.minimum(1.0, MOST_ACCELERATION / np.maximum(size, 1e-300))
    guess: NDArray[np.float64] = state.positions + step * state.velocities + 0.5 * step**2 * acceleration
    return guess
