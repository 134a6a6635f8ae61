"""All contact of the bodies' surfaces, as one energy of a step: what Newton's method asks for, and how far it may go.

Nothing passes through anything, bodies with each other and with themselves (claims B23 and I20).

From outside all is in positions of nodes; within, in places of the surfaces' points, which nodes carry (carried.py). Arrays of
positions and directions that it has been asked about must stay as they are (going.py).
"""

from collections.abc import Collection
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from ...fem.pair_coupling import PairStiffness, no_stiffness
from ...geometry.edges import connected
from ...integrators import Extrapolation
from ...state import Ranges, State
from ..entries import across
from .barrier import held_by
from .bending import Merged
from .boxes import Boxes
from .candidates import Neighbourhood
from .carried import Carried
from .clusters import Clusters
from .crushed import crushed
from .free_way import UNKNOWN, free_fraction, meetings
from .fresh_pairs import Begun
from .friction import Friction, Held, spots
from .going import KEPT, Going
from .grips import Grips
from .known_reach import Rest
from .meetings import Meetings
from .pairs import Pairs, joined, no_pairs
from .parting import Parting, lead_apart, perhaps_together
from .standing import Close, Standing
from .surface import ContactSurface
from .terms import force_error
from .touch import Touch

Array = NDArray[np.float64]

SETTLED = 0.03  # share of all pushing forces by which a correction may miss what they are


