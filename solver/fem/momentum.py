"""Bodies moved as rigid ones: on by their own momentum, and back by what an unconverged balance leaves over of it.

Internal forces sum to zero, so for a body that touches nothing the six sums of a step's gradient concern inertia alone
and one small solve makes them vanish: flight and spin are as exact as the time step, whatever Newton's tolerance.
A rigid motion changes no stretch, so stress and flow stay valid.
"""

import numpy as np
from numpy.typing import NDArray

from ..state import Ranges, State

Array = NDArray[np.float64]


def balance_momentum(
    positions: Array, gradient: Array, inertia: Array, ranges: Ranges, touched: NDArray[np.bool_]
) -> None:
    """Move each body none of whose nodes is touched (n,) so that its net force and torque vanish; positions in place.

    gradient (n, 3) [N] and inertia (n,) [N/m] of the step's energy at positions (n, 3).
    """
    for a, b in zip(ranges.nodes[:-1], ranges.nodes[1:], strict=True):
        if touched[a:b].any():
            continue
        weights, force = inertia[a:b], gradient[a:b]
        # Sums, not matrix products: a BLAS adds in an order that depends on its threads.
        arms = positions[a:b] - (weights[:, None] * positions[a:b]).sum(axis=0) / weights.sum()
        products = np.einsum("n,ni,nj->ij", weights, arms, arms)
        turn = np.linalg.solve(np.trace(products) * np.eye(3) - products, -np.cross(arms, force).sum(axis=0))
        positions[a:b] += np.cross(turn, arms) - force.sum(axis=0) / weights.sum()


def moved_rigidly(state: State, ranges: Ranges, step: float) -> Array:
    """Positions (n, 3) after each body has moved on by its momentum and turned by its spin for a step [s], undeformed."""
    positions = np.empty_like(state.positions)
    for a, b in zip(ranges.nodes[:-1], ranges.nodes[1:], strict=True):
        masses, velocities = state.masses[a:b, None], state.velocities[a:b]
        center = (masses * state.positions[a:b]).sum(axis=0) / masses.sum()
        drift = (masses * velocities).sum(axis=0) / masses.sum()
        arms = state.positions[a:b] - center
        products = np.einsum("nk,ni,nj->ij", masses, arms, arms)
        spin = (masses * np.cross(arms, velocities)).sum(axis=0)
        turn = np.linalg.solve(np.trace(products) * np.eye(3) - products, spin) * step
        positions[a:b] = center + drift * step + np.einsum("ij,nj->ni", _rotation(turn), arms)
    return positions


def _rotation(turn: Array) -> Array:
    """Rotation matrix (3, 3) of a rotation vector (3,) (Rodrigues)."""
    angle = float(np.sqrt((turn**2).sum()))
    x, y, z = turn
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    matrix: Array = np.eye(3) + np.sinc(angle / np.pi) * cross + 0.5 * np.sinc(0.5 * angle / np.pi) ** 2 * cross @ cross
    return matrix
