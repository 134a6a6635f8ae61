"""When a step is refused, backed up and halved (Bargteil 2007, section 5)."""

from itertools import pairwise

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..jit import kernel, parallel
from ..state import Ranges, State
from .assembly import Pattern
from .commit import MOST_FLOW, largest_flow
from .newton import Outcome
from .tile import Tiles

Array = NDArray[np.float64]

MOST_STRETCH = 2.0  # edges may change by this factor in one step,
EXCEPTIONS = 5e-4  # but for this share of them: a few in a crumple are no reason to solve all again,
WORST_STRETCH = 4.0  # unless they change by more than this
CRUMPLED = 0.3  # share of the mean edge: what is shorter is a crumple, whose opening is nothing drastic
MOST_JUMP = 2.0  # element sizes by which sudden acceleration may throw nodes off their way in one step
PATIENT_LEVEL = 4  # from this many halvings on, a step that is merely rough is calmed and taken


def refusal(outcome: Outcome, state: State, pattern: Pattern, tiles: Tiles, level: int, jump: float) -> str:
    """Why the step must be halved, or an empty string; `jump` is that of `largest_jump`."""
    if not np.isfinite(outcome.positions).all():
        return "positions are not finite"
    if level >= PATIENT_LEVEL:
        return ""
    if not outcome.converged:
        return "no balance of forces was found"
    if is_drastic(outcome.positions, state.positions, pattern):
        return "edges changed their length drastically"
    if jump > MOST_JUMP:
        return "nodes were suddenly accelerated"
    if largest_flow(state, tiles) > MOST_FLOW:
        return "too much flow"
    return ""


def largest_jump(
    velocities: Array, state: State, ranges: Ranges, blocked: NDArray[np.bool_], step: float, element_size: float
) -> float:
    """How far sudden acceleration has thrown nodes off their way in a step, in element sizes; but for EXCEPTIONS of them.

    From velocities (n, 3) at its end; the change that a body makes as a whole is left out, and nodes that are blocked (n,)
    by a collider: a blow may stop them at once.
    """
    change = velocities - state.velocities
    for a, b in pairwise(ranges.nodes.tolist()):
        masses = state.masses[a:b, None]
        change[a:b] -= (masses * change[a:b]).sum(axis=0) / masses.sum()
    jumps = np.where(blocked, 0.0, np.sqrt((change**2).sum(axis=1)) * (step / element_size))
    rank = len(jumps) - 1 - int(EXCEPTIONS * len(jumps))
    return float(np.partition(jumps, rank)[rank])


def is_rough(outcome: Outcome, state: State, pattern: Pattern) -> bool:
    """Whether the solve stopped short of its balance, or edges changed drastically."""
    return not outcome.converged or is_drastic(outcome.positions, state.positions, pattern)


def calmed(positions: Array, state: State, gravity: Array, step: float) -> Array:
    """Positions (n, 3) of a rough step drawn back until no node is faster than the fastest was, plus the fall.

    An unbalanced step may put energy in; so bounded, a body that its mesh cannot follow stays bounded too.
    """
    fastest = float(np.sqrt((state.velocities**2).sum(axis=1).max()))
    most = (fastest + step * float(np.linalg.norm(gravity))) * step
    moved = positions - state.positions
    length = np.sqrt((moved**2).sum(axis=1, keepdims=True))
    return state.positions + moved * np.minimum(1.0, most / np.maximum(length, 1e-300))


def is_drastic(after: Array, before: Array, pattern: Pattern) -> bool:
    """Whether edges have grown or shrunk too much from one (n, 3) to the other, each taken to be at least CRUMPLED long."""
    old, new = np.empty(len(pattern.edges)), np.empty(len(pattern.edges))
    _squared_lengths(before, after, pattern.edges, old, new)
    worst, many = _changes(old, new, CRUMPLED**2 * float(old.mean()), MOST_STRETCH**2)
    return bool(worst > WORST_STRETCH**2 or many > EXCEPTIONS * len(old))


@parallel
def _squared_lengths(before, after, edges, old, new):  # type: ignore[no-untyped-def]
    for e in prange(len(edges)):
        a, b = edges[e, 0], edges[e, 1]
        old[e] = (before[a, 0] - before[b, 0]) ** 2 + (before[a, 1] - before[b, 1]) ** 2 + (before[a, 2] - before[b, 2]) ** 2
        new[e] = (after[a, 0] - after[b, 0]) ** 2 + (after[a, 1] - after[b, 1]) ** 2 + (after[a, 2] - after[b, 2]) ** 2


@kernel
def _changes(old, new, floor, most):  # type: ignore[no-untyped-def]
    """The largest ratio, or its inverse, of squared lengths that `floor` is added to; how many exceed `most`."""
    worst, many = 1.0, 0
    for e in range(len(old)):
        ratio = (new[e] + floor) / (old[e] + floor)
        ratio = max(ratio, 1.0 / ratio)
        worst = max(worst, ratio)
        many += ratio > most
    return worst, many
