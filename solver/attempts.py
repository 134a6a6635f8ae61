"""Steps that are not the balance at their end: explicit ones, and rough ones, in which no balance was found."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .fem.attempt import Attempt
from .fem.explicit_step import elastic_forces, explicit_step
from .fem.momentum import balance_momentum, company, keep_spin
from .fem.newton import ImplicitStep
from .fem.step_control import calmed
from .integrators import backward_euler

if TYPE_CHECKING:
    from .simulate import Simulation

Array = NDArray[np.float64]


def explicit_attempt(now: "Simulation", step: float) -> Attempt:
    """Return a step [s] whose elastic forces are those of its start."""
    state = now.state
    struck = np.zeros(len(now.touching), dtype=bool)
    middle = state.positions + 0.5 * step * state.velocities
    pull = now.force_fields.act(now.gravity, middle, state.velocities, now.clock.time + 0.5 * step, now.held)
    past = now.integrator.extrapolate(state, pull, step, now.clock.previous_step, struck)
    now.contacts.begin_step(state.positions, past.targets, now.clock.time + step, step)
    problem = ImplicitStep(state, now.space, now.contacts, now.damping, past, step, restraint=now.held)
    outcome, velocities, forces = explicit_step(problem, pull, now.pressing)
    return Attempt(outcome, past, now.held.damped(velocities, state.masses, step), forces, pull)


def harmless(now: "Simulation", attempt: Attempt) -> Attempt:
    """Return a rough step made harmless: bounded, with backward Euler's velocities now and in the next step.

    What nothing but gravity and each other acts on keeps its momentum and spin.
    """
    outcome, step = attempt.outcome, now.clock.step
    everywhere = np.ones(len(outcome.positions), dtype=bool)
    positions = calmed(outcome.positions, now.state, now.gravity, step)
    now.held.put(positions)
    past = backward_euler.extrapolate(now.state, attempt.pull, step, step, everywhere)
    problem = ImplicitStep(now.state, now.space, now.contacts, now.damping, past, step, restraint=now.held)
    touched = now.touched(outcome)
    together = None if attempt.company is None else company(attempt.company)
    positions, _ = balance_momentum(positions, problem.outer, problem.inertia, now.ranges, touched, together)
    velocities = past.velocities(positions)
    velocities = keep_spin(now.state, positions, velocities, now.ranges, touched | now.disturbed, together)
    if now.surfaces is not None:  # a step cut short, not one in which all become slower
        positions = now.surfaces.reachable(now.state.positions, positions)
    # What pressed on the contacts where the solve has ended says nothing of here
    outcome = replace(outcome, positions=positions, gradient=np.zeros_like(positions), rough=True)
    forces, acting = elastic_forces(problem, positions), _pushes(now, attempt, velocities, together)
    return Attempt(outcome, past, velocities, forces, attempt.pull, company=attempt.company, acting=acting)


def _pushes(now: "Simulation", attempt: Attempt, velocities: Array, together: NDArray[np.int64] | None) -> Array:
    """The forces (n, 3) [N] of colliders and pins where a solve has ended that found no balance.

    Bodies with the same number in `together` (b,) are given no more by them than the momentum that they have got.
    """
    outcome, state, step = attempt.outcome, now.state, now.clock.step
    pressing = np.zeros_like(outcome.positions)
    outcome.entries.add_gradient(outcome.positions, pressing)
    forces = replace(attempt, outcome=replace(outcome, gradient=-pressing)).outer
    impulse = state.masses[:, None] * (velocities - state.velocities - step * attempt.pull)
    counts = np.diff(now.ranges.nodes)
    names = np.repeat(np.arange(len(counts)) if together is None else together, counts)
    for name in np.unique(names):
        own = names == name
        pushed, got = step * forces[own].sum(axis=0), impulse[own].sum(axis=0)
        forces[own] *= np.clip((pushed @ got) / max(pushed @ pushed, 1e-300), 0.0, 1.0)
    return forces
