"""What a frame shows is kept out of colliders, between steps and at their ends.

Nodes are drawn on ways from one step's end to the next (moment.py). What springs round an edge in between has gone round it,
where these ways lead through; and a blow presses corners of colliders deeper into large faces than may be seen, until its steps
have ended. So places that are in a collider at the frame's time, contact points and what lies over edges, are moved out of it
by as little as that takes, weighed by mass. Nothing of it stays: the motion is the same at any frame rate.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .beneath import by_sides
from .carriers import Carriers
from .contacts import FREE_DEPTH
from .edges.pierced import Skin, pierced
from .entries import along
from .looking import depths, query
from .points import REACH
from .response import longest_way
from .settle import settle
from .sheets import on_own_side
from .surfaces.carried import Carried

if TYPE_CHECKING:
    from ..colliders import Field
    from ..state import Solids
    from .contacts import Contacts
    from .edges.meeting import Meeting, Touches
    from .surfaces.meetings import Meetings

Array = NDArray[np.float64]

MAY = 0.01  # element sizes that what is shown may be in a collider, or what it was in at an end of the step if that is more,
MOST = 0.015  # but no more than this unless it has started in the collider, as what is FREE_DEPTH deep has;
LEFT = 0.002  # and deeper than that where it is left
CALM = 0.005  # element sizes that nodes move where no look is needed
BY_TURNS = 2  # looks from which on all that was in something stays out, as what one moves out the next moves in
MOST_LOOKS = 6  # each from where the last one has moved to
HELD = 1e-9  # element sizes that nodes move in a step which something holds
SPREAD = 4  # rings of tets over which a look spreads what nodes are moved by
PAST = 0.5  # of how deep a place is by the faces of an edge, that it is at least in the collider
YIELDING = 1e-6  # how much softer nodes hold to their ways than places are pushed out
CLOSER = 0.5  # of their distance: how close surfaces may come that are in the way
NEARLY = 0.001  # element sizes by which places fall short of where they are to go, with which they have gone,
MOST_SETTLED = 64  # and how often all are moved for that: what is held from two sides goes there slowly


class Sunk(NamedTuple):
    """Places in a collider: what carries them, where they are (k, 3), the way out (k, 3), how far they are to go (k,) [m]."""

    carriers: Carriers
    here: Array
    normal: Array
    over: Array


class Walls(NamedTuple):
    """What must come no closer: ways from one surface to another by rows, and their least lengths (k,) [m] along normals."""

    rows: Carried
    normal: Array
    least: Array

    @classmethod
    def nothing(cls) -> "Walls":
        """None of them."""
        return cls(Carried.nothing(), np.zeros((0, 3)), np.zeros(0))

    def with_met(self, met: "Meetings", spare: float) -> "Walls":
        """These and what surfaces have met, which may come as close as they still may go, but for a little to spare [m]."""
        rows, normal = self.rows.joined([met.carried.together(met.points, met.weights)]), [self.normal, met.normal]
        least = np.minimum(met.gap, CLOSER * np.minimum(met.gap, met.begin) + spare)
        return Walls(rows, np.concatenate(normal), np.concatenate([self.least, least]))

    def with_sunk(self, sunk: "list[Sunk]") -> "Walls":
        """These and planes up to which places are to go."""
        rows = self.rows.joined([one.carriers.as_rows() for one in sunk])
        normal = np.concatenate([self.normal, *(one.normal for one in sunk)])
        return Walls(rows, normal, np.concatenate([self.least, *(along(one.here, one.normal) + one.over for one in sunk)]))

    def at(self, shown: Array) -> Sunk:
        """How far they are to go with nodes at (n, 3)."""
        here = self.rows.places(shown)
        return Sunk(Carriers.by(self.rows), here, self.normal, self.least - along(here, self.normal))


class Way(NamedTuple):
    """Nodes (n, 3) where a step begins and ends, and the times [s] of that; `time` is what is shown between."""

    begun: Array
    ended: Array
    begin: float
    time: float
    end: float


NO_WALLS = Walls.nothing()


class Look:
    """What is in colliders at a time between the ends of a step, or at its end, of nodes as they are drawn then (n, 3)."""

    def __init__(self, contacts: "Contacts", way: Way, drawn: Array, state: "Solids") -> None:
        self.contacts, self.way, self.drawn, self.tets = contacts, way, drawn, state.tets
        points, edges, led = contacts.points, contacts.edges, contacts.leading.led
        self.needed = len(points.tets) > 0 and not _needs_no_look(contacts, way, drawn)
        if not self.needed:
            return
        self.least = float(points.size.min())
        self.meetings = [] if edges is None else edges.met(way.begun, drawn, way.time, way.time - way.begin, led)
        moves = ((drawn - way.begun) ** 2).sum(axis=1) > (HELD * self.least) ** 2
        self.let_out = set() if edges is None else edges.let_out
        self.hold = np.where(moves, YIELDING * state.masses / state.masses.max(), np.inf)
        around = np.bincount(state.tets.ravel(), minlength=len(drawn))
        self.spread = np.where(moves, 0.25 / np.maximum(around, 1), 0.0)

    def sunk(self, shown: Array) -> tuple[list[Sunk], list[Sunk]]:
        """Places that are in colliders with nodes at (n, 3): by planes, points first, and those that edges have pierced."""
        found = [_points(self.contacts, self.way, shown)]
        pierced = list[Sunk]()
        for meeting in self.meetings:
            skin = Skin(meeting, shown[meeting.body.nodes])
            touches = meeting.touches(skin.nodes)
            found.append(_under_edges(meeting, touches, skin, self.way.time))
            if meeting.pair not in self.let_out:
                pierced.append(_pierced(meeting, touches, skin))
        return found, pierced

    def kept_out(self, walls: Walls = NO_WALLS) -> Array:
        """Nodes (n, 3) moved out of colliders, or as drawn where none would lie less deep; what is behind walls gives way."""
        if not self.needed:
            return self.drawn
        shown, best, least, told = self.drawn, self.drawn, np.inf, NO_WALLS
        for turn in range(MOST_LOOKS + 1):
            found, pierced = self.sunk(shown)
            sunk = [*found, walls.at(shown)]
            farthest = _farthest(sunk + pierced)
            best, least = (shown, farthest) if farthest < least else (best, least)
            if farthest <= LEFT * self.least or turn == MOST_LOOKS:
                break
            # What comes out of one side of a thin thing would go in at the other, and what edges push out, at a face, by turns
            told = told.with_sunk(pierced if turn < BY_TURNS else found + pierced)
            sunk.append(told.at(shown))
            shown = _moved_out(sunk, self.drawn, shown, self.hold, REACH * self.least, self.tets, self.spread)
        return best

    def farthest(self, shown: Array) -> float:
        """The longest way [m] that any place in a collider is to go with nodes at (n, 3)."""
        planes, pierced = self.sunk(shown)
        return _farthest(planes + pierced)


def _farthest(sunk: list[Sunk]) -> float:
    """The longest way [m] that any place is to go."""
    return max(float(one.over.max(initial=0.0)) for one in sunk)


def _needs_no_look(contacts: "Contacts", way: Way, drawn: Array) -> bool:
    """Whether what is drawn (n, 3) is out of colliders: as hardly anything moves, or by what the step has ended with."""
    if way.time == way.end:
        ended = contacts.ended
        if ended is None:
            return True  # tets are new, and no step has led there
        if (ended.depth(drawn) > MOST / REACH * ended.reach).any():
            return False
        if not len(ended.keys):
            return True
    still = not (contacts.edges is not None and contacts.edges.hides) and all(field.still for field in contacts.fields)
    return still and longest_way(way.begun, drawn) <= CALM * float(contacts.points.size.min())


def _points(contacts: "Contacts", way: Way, shown: Array) -> Sunk:
    """Contact points that are in colliders."""
    points, here = contacts.points, contacts.points.positions(shown)
    found = [(np.zeros(0, np.int64), np.zeros((0, 3)), np.zeros(0))]
    for c, field in enumerate(contacts.fields):
        near = np.flatnonzero(contacts.meets[c] & (contacts.leading.led[c] == 0))
        chosen, behind = points.choose(near), contacts.behind[c, near]
        ends = [points.positions(way.begun, chosen), points.positions(way.ended, chosen)]
        if not (field.still or field.endless):
            ends = [field.carried(end, time, way.time) for end, time in zip(ends, (way.begin, way.end), strict=True)]
        distance, normal = _seen(field, here[near], ends, behind, way.time, points.size[near])
        own = np.flatnonzero(distance < 0.0)
        if len(own):
            deepest = [-_seen(field, end[own], [], behind[own], way.time, points.size[near[own]])[0] for end in ends]
            may = _allowed(np.maximum(*deepest), points.size[near[own]])
            found.append((near[own], normal[own], -distance[own] - may))
    own, normal, over = (np.concatenate(column) for column in zip(*found, strict=True))
    blended = points.row[own] >= 0
    order, few = np.argsort(blended, kind="stable"), len(own) - int(blended.sum())
    own = own[order]
    carriers = Carriers(points.nodes[own[:few]], points.weights[own[:few]], points.rows.taken(points.row[own[few:]]))
    return Sunk(carriers, here[own], normal[order], over[order])


def _allowed(depth: Array, size: Array | float) -> Array:
    """How deep [m] places (k,) may be shown that were so deep [m] at an end of the step, in elements of a size [m]."""
    started = 2.0 * np.maximum(depth - FREE_DEPTH * size, 0.0)
    allowed: Array = np.maximum(np.minimum(depth, MOST * size + started), MAY * size)
    return allowed


def _seen(
    field: "Field", here: Array, ends: list[Array], behind: NDArray[np.bool_], time: float, size: Array
) -> tuple[Array, Array]:  # fmt: skip
    """Distance (k,) and normal (k, 3) of a collider at places (k, 3) in it, in elements of a size (k,) [m].

    Of a ground as those behind it see it; of a sheet, through which the places of both ends (k, 3) tell who has gone, if any.
    """
    if field.beneath is not None:
        return by_sides(behind, lambda own, beneath: query(field, here[own], time, 0.0, beneath))[:2]
    if field.sheet_offset is None or not ends or not len(here):
        return query(field, here, time, 0.0)[:2]
    nobody, reach = np.zeros_like(behind), float(size.max())
    one, other = (on_own_side(field, time, time, reach, end, here, nobody) for end in ends)
    through = one[3] & ~other[3]  # round its rim
    return np.where(through, other[0], one[0]), np.where(through[:, None], other[1], one[1])


def _under_edges(meeting: "Meeting", touches: "Touches", skin: Skin, time: float) -> Sunk:
    """Places of a body, as it is shown, in which a collider's edges and corners are, or all but are, by planes."""
    at = touches.at
    near = np.flatnonzero(at.gap < REACH * meeting.element)
    overlap = meeting.overlap(touches)
    sunk = np.minimum(-at.gap, overlap)
    over = sunk - _allowed(at.depth, meeting.element)
    deep = np.flatnonzero(over > LEFT * meeting.element)
    if len(deep):  # by their planes, which say so too of what lies beside a surface that is bent
        tops = touches.here[deep] + overlap[deep, None] * at.way[deep]  # the collider's, rounded by its thickness
        over[deep[(skin.outside(tops).distance > MAY * meeting.element) | _past(meeting, touches, overlap, deep, time)]] = 0.0
    return Sunk(_carriers(meeting, touches.rows.taken(near)), touches.here[near], at.normal[near], over[near])


