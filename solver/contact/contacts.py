"""Which points of the artist's surfaces touch which colliders, and the planes that stand for them in the solve."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..colliders import Field
from .adhesion import RANGE
from .beneath import are_beside, are_sunk, belong_beneath, by_sides, come_in, come_round
from .carriers import Carriers
from .entries import NOTHING_HELD, Entries, along
from .hollows import Hollows
from .leading import Leading
from .looking import depths, query
from .passage import Seen, met_on_the_way
from .planes import Columns, by_carriers, joined, lay_planes, take_points
from .points import REACH, ContactPoints
from .response import CRUSHED, longest_way
from .sheets import on_own_side

if TYPE_CHECKING:
    from .edges.edge_contacts import EdgeContacts
    from .patches import Patches

Array = NDArray[np.float64]

FREE_DEPTH = 0.1  # depth in element sizes up to which a point that starts inside a collider is pushed out at once
SHEET_DEPTH = 8.0  # element sizes behind a sheet up to which a point that went through it is held to be behind
EXIT_TIME = 0.25  # points that start deeper are let out at this time constant [s]
SLIP_SPEED = 2e-3  # speed below which friction sticks, in body extents per second,
SUNK = 0.01  # depth in element sizes from which on a point that stands by is seen to sink in, and touches,
TOO_DEEP = 0.02  # from the next step on, or in the same one if it is as deep as this
CRUSHED_DEPTH = (CRUSHED - 1.0) * REACH  # depth in element sizes from which on what comes with new tets is let out,
STICK_TIME = 1.0 / 96.0  # and for how long, where what sticks is remembered: from then on it slips [s]
WITHIN = 0.9  # element sizes within which stickiness holds on: contacts are only looked for within one


class Contacts:
    """Contact detection over one step: candidates once, planes at every call of `linearize`.

    slack (colliders, points) is how deep a point may still lie inside a collider that it started in, or came in by a refinement
    [m]; it fades, so the point is let out instead of shot out. Depth gained later, in a blow, has no slack.
    behind (colliders, points) says which points have gone through a sheet since the bake began: they belong on its other
    side, and are pushed back there. A solid knows its inside; of a sheet only where a point came from can tell. Of a ground it
    says which points have come from beneath; sunk (colliders, points) which lie under it since the start and are lifted out.
    stuck (colliders, points) says which points have touched a collider and not come free of it since (adhesion.py).
    awake (points,) says which points touch: of those that stand by only the ones that have been seen to sink in, until they
    are an element away.
    leading says which points are led, as a whole body, out of a collider that they started in, hollows what else they touch.
    stretch (colliders, points, 3) is how far a point that sticks is from where it would pull no more [m]; with `holds` it is
    remembered, so that what sticks rests. Else what sticks creeps, slower than SLIP_SPEED.
    """

    def __init__(
        self, points: ContactPoints, fields: list[Field], holds: bool = False,
        meets: NDArray[np.bool_] | None = None,
    ) -> None:  # fmt: skip
        """meets (colliders, points): which collider a point meets at all; None: every one."""
        self.points, self.fields, self.holds = points, fields, holds
        self.meets = np.ones((len(fields), len(points.tets)), dtype=bool) if meets is None else meets
        self.awake = ~points.standby
        self.always = points.choose(np.flatnonzero(self.awake))
        self.candidates, self.watched = ([points.choose(np.zeros(0, dtype=np.int64))] * len(fields) for _ in range(2))
        self.slack: Array = np.zeros((len(fields), len(points.tets)))
        self.behind: NDArray[np.bool_] = np.zeros((len(fields), len(points.tets)), dtype=bool)
        self.stuck, self.sunk = (np.zeros((len(fields), len(points.tets)), dtype=bool) for _ in range(2))
        self.leading, self.hollows = Leading(len(fields), len(points.tets)), Hollows()
        self.patches: Patches | None = None
        self.edges: EdgeContacts | None = None  # beside points
        self.stretch: Array = np.zeros((len(fields), len(points.tets), 3))
        self.start: Array = np.zeros((len(points.tets), 3))
        # Where the points were at the step's start as seen from each collider, how far from it, and if beside a ground's rim
        self.begun, self.near = [self.start] * len(fields), [np.full(len(points.tets), np.inf)] * len(fields)
        self.beside = np.zeros_like(self.behind)
        self.time, self.step = 0.0, 0.0
        self.ended: Entries | None = None  # what the last step has ended with

    def begin(self, positions: Array, up: Array | None = None) -> None:
        """Note what part of the surface belongs to points and, before the first step, how deep they lie inside colliders.

        up (3,): where that is, before the first step; None: what was known is handed on (restore).
        """
        here = self.points.positions(positions)
        if any(field.sticky for field in self.fields):
            from .patches import Patches

            outer = np.flatnonzero(~self.points.inside & ~self.points.standby)
            self.patches = Patches.of(positions, self.points.boundary, here[outer], outer)
        if up is None:
            return
        for c, field in enumerate(self.fields):
            self._let_out(c, np.arange(len(here)), here, 0.0)
            self._lead_out(c, here, up)
            self.sunk[c] = field.beneath is not None and are_sunk(field, here, self.points.bodies)

    def take_in(self, fresh: NDArray[np.int64], positions: Array, time: float, least: float) -> None:
        """Let new points (k,), with nodes at positions (n, 3), out of colliders in which they lie so many elements too deep."""
        here = self.points.positions(positions)[fresh]
        for c in range(len(self.fields) if len(fresh) else 0):
            self._let_out(c, fresh, here, time, least, self.slack[c, fresh])

    def _let_out(
        self, c: int, chosen: NDArray[np.int64], here: Array, time: float, least: float = FREE_DEPTH, slack: Array | float = 0.0
    ) -> None:  # fmt: skip
        """Let chosen points (k,), seen here (k, 3) at a time [s], be as deep in a collider as they are, where that is more by
        some depth than a slack (k,) [m], which the others have. What is beneath a ground is in none."""
        depth = np.where(self.behind[c, chosen], 0.0, depths(self.fields[c], here, time))
        self.slack[c, chosen] = np.where(depth - slack > least * self.points.size[chosen], depth, np.clip(depth, 0.0, slack))

    def _lead_out(self, c: int, here: Array, up: Array) -> None:
        """Have bodies whose points, seen here (k, 3) at the start, a collider would tear apart led out of it."""
        field, points = self.fields[c], self.points
        deep = self.meets[c] & (self.slack[c] > 0.0)
        for body in np.unique(points.bodies[deep]) if field.sheet_offset is None and not field.endless else ():
            own = np.flatnonzero(points.bodies == body)
            size, extent = float(points.size[own[0]]), float(points.extent[own[0]])
            self.leading.begin(c, lambda places: query(field, places, 0.0, np.inf), here[own], size, extent, own, up)
        self.slack[c, self.leading.of(c)] = 0.0

    def engulfing(self, positions: Array, first: int, last: int) -> int | None:
        """The solid collider inside which most contact points of the nodes first to last lie at positions (n, 3), if any."""
        own = (self.points.nodes[:, 0] >= first) & (self.points.nodes[:, 0] < last)
        here = self.points.positions(positions)[own]
        for c, field in enumerate(self.fields):
            if field.sheet_offset is None and len(here) and (depths(field, here, self.time) > 0.0).mean() > 0.5:
                return c
        return None

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a checkpoint keeps."""
        return self.of_points() | self.leading.arrays() | ({} if self.edges is None else self.edges.arrays())

    def of_points(self) -> dict[str, NDArray[np.generic]]:
        """The part of it that is said of points, (..., points) or (..., points, 3)."""
        own = {name: getattr(self, name).copy() for name in ("slack", "behind", "stuck", "sunk", "stretch", "awake")}
        return own | {"led": self.leading.led.copy()}

    def restore(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Take `arrays` back, laid out as kernels know them, however they came about."""
        self.slack, self.stretch = (np.array(arrays[name], np.float64, order="C") for name in ("slack", "stretch"))
        for name in ("behind", "stuck", "sunk", "awake"):
            setattr(self, name, np.array(arrays[name], bool, order="C"))
        self.leading.restore(arrays)
        if self.edges is not None:
            self.edges.restore({name: values for name, values in arrays.items() if name.startswith("edges_")})

    def begin_step(self, start: Array, guess: Array, time: float, step: float) -> None:
        """Choose candidates for the step that ends at `time`, from node positions at its start and guessed end."""
        points = self.points
        self.start, self.time, self.step = points.positions(start), time, step
        if not len(points.tets):
            return
        ahead = points.positions(guess)
        travel = longest_way(self.start, ahead)
        closest = np.full(len(points.tets), np.inf)
        self.leading.begin_step(self.fields, time, step)
        self.hollows = Hollows()
        for c, field in enumerate(self.fields):
            begun, moved = self.start, 0.0
            if not field.still and not field.endless:  # seen from the collider, its own motion is the points'
                begun = field.carried(self.start, time - step, time, 2.0 * (self._reach(field) + travel))
                moved = longest_way(self.start, begun)
            margin = 2.0 * self._reach(field) + 2.0 * (travel + moved)
            near, _, _ = query(field, begun, time, margin)
            if field.beneath is not None:
                under, _, _ = query(field, begun, time, margin, beneath=True)
                self.behind[c] = belong_beneath(near, under, self.behind[c], self.sunk[c])
                self.sunk[c] &= ~((near > 0.0) & np.isfinite(near))
                self.slack[c] = come_in(near, self.sunk[c], self.slack[c], FREE_DEPTH * points.size)
                self.beside[c] = are_beside(near, under, points.size)
                near = np.where(self.behind[c], under, near)
            near[self.leading.of(c)] = 0.0  # they always look
            self.begun[c], self.near[c] = begun, np.where(near < margin, near, np.inf)
            closest = np.minimum(closest, near)
        self.awake &= ~points.standby | (closest < points.size)
        for c in range(len(self.fields)):
            self._choose(c)
        if self.edges is not None:
            self.edges.begin_step(start, guess, time, step, self.leading.led)

    def _choose(self, c: int) -> None:
        """Of the points that are near a collider, those that may touch it, and those that stand by and are watched."""
        near = np.isfinite(self.near[c]) & self.meets[c]
        self.candidates[c] = self.points.choose(np.flatnonzero(near & self.awake))
        self.watched[c] = self.points.choose(np.flatnonzero(near & ~self.awake))

    def wake(self, positions: Array, ended: bool = False) -> bool:
        """Let what is sunk in at node positions (n, 3) and does not touch touch from now on.

        Whether it is too deep for a step that would end there to be taken as it is. Points that stand by wake at any time; what
        is new of edges of colliders, which are found anew all the time, only where a solve has ended.
        """
        return self._wake_points(positions) or (ended and self.edges is not None and self.edges.wake(positions))

    def _wake_points(self, positions: Array) -> bool:
        """The same of the points."""
        woken = too_deep = False
        for c, watched in enumerate(self.watched):
            if not len(watched.points):
                continue
            here = self.points.positions(positions, watched)
            reached = self._reached(c, watched.points, here)
            if not len(reached):
                continue
            own = watched.points[reached]
            distance, _, _, _ = self.look(c, own, here[reached])
            depth = (-distance - self.slack[c, own]) / self.points.size[own]
            self.awake[own[depth > SUNK]] = True
            woken |= bool((depth > SUNK).any())
            too_deep |= bool((depth > TOO_DEEP).any())
        if woken:
            for c in range(len(self.fields)):
                self._choose(c)
        return too_deep

    def _reached(self, c: int, chosen: NDArray[np.int64], here: Array) -> NDArray[np.int64]:
        """Which of chosen points (k,), seen here (k, 3), a collider may have met: who has gone as far as it was away."""
        if self.fields[c].endless:
            return np.arange(len(chosen))  # to ask is cheaper
        way = here - self.begun[c][chosen]
        return np.flatnonzero(np.sqrt(along(way, way)) >= self.near[c][chosen])

    def too_deep(self, positions: Array) -> bool:
        """Whether a step that ends with nodes at positions (n, 3) leaves edges of colliders in bodies, solved on or not."""
        return self.edges is not None and self.edges.too_deep(positions)

    def end_step(self, positions: Array, entries: Entries) -> None:
        """Take in where the step just accepted has ended: who is behind a sheet or a ground, what sticks; the slack fades."""
        if self.holds:
            self.stretch[:] = 0.0
            count = len(entries.places) - len(entries.keys)
            self.stretch[np.divmod(entries.places[:count], len(self.points.tets))] = entries.stretch(positions)[:count]
        self.ended = entries
        sided = [field.sheet_offset is not None or field.beneath is not None for field in self.fields]
        remembered = [c for c, field in enumerate(self.fields) if sided[c] or field.sticky]
        now = self.points.positions(positions) if remembered else self.start
        for c in remembered:
            field, near = self.fields[c], np.flatnonzero(self._remembered(c))
            distance, _, _, behind = self.look(c, near, now[near])
            reach, held = REACH * self.points.size[near], self.stuck[c, near]
            # Who is far beneath a ground comes up from there
            self.behind[c] &= (field.beneath is not None) & ~np.isfinite(self.near[c])
            self.behind[c, near], self.stuck[c] = behind, False
            touches = (distance < reach) | (held & (distance < reach + self._range(near)))
            self.stuck[c, near] = field.sticky & touches & (self.leading.led[c, near] == 0)
        if self.edges is not None:
            self.edges.end_step(positions, entries)
        for c, out in self.leading.end_step():
            self._let_out(c, out, self.points.positions(positions)[out], self.time)
        if self.slack.any():
            self.slack *= np.exp(-self.step / EXIT_TIME)
            self.slack[self.slack < 1e-3 * REACH * self.points.size] = 0.0

    def _remembered(self, c: int) -> NDArray[np.bool_]:
        """Which points (n,) near collider c may be behind it now, or stick."""
        field = self.fields[c]
        near = np.isfinite(self.near[c])
        return near if field.sheet_offset is not None or field.sticky else near & (self.beside[c] | self.behind[c])

    def _range(self, chosen: NDArray[np.int64]) -> Array:
        """How far (c,) [m] stickiness holds on to points (c,)."""
        return np.minimum(RANGE * self.points.extent[chosen], WITHIN * self.points.size[chosen])

    def _reach(self, field: Field) -> float:
        """Distance [m] up to which it matters where on a collider's surface a point is."""
        return float(self.points.size.max(initial=0.0)) * (1.0 if field.sheet_offset is None else SHEET_DEPTH)

    def look(self, c: int, chosen: NDArray[np.int64], here: Array) -> tuple[Array, Array, Array, NDArray[np.bool_]]:
        """Distance (k,), normal (k, 3), velocity (k, 3) of collider c at chosen points seen here (k, 3), and who is behind it.

        Of a sheet these are as seen from the side where a point belongs, of what a point is led out of those of its plane.
        """
        field = self.fields[c]
        behind = self.behind[c, chosen]
        beside = np.flatnonzero(self.beside[c, chosen] & ~behind)
        if len(beside):
            ways = self.begun[c][chosen[beside]], here[beside]
            behind[beside] = come_round(field, self.time, self._reach(field), *ways)
        if field.beneath is not None and behind.any():
            seen = by_sides(behind, lambda own, beneath: self._met(c, chosen[own], here[own], beneath))
            return *self.leading.seen(c, chosen, here, seen), behind
        if field.sheet_offset is None and not field.endless:
            return *self.leading.seen(c, chosen, here, self._met(c, chosen, here)), behind
        if field.sheet_offset is None:
            return *query(field, here, self.time, self._reach(field)), behind
        return on_own_side(
            field, self.time, self.time - self.step, self._reach(field), self.begun[c][chosen], here, behind
        )  # fmt: skip

    def _met(self, c: int, chosen: NDArray[np.int64], here: Array, beneath: bool = False) -> Seen:
        """Of a collider that is no sheet, also where it has been met on the way; from beneath, of a ground."""
        field, reach = self.fields[c], self._reach(self.fields[c])
        return met_on_the_way(
            lambda places: query(field, places, self.time, np.inf, beneath), self.begun[c][chosen], self.near[c][chosen], here,
            query(field, here, self.time, reach, beneath), reach, self.points.size[chosen],
        )  # fmt: skip

    def linearize(self, positions: Array) -> Entries:
        """Planes of all candidates within an element of a collider, by collider and point: of points in tets, then of those
        that are blended, then of edges."""
        points, found = self.points, list[Columns]()
        fade = np.exp(-self.step / EXIT_TIME)
        for c, (field, candidates, slack) in enumerate(zip(self.fields, self.candidates, self.slack, strict=True)):
            if not len(candidates.points):
                continue
            here = points.positions(positions, candidates)
            distance, normal, velocity, _ = self.look(c, candidates.points, here)
            near = np.flatnonzero(distance < points.size.take(candidates.points))
            if not len(near):
                continue
            own, count = candidates.points[near], len(near)
            planes, anchors, level, gap = np.empty((count, 3)), np.empty((count, 3)), np.empty(count), np.empty(count)
            lay_planes(
                near, candidates.points, here, distance, normal, velocity, self.start, self.stretch[c], slack, fade, self.step,
                planes, level, gap, anchors,
            )  # fmt: skip
            coefficients, stickiness = field.touch(here.take(near, axis=0), self.time)
            if len(self.leading.ahead):
                coefficients[self.leading.led[c, own] > 0] = 0.0
            sticky = np.where(self.stuck[c, own], stickiness * points.stress[own], 0.0)
            if not field.endless:
                there = here.take(near, axis=0)
                found.append(self.hollows.beside(c, field, self.time, own, there, planes, gap, points.size))
            found.append((own, own + c * len(points.tets), planes, level, gap, anchors, coefficients, sticky))
        columns, few = by_carriers(joined(found), points.row)
        chosen, places, normal, level, gap, anchors, coefficient, pull = columns
        nodes, weights = np.empty((few, 4), np.int32), np.empty((few, 4))
        reach, stiffness, push, slip, length = np.empty((5, len(chosen)))
        take_points(
            chosen, gap, points.nodes, points.weights, points.size, points.extent, points.stiffness,
            (REACH, SLIP_SPEED * (STICK_TIME if self.holds else self.step), RANGE, WITHIN), nodes, weights, reach, stiffness,
            push, slip, length,
        )  # fmt: skip
        carriers = Carriers(nodes, weights, points.rows.taken(points.row[chosen[few:]]))
        entries = Entries(
            carriers, normal, level, reach, stiffness, anchors, push * coefficient, slip, coefficient, np.zeros(len(chosen)),
            pull, length, places,
        )  # fmt: skip
        holding = NOTHING_HELD
        if self.patches is not None and pull.any():
            area = self.patches.facing(positions, normal, chosen) * ~(points.inside | points.standby)[chosen]
            entries.pull, held = pull * area, pull > 0.0
            holding = carriers.places(positions)[held], places[held] // len(points.tets), area[held]
        edges = None if self.edges is None else self.edges.linearize(positions, holding)
        entries = entries if edges is None else entries.joined(edges)
        if entries.pull.any():
            entries.stick(positions)
        return entries
