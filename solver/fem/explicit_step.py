"""One explicit step with implicit damping and contact (integrators/newmark.py): no Newton iterations.

Contact is settled node against node, each held by its own inertia (contact/settle.py): that is the paper's projection out of
the colliders (claim I18), with the contact law and friction that the implicit steps have. So is its constraint on normal
velocities in the last part of a step: `_stopped`.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..contact.entries import Entries
from ..slots import FIBRE_STIFFNESS, FIBRE_TENSION, LAMBDA, MU, NODAL_BULK, SURFACE_TENSION
from ..state import State
from .newton import ImplicitStep, Outcome

Array = NDArray[np.float64]

SAFETY = 0.9  # of the longest step that is stable at rest
DAMPING_TOLERANCE = 1e-5  # relative, of a correction that is small itself; float32 reaches no further


def longest_stable_step(state: State, spring: float = 0.0) -> float:
    """The longest stable step [s]: 2/w, w the highest frequency of a single tet, which no vibration of the mesh exceeds.

    (Irons' bound for lumped masses; volume kept at the nodes has less stiffness.) w^2 is at most 4 (lam + 2 mu)/density
    times the sum of squared shape gradients; fibres add to the modulus, and springs from outside of so many 1/s^2 to w^2.
    """
    inner = state.rest_shape_inverse
    gradients = np.einsum("mij,mij->m", inner, inner) + (inner.sum(axis=1) ** 2).sum(axis=1)
    material = state.material
    elastic = material[LAMBDA] + material[NODAL_BULK] + 2.0 * material[MU]
    modulus = elastic + material[FIBRE_STIFFNESS] + material[FIBRE_TENSION] + material[SURFACE_TENSION] * np.sqrt(gradients)
    return float(SAFETY / np.sqrt((modulus / state.density * gradients).max() + 0.25 * spring))


def elastic_forces(problem: ImplicitStep, positions: Array) -> Array:
    """Elastic forces (n, 3) [N] at positions (n, 3) after the step's flow, and the restraint's; leaves the tiles evaluated."""
    pull = -problem.evaluate(positions)
    if problem.space.volume is not None:
        problem.space.volume.add_gradient(positions, pull)
    if problem.space.tension is not None:
        problem.space.tension.add_gradient(positions, pull)
    forces: Array = problem.restraint.forces(positions) - pull
    return forces


def explicit_step(problem: ImplicitStep, gravity: Array, pressing: Array) -> tuple[Outcome, Array, Array]:
    """Step the problem's state; return the outcome, velocities (n, 3) [m/s] and elastic forces (n, 3) [N] at its end.

    pressing (n, 3): the force on the contacts in the last step [N]; the outcome's gradient is minus that of this one.
    Damping must know what holds the nodes in contact, or it would drag their neighbours along into the collider.
    """
    state, past, step, spent = problem.state, problem.past, problem.step, 0
    held, places = problem.held, problem.restraint.places
    hold: Array = state.masses[:, None] * (2.0 / (step * step))
    mean = past.velocities(past.targets) - pressing / (hold * step)
    mean[held] = (places - state.positions[held]) / step
    if problem.damping.active:
        problem.freeze_damping(state.positions)
        drag = problem.damping.gradient(state.velocities)
        mean, spent = _damped(problem, mean)
    entries = problem.contacts.linearize(state.positions + step * mean)
    free = state.positions + step * mean + pressing / hold
    free[held] = places
    positions = free.copy()
    entries.settle_guess(positions, np.zeros_like(free), hold[:, 0])
    positions[held] = places
    push = hold * (positions - free)
    forces = elastic_forces(problem, positions)
    both = 0.5 * (state.elastic_forces + forces) + push
    velocities = state.velocities + step * (both / state.masses[:, None] + gravity)
    if problem.damping.active:
        problem.freeze_damping(positions)
        velocities -= 0.5 * step * drag / state.masses[:, None]
        velocities[held] = mean[held]
        velocities, more = _damped(problem, velocities)
        spent += more
    velocities = _stopped(problem, positions, velocities - step * push / state.masses[:, None], entries)
    velocities[held] = mean[held]
    outcome = Outcome(positions, push, bool(np.isfinite(positions).all()), 1, spent, entries)
    return outcome, velocities, forces


def _stopped(problem: ImplicitStep, positions: Array, velocities: Array, entries: Entries) -> Array:
    """What contact and friction leave of velocities (n, 3): where they would carry the nodes is pushed out as well.

    Into the collider they are stopped, which takes a blow's speed; away from it they are free. At rest this push is the same
    force as that on the positions, a node's weight.
    """
    step, masses = problem.step, problem.state.masses
    before, now = (entries.carriers.places(nodes) for nodes in (problem.state.positions, positions))
    carried = entries.anchor - before  # how far the collider has moved in the step, and will in the next
    ahead = replace(entries, level=entries.level + (entries.normal * carried).sum(axis=1), anchor=now + carried)
    free = positions + step * velocities
    places = free.copy()
    ahead.settle_guess(places, np.zeros_like(places), masses / (step * step))
    stopped: Array = velocities + (places - free) / step
    return stopped


def _fill_with_others(values: NDArray[np.float32], more: NDArray[np.float32], rate: float) -> None:
    """A matrix of nothing but what is added to it (linear_solve.Filling)."""
    values[:] = np.float32(rate) * more if rate != 0.0 else 0.0


def _damped(problem: ImplicitStep, velocities: Array) -> tuple[Array, int]:
    """What implicit damping over half the step leaves of velocities (n, 3), and the iterations of the linear solve.

    Solves (2 M/step + C) correction = -C velocities: a rigid motion, which C does not see, keeps all its digits.
    """
    space, damping = problem.space, problem.damping
    space.diagonal[:] = 0.0
    space.diagonal[:, 0] = space.diagonal[:, 4] = space.diagonal[:, 8] = 2.0 * problem.state.masses / problem.step
    every = np.ones(len(velocities))
    damping.add_own(every, space.diagonal)
    space.linear.assemble(_fill_with_others, space.diagonal, beside=damping.beside(every), held=problem.held)
    force = -damping.gradient(velocities)
    force[problem.held] = 0.0
    spent = space.linear.solve(force, DAMPING_TOLERANCE)
    return velocities + space.linear.direction, abs(spent)
