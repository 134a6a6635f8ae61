"""One step of implicit Euler with the stiffness warped once: a single linear solve (Müller and Gross 2004, section 6).

    (M + dt C + dt^2 K') v_new = M v - dt (K' x + f_0' - f_plastic - f_ext),  x_new = x + dt v_new,
with rotations, plastic strain and so K' taken where the step starts. It is solved for what is missing from a guess, which is
the last step's acceleration, settled where it touches something: so flight under gravity alone needs no iteration, and contact
enters as springs about the guess that are corrected afterwards for what their laws truly are.

The paper's fixed 20 iterations of conjugate gradients, here with the diagonal 3x3 blocks as preconditioner, which the paper
does not mention. That keeps its claims: the step's quadratic energy falls with every iteration from any guess, so a
solve that is cut short cannot blow up, and the cost of a step is the same whatever happens in it.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..contact.contacts import Contacts
from ..contact.entries import Entries
from ..fem.assembly import Pattern, build_pattern, inertial_gradient, room_for, sum_forces
from ..fem.linear_solve import LinearSolve
from ..fem.momentum import balance_momentum
from ..fem.restraint import Restraint
from ..fem.workspace import elastic_firmness
from ..integrators import Extrapolation
from ..jit import CHUNKS, TILE
from ..state import Ranges
from .elements import build_tiles, turn_and_yield, warped_forces
from .state import DraftState

Array = NDArray[np.float64]

STEP = 0.01  # [s]
ITERATIONS = 20
LIVELY, QUICK = 1.5, 5.0  # a step's guess carries on at most this many gravities and so much more [m/s^2]


@dataclass
class DraftWorkspace:
    """Tables and arrays of the solve, made once a mesh."""

    pattern: Pattern
    tiles: NDArray[np.float32]
    forces: NDArray[np.float32]
    flat_forces: NDArray[np.float32]
    blocks: NDArray[np.float32]
    flat_blocks: NDArray[np.float32]
    diagonal: Array
    gradient: Array
    measured: NDArray[np.float32]
    linear: LinearSolve
    firmness: Array

    @classmethod
    def of(cls, state: DraftState) -> "DraftWorkspace":
        """Those of a state's mesh."""
        nodes = len(state.positions)
        pattern, tiles = build_pattern(state.tets, nodes), build_tiles(state)
        lanes = len(tiles) * TILE
        (forces, flat_forces), (blocks, flat_blocks) = room_for(lanes, 12), room_for(lanes, 54)
        return cls(
            pattern=pattern, tiles=tiles, forces=forces, flat_forces=flat_forces,
            blocks=blocks.reshape(lanes, 6, 9), flat_blocks=flat_blocks, diagonal=np.zeros((nodes, 9)),
            gradient=np.zeros((nodes, 3)), measured=np.zeros((lanes, 2), np.float32),
            linear=LinearSolve.of(pattern, state.positions), firmness=elastic_firmness(state),
        )  # fmt: skip


def measure(state: DraftState, space: DraftWorkspace, flowed: float) -> None:
    """Take each tet's rotation and strain at the state's positions; elastic strain creeps for `flowed` [s]."""
    turn_and_yield(state.positions, state.tets, space.tiles, flowed, space.measured)
    state.plastic_strain, state.stress = space.measured[: len(state.tets)].T.astype(np.float64)


def solve_step(
    state: DraftState, space: DraftWorkspace, ranges: Ranges, contacts: Contacts, pressing: Array, acceleration: Array,
    gravity: Array, time: float, step: float, restraint: Restraint,
) -> tuple[Array, Entries, int]:  # fmt: skip
    """Return the positions (n, 3) at `time` [s], `step` [s] after the state that was measured last, the contacts there, and how
    many iterations the solve took.

    Of the last step: pressing (n, 3), the force on the contacts at its end [N], and acceleration (n, 3) [m/s^2].
    """
    free = state.positions + step * (state.velocities + step * gravity)
    past = Extrapolation.none(state.positions, free, step)
    inertia, targets = restraint.joined(state.masses / step**2, past)
    guess = _guess(state, acceleration, gravity, step)
    restraint.put(guess)
    contacts.begin_step(state.positions, guess, time, step)
    hold = inertia + space.firmness
    hold[restraint.held] = np.inf
    entries = contacts.linearize(guess)
    if len(entries.level):
        entries.settle_guess(guess, pressing, hold)
    gradient = _assemble(state, space, entries, guess, targets, inertia, 1.0 / step, restraint)
    spent = space.linear.solve(-gradient, 0.0, ITERATIONS)
    positions: Array = guess + space.linear.direction
    if len(entries.level):
        entries.settle_step(guess, positions, hold, True)
    touched = entries.pressed_nodes(positions, len(positions))
    touched[restraint.held] = True
    _return_momentum(state.positions, positions, targets, inertia, ranges, touched)
    return positions, entries, spent if spent >= 0 else -1 - spent


def _guess(state: DraftState, acceleration: Array, gravity: Array, step: float) -> Array:
    """Where the nodes go if they keep speeding up as they did, but not as in a blow: (n, 3).

    What falls goes on to fall and what lies goes on to lie, so that contact finds the force it had.
    """
    size = np.sqrt((acceleration**2).sum(axis=1, keepdims=True))
    most = LIVELY * np.sqrt((gravity**2).sum(axis=-1, keepdims=True)) + QUICK
    kept = acceleration * np.minimum(1.0, most / np.maximum(size, 1e-300))
    guess: Array = state.positions + step * (state.velocities + step * kept)
    return guess


def _assemble(
    state: DraftState, space: DraftWorkspace, entries: Entries, guess: Array, targets: Array, inertia: Array, rate: float,
    restraint: Restraint,
) -> Array:  # fmt: skip
    """The step's matrix into `space.linear`; returns the gradient (n, 3) [N] of its energy at the guess."""
    warped_forces(guess, state.tets, space.tiles, rate, space.forces, space.blocks)
    pattern = space.pattern
    forces = np.empty_like(guess)
    sum_forces(pattern.corner_offsets, 3 * pattern.corners, space.flat_forces, forces)
    inertial_gradient(forces, guess, targets, inertia, space.gradient, np.empty(CHUNKS))
    entries.add_gradient(guess, space.gradient)
    space.diagonal[:] = 0.0
    space.diagonal[:, 0] = space.diagonal[:, 4] = space.diagonal[:, 8] = inertia
    contact = entries.add_stiffness(guess, space.diagonal, space.linear.rank)
    filling = space.linear.filling(space.flat_blocks)
    space.linear.assemble(filling, space.diagonal, levels=1, held=restraint.held, contact=contact)
    space.gradient[restraint.held] = 0.0
    return space.gradient


def _return_momentum(
    start: Array, positions: Array, targets: Array, inertia: Array, ranges: Ranges, touched: NDArray[np.bool_]
) -> None:
    """Give back, as a rigid motion, the momentum that a body in flight has lost; positions (n, 3) in place.

    What 20 iterations leave over changes it, and so do turned stresses that do not share the stretches' axes, as plastic
    strain makes them. With the arms of the step's start, angular momentum is kept exactly, whatever the step.
    """
    force = inertia[:, None] * (positions - targets)
    moved, _ = balance_momentum(start, lambda _: force, inertia, ranges, touched)
    positions += moved - start
