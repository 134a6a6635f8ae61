"""When a step is refused, backed up and halved (Bargteil 2007, section 5)."""

import numpy as np
from numpy.typing import NDArray

from ..state import State
from .assembly import Pattern
from .commit import MOST_FLOW, largest_flow
from .newton import Outcome
from .tile import Tiles

MOST_STRETCH = 2.0  # an edge may change by this factor in one step
PATIENT_LEVEL = 4  # from this many halvings on, a step that is merely rough is calmed and taken


def refusal(outcome: Outcome, state: State, pattern: Pattern, tiles: Tiles, level: int) -> str:
    """Why the step must be halved, or an empty string."""
    if not np.isfinite(outcome.positions).all():
        return "positions are not finite"
    if level >= PATIENT_LEVEL:
        return ""
    if is_rough(outcome, state, pattern):
        return "no balance of forces was found"
    if largest_flow(state, tiles) > MOST_FLOW:
        return "too much flow"
    return ""


def is_rough(outcome: Outcome, state: State, pattern: Pattern) -> bool:
    """Whether the solve stopped short of its balance, or edges changed drastically."""
    return not outcome.converged or stretch_of_edges(outcome.positions, state.positions, pattern) > MOST_STRETCH


def calmed(positions: NDArray[np.float64], state: State, gravity: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """Positions (n, 3) of a rough step drawn back until no node is faster than the fastest was, plus the fall.

    An unbalanced step may put energy in; so bounded, a body that its mesh cannot follow stays bounded too.
    """
    fastest = float(np.sqrt((state.velocities**2).sum(axis=1).max()))
    most = (fastest + step * float(np.linalg.norm(gravity))) * step
    moved = positions - state.positions
    length = np.sqrt((moved**2).sum(axis=1, keepdims=True))
    return state.positions + moved * np.minimum(1.0, most / np.maximum(length, 1e-300))


def stretch_of_edges(after: NDArray[np.float64], before: NDArray[np.float64], pattern: Pattern) -> float:
    """The largest factor by which an edge has grown or shrunk; edges that have all but vanished count as unchanged."""
    a, b = pattern.edges[:, 0], pattern.edges[:, 1]
    new = ((after[a] - after[b]) ** 2).sum(axis=1)
    old = ((before[a] - before[b]) ** 2).sum(axis=1)
    floor = 1e-2 * float(old.mean())
    ratio = (new + floor) / (old + floor)
    return float(np.sqrt(max(ratio.max(), 1.0 / ratio.min())))
