"""One implicit step by projected Newton: minimise inertia/2 |x - target|^2 + elastic, plastic and contact energy."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..contact.contacts import Contacts
from ..contact.entries import Entries
from ..contact.looking import astray
from ..contact.surfaces.meetings import Meetings, learned
from ..contact.surfaces.surface_contact import SurfaceContact
from ..integrators import Extrapolation
from ..state import Ranges, State
from .assembly import spread_inertia
from .convergence import Convergence
from .damping import Damping
from .line_search import search_line
from .linear_solve import Filling
from .momentum import drift, moved_rigidly
from .node_sums import arrive, largest_change, size, turn_aside
from .pair_coupling import PairStiffness
from .restraint import Restraint
from .step_energy import StepEnergy
from .volume_coupling import VolumeCoupling
from .workspace import Workspace

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

MAXIMUM_ITERATIONS = 20  # of Newton's method,
MOST_ITERATIONS = 40  # or so many while its corrections shrink
LINEARIZATIONS = 3  # later iterations keep planes and friction bounds, between which sticking and slipping may flip,
FRESH_FRICTION = 0.5  # share of friction's true stiffness against its secant: all of it flips between stick and slip, but where
KEPT_FRICTION = 0.9  # planes and bounds are kept it converges much faster,
SECANT = 0.0  # and of surfaces, of which many flip at once, until corrections are shorter than what slips before it rubs,
FLIPPED = 0.25  # as long as no less than this fraction of a direction can be gone
LAG = 0.1  # unless these turn out to be off by more than this share,
STALE = 0.1  # or nodes have gone on by so many element sizes, where a plane may be that of nothing that is near any more,
MOST_LINEARIZATIONS = 15  # so many times at most
EXCESS = 0.01  # of friction's bounds in all, from which on they are taken once more: what slides would stop too early
LINEAR_TOLERANCE = 0.02  # of a linear system; at 0.05 as fast, but three to seven times the error at a blow
MOST_SOLVES = 4  # of the linear system an iteration, at most, until it knows the pairs of surfaces that its direction
SOLVES = 3  # brings together; and the contacts that it runs into, for which it is solved so often,
DIVERTED = 0.1  # which they change by more than so many element sizes,
DESCENT_LEFT = 0.3  # or leave less of its slope than this share
PROJECTED = 3  # iterations with the projected stiffness before the true one is tried again
FARTHEST = 20.0  # element sizes by which a direction may lead further than the guess has gone,
FURTHER = 4.0  # and times the way that the last one could be gone where surfaces may meet, who are looked for all along it,
NEAREST = 0.3  # or so many element sizes
CRUSHED = 0.1  # element sizes by which contact moves a guess's nodes, from which on its elements say nothing of the body


@dataclass
class Outcome:
    """How a step's solve ended: the new positions (n, 3), the gradient without contact there, whether it converged, effort."""

    positions: Array
    gradient: Array
    converged: bool
    iterations: int
    linear_iterations: int
    entries: Entries
    rough: bool = False
    sunk: bool = False  # whether edges of colliders are left in bodies


