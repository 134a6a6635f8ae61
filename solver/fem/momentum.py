"""Bodies moved as rigid ones: on by their own momentum, and back by what an unconverged balance leaves over of it.

Internal forces sum to zero, so for a body, or bodies that touch only each other, the six sums of a step's gradient concern
inertia alone and one small solve makes them vanish: flight and spin are as exact as the time step, whatever Newton's tolerance.
A rigid motion changes no stretch, so stress and flow stay valid.

What a step balances is the torque at its end. Where velocities change much while nodes go some way, as in a blow or where two
bodies become one, the spin itself is off by the square of the step all the same; so what is nobody else's to change is kept.
"""

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..geometry.edges import connected
from ..scene import Body
from ..state import Ranges, State
from .node_sums import second_moments, size, take_rigid, torque, turn_about, weighted_mean

Array = NDArray[np.float64]

MEMORY = 16  # steps in which bodies that have touched count as touching: of a load handed on an eighth is left in each


def balance_momentum(
    positions: Array, outer: Callable[[Array], Array], inertia: Array, ranges: Ranges, touched: NDArray[np.bool_],
    together: NDArray[np.int64] | None = None,
) -> tuple[Array, float]:  # fmt: skip
    """Move each body none of whose nodes is touched (n,) so that its net force and torque vanish.

    Return positions (n, 3), the same array where nobody is moved, and how far [m] a node was at most: what is no mere remainder
    says that there was no balance.

    outer: what gives the gradient (n, 3) [N] at positions (n, 3) of what inertia and drag add to the step's energy, which is
    exact; the rest, summed in single precision, is internal. It is asked at most once. inertia (n,) [N/m]. Bodies with the same
    number in `together` (b,) touch each other and are moved as one.
    """
    most, gradient, moved = 0.0, None, positions
    for own in _free(ranges, touched, together):
        if gradient is None:
            gradient, moved = outer(positions), positions.copy()
        places, weights = positions[own].copy(), inertia[own]
        center, total = weighted_mean(weights, places)
        pull, force = torque(np.ones(len(places)), places, center, gradient[own])
        turn = _turn(weights, places, center, -pull)
        turn_about(places, center, np.eye(3) + _cross_matrix(turn), -force / total, places)
        most = max(most, size(places - positions[own])[1])
        moved[own] = places
    return moved, most


def keep_spin(
    state: State, positions: Array, velocities: Array, ranges: Ranges, touched: NDArray[np.bool_],
    together: NDArray[np.int64] | None = None,
) -> Array:  # fmt: skip
    """Return velocities (n, 3) at the end of a step, turned on so that bodies have the spin of its start.

    State is that of the start; bodies as in balance_momentum, and nothing but uniform gravity may act on those that are not
    touched. Spin is that about the centre of mass.
    """
    result = velocities.copy()
    for own in _free(ranges, touched, together):
        masses, places, moving = state.masses[own], positions[own], result[own]
        before, _ = weighted_mean(masses, state.positions[own])
        center, total = weighted_mean(masses, places)
        had, _ = torque(masses, state.positions[own], before, state.velocities[own])
        has, _ = torque(masses, places, center, moving)
        take_rigid(np.ones(len(places)), places, center, np.zeros(3), _turn(masses, places, center, has - had), moving)
        result[own] = moving
    return result


def slowed(positions: Array, velocities: Array, masses: Array, own: NDArray[np.bool_], energy: float) -> None:
    """Take so much energy [J] out of how some nodes (n,) move against each other, in place, or what there is of it.

    Their momentum and spin stay: it is taken from what their velocities (n, 3) are beside those of one rigid body.
    """
    places, weights, apart = positions[own], masses[own], velocities[own]
    center, total = weighted_mean(weights, places)
    spin, momentum = torque(weights, places, center, apart)
    take_rigid(np.ones(len(places)), places, center, momentum / total, _turn(weights, places, center, spin), apart)
    there = float(0.5 * (weights[:, None] * apart**2).sum())
    velocities[own] -= (1.0 - np.sqrt(max(1.0 - energy / max(there, 1e-300), 0.0))) * apart


