"""Bodies moved as rigid ones: on by their own momentum, and back by what an unconverged balance leaves over of it.

Internal forces sum to zero, so for a body, or bodies that touch only each other, the six sums of a step's gradient concern
inertia alone and one small solve makes them vanish: flight and spin are as exact as the time step, whatever Newton's tolerance.
A rigid motion changes no stretch, so stress and flow stay valid.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..state import Ranges, State
from .node_sums import second_moments, torque, turn_about, weighted_mean

Array = NDArray[np.float64]


def balance_momentum(
    positions: Array, gradient: Array, inertia: Array, ranges: Ranges, touched: NDArray[np.bool_],
    together: NDArray[np.int64] | None = None,
) -> None:  # fmt: skip
    """Move each body none of whose nodes is touched (n,) so that its net force and torque vanish; positions in place.

    gradient (n, 3) [N] and inertia (n,) [N/m] of the step's energy at positions (n, 3). Bodies with the same number in
    `together` (b,) touch each other and are moved as one.
    """
    bodies = [np.arange(a, b) for a, b in pairwise(ranges.nodes.tolist())]
    names = np.arange(len(bodies)) if together is None else together
    for name in np.unique(names):
        own = np.concatenate([body for body, other in zip(bodies, names, strict=True) if other == name])
        if touched[own].any():
            continue
        places, weights = positions[own], inertia[own]
        center, total = weighted_mean(weights, places)
        pull, force = torque(np.ones(len(own)), places, center, gradient[own])
        turn = _turn(weights, places, center, -pull)
        turn_about(places, center, np.eye(3) + _cross_matrix(turn), -force / total, places)
        positions[own] = places


def drift(
    gradient: Array, inertia: Array, ranges: Ranges, nodes: NDArray[np.int32], together: NDArray[np.int64] | None = None
) -> float:
    """How far [m] the gradient (n, 3) [N], summed over a body, would move it by its inertia (n,) [N/m] alone.

    The largest component over those bodies that the nodes (k,) belong to, 0 for none; bodies with the same number in
    `together` (b,) hand their forces on to each other and are taken as one. A correction says little of it: a stiff body has
    come to rest within itself long before friction has let it go on.
    """
    forces = np.array([gradient[a:b].sum(axis=0) for a, b in pairwise(ranges.nodes.tolist())])
    weights = np.array([inertia[a:b].sum() for a, b in pairwise(ranges.nodes.tolist())])
    names = np.arange(len(forces)) if together is None else together
    furthest = 0.0
    for name in np.unique(names[np.searchsorted(ranges.nodes, nodes, side="right") - 1]):
        own = names == name
        furthest = max(furthest, float(np.abs(forces[own].sum(axis=0)).max() / weights[own].sum()))
    return furthest


def moved_rigidly(state: State, ranges: Ranges, step: float) -> Array:
    """Positions (n, 3) after each body has moved on by its momentum and turned by its spin for a step [s], undeformed."""
    positions = np.empty_like(state.positions)
    for a, b in pairwise(ranges.nodes.tolist()):
        start, masses = state.positions[a:b], state.masses[a:b]
        center, total = weighted_mean(masses, start)
        spin, momentum = torque(masses, start, center, state.velocities[a:b])
        turn = _turn(masses, start, center, spin) * step
        turn_about(start, center, _rotation(turn), momentum * (step / total), positions[a:b])
    return positions


def _turn(weights: Array, positions: Array, center: Array, moment: Array) -> Array:
    """The rotation vector (3,) whose velocity field about `center` has this moment (3,), under weights (n,)."""
    products = second_moments(weights, positions, center)
    turn: Array = np.linalg.solve(np.trace(products) * np.eye(3) - products, moment)
    return turn


def _rotation(turn: Array) -> Array:
    """Rotation matrix (3, 3) of a rotation vector (3,) (Rodrigues)."""
    angle = float(np.sqrt((turn**2).sum()))
    cross = _cross_matrix(turn)
    matrix: Array = np.eye(3) + np.sinc(angle / np.pi) * cross + 0.5 * np.sinc(0.5 * angle / np.pi) ** 2 * cross @ cross
    return matrix


def _cross_matrix(vector: Array) -> Array:
    """The matrix (3, 3) that takes r to vector x r."""
    x, y, z = vector
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
