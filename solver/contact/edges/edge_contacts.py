"""Sharp edges and corners of colliders as contacts of a step, beside those of points (contacts.py), by the same laws.

Points of a body leave room between them, in which an edge of a collider could sink into a face. So each of its corners is a
contact with the face that it lies over, and its edges are with each edge of the body that they cross (touching.py): of two
polyhedra these are, beside points on faces, the pairs that meet first (Baraff 1989, section 3). As planes they are asked for
anew with those of points, yield where there is no room as these do, and are pushed, stick and slide by the same numbers.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ...colliders import Field
from ..carriers import Carriers
from ..contacts import SLIP_SPEED, STICK_TIME, SUNK, TOO_DEEP
from ..entries import NOTHING_HELD, Entries, HeldByPoints, across, along
from ..points import REACH, ContactPoints
from ..response import box_around, normal_forces
from ..surfaces.carried import Carried
from ..surfaces.friction import Held
from .meeting import Corners, Crossings, EdgedBody, EdgedCollider, Meeting, Touches
from .near import Search
from .pierced import begins_pierced
from .sticking import Sticking, held_areas, left_over, sticking_range
from .stored import Stored

Array = NDArray[np.float64]

MOST_AGAIN = 4  # times that a step is solved on for places that have begun to touch in it,
KEPT_FROM = 1  # from which on their planes are kept to its end: else what has two ways to fall may go to and fro
DEEP = 0.015  # element sizes that they are sunk in
PIERCED = 0.01  # that an edge is truly in a body as a step begins, which began so,
OUTSIDE = 2.0  # element sizes by which what is seen may lie outside the nodes


class EdgeContacts:
    """Contacts of colliders' sharp edges with bodies over one step: near pairs once, planes at every call of `linearize`.

    held is what friction holds, by the keys of its touches (meeting.py); stuck where edges were sticking when the step began,
    sticking the same as the colliders carry it to the step's end. stored is what springs held when it began.
    """

    def __init__(
        self, bodies: list[EdgedBody], points: ContactPoints, fields: list[Field], meets: NDArray[np.bool_],
        holds: bool,
    ) -> None:  # fmt: skip
        """points, meets (colliders, points) and holds as in Contacts."""
        self.bodies, self.points, self.fields, self.meets, self.holds = bodies, points, fields, meets, holds
        self.colliders: dict[tuple[int, int], EdgedCollider | None] = {}
        self.searches: dict[tuple[int, int], Search] = {}
        self.meetings: list[Meeting] = []
        self.kept: list[Entries] = []  # planes that hold to the step's end
        self.held = Held()
        self.stuck = self.sticking = Sticking()
        self.stored = Stored()
        self.begun_in: set[tuple[int, int]] | None = None  # bodies and colliders that began in each other, and still are
        self.by_points = NOTHING_HELD
        self.known: Entries | None = None  # what was said last
        self.time, self.step, self.again = 0.0, 0.0, 0

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        """What a checkpoint keeps."""
        return self._named(self.held.arrays() | self.stuck.arrays() | self.stored.arrays() | self._begun_in())

    def of_places(self) -> dict[str, NDArray[np.generic]]:
        """The same for a body that has got another surface: what is said of places stays."""
        known = self.held.renumbered().arrays() | self.stuck.arrays() | self.stored.renumbered().arrays()
        return self._named(known | self._begun_in())

    def _begun_in(self) -> dict[str, NDArray[np.generic]]:
        return {} if self.begun_in is None else {"begun_in": np.array(sorted(self.begun_in), np.int32).reshape(-1, 2)}

    @staticmethod
    def _named(arrays: dict[str, NDArray[np.generic]]) -> dict[str, NDArray[np.generic]]:
        return {"edges_" + name: values for name, values in arrays.items()}

    def restore(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        """Take `arrays` back, where they say anything of it."""
        own = {name.removeprefix("edges_"): values for name, values in arrays.items()}
        self.held = Held.from_arrays(own) if "held_points" in own else Held()
        self.stuck = self.sticking = Sticking.from_arrays(own)
        self.stored = Stored.from_arrays(own)
        self.begun_in = {(int(body), int(collider)) for body, collider in own.get("begun_in", np.zeros((0, 2), np.int32))}

    @property
    def let_out(self) -> set[tuple[int, int]]:
        """Bodies and colliders that began in each other, and still are: these go apart by and by."""
        return self.begun_in or set()

    @property
    def hides(self) -> bool:
        """Whether any places are in that push nothing, of bodies that did not begin so."""
        return any(meeting.hidden and meeting.pair not in self.let_out for meeting in self.meetings)

    def begin_step(self, start: Array, guess: Array, time: float, step: float, led: NDArray[np.int32]) -> None:
        """Find what may touch in the step that ends at `time`, from node positions (n, 3) at its start and guessed end.

        led (colliders, points): not 0 where a body is led out of a collider, whose edges it does not meet on the way.
        """
        self.time, self.step, self.again, self.kept = time, step, 0, []
        self.sticking = self.stuck.carried(self.fields, time - step, time)
        self.meetings = self.met(start, guess, time, step, led)
        if self.begun_in != set():
            begun = self.meetings if self.begun_in is None else [met for met in self.meetings if met.pair in self.begun_in]
            self.begun_in = {met.pair for met in begun if begins_pierced(met, start[met.body.nodes], PIERCED * met.element)}

    def met(self, start: Array, guess: Array, time: float, step: float, led: NDArray[np.int32]) -> list[Meeting]:
        """The same pairs, of which nothing is kept."""
        found = list[Meeting]()
        for c, field in enumerate(self.fields):
            away = {n for n in range(len(self.bodies)) if led[c, self.points.bodies == n].any()}
            met = [n for n, body in enumerate(self.bodies) if self.meets[c, body.point] and n not in away]
            pairs = [(n, collider) for n in met if (collider := self._collider(n, c)) is not None]
            if not pairs:
                continue
            now = field.corners(time)
            then = now if field.still else field.corners(time - step)
            for n, collider in pairs:
                nodes = self.bodies[n].nodes
                meeting = self._meet(n, collider, (start[nodes], guess[nodes]), collider.corners(then), collider.corners(now))
                found += [] if meeting is None else [meeting]
        return found

    def _collider(self, number: int, c: int) -> EdgedCollider | None:
        """What stands out of a collider for a body; None where nothing does."""
        if (number, c) not in self.colliders:
            stands = self.fields[c].sharp
            sharp = None if stands is None else stands.among(self.bodies[number].element, self.bodies[number].span)
            self.colliders[number, c] = None if sharp is None else EdgedCollider.of(self.fields[c], c, sharp)
        return self.colliders[number, c]

    def _meet(
        self, number: int, collider: EdgedCollider, nodes: tuple[Array, Array], then: Corners, now: Corners
    ) -> Meeting | None:  # fmt: skip
        """What of a body may touch a collider, nodes and corners going each between two places; None where nothing does."""
        corners, offset = (then[0], now[0]), float(now[1].max())
        body = self.bodies[number]
        element = float(self.points.size[body.point])
        if _apart(nodes, corners, collider.sharp.ends, OUTSIDE * element + offset):
            return None
        faces = body.faces()
        if faces is None:
            return None
        key = (number, collider.number)
        if key not in self.searches:
            at_first, _ = collider.corners(collider.field.corners(0.0))  # a bake that goes on lists pairs in the same order
            self.searches[key] = Search(faces, collider.sharp, at_first)
        begun, ended = (faces.carried.places(side) for side in nodes)
        pairs = self.searches[key].near((begun, corners[0]), (ended, corners[1]), element, offset)
        if not len(pairs):
            return None
        begun = np.ascontiguousarray(begun[pairs.points])
        return Meeting(body, number, element, faces, collider, pairs, begun, then, now, *collider.ways_out(corners[1]))

    def linearize(self, positions: Array, by_points: HeldByPoints = NOTHING_HELD) -> Entries | None:
        """Planes of all that touches, or is about to, at node positions (n, 3); None where nothing does.

        by_points: what contact points hold by stickiness, their places (k, 3), colliders (k,) and areas (k,) [m^2].
        """
        self.by_points = by_points
        found = [entries for meeting in self.meetings if (entries := self._planes(meeting, positions)) is not None]
        if found:
            now = {tuple(key) for entries in found for key in entries.keys.tolist()}
            found += [entries.taken(_others(entries.keys, now)) for entries in self.kept]
        else:
            found = self.kept
        self.known = found[0].joined(*found[1:]) if found else None
        return self.known

    def wake(self, positions: Array) -> bool:
        """Let places touch that are sunk in at node positions (n, 3), and whose planes were not known, or were others.

        Whether there are any; a step is solved on for them MOST_AGAIN times.
        """
        if self.again == MOST_AGAIN:
            return False
        sunk = self._unknown(positions, DEEP)
        if sunk and self.again >= KEPT_FROM:
            self.kept += sunk
        self.again += bool(sunk)
        return bool(sunk)

    def too_deep(self, positions: Array) -> bool:
        """Whether, with the step solved as often as it may be, places are still sunk in, by so much that it is refused.

        So it is where a place slides in: seen along straight ways it was in before, and shorter steps see that it was not.
        """
        sunk = self.again == MOST_AGAIN and bool(self._unknown(positions, TOO_DEEP))
        return sunk or any(meeting.swept for meeting in self.meetings)

    def _unknown(self, positions: Array, least: float) -> list[Entries]:
        """Planes of places sunk in so many element sizes with nodes at positions (n, 3) that were not known, or were others."""
        known: dict[tuple[int, ...], list[float]] = {}
        if self.known is not None:
            for key, felt in zip(self.known.keys.tolist(), _felt(self.known, positions).tolist(), strict=True):
                known.setdefault(tuple(key), []).append(felt)
        found = []
        for meeting in self.meetings:
            entries = self._planes(meeting, positions)
            if entries is not None:
                depth = _felt(entries, positions)
                found.append(entries.taken((depth > least) & (depth > _by_keys(known, entries.keys, depth) + SUNK)))
        return [entries for entries in found if len(entries.level)]

    def _gap(self, meeting: Meeting, touches: Touches) -> Array:
        """Gaps (m,) [m], by so much more than the true ones as springs had not been pressed when the step began.

        Notes whether there are such, and whether places have gone in by that: no deeper than they have moved, so that they may
        have been outside, or out by the normals of then, where those of now, of faces that have turned over the edge, say that
        they were in all along.
        """
        at, before = touches.at, -touches.depth_before()
        reach, stiffness = self._springs(meeting, at)
        slack = self.stored.gaps(at.keys, before, reach, stiffness) - before
        way = at.met - at.met_then - (touches.here - touches.begun)
        outside = (along(way, way) > at.gap**2) | (at.stayed < SUNK * meeting.element)
        deep = outside & (np.minimum(slack, -at.gap) > TOO_DEEP * meeting.element)
        # Planes that pass beside what thickness rounds say that it is in
        meeting.hidden = bool((slack > TOO_DEEP * meeting.element).any())
        meeting.swept = bool(deep.any() and (meeting.overlap(touches)[deep] > TOO_DEEP * meeting.element).any())
        gap: Array = at.gap + slack
        return gap

    def _springs(self, meeting: Meeting, at: Crossings) -> tuple[Array, Array]:
        """Reaches (m,) [m] and stiffnesses (m,) [N/m] of touches."""
        points, point = self.points, meeting.body.point
        return np.full(len(at.gap), REACH * points.size[point]), at.size * points.stiffness[point]

    def _planes(self, meeting: Meeting, positions: Array) -> Entries | None:
        """Those of one body and one collider, in the nodes' own numbers."""
        body, points, field = meeting.body, self.points, meeting.collider.field
        touches, meeting.swept, meeting.hidden = meeting.touches(positions[body.nodes]), False, False
        at, count, point = touches.at, len(touches.here), body.point
        if not count:
            return None
        normal, rows = at.normal, touches.rows
        carriers = Carriers.by(Carried(rows.start, (rows.nodes + body.nodes.start).astype(np.int32), rows.weights))
        loose = touches.begun - across(self.held.of(at.keys, at.met, normal, meeting.element), normal)
        friction, stickiness = field.touch(at.met, self.time)
        (reach, stiffness), gap, grip = self._springs(meeting, at), self._gap(meeting, touches), np.empty(count)
        normal_forces(gap, reach, stiffness, grip)
        slip = SLIP_SPEED * points.extent[point] * (STICK_TIME if self.holds else self.step)
        return Entries(
            carriers, normal, along(normal, touches.here) - gap, reach, stiffness, loose + at.met - at.met_then,
            grip * friction, np.full(count, slip), friction, np.zeros(count),
            stickiness * points.stress[point] * self._areas(meeting, at), np.full(count, self._range(meeting)),
            np.full(count, meeting.collider.number * len(points.tets) + point), keys=at.keys,
        )  # fmt: skip

    def _range(self, meeting: Meeting) -> float:
        return sticking_range(float(self.points.extent[meeting.body.point]), meeting.element)

    def _areas(self, meeting: Meeting, at: Crossings) -> Array:
        """What stickiness acts on at places (m,) [m^2]."""
        collider, areas = meeting.collider, np.zeros(len(at.gap))
        if not collider.field.sticky:
            return areas
        sticks = self.sticking.holds(collider.number, at.met, meeting.element)
        if sticks.any():
            if meeting.widths is None:
                meeting.widths = collider.widths(self.time)
            areas[sticks] = held_areas(
                at.met[sticks], at.normal[sticks], at.keys[sticks], collider.sharp.ends, meeting.now[0],
                collider.inwards(meeting.now[0]), meeting.widths, self._range(meeting), meeting.element, meeting.faces.longest,
            )  # fmt: skip
            own = self.by_points[1] == collider.number
            areas = left_over(areas, at.met, self.by_points[0][own], self.by_points[2][own], meeting.element)
        return areas

    def end_step(self, positions: Array, entries: Entries) -> None:
        """Keep what is held where the step just accepted has ended: of these entries, those of edges."""
        stuck = [self._stuck(meeting, positions) for meeting in self.meetings]
        counts, numbers = [len(places) for places in stuck], [meeting.collider.number for meeting in self.meetings]
        self.stuck = Sticking(np.concatenate(stuck), np.repeat(np.array(numbers, np.int32), counts)) if stuck else Sticking()
        own = slice(len(entries.level) - len(entries.keys), None)
        places = entries.carriers.places(positions)[own]
        gap = -entries.depth(positions)[own]
        self.stored = Stored.of(entries.keys, gap, entries.reach[own], entries.stiffness[own])
        if self.holds:
            self.held = Held(entries.keys, entries.stretch(positions)[own], places, entries.normal[own])

    def _stuck(self, meeting: Meeting, positions: Array) -> Array:
        """Places (s, 3) of a meeting that stick from now on: that touch, or have and are not free."""
        if not meeting.collider.field.sticky:
            return np.zeros((0, 3))
        touches, element, number = meeting.touches(positions[meeting.body.nodes]), meeting.element, meeting.collider.number
        at = touches.at
        gap, reach, held = self._gap(meeting, touches), REACH * element, self.sticking.holds(number, at.met, element)
        sticks = (gap < reach) | (held & (gap < reach + self._range(meeting)))
        places: Array = at.met[sticks]
        return places


