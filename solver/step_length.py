"""How long a simulation's next step may be, and when it must be taken again with half of it."""

from typing import TYPE_CHECKING

import numpy as np

from .colliders import Field
from .contact.following import longest_to_follow
from .errors import StepError
from .fem.attempt import Attempt
from .fem.explicit_step import longest_stable_step
from .fem.step_control import STARTLED, is_thrown, refusal
from .pins.holding import Holding
from .scene import Settings

if TYPE_CHECKING:
    from .simulate import Simulation

MOST_DOUBLINGS = 2  # of the longest step, in calm
LAST_DIGITS = 1e-5  # of a number that was typed, or kept in single precision
NEARLY = 0.01  # of a share, as between 23.976 and 24 frames a second
SHORTEST_FRAME = 1.0 / 96.0  # [s] in slower motion frames lie between steps
LONGEST_TOUCHING = 1.0 / 96.0  # [s] steps in which surfaces may rub: in longer ones friction between them is some 5 % off


def longest_step(settings: Settings, fields: list[Field], pins: Holding, merging: bool = False) -> float:
    """The longest step [s]: as it is set, or the share of a frame, or so many frames, that it differs from in its last digits.

    Else frames would end a ten-millionth of a step before one does, between two steps, for ever. Where colliders or pins move
    it is a share of a frame in any case: they turn from one way into another at frames, on which a step has to end for what is
    shown there to be where it has met them, or is held; to fit it may be longer than is set by NEARLY a share.
    """
    frame, longest = 1.0 / settings.frames_per_second, settings.maximum_substep
    share, frames = max(1.0, np.rint(frame / longest)), max(1.0, np.rint(longest / frame))
    if frame >= SHORTEST_FRAME and (merging or not (pins.still and all(field.still for field in fields))):
        return float(frame / max(1.0, np.ceil(frame / longest - NEARLY)))
    near = frame * frames / share
    return float(near) if abs(near / longest - 1.0) < LAST_DIGITS else longest


def refused(now: "Simulation", attempt: Attempt, drastic: bool) -> str:
    """Why an attempt must be made again with half the step, or an empty string."""
    state, outcome, step = now.state, attempt.outcome, now.clock.step
    if not np.isfinite(outcome.positions).all():  # nothing else may be asked of such
        return "positions are not finite"
    blocked = (now.touching > 0) | attempt.pressed
    if now.surfaces is not None:
        blocked |= now.met | now.surfaces.touched(outcome.positions)
    blocked[now.held.held] = True
    thrown = is_thrown(attempt.velocities, state, now.ranges, blocked, step, now.farthest)
    startled = now.clock.halvings < 0 and not attempt.surprise < STARTLED
    return refusal(outcome, state, now.space.tiles, now.clock.halvings, drastic, thrown, startled)


def calmest(now: "Simulation", longest: float) -> int:
    """The level of the longest step in calm: not that of `longest` [s] only where all that acts stays as it is."""
    settings, fields = now.scene.settings, all(field.still for field in now.contacts.fields)
    still = fields and now.keyed.still and now.pins.still and now.force_fields.still
    if not (now.integrator.calms and still):
        return 0
    return -min(int(np.log2(max(1.0, settings.calm_substep / longest) * (1.0 + 1e-6))), MOST_DOUBLINGS)


def bound_step(now: "Simulation") -> None:
    """No step outruns what comes at the bodies, and explicit ones not the sound in the smallest tet."""
    clock, state = now.clock, now.state
    if now.surfaces is not None:
        now.met = now.surfaces.touched(state.positions)
        rubbing = now.surfaces.several or now.met.any()
        clock.keep(min(clock.largest, LONGEST_TOUCHING) if rubbing else clock.largest)
    longest = longest_to_follow(now.contacts, state.positions, state.velocities, clock.time, max(clock.step, clock.largest))
    if not now.integrator.explicit:
        if longest < clock.largest or clock.coarsest:
            clock.bound(max(longest, clock.smallest))
        return
    stable = longest_stable_step(now.state, now.pins.stiffest)
    if not now.clock.bound(min(stable, longest)):
        raise StepError(
            f"{now.integrator.label} would need steps of {stable:.1g} s, for goo so stiff and tets so small.",
            frame=now.frame,
            remedy="Choose another integrator under Solver.",
        )
