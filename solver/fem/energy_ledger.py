"""No energy out of contact: what a step gives bodies that touch each other, and which of them must take it again, calmly.

A scheme of second order weights a force with that of the step before, and a body that has just been hit or let go has no
such force: it may leave a blow with more energy than it brought. Over a step that leads from x0 to x1

    gained = K1 - K0 + U(x1) - U(x0) - (m g + f) . (x1 - x0)

U is the energy of strain, flow, barriers and pins' springs that this step sees, the same at both ends: so what is keyed,
swells, moves or has flowed before does not count as a gain. f is the force at the end of colliders, of pins without give and
of pins' drag. Damping and friction only take, and are left out. For backward Euler, f being what balances the step, this is
U(x1) - U(x0) - dU(x1) . (x1 - x0) - m/2 |v1 - v0|^2, never above 0 where U is convex. So bodies that hang together and gain
more than they may take the step by that scheme, all of them, as a force between two is to be weighted alike on both sides, or
momentum is lost.

A swing of a scheme of second order has an energy of its own that K + U goes up and down about. So a loss may be taken back,
as long as it is fresh; a debt stays until it is paid, so that what steps leave unpaid never adds up: it goes over to new
tets, and to what bodies become that merge.

Backward Euler takes energy, and a rough step may stop what is in flight. So a step of either kind that loses much is halved. A
rough one may gain as well, as strain and barriers are what they happen to be: what bodies have too much, they are slowed by.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..slots import ENERGY, VOLUME
from ..state import Ranges, State
from .attempt import Attempt
from .clock import LEVELS, Clock
from .momentum import company, slowed
from .workspace import Workspace

if TYPE_CHECKING:
    from ..simulate import Simulation

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

DEBT = 2e-4  # share of their energy that bodies may have gained and not lost again
MOST_LOST = 0.02  # share of their energy that bodies may lose in a step that is calm for its gain, or rough
FADE = 0.5  # what is left of a loss that may be taken back, a step later


@dataclass
class Gains:
    """What a step gave to bodies (b,).

    together (b,): the same number for bodies that hang together; watched (b,): which of them contact may have given some
    gained, had (b,): energy gained, and what there is at the end [J], as seen from where nothing moves
    masses (b,) [kg], momenta (b, 3) [kg m/s] at the end
    """

    together: NDArray[np.int64]
    watched: Flags
    gained: Array
    had: Array
    masses: Array
    momenta: Array

    def energy(self, own: Flags) -> float:
        """What some bodies (b,) have, as seen from their common centre [J]."""
        momentum = self.momenta[own].sum(axis=0)
        return float(self.had[own].sum() - 0.5 * (momentum @ momentum) / self.masses[own].sum())

    def lost(self, own: Flags) -> float:
        """The share of what they had that some bodies (b,) have lost."""
        lost = -float(self.gained[own].sum())
        return lost / max(self.energy(own) + lost, 1e-300)

    def companies(self) -> list[Flags]:
        """The bodies (b,) of each company that is watched."""
        return [self.together == name for name in np.unique(self.together[self.watched])]


class EnergyLedger:
    """What bodies have lost lately and may take back, or have gained and owe.

    credit (b,) [J], a debt below 0. Bodies that are led out of each other are left out: nobody counts the work of what leads
    them.
    """

    def __init__(self, ranges: Ranges) -> None:
        self.ranges, self.credit = ranges, np.zeros(len(ranges.nodes) - 1)
        self._gains: Gains | None = None  # of the step that was judged last, which is the one that is taken

    def take_over(self, old: "EnergyLedger", into: NDArray[np.int64]) -> None:
        """Go on where another has ended; its bodies (b,) have become part of these, by number."""
        self.credit[:] = np.bincount(into, old.credit, minlength=len(self.credit))

    def nobody(self) -> Flags:
        """No body (b,) takes a step calmly."""
        return np.zeros(len(self.credit), dtype=bool)

    def judged(self, now: "Simulation", attempt: Attempt, calm: Flags) -> Flags:
        """The bodies (b,) that are to take a step calmly: those of `calm`, which did, if it may be taken as it is.

        Bodies hang together that touched in one of the last steps, or in this one.
        """
        self._gains = gains = self._counted(now, attempt)
        if gains is None or attempt.outcome.rough:
            return calm
        more = calm.copy()
        for own in gains.companies():
            plain = attempt.past.struck[np.repeat(own, np.diff(self.ranges.nodes))].all()
            allowed = self.credit[own].sum() + DEBT * gains.energy(own)
            if not plain and (calm[own].any() or gains.gained[own].sum() > allowed):
                more |= own
        return calm if (more == calm).all() else more

    def lossy(self, calm: Flags, rough: bool, clock: Clock) -> bool:
        """Whether the step judged last is to be halved for what those lost in it which were calm (b,), or all if it is rough.

        One that is merely calm does not go far below what is usual for that.
        """
        if self._gains is None or clock.level == LEVELS or (clock.patient and not rough):
            return False
        gains = self._gains
        return any(gains.lost(own) > MOST_LOST for own in gains.companies() if rough or calm[own].any())

    def without_gain(self, now: "Simulation", attempt: Attempt) -> Attempt:
        """A rough step that was judged last, without the energy that bodies would have gained in it.

        No balance bounds what strain and barriers hold at its end, so motion pays for it, as far as there is any.
        """
        gains, velocities = self._gains, attempt.moving.copy()
        if gains is None:
            return attempt
        led = [] if now.surfaces is None else [body for pair in now.surfaces.left_out for body in pair]
        for own in (gains.together == name for name in np.unique(gains.together)):
            gained, nodes = float(gains.gained[own].sum()), np.repeat(own, np.diff(self.ranges.nodes))
            if gained > 0.0 and not own[led].any():
                slowed(attempt.outcome.positions, velocities, now.state.masses, nodes, gained)
        return replace(attempt, velocities=velocities, spun=None)

    def end_step(self, attempt: Attempt, calm: Flags) -> None:
        """Take the step that was judged last, in which bodies (b,) were calm, for accepted; a rough one leaves debts alone."""
        gains, before = self._gains, self.credit
        self.credit, self._gains = np.minimum(before, 0.0), None
        if gains is None or attempt.outcome.rough:
            return
        for own in gains.companies():
            left = before[own].sum() - gains.gained[own].sum()
            # What backward Euler takes is gone: none of it is owed to the bodies
            left = left * FADE if left > 0.0 and not calm[own].any() else min(left, 0.0)
            self.credit[own] = left * gains.masses[own] / gains.masses[own].sum()

    def _watched(self, met: Flags, together: NDArray[np.int64], led: list[tuple[int, int]]) -> Flags:
        """Which bodies (b,) touch others, or themselves at a step's start (nodes met (n,)).

        But none that hang together with one that is led out of another: what does that does work.
        """
        alone = np.bincount(together, minlength=len(together))[together] == 1
        own = np.logical_or.reduceat(met, self.ranges.nodes[:-1])
        return (own | ~alone) & ~np.isin(together, together[[body for pair in led for body in pair]])

    def _counted(self, now: "Simulation", attempt: Attempt) -> Gains | None:
        """What a step gave to each body, None where neither contact did nor that it is rough; leaves the tiles at its end."""
        surfaces, rough = now.surfaces, attempt.outcome.rough
        if (surfaces is None or attempt.company is None) and not rough:
            return None
        together = np.arange(len(self.credit)) if attempt.company is None else company(attempt.company)
        watched = self.nobody() if surfaces is None else self._watched(now.met, together, surfaces.left_out)
        if not watched.any() and not rough:
            return None
        state, end = now.state, attempt.outcome.positions
        start, masses, moving = state.positions, state.masses[:, None], attempt.moving
        before, after = (self._stored(state, now.space, places, now.clock.step) for places in (start, end))
        barriers = np.zeros((2, len(self.credit))) if surfaces is None else surfaces.stored(end)
        work = (masses * attempt.pull + attempt.outer) * (end - start)
        given = (0.5 * masses * (moving**2 - state.velocities**2) - work).sum(axis=1)
        given += now.held.energies(end) - now.held.energies(start)
        gained = self._summed(given) + (after + barriers[1]) - (before + barriers[0])
        had = self._summed((0.5 * masses * moving**2).sum(axis=1)) + after + barriers[1]
        momenta = np.stack([self._summed(column) for column in (masses * moving).T], axis=1)
        return Gains(together, watched, gained, had, self._summed(state.masses), momenta)

    def _stored(self, state: State, space: Workspace, positions: Array, step: float) -> Array:
        """Energy of strain, and of what flows in a step [s], in each body (b,) with nodes at positions (n, 3) [J]."""
        space.forces.evaluate(positions, space.tiles, step, np.empty_like(positions), space.energies)
        count = len(state.tets)
        energies = space.tiles.unpack(ENERGY, 1, count) * space.tiles.unpack(VOLUME, 1, count)
        stored: Array = np.add.reduceat(energies[:, 0], self.ranges.tets[:-1])
        if space.volume is not None:
            stored += self._summed(space.volume.energies(positions))
        if space.tension is not None:
            stored += self._summed(space.tension.energies(positions))
        return stored

    def _summed(self, values: Array) -> Array:
        """Sums (b,) of values (n,) of the nodes of each body."""
        sums: Array = np.add.reduceat(values, self.ranges.nodes[:-1])
        return sums