def disturbed(bodies: tuple[Body, ...], hosts: NDArray[np.int64], ranges: Ranges) -> NDArray[np.bool_]:
    """Return for each node (n,) whether more than gravity and contact may change its body's spin: pins, fields, drag.

    bodies are all of the scene, of which hosts (b,) says what each is a part of by now.
    """
    alive = np.unique(hosts)
    own = [bodies[k] for k in alive]  # whose drag and fields act, while pins of all hold
    dragged = [body.material.values.get("mass_damping", 0.0) > 0.0 or "mass_damping" in body.keys for body in own]
    acted = np.logical_or(dragged, [any(body.field_weights.values()) for body in own])
    pinned = np.isin(alive, hosts[[bool(body.pins) for body in bodies]])
    return np.repeat(acted | pinned, np.diff(ranges.nodes))


def alone(bodies: int) -> NDArray[np.int64]:
    """The last steps (MEMORY, b) of so many bodies that have not touched; each row as in SurfaceContact.touching."""
    return np.tile(np.arange(bodies), (MEMORY, 1))


def gone_on(recent: NDArray[np.int64], together: NDArray[np.int64] | None) -> NDArray[np.int64]:
    """The last steps (MEMORY, b) with one more, in which bodies touch as `together` (b,) says; None: none does."""
    return np.concatenate([recent[1:], (np.arange(recent.shape[1]) if together is None else together)[None]])


def company(recent: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a number (b,) for each body, the same for bodies that hang together by any of some steps' (k, b).

    What pushes in one step goes on in the next ones, where a scheme hands loads on.
    """
    count = recent.shape[1]
    if count == 1:
        return np.zeros(1, dtype=np.int64)
    return connected(np.stack([np.tile(np.arange(count), len(recent)), recent.ravel()]), count)


def gone_over(recent: NDArray[np.int64], into: NDArray[np.int64]) -> NDArray[np.int64]:
    """The last steps (k, b') of bodies that those (b,) of the last steps (k, b) have become, by number."""
    count = int(into.max()) + 1
    return np.stack([connected(np.stack([into, into[row]]), count) for row in recent])


def _free(
    ranges: Ranges, touched: NDArray[np.bool_], together: NDArray[np.int64] | None
) -> Iterator[slice | NDArray[np.int64]]:
    """The nodes of each body, or of bodies with one number in `together` (b,), none of which is touched (n,)."""
    bodies = [slice(a, b) for a, b in pairwise(ranges.nodes.tolist())]
    names = np.arange(len(bodies)) if together is None else together
    for name in sorted(set(names.tolist())):
        parts = [body for body, other in zip(bodies, names, strict=True) if other == name]
        if not any(touched[part].any() for part in parts):
            yield parts[0] if len(parts) == 1 else np.concatenate([np.arange(part.start, part.stop) for part in parts])


def drift(gradient: Array, inertia: Array, ranges: Ranges, nodes: NDArray[np.int32]) -> float:
    """How far [m] the gradient (n, 3) [N], summed over a body, would move it by its inertia (n,) [N/m] alone.

    The largest component over those bodies that the nodes (k,) belong to, 0 for none. A correction says little of it: a
    stiff body has come to rest within itself long before friction has let it go on.
    """
    furthest = 0.0
    several = len(ranges.nodes) > 2
    for body in np.unique(np.searchsorted(ranges.nodes, nodes, side="right") - 1) if several else range(min(len(nodes), 1)):
        a, b = ranges.nodes[body : body + 2]
        force = np.einsum("ik->k", gradient[a:b])  # in a fifth of the time that numpy's sum takes along this axis
        furthest = max(furthest, float(np.abs(force).max() / inertia[a:b].sum()))
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
