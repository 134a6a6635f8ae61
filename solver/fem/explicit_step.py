"""One explicit step with implicit damping and contact (integrators/newmark.py): no Newton iterations.

Contact is settled node against node, each held by its own inertia (contact/settle.py): that is the paper's projection out of
the colliders, with the contact law and friction that the implicit steps have.
"""

import numpy as np
from numpy.typing import NDArray

from ..contact.contacts import Entries
from ..slots import FIBRE_STIFFNESS, FIBRE_TENSION, LAMBDA, MU, NODAL_BULK
from ..state import State
from .assembly import gather_gradient
from .newton import ImplicitStep, Outcome

Array = NDArray[np.float64]

SAFETY = 0.9  # of the longest step that is stable at rest
DAMPING_TOLERANCE = 1e-5  # relative, of a correction that is small itself; float32 reaches no further


def longest_stable_step(state: State) -> float:
    """The longest stable step [s]: 2/w, w the highest frequency of a single tet, which no vibration of the mesh exceeds.

    (Irons' bound for lumped masses; volume kept at the nodes has less stiffness.) w^2 is at most 4 (lam + 2 mu)/density
    times the sum of squared shape gradients; fibres add to the modulus.
    """
    inner = state.rest_shape_inverse
    gradients = np.einsum("mij,mij->m", inner, inner) + (inner.sum(axis=1) ** 2).sum(axis=1)
    material = state.material
    elastic = material[LAMBDA] + material[NODAL_BULK] + 2.0 * material[MU]
    modulus = elastic + material[FIBRE_STIFFNESS] + material[FIBRE_TENSION]
    return float(SAFETY / np.sqrt((modulus / state.density * gradients).max()))


def elastic_forces(problem: ImplicitStep, positions: Array) -> Array:
    """Elastic forces (n, 3) [N] at positions (n, 3) after the step's flow; leaves the tiles evaluated there."""
    space, free = problem.space, np.zeros(len(positions))
    problem.evaluate(positions)
    gather_gradient(
        space.pattern.corner_offsets, space.pattern.corners, space.forces, positions, positions, free, space.gradient,
        space.inertial,
    )  # fmt: skip
    if space.volume is not None:
        space.volume.add_gradient(positions, space.gradient)
    return -space.gradient


def explicit_step(
    problem: ImplicitStep, gravity: Array, struck: NDArray[np.bool_]
) -> tuple[Outcome, Array, Array]:
    """Step the problem's state; return the outcome, velocities (n, 3) [m/s] and elastic forces (n, 3) [N] at its end."""
    state, past, step = problem.state, problem.past, problem.step
    spent = 0
    if problem.damping.active:
        problem.freeze_damping(state.positions)
        drag = problem.damping.gradient(state.velocities)
    half = np.where(struck, step, 0.5 * step)
    mean = past.velocities(past.targets)
    if problem.damping.active:
        correction, spent = _damped(problem, mean, half)
        mean = mean + correction
    positions = state.positions + step * mean
    entries = problem.contacts.linearize(positions)
    entries.settle_guess(positions, np.zeros_like(positions), state.masses / (half * step))
    forces = elastic_forces(problem, positions)
    velocities = state.velocities + 0.5 * step * ((state.elastic_forces + forces) / state.masses[:, None] + 2.0 * gravity)
    if problem.damping.active:
        velocities -= 0.5 * step * drag / state.masses[:, None]
        problem.freeze_damping(positions)
        correction, more = _damped(problem, velocities, np.full(len(half), 0.5 * step))
        velocities += correction
        spent += more
    blocked = struck | entries.pressed_nodes(positions, len(positions))
    velocities[blocked] = (positions[blocked] - state.positions[blocked]) / step
    return _outcome(positions, forces, spent, entries), velocities, forces


def _outcome(positions: Array, forces: Array, spent: int, entries: Entries) -> Outcome:
    """An explicit step always ends; whether it is any good is seen by its edges and accelerations."""
    return Outcome(positions, -forces, bool(np.isfinite(positions).all()), 1, spent, entries)


def _damped(problem: ImplicitStep, velocities: Array, reach: Array) -> tuple[Array, int]:
    """What damping over `reach` (n,) [s] changes velocities (n, 3) by, and the iterations of the linear solve.

    Solves (M/reach + C) correction = -C velocities: a rigid motion, which C does not see, keeps all its digits.
    """
    space, damping = problem.space, problem.damping
    space.blocks[:] = 0.0
    space.diagonal[:] = 0.0
    space.diagonal[:, 0] = space.diagonal[:, 4] = space.diagonal[:, 8] = problem.state.masses / reach
    damping.add_stiffness(np.ones_like(reach), space.blocks, space.diagonal)
    space.linear.assemble(space.blocks, space.diagonal)
    spent = space.linear.solve(-damping.gradient(velocities), DAMPING_TOLERANCE)
    return space.linear.direction.copy(), abs(spent)
