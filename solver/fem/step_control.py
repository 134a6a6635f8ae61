"""When a step is refused, backed up and halved (Bargteil 2007, section 5)."""

import numpy as np
from numpy.typing import NDArray

from ..state import State
from .assembly import Pattern
from .commit import MOST_FLOW, largest_flow
from .newton import Outcome

MOST_STRETCH = 2.0  # an edge may change by this factor in one step
PATIENT_LEVEL = 4  # from this many halvings on, a step that is merely rough is taken as it is: it is stable


def refusal(outcome: Outcome, state: State, pattern: Pattern, tiles: NDArray[np.float64], level: int) -> str:
    """Why the step must be halved, or an empty string."""
    if not np.isfinite(outcome.positions).all():
        return "positions are not finite"
    if level >= PATIENT_LEVEL:
        return ""
    if not outcome.converged:
        return "no balance of forces was found"
    if largest_flow(state, tiles) > MOST_FLOW:
        return "too much flow"
    if stretch_of_edges(outcome.positions, state.positions, pattern) > MOST_STRETCH:
        return "edges changed too much"
    return ""


def stretch_of_edges(after: NDArray[np.float64], before: NDArray[np.float64], pattern: Pattern) -> float:
    """The largest factor by which an edge has grown or shrunk; edges that have all but vanished count as unchanged."""
    a, b = pattern.edges[:, 0], pattern.edges[:, 1]
    new = ((after[a] - after[b]) ** 2).sum(axis=1)
    old = ((before[a] - before[b]) ** 2).sum(axis=1)
    floor = 1e-2 * float(old.mean())
    ratio = (new + floor) / (old + floor)
    return float(np.sqrt(max(ratio.max(), 1.0 / ratio.min())))