class SurfaceContact:
    """Barriers between surfaces, with friction.

    But for `held` everything that is kept from step to step can be rebuilt from node positions. A change of the tets alone
    changes `carried`: points, what sticks and the search stay.
    """

    def __init__(
        self, surfaces: list[ContactSurface], touches: list[Touch], rest: Array, carried: Carried,
        whole: list[ContactSurface | None] | None = None,
    ) -> None:  # fmt: skip
        """surfaces and touches of the bodies; rest (k, 3) is where their points are without any contact [m].

        whole: of each body, where its surface has been cut, that as it is seen. Faces bend where they are cut, and what is seen
        does not: so they give way where they are pressed, and what is left to press is kept out by the whole ones.
        """
        self.surfaces, self.carried = surfaces, carried
        self.slip = min((touch.slip for touch in touches), default=1.0)
        self.neighbourhoods: list[Neighbourhood] = []
        self.friction, self.held = Friction(), Held()
        self._stands: tuple[Standing, ...] = ()  # where was asked for last
        self._take(no_pairs())
        self.going = Going(carried)
        self._way: tuple[Array, Array, Array] | None = None  # the last that is covered: places before, ways, places after
        self._passed: Array | None = None  # places that were asked for on it last
        self._ways: tuple[Pairs, Array, Array] | None = None  # how far pairs may go on it
        self._bodies = np.zeros(len(carried.start) - 1, dtype=np.int64)  # of the points
        for k, surface in enumerate(surfaces):
            self._bodies[surface.vertices] = k
        self._begun: tuple[Pairs, Close] = no_pairs(), Close.room(np.zeros(0, np.int64))  # what pushes at the step's start
        self.bodies: list[tuple[int, int]] = []  # the numbers of each neighbourhood's bodies,
        self.parting: list[Parting] = []  # bodies that lie in each other: they collide once they are apart,
        self.grips: Grips | None = None  # and what leads them there in this step, for
        self._step = 0.0  # [s]
        self.rest: Rest | None = None  # what the places at rest were taken from,
        self.merged: list[Merged | None] = []  # and what of each body's surface they stand for that has none of its own
        boxed = [Clusters(surface, rest) for surface in surfaces]
        large = [None if each is None else Clusters(each, rest) for each in whole or [None] * len(surfaces)]
        for i, j in combinations_with_replacement(range(len(touches)), 2):
            if touches[i].own if i == j else touches[i].meets(touches[j]):
                both = [(boxed[i], boxed[j])]
                if large[i] is not None or large[j] is not None:
                    both.append((large[i] or boxed[i], large[j] or boxed[j]))
                self.bodies += [(i, j)] * len(both)
                for pair in both:
                    self.neighbourhoods.append(Neighbourhood.of(touches[i], touches[j], *pair, rest, carried))
        self.boxes = Boxes(self.neighbourhoods, self.bodies)

    def begin(self, positions: Array) -> None:
        """Let bodies that touch or lie in each other go apart before they collide, pushing with nothing at first: `parting`.

        Pairs know no inside, so that contact would hold them together instead of apart. A body that passes through itself
        keeps doing so where it does: its parts move with each other anyway.
        """
        self.cover(positions, positions)
        places = self.carried.places(positions)
        ways = {bodies: own for bodies, own in self.boxes.ways().items() if bodies[0] != bodies[1]}
        together = {bodies for bodies, own in ways.items() if any(perhaps_together(each, places) for each in own)}
        for pair in (each for bodies in together for each in ways[bodies]):
            pair.begin(Begun.of(pair.pairs, places).fresh)
        self.part(together, places)

    def part(self, bodies: Collection[tuple[int, int]], places: Array) -> None:
        """Let pairs of bodies, by their numbers, go apart where they are mixed with points at places (k, 3)."""
        known = {each.bodies: each for each in self.parting}
        self.parting = [known.get(each) or self._parting(each) for each in sorted(bodies)]
        self.look(places)

    def _parting(self, bodies: tuple[int, int]) -> Parting:
        return Parting(bodies, [pair for own, pair in zip(self.bodies, self.neighbourhoods, strict=True) if own == bodies])

    def part_on(self, progress: Array, places: Array) -> None:
        """Let pairs of bodies go on as `progress` has told of them, with points at places (k, 3)."""
        told = {(int(one), int(other)): (float(least), float(stalled)) for one, other, least, stalled in progress}
        self.part(told.keys(), places)
        for each in self.parting:
            each.least, each.stalled = told[each.bodies]

    @property
    def progress(self) -> Array:
        """Of the bodies that are mixed (p, 4): their numbers, the least depth [m] and for how long none less [s]."""
        return np.array([(*each.bodies, each.least, each.stalled) for each in self.parting], np.float64).reshape(-1, 4)

    def look(self, places: Array, step: float = 0.0) -> None:
        """See where bodies are mixed with points at places (k, 3), a step [s] later, and which are apart by now."""
        self.parting = [each for each in self.parting if each.look(places, step)]
        self.take_found()

    def lead_apart(self, state: State, ranges: Ranges, past: Extrapolation, step: float) -> None:
        """Lead those that are mixed for a step [s] from a state."""
        self._step = step
        self.grips = lead_apart(self.parting, state.positions, state.velocities, state.masses, ranges.nodes, past, step)

    @property
    def left_out(self) -> list[tuple[int, int]]:
        """The bodies that are mixed still."""
        return [each.bodies for each in self.parting]

    def pushes(self, positions: Array) -> bool:
        """Whether bodies push each other or are led apart with nodes at positions (n, 3) that `cover` was asked for.

        Which pairs may come close says less: it hangs on the way that they were looked for, which a checkpoint does not have.
        """
        return bool(self.parting) or len(self._at(positions).pushing) > 0

    @property
    def idle(self) -> bool:
        """Whether nothing acts in this step: no pair may come close, rubs or is led apart."""
        return not (len(self.pairs.nodes) or self.parting or len(self.friction.points))

    @property
    def several(self) -> bool:
        """Whether it is of bodies with each other, not only of a body with itself."""
        return not all(each.own for each in self.neighbourhoods)

    def reachable(self, start: Array, end: Array) -> Array:
        """Positions (n, 3) on the way from a start to an end (n, 3): the end, where nothing touches on the way."""
        direction = end - start
        share = self.limit(start, direction)
        reached = end if share == 1.0 else start + share * direction
        self.going.went(share, reached)
        return reached

    def cover(self, before: Array, after: Array) -> None:
        """Make `pairs` hold wherever nodes are between two sets of positions (n, 3)."""
        self._cover(self.going.places(before), self.going.places(after))

    def begin_step(self, start: Array) -> None:
        """Take friction's normals and bounds from the step's start (n, 3) (Li et al. 2020, section 5.4).

        What stuck in the step before is still stretched by as much, so that what sticks comes to rest instead of creeping.
        """
        places = self._standing(start)
        close = self._stand(places).close
        self._begun = self.pairs, close
        if not len(close.which):
            self.friction = Friction(slip=self.slip)
            return
        grip = self.pairs.friction[close.which] * close.force
        rubs = grip > 0.0
        points, weights, normal = self.pairs.nodes[close.which[rubs]], close.weights[rubs], close.normal[rubs]
        where, near = spots(points, weights, places), min((each.element for each in self.surfaces), default=0.0)
        stretch = across(self.held.of(points, where, normal, near), normal)
        anchor = (weights[:, :, None] * places[points]).sum(axis=1) - stretch
        self.friction = Friction(points, weights, normal, anchor, grip[rubs], self.slip)

    def end_step(self, positions: Array) -> None:
        """Keep what sticks at the end of an accepted step, positions (n, 3)."""
        self.going.anew(positions)
        self.held, friction = Held(), self.friction
        if len(friction.points):
            places = self.going.places(positions)
            where = spots(friction.points, friction.weights, places)
            self.held = Held(friction.points, friction.stretch(places), where, friction.normal)
        parted = [each.part(self.going.places(positions)) for each in self.neighbourhoods if each.fresh is not None]
        if self.parting:
            self.look(self.going.places(positions), self._step)
        elif any(parted):
            self.take_found()

    def limit(self, positions: Array, direction: Array) -> float:
        """The share, at most 1, of a direction (n, 3) that nodes may go from positions (n, 3) until surfaces touch."""
        places, ways = self._covered(positions, direction)
        pairs = self.pairs
        if not len(pairs.nodes):
            return 1.0
        stand, known = self._stand(places), self._ways
        asked = known is not None and known[0] is pairs and known[1] is ways
        free = known[2] if known is not None and asked else np.full(len(pairs.nodes), UNKNOWN)
        given = stand.places, ways, pairs.nodes, pairs.points, self._paired, pairs.reach, stand.distance, stand.exact
        return float(free_fraction(*given, free, 1.0))

    def meetings(self, positions: Array, direction: Array) -> Meetings:
        """The pairs that do not touch at positions (n, 3) but would on the way along a direction (n, 3), or that it crushes."""
        places, ways = self._covered(positions, direction)
        pairs, most, stand = self.pairs, len(self.pairs.nodes), self._stand(places)
        which, weights, normal, gap = np.empty(most, np.int64), np.empty((most, 4)), np.empty((most, 3)), np.empty(most)
        struck, free = np.empty(most, dtype=np.bool_), np.empty(most)
        count = meetings(
            stand.places, ways, pairs.nodes, pairs.points, self._paired, pairs.reach, stand.distance, stand.exact, free,
            which, weights, normal, gap, struck,
        )  # fmt: skip
        self._ways = pairs, ways, free
        which, nothing = which[:count], np.zeros(count)
        reach, stiffness = pairs.reach[which], pairs.stiffness[which]
        met = Meetings(
            pairs.nodes[which], weights[:count], normal[:count], gap[:count], reach, stiffness, nothing, nothing,
            held_by(stiffness, reach), nothing, stiffness, self.carried,
        )  # fmt: skip
        return met.joined(crushed(stand, struck, ways, self.carried)) if struck.any() else met

    def add_gradient(self, positions: Array, gradient: Array) -> float:
        """Add to gradient (n, 3) [N] at positions that `cover` was asked for; return the energy [J]."""
        if self.idle:
            return 0.0
        stand = self._at(positions)
        energy, on_points = stand.gradient(self.friction)
        self.carried.add_forces(on_points, gradient)
        return energy + (0.0 if self.grips is None else self.grips.add_gradient(positions, gradient))

    def stiffness(self, positions: Array, rank: NDArray[np.int32], ahead: Meetings | None = None) -> PairStiffness:
        """The stiffness at positions (n, 3) and of what is ahead, for a matrix with node i at row rank[i]."""
        if self.idle and not ahead:
            return no_stiffness()
        springs = self._at(positions).springs(self.friction)
        if ahead is not None:
            springs = springs.joined(ahead.points, ahead.weights, ahead.blocks)
        pairs = self.carried.stiffness(*springs, rank)
        return pairs if self.grips is None else pairs.joined(self.grips.stiffness(positions, rank))

    def settled(self, before: Array, after: Array) -> bool:
        """Whether a correction from one set of positions (n, 3) to another has found forces about as it took them to be.

        What is small for a body can be large for a gap.
        """
        if not len(self.pairs.nodes):
            return True
        known, found = self._at(before), self._at(after)
        was, now = known.close, found.close
        missed, force = force_error(
            known.distance, was.which, was.force, was.slope, found.places, self.pairs, found.distance, found.exact, now.which,
            now.force,
        )  # fmt: skip
        return bool(missed <= SETTLED * force)

    def touching(self, positions: Array) -> NDArray[np.int64]:
        """For each body the first of those that it hangs together with by pairs that push."""
        points = self.pairs.nodes[self._at(positions).pushing]
        parting = self.progress[:, :2].astype(np.int64)
        return connected(np.concatenate([self._bodies[points[:, [0, 3]]], parting]).T, len(self.surfaces))

    def stored(self, end: Array) -> tuple[Array, Array]:
        """Energy of the barriers (b,) [J] at the step's start, and with nodes at its end (n, 3).

        That of two bodies counts with the one of the pair's first point: whom it belongs to, nobody knows.
        """
        now = self.pairs, self._at(end).close
        start, there = (self._by_bodies(*moment) for moment in (self._begun, now))
        return start, there

    def _by_bodies(self, pairs: Pairs, close: Close) -> Array:
        """Energy of barriers (b,) [J]."""
        owners = self._bodies[pairs.nodes[close.which, 0]]
        return np.bincount(owners, close.stored, len(self.surfaces)).astype(np.float64)

    def touched(self, positions: Array) -> NDArray[np.bool_]:
        """Which nodes (n,) carry points of pairs that push at positions (n, 3)."""
        places = self._standing(positions)
        close = self._stand(places).close
        return self.carried.nodes_of(self.pairs.nodes[close.which][close.weights != 0.0], len(positions))

    def _covered(self, positions: Array, direction: Array) -> tuple[Array, Array]:
        """Places and ways (k, 3) of points with nodes at positions (n, 3) on a direction (n, 3), which `pairs` then hold for.

        A direction is asked for twice: what it meets, and how far it may go.
        """
        places, ways = self.going.way(positions, direction)
        if self._way is None or self._way[1] is not ways:
            after = self.going.end
            self._cover(places, after, ways)
            self._way = places, ways, after
        return places, ways

    def _standing(self, positions: Array) -> Array:
        """Places (k, 3) of points with nodes at positions (n, 3), where `pairs` then hold: steps end where the next begin."""
        places = self.going.places(positions)
        self._cover(places, places)
        return places

    def _cover(self, before: Array, after: Array, ways: Array | None = None) -> None:
        """`cover` for places (k, 3) of points, and the ways (k, 3) between them, where these are at hand."""
        if self._way is not None and not any(before is known for known in (self._way[0], self._way[2], self._passed)):
            self._passed = before
            begun, gone, ended = self._way
            share = self.going.share_of(begun, gone, before)
            for _, neighbourhood in self.boxes.with_pairs():
                neighbourhood.passed(before, begun, ended, share)
        if self.boxes.cover(before, after, ways):
            self.take_found()

    def take_found(self) -> None:
        """Let what has been found be the pairs that may come close, but where bodies are mixed."""
        parting = {each.bodies: each for each in self.parting}
        found, self._way = self.boxes.with_pairs(), None
        self._take(joined([parting[own].others(each.pairs) if own in parting else each.pairs for own, each in found]))

    def _take(self, pairs: Pairs) -> None:
        """Let these be the pairs that may come close."""
        self.pairs, self._paired = pairs, self.carried.listed(pairs.nodes)

    def _at(self, positions: Array) -> Standing:
        """How the pairs stand with nodes at positions (n, 3)."""
        return self._stand(self.going.places(positions))

    def _stand(self, places: Array) -> Standing:
        """How they stand with points at places (k, 3), as `going` knows them."""
        for known in self._stands:
            if known.of(self.pairs, places):
                return known
        stand = Standing.after(self._stands, self.pairs, places, self._paired)
        self._stands = stand, *self._stands[: KEPT - 1]
        return stand