class ImplicitStep(StepEnergy):
    """The minimisation of one step's energy."""

    def __init__(
        self, state: State, space: Workspace, contacts: Contacts, damping: Damping, past: Extrapolation, step: float,
        surfaces: SurfaceContact | None = None, restraint: Restraint | None = None,
    ) -> None:  # fmt: skip
        super().__init__(state, space, contacts, damping, past, step, surfaces, restraint)
        self.pairs: PairStiffness | None = None  # what contact of surfaces adds to the matrix
        self.ahead: Meetings | None = None  # pairs that the next direction is known to run into
        self.filling: Filling  # what makes the matrix of the elements,
        self.volume: VolumeCoupling | None = None  # and what nodal volumes add to the matrix
        self.apart: tuple[NDArray[np.int64], Array] | None = None  # nodes in contact, and their diagonal blocks without it
        self.stiffened = False  # whether there are new blocks since the last solve
        self.farthest = np.inf  # that a node may be moved by one direction [m]
        self.patient = False  # whether the step will not be halved for that it found no balance
        self.exact = True  # whether the last direction came from the true stiffness

    def find_direction(
        self, x: Array, around: Array, internal: Array, entries: Entries, free: bool, whole: Array | None = None
    ) -> tuple[int, Array]:
        """Newton direction (n, 3) from x, corrected at the contacts, and its linear iterations.

        Elasticity is taken for linear around x, where the tiles are evaluated and internal (n, 3) is the gradient; contact
        is around another place. `whole` (n, 3): the gradient with contact's at x, where that is the place and it is known
        already; it is spoilt. Each contact then obeys its law while the rest holds still (contact/settle.py); with `free`
        the friction bounds follow. Where this changes the direction much, it runs into contacts that the linear system
        does not know, in a place that gives way: it is solved again with contact as it is there. A correction that still
        leads uphill after SOLVES of them is left away. Pairs of surfaces that meet on the way become springs in the
        system, and those that are not pressed at its end are let go, until it knows them all: else each iteration would be
        stopped by the next of them.
        """
        spent, self.ahead, found, (touching, sizes) = 0, None, np.zeros(0), entries.touching
        for attempt in range(MOST_SOLVES):
            load = self._load(x, around, internal, entries) if whole is None or attempt else np.negative(whole, out=whole)
            spent += self.search_direction(x, around, load, entries, attempt > 0)
            settled, best = np.empty_like(x), np.empty_like(x)
            slope, longest = arrive(around, self.space.linear.direction, x, internal, settled, best)
            straight = settled.take(touching, axis=0)  # contact moves no other nodes
            entries.settle_step(around, settled, self.hold, free)
            slope_left, slope = slope, slope + entries.rise(x, best)[1]
            more, most, moved = turn_aside(touching, sizes, settled, x, straight, internal, best)
            slope_left += more + entries.rise(x, best)[1]
            if not slope_left < 0.0:
                best[touching] = straight - x.take(touching, axis=0)
            if not max(longest, most) <= self.farthest:
                best = self.shortened(best)
            found = best if attempt == 0 or min(slope, slope_left) < 0.0 else found
            known = slope_left < min(0.0, DESCENT_LEFT * slope) and moved < DIVERTED
            if not self._meets(x, best) and (known or attempt + 1 >= SOLVES):
                break
            around = settled
        return spent, found

    def shortened(self, direction: Array) -> Array:
        """A direction (n, 3) whose longest way is one that a step may have: what an almost singular matrix says is no place."""
        longest = size(direction)[1]
        return direction if longest <= self.farthest else direction * (self.farthest / longest)

    def _load(self, x: Array, around: Array, internal: Array, entries: Entries) -> Array:
        """The force (n, 3) that leads on from x: of internal (n, 3), of pairs that meet ahead, and of contact, taken for linear
        around another place."""
        load = internal.copy()
        if self.ahead is not None:
            self.ahead.add_gradient(load)
        entries.add_linear_gradient(around, x, load)
        load[self.held] = 0.0
        return np.negative(load, out=load)

    def _meets(self, x: Array, direction: Array) -> bool:
        """Whether a direction (n, 3) brings other pairs together than the linear system knows of; it is told of them."""
        if self.surfaces is None or self.pairs is None:
            return False
        met = learned(self.ahead, self.surfaces.meetings(x, direction), direction)
        if met is None:
            return False
        self.ahead = met
        self.pairs = self.surfaces.stiffness(x, self.space.linear.rank, met)
        return True

    def search_direction(self, x: Array, around: Array, load: Array, entries: Entries, again: bool) -> int:
        """Solve for the way on from `around` under a load (n, 3) into `linear`; return its iterations.

        The true stiffness converges fastest, and inertia makes it positive as a rule. Once it is found not to be, the
        projected one is used for some iterations. `again` says that only contact has changed since the last solve.
        """
        spent, offset = 0, None if around is x else around - x
        if not self.projected:
            if not again:
                self.stiffen(x, -1.0)
            spent = self._solve_linear(around, offset, load, entries)
            self.exact = spent >= 0
            if self.exact:
                return spent
            self.projected, spent = PROJECTED, -1 - spent
            again = False
        if not again:
            self.stiffen(x, self.step**-2)
        return spent + abs(self._solve_linear(around, offset, load, entries))

    def stiffen(self, x: Array, inertia: float) -> None:
        """Take all but contact from x on, where the tiles are evaluated; inertia as in `stiffness`."""
        space, self.stiffened = self.space, True
        self.volume = None if space.volume is None else space.volume.coupled(x)
        curved = not self.projected

        def fill(values: Floats, more: Floats, rate: float) -> None:
            space.stiffness.fill(x, space.tiles, values, inertia, more, rate)
            if space.volume is not None and curved:
                space.volume.add_curvature(x, values)
            if space.tension is not None:
                space.tension.add_curvature(x, values, curved)

        self.filling = fill
        if self.surfaces is not None:
            self.pairs = self.surfaces.stiffness(x, space.linear.rank, self.ahead)

    def _solve_linear(self, around: Array, offset: Array | None, load: Array, entries: Entries) -> int:
        """Solve for a load (n, 3) with contact's stiffness around one place, for the way on from an offset (n, 3), if there is
        any; where nothing but contact has changed since the last time, no more of the matrix is made anew."""
        space, diagonal = self.space, self.space.diagonal
        again = not self.stiffened and space.linear.open
        if self.apart is not None and not self.first:
            diagonal[self.apart[0]] = self.apart[1]
        else:
            spread_inertia(self.inertia, diagonal)
            self.damping.add_own(self.past.effective, diagonal)
        touching = entries.touching_nodes
        self.apart = touching, diagonal.take(touching, axis=0)
        contact = entries.add_stiffness(around, diagonal, space.linear.rank)
        if again:
            space.linear.touch(diagonal, contact, self.pairs)
        else:
            beside = self.damping.beside(self.past.effective)
            space.linear.assemble(
                self.filling, diagonal, volume=self.volume, beside=beside, pairs=self.pairs, renew=self.first, held=self.held,
                contact=contact,
            )  # fmt: skip
        self.first = self.stiffened = False
        if offset is not None:
            load = load - space.linear.times(offset)
            load[self.held] = 0.0
        return space.linear.solve(load, LINEAR_TOLERANCE)

    def minimize(self, guess: Array, pressing: Array, entries: Entries, element_size: float, ranges: Ranges) -> Outcome:
        """Newton iterations from a guess (n, 3) until what is left to correct is small.

        entries: the contacts linearised at the guess; pressing (n, 3): the force on them at the end of the last step [N].
        """
        most = self.farthest = size(guess - self.state.positions)[1] + FARTHEST * element_size
        x, linear, progress = guess.copy(), 0, Convergence(element_size, self.step)
        entries.settle_guess(x, pressing, self.hold)
        if largest_change(*entries.touching, guess, x) > CRUSHED:
            linear, x = self.predict(x, entries, ranges, progress)
        if self.surfaces is not None:
            x = self.surfaces.reachable(self.state.positions, x)
        elastic, internal = self.begin(x)
        fresh_until, flipping, evened, laid = LINEARIZATIONS, False, False, guess
        for iteration in range(MOST_ITERATIONS):
            if iteration >= MAXIMUM_ITERATIONS and not progress.shrinking():
                break
            fresh = iteration < fresh_until
            if fresh:
                if iteration > 0:
                    self.contacts.wake(x)  # or the step would be solved again for those that its end is too deep for
                entries, laid = self.contacts.linearize(x), x
            entries.exact = FRESH_FRICTION if fresh or flipping else KEPT_FRICTION
            if self.surfaces is not None:  # whose planes and bounds are those of the step's start
                self.surfaces.friction.exact = KEPT_FRICTION if progress.within(self.surfaces.slip) else SECANT
            gradient = internal.copy()
            energy = elastic + entries.add_gradient(x, gradient)
            gradient[self.held] = 0.0
            if not np.isfinite(energy):
                return Outcome(np.full_like(x, np.nan), internal, False, iteration, linear, entries)
            progress.pushing |= self.surfaces is not None and self.surfaces.pushes(x)
            around = self.led(x)
            if around is x and progress.balanced(gradient, self.inertia, self.hold):
                return Outcome(x, internal, self.rubs(x, entries), iteration, linear, entries)
            spent, direction = self.find_direction(x, around, internal, entries, fresh, gradient if around is x else None)
            linear += spent
            progress.take(direction)
            found = search_line(self, x, elastic, internal, entries, direction)
            if found is None and (fresh or not flipping):
                fresh_until, flipping = min(fresh_until, iteration + 1), True
                elastic, internal = self.merit(x)
                continue
            if found is None:
                _, internal = self.merit(x)
                done = progress.near() and progress.stays(self.drift(x, internal, entries, ranges)) and self.rubs(x, entries)
                return Outcome(x, internal, done, iteration, linear, entries)
            fraction, end, elastic, internal = found
            if fraction < FLIPPED:
                fresh_until, flipping = min(fresh_until, iteration + 1), True
            # Bodies that push each other hand a force on: it moves none of them, and what is small still stands for much
            alone = self.pairs is None or not len(self.pairs.rows)
            progress.pushing |= not alone
            if progress.pushing:
                self.farthest = min(most, max(FURTHER * fraction * size(direction)[1], NEAREST * element_size))
            before, x = x, end
            self.projected = max(self.projected - 1, 0)
            settled = self.surfaces is None or self.surfaces.settled(before, x)
            settled &= self.ahead is None or not self.ahead.holds_back  # a short way is no small correction then
            if fraction < 1.0 or not settled or not progress.reached(self.exact and alone):
                continue
            if not (progress.carried if alone else progress.stays)(self.drift(x, internal, entries, ranges)):
                continue
            close = entries.lag(x) < LAG
            true = close and largest_change(*entries.touching, laid, x) < STALE
            if fresh or fresh_until >= MOST_LINEARIZATIONS or (true and not astray(self.contacts, x, entries)):
                if close and not evened and entries.excess(x) > EXCESS:
                    entries.rub_as_pressed(x)
                    fresh_until, evened = min(fresh_until, iteration + 1), True
                    continue
                return Outcome(x, internal, self.patient or close, iteration + 1, linear, entries)
            fresh_until = iteration + 1 + LINEARIZATIONS
        done = (settled and alone and progress.near()) or (self.patient and progress.nearing())
        done &= progress.stays(self.drift(x, internal, entries, ranges)) and self.rubs(x, entries)
        return Outcome(x, internal, done, iteration, linear, entries)

    def minimize_on(self, outcome: Outcome, element_size: float, ranges: Ranges) -> Outcome:
        """The same from where it has ended before, with the contacts that there are now."""
        entries = self.contacts.linearize(outcome.positions)
        found = self.minimize(outcome.positions, -outcome.gradient, entries, element_size, ranges)
        found.iterations += outcome.iterations
        found.linear_iterations += outcome.linear_iterations
        return found

    def led(self, x: Array) -> Array:
        """Positions x (n, 3) with the held nodes where they go: in one go with the others, so that what they meet gives way."""
        if self.surfaces is None or not len(self.held):
            return x
        around = x.copy()
        self.restraint.put(around)
        return around if (around != x).any() else x

    def rubs(self, x: Array, entries: Entries) -> bool:
        """Whether friction's bounds are about those of the normal forces at x (n, 3), or shorter steps will not help."""
        return self.patient or entries.lag(x) < LAG

    def drift(self, x: Array, internal: Array, entries: Entries, ranges: Ranges) -> float:
        """How far [m] the force that is left at x (n, 3) would move a body in contact; internal (n, 3): all but contact's."""
        gradient = internal.copy()
        entries.add_gradient(x, gradient)
        gradient[self.held] = 0.0
        return drift(gradient, self.inertia, ranges, entries.carriers.some_nodes())

    def predict(self, guess: Array, entries: Entries, ranges: Ranges, progress: Convergence) -> tuple[int, Array]:
        """A better guess (n, 3) after a blow, and the linear iterations it took.

        The nodes that a collider stops are crushed into those behind them, which do not know of the blow yet. So the
        elements are taken for linear around the shape that the step started with, moved on rigidly, and contact around
        the guess. Bodies may meet on that way, so they do not see each other here.
        """
        surfaces, self.surfaces = self.surfaces, None
        rigid = moved_rigidly(self.state, ranges, self.step)
        self.restraint.put(rigid)
        _, internal = self.begin(rigid)
        spent, direction = self.find_direction(rigid, guess, internal, entries, True)
        progress.take(rigid + direction - guess)
        self.projected, self.surfaces = 0, surfaces
        self.first = True  # nodes are elsewhere and touch elsewhere now
        return spent, rigid + direction