def _pierced(meeting: "Meeting", touches: "Touches", skin: Skin) -> Sunk:
    """The same in truth, of edges and corners that touch or are about to (edges/pierced.py)."""
    keys, is_edge = touches.at.keys, touches.at.keys[:, 3] >= 0
    edges, corners = np.unique(keys[is_edge, 2]), np.unique(keys[~is_edge, 2])
    found = pierced(meeting, edges, corners, skin, (MAY + LEFT) * meeting.element)
    own = np.flatnonzero(found.over)  # of what runs through it on purpose nothing is left
    over = np.maximum(found.over[own] - MAY * meeting.element, 0.0)
    return Sunk(_carriers(meeting, found.rows.taken(own)), found.here[own], found.normal[own], over)


def _carriers(meeting: "Meeting", rows: Carried) -> Carriers:
    """What carries places of a body, by the numbers of all nodes."""
    return Carriers.by(Carried(rows.start, (rows.nodes + meeting.body.nodes.start).astype(np.int32), rows.weights))


def _past(meeting: "Meeting", touches: "Touches", overlap: Array, own: NDArray[np.int64], time: float) -> NDArray[np.bool_]:
    """Which of a meeting's touches (k,) are of what has passed, by half, the middle of a collider that is thinner than they
    say: its far side is nearer there than the faces of the edge, along whose normal it would be pulled in.

    overlap (m,) [m]: of all. A sheet has no inside, and a ground no far side.
    """
    field = meeting.collider.field
    edge, is_edge = touches.at.keys[own, 2], touches.at.keys[own, 3] >= 0
    if field.sheet_offset is not None or field.beneath is not None or not is_edge.any():
        return np.zeros(len(own), dtype=bool)
    edge = np.where(is_edge, edge, 0)
    # Both faces lean alike from the way out, which is half-way between them
    lean = np.einsum("ki,ki->k", meeting.collider.inwards(meeting.now[0])[edge, 0], touches.at.way[own])
    deep = overlap[own] * np.sqrt(np.maximum(1.0 - lean * lean, 0.0))
    past: NDArray[np.bool_] = is_edge & (depths(field, touches.here[own], time) < PAST * deep)
    return past