def _felt(entries: Entries, positions: Array) -> Array:
    """How deep (m,) entries lie with nodes at positions (n, 3), in element sizes."""
    depth: Array = entries.depth(positions) * REACH / entries.reach
    return depth


def _by_keys(known: dict[tuple[int, ...], list[float]], keys: NDArray[np.int32], depth: Array) -> Array:
    """What is known (m,) of keys (m, 4) with depths (m,), none being -inf. A corner over a crumple lies over several faces, by
    one key: the deepest of these is the one that was the deepest."""
    left = {key: sorted(depths) for key, depths in known.items()}
    found = np.full(len(keys), -np.inf)
    for k in np.argsort(-depth, kind="stable").tolist():
        of_key = left.get(tuple(keys[k].tolist()))
        if of_key:
            found[k] = of_key.pop()
    return found


def _others(keys: NDArray[np.int32], known: set[tuple[int, ...]]) -> NDArray[np.bool_]:
    """Which of keys (k, 4) are not known."""
    return np.array([tuple(key) not in known for key in keys.tolist()], dtype=bool)


def _apart(nodes: tuple[Array, Array], corners: tuple[Array, Array], edges: NDArray[np.int32], room: float) -> bool:
    """Whether on ways between two places the nodes' box stays further than a room [m] from that of each edge (e, 2)."""
    box = np.empty((2, 3))
    box_around(*nodes, box)
    ends = np.concatenate([side[edges] for side in corners], axis=1)
    beside = (ends.min(axis=1) > box[1] + room) | (ends.max(axis=1) < box[0] - room)
    return bool(beside.any(axis=1).all())
