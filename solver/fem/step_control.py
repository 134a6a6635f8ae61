"""When a step is refused, backed up and halved (Bargteil 2007, section 5)."""

from itertools import pairwise

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..jit import CHUNKS, inline, kernel, parallel
from ..state import Ranges, State
from .assembly import Pattern
from .clock import LAST_LEVEL, PATIENT_LEVEL
from .commit import MOST_FLOW, largest_flow
from .newton import Outcome
from .node_sums import size, weighted_mean
from .tile import Tiles

Array = NDArray[np.float64]

MOST_STRETCH = 2.0  # edges may change by this factor in one step,
EXCEPTIONS = 5e-4  # but for this share of them: a few in a crumple are no reason to solve all again,
WORST_STRETCH = 4.0  # unless they change by more than this
CRUMPLED = 0.3  # share of the mean edge: what is shorter is a crumple, whose opening is nothing drastic
MOST_JUMP = 2.0  # element sizes by which sudden acceleration may throw nodes off their way in one step,
MOST_OF_BODY = 0.2  # or this share of their body's extent where that is more
CALM = 1e-4  # element sizes by which nodes may miss where they would go if they kept their acceleration, for steps to grow,
RESTLESS = 3e-3  # from which on long steps shrink again (doubling a step makes it some ten times as much),
STARTLED = 1.5e-2  # and from which on a long step is refused


def refusal(outcome: Outcome, state: State, tiles: Tiles, level: int, drastic: bool, thrown: bool, startled: bool) -> str:
    """Why the step must be halved, or an empty string.

    `drastic` and `thrown` are those of the functions below; `startled` says that a long step has met what is no calm.
    """
    if level >= LAST_LEVEL:
        return ""
    if not outcome.converged:
        return "no balance of forces was found"
    if outcome.sunk:
        return "an edge of a collider sank in"
    if level >= PATIENT_LEVEL:
        return ""
    if drastic:
        return "edges changed their length drastically"
    if thrown:
        return "nodes were suddenly accelerated"
    if startled:
        return "the calm is over"
    if largest_flow(state, tiles) > MOST_FLOW:
        return "too much flow"
    return ""


def is_thrown(
    velocities: Array, state: State, ranges: Ranges, blocked: NDArray[np.bool_], step: float, farthest: Array
) -> bool:
    """Whether sudden acceleration has thrown nodes, but for EXCEPTIONS, off their way by more than `farthest` in a step.

    From velocities (n, 3) at its end and farthest (bodies,) [m], as `farthest_jumps` has it; the change that a body makes
    as a whole is left out, and nodes that are blocked (n,) by a collider: a blow may stop them at once.
    """
    many = 0
    for (a, b), most in zip(pairwise(ranges.nodes.tolist()), (farthest / step) ** 2, strict=True):
        many += _jumped(velocities[a:b], state.velocities[a:b], state.masses[a:b], blocked[a:b], most)
    return many > EXCEPTIONS * len(velocities)


def farthest_jumps(extents: list[float], element_size: float) -> Array:
    """How far (bodies,) [m] a step may throw nodes of bodies that measure `extents` [m]."""
    return np.maximum(MOST_JUMP * element_size, MOST_OF_BODY * np.array(extents))


@kernel
def _jumped(after, before, masses, blocked, most):  # type: ignore[no-untyped-def]
    """How many nodes changed their velocity, beside their body's, by more than the square root of `most`."""
    late, early = weighted_mean(masses, after)[0], weighted_mean(masses, before)[0]
    many = 0
    for i in range(len(masses)):
        x = after[i, 0] - before[i, 0] - (late[0] - early[0])
        y = after[i, 1] - before[i, 1] - (late[1] - early[1])
        z = after[i, 2] - before[i, 2] - (late[2] - early[2])
        many += not blocked[i] and not x * x + y * y + z * z <= most
    return many


def surprise(positions: Array, guess: Array, element_size: float) -> float:
    """How far, in element sizes, a node has come out at positions (n, 3) from the guess (n, 3) that its acceleration stays.

    BDF2's own error in the step is a share of that, and both grow with the third power of the step.
    """
    return float(size(positions - guess)[1] / element_size)


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
    count = len(pattern.edges)
    worst, many = _changes(before, after, pattern.edges, CRUMPLED**2 / count, MOST_STRETCH**2, np.empty(count))
    return bool(worst > WORST_STRETCH**2 or many > EXCEPTIONS * count)


@inline
def _squared_length(x, edge):  # type: ignore[no-untyped-def]
    a, b = np.uint64(edge[0]), np.uint64(edge[1])
    return (x[a, 0] - x[b, 0]) ** 2 + (x[a, 1] - x[b, 1]) ** 2 + (x[a, 2] - x[b, 2]) ** 2


@parallel
def _changes(before, after, edges, floor, most, old):  # type: ignore[no-untyped-def]
    """The largest ratio, or its inverse, of the edges' (e, 2) squared lengths after and before, to both of which `floor` times
    the sum of those before is added, and how many exceed `most`; old (e,) is room."""
    sums, worst, many = np.empty(CHUNKS), np.empty(CHUNKS), np.empty(CHUNKS)
    for chunk in prange(CHUNKS):
        total = 0.0
        for e in range(len(edges) * chunk // CHUNKS, len(edges) * (chunk + 1) // CHUNKS):
            old[e] = _squared_length(before, edges[e])
            total += old[e]
        sums[chunk] = total
    least, largest, count = 0.0, 1.0, 0.0
    for chunk in range(CHUNKS):
        least += floor * sums[chunk]
    for chunk in prange(CHUNKS):
        most_here, many_here = 1.0, 0.0
        for e in range(len(edges) * chunk // CHUNKS, len(edges) * (chunk + 1) // CHUNKS):
            ratio = (_squared_length(after, edges[e]) + least) / (old[e] + least)
            ratio = max(ratio, 1.0 / ratio)
            most_here = max(most_here, ratio)
            many_here += ratio > most
        worst[chunk], many[chunk] = most_here, many_here
    for chunk in range(CHUNKS):
        largest, count = max(largest, worst[chunk]), count + many[chunk]
    return largest, count