def _moved_out(
    sunk: list[Sunk], drawn: Array, shown: Array, hold: Array, soft: float, tets: NDArray[np.int32], spread: Array
) -> Array:  # fmt: skip
    """Nodes as shown (n, 3) so that places go as far as they are to; each is held by hold (n,).

    It is done by the laws of contact, which push until a place is so far [m] outside of a plane: `soft`. What nodes have moved
    in all from where they are drawn (n, 3) is shared with those around, tets (m, 4) by spread (n,), and places are moved again.
    Points go last, or what lies over edges would push them in.
    """
    pushed_in = len(sunk[0].over) > 0 and any(len(one.over) for one in sunk[1:])
    for again in range(SPREAD + 1):
        shown = drawn + _shared(shown - drawn, tets, spread) if again else shown.copy()
        _settle(sunk, shown, hold, soft, MOST_SETTLED if again == SPREAD else 1)
        if pushed_in:
            _settle(sunk[:1], shown, hold, soft, 1)
    return shown


def _settle(sunk: list[Sunk], shown: Array, hold: Array, soft: float, most: int) -> None:
    """Let nodes as shown (n, 3) go as far as all these places are to, moved so often at most; each is held by hold (n,)."""
    normal, here = np.concatenate([one.normal for one in sunk]), np.concatenate([one.here for one in sunk])
    goal = along(here, normal) + np.concatenate([one.over for one in sunk])
    carriers = sunk[0].carriers.joined([one.carriers for one in sunk[1:]])
    rows, nothing, ones, force = carriers.rows, np.zeros(len(goal)), np.ones(len(goal)), np.zeros_like(normal)
    for _ in range(most):
        before = shown.copy()
        settle(
            shown, carriers.nodes, carriers.weights, rows.start, rows.nodes, rows.weights, normal, goal - soft, soft * ones,
            ones, here, nothing, nothing, nothing.copy(), ones, hold, force, True,
        )  # fmt: skip
        short = goal - along(carriers.places(shown), normal)
        if short.max(initial=0.0) <= NEARLY / REACH * soft or (shown == before).all():
            break


def _shared(change: Array, tets: NDArray[np.int32], spread: Array) -> Array:
    """The mean over the tets (m, 4) around each node of their nodes' changes (n, 3)."""
    shares = change[tets].sum(axis=1)
    numbers, count = tets.ravel(), len(change)
    sums = [np.bincount(numbers, np.repeat(shares[:, axis], 4), count) for axis in range(3)]
    return np.stack(sums, axis=1) * spread[:, None]
