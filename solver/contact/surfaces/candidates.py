"""The search for pairs that may come close, made with room to spare so that it holds for many Newton iterations.

A search is made for a straight way of all nodes. It holds for nodes elsewhere if, for some share of that way, the same for all,
pairs that were not found cannot have come closer to each other, along any axis, than by what was spared for them (rooms.py): a
little between clusters (clusters.py) that were near each other, more between all others. What near clusters do together, as
when they move on, turn or stretch little, needs no new search.

Clusters of one surface lie near each other because they hang together. Where it is not folded (unfolded.py) that is known for
all of a patch at once, and nothing is searched.
"""

import numpy as np
from numpy.typing import NDArray

from ...jit import inline, inner_kernel, kernel
from .carried import Carried
from .clusters import ROUNDING, Clusters, near_clusters, still_near
from .fresh_pairs import FreshPairs
from .going import Share
from .known_reach import KnownReach
from .overlap import Found, Way, corners_near, edges_near
from .pairs import Corners, Edges, Pairs, apart_at_rest, no_pairs, pairs_of, taken
from .rooms import SPARE, Rooms
from .surface import ContactSurface
from .thin_parts import ThinParts
from .touch import Touch
from .unfolded import Doubts, Unfolded

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

REACH = 0.02  # distance at which surfaces begin to push, in sizes of the tets,
FINE = 0.1  # and at most so many mean edges of theirs
FAR = 1.0  # mean edges that nodes of clusters that are not near may come closer, beside their way, until the next search
TIGHT = 0.06  # the same as SPARE at least of what a patch knows that is not folded: of more, less of it seems so
ASKED, TOGETHER = 256, 192  # nodes of each body that are asked how far all have gone; coordinates at once, a multiple of three
BLUR = 0.2  # of the room for rounding, that what was found to hold in one place may be taken for in others beside it
HELD = 3  # places where what was found is known to hold: an iteration's, and the ends of two directions from there
CROWDED = 16  # pairs a vertex: of more, as where a skin is drawn together to a neck, less room is looked for, and more often,
CLOSEST = 0.125  # down to this share of it; more again where there are a quarter as many


class Neighbourhood:
    """The pairs of two bodies, or of one with itself."""

    def __init__(
        self, first: Clusters, second: Clusters, rest: Array, reach: float, modulus: float, friction: float,
        thin: ThinParts | None = None,
    ) -> None:  # fmt: skip
        """reach [m]; modulus [Pa] that sizes the barrier; friction coefficient; rest (n, 3) the nodes' places at rest.

        thin: of one body, what its tets keep apart by themselves.
        """
        self.first, self.second, self.rest, self.thin = first, second, rest, thin
        self.own, self.reach = first is second, reach
        self.modulus, self.friction = modulus, friction
        # Of surfaces that others have cut: only pairs with one of what was cut, for of all others those know
        self.large = first.surface.large_edges is not None or second.surface.large_edges is not None
        edge = min(first.edge_length, second.edge_length)
        self.edge, self.rooms, self.far = edge, Rooms.alike(SPARE * edge), FAR * edge
        self.sure = self.rooms.spare  # (3,) by less than which what was found holds, whatever is off its way
        self.sides = [first] if self.own else [first, second]
        self.unfolded = Unfolded(first, rest) if self.own else None
        self.count = sum(len(side.vertices.nodes) for side in self.sides)
        self.spans = np.array([side.span for side in self.sides])  # of their numbers
        self.begun, self.ended = rest, rest  # between which places was searched,
        self.off = np.empty((0, 3))  # and how far nodes are off that way,
        self.blur = 0.0  # beside by how much nobody has to know [m]
        self.searched, self.share = False, 1.0  # of the room to spare that is looked for
        self.held: list[tuple[Array, Doubts | None]] = []  # what has been found to hold last, with what is doubted there
        self.doubts: Doubts | None = None
        self.doubtful = False  # whether that had to be looked at by itself
        self.known: KnownReach | None = None  # of one body, how far pairs have reached before a remesh
        self.near = np.empty((0, 2), dtype=np.int32)
        self.since: NDArray[np.bool_] | None = None  # of one body, which points (n,) have come since its tets were made
        self.fresh: FreshPairs | None = None  # those of a refined surface that do not reach as far as they will yet
        self.found = self.pairs = no_pairs()  # as they will reach, and as they do

    @classmethod
    def of(
        cls, touch: Touch, other: Touch, first: Clusters, second: Clusters, rest: Array, carried: Carried
    ) -> "Neighbourhood":
        """That of surfaces which touch by `touch` and `other`; their points are carried and at rest (k, 3) without contact."""
        elements, lengths = (first.surface.element, second.surface.element), (first.edge_length, second.edge_length)
        thin = None
        if first is second and touch.thin > 0.0:
            thin = ThinParts.of(first.surface.triangles, rest, carried, touch.thin)
        return cls(
            first, second, rest, min(REACH * min(elements), FINE * min(lengths)), min(touch.modulus, other.modulus),
            float(np.sqrt(touch.friction * other.friction)), thin,
        )  # fmt: skip

    def cover(self, before: Array, after: Array, ways: Array | None = None) -> bool:
        """See to it that `pairs` holds for nodes anywhere between two places (n, 3); whether it had to be changed.

        ways (n, 3): what leads from one to the other, where that is at hand.
        """
        if self.searched and self._holds_between(before, after):
            return False
        had = len(self.pairs.nodes) > 0
        if not self.own and self._apart(before, after):
            self.searched, self.found, self.pairs = False, no_pairs(), no_pairs()
            return had
        self._search(before, after, after - before if ways is None else ways)
        return had or len(self.pairs.nodes) > 0

    def _apart(self, before: Array, after: Array) -> bool:
        """Whether the bodies' own boxes are too far apart for any contact on the way."""
        low, high = self.first.around(before, after)
        other_low, other_high = self.second.around(before, after)
        return bool(((low > other_high + self.reach) | (other_low > high + self.reach)).any())

    def _holds_between(self, before: Array, after: Array) -> bool:
        """Whether what was found holds for nodes anywhere between two places (n, 3)."""
        doubts = []
        for places in (before, after):
            if not any(places is known for known, _ in self.held) and not self._holds(places):
                return False
            doubts += [marks for known, marks in self.held if known is places and marks is not None]
        self.doubtful = bool(doubts)
        return self.unfolded is None or not doubts or self.unfolded.still(doubts, before, after, self.reach)

    def begin(self, fresh: FreshPairs | None) -> None:
        """Let some of the pairs reach only so far yet."""
        self.fresh, self.pairs = fresh, self.found if fresh is None else fresh.limited(self.found)

    def part(self, places: Array) -> bool:
        """Let what is fresh reach as far as it is apart with points at places (n, 3); whether any does now."""
        fresh = None if self.fresh is None else self.fresh.parted(places, self.reach)
        if fresh is self.fresh:
            return False
        self.begin(fresh)
        return True

    def passed(self, places: Array, begun: Array, ended: Array, there: Share) -> None:
        """Let what holds at both ends of a straight way, places (n, 3), hold at others on it.

        By how much nodes are off the way that was searched is a convex function of the share of this one. By how much they are
        off this one counts as what rounds, as long as there is room for that.
        """
        # The first of each: a search that was made for no way has left its place twice
        first, last = ([marks for known, marks in self.held if known is end][:1] for end in (begun, ended))
        at_end = there.off_end <= self.blur
        off = there.off_end if at_end else there.off
        if not self.searched or not first or not last or not off <= self.blur:
            return
        if at_end or not any(first + last):
            self.held, self.blur = [(places, last[0] if at_end else None), *self.held[: HELD - 1]], self.blur - off

    def _holds(self, positions: Array) -> bool:
        """Whether what was found holds with nodes at positions (n, 3), but for what `unfolded` then doubts; that is `held`."""
        if not len(self.off):
            self.off = np.empty_like(self.rest)
        self.doubts = None
        spread, sure = _leave(self.spans, positions, self.begun, self.ended, self.rooms.axes, self.sure, self.off)
        if not (sure or (spread <= self.far and self._stay_near(spread))):
            return False
        self.held = [(positions, self.doubts), *self.held[: HELD - 1]]
        return True

    def _stay_near(self, spread: float) -> bool:
        """Whether all that are near each other have stayed with each other, by how far nodes are `off` their way, none off any
        other by more than a spread [m]."""
        ranges = []
        for side in self.sides:
            ranges.append(np.empty((len(side.vertices.first) - 1, 2, 3)))
            _ranges(self.off, side.own_nodes, side.first_own, ranges[-1])
        if self.unfolded is not None:
            self.doubts = self.unfolded.doubts(ranges[0], spread)
        return bool(_stay(self.near, ranges[0], ranges[-1], *self.rooms))

    def _search(self, before: Array, after: Array, way: Array) -> None:
        """Find all pairs for the way (n, 3) between two places (n, 3)."""
        i = self._middle()
        origin, self.begun, self.ended = np.stack([before[i], way[i]]), before, after
        for side in self.sides:
            side.fit(before, way, origin)
        rounding = ROUNDING * max(side.farthest for side in self.sides)
        self.searched, self.held, self.blur = True, [(after, None), (before, None)], BLUR * rounding
        self.near, known = self._near_clusters(rounding)
        room = Rooms.alike(SPARE * self.edge) if self.own else Rooms.pressed(self.edge, self.pairs, before)
        boxes = [side.boxes[side.leaf :] for side in (self.first, self.second)]
        near = still_near(self.near, *boxes, self.reach + room.along + rounding)
        for k, side in enumerate(self.sides):
            side.fit_items(before, way, near if self.own else near[:, k], origin)
        most = CROWDED * self.count
        self.share = min(1.0, 2.0 * self.share if len(self.pairs.nodes) < 0.25 * most else self.share)
        while True:
            self.rooms = room.times(self.share)
            self.sure = np.minimum(known, self.rooms.spare)
            self._find(near, before, way, rounding)
            if len(self.pairs.nodes) <= most or self.share <= CLOSEST:
                return
            self.share *= 0.5

    def _middle(self) -> int:
        """The number of the vertex in the middle of all."""
        first, number = self.first.vertices.nodes, self.count // 2
        return int(first[number, 0] if number < len(first) else self.second.vertices.nodes[number - len(first), 0])

    def _find(self, near: IntArray, before: Array, way: Array, rounding: float) -> None:
        """Set the pairs of near clusters (k, 2) that may come close on a way (n, 3) from places (n, 3), `rooms` to spare."""
        reach = self.reach + rounding
        seen = Way(before, way, reach, self.rooms.box, reach + self.rooms.along)
        there, back = corners_near(self.first, self.second, near, seen)
        edges = edges_near(self.first, self.second, near, seen)
        self.found = self._pairs(there, back, edges)
        self.begin(self.fresh)

    def _near_clusters(self, rounding: float) -> tuple[IntArray, float]:
        """The near clusters among which pairs have to be looked for; by how much what is not folded may be off for sure [m]."""
        room, tight, most = self.reach + self.far + rounding, TIGHT * self.edge, SPARE * self.edge
        if self.unfolded is None or not self.unfolded.look(self.begun, self.ended, self.reach, tight, most, rounding):
            return near_clusters(self.first, self.second, room), np.inf
        return self.unfolded.rest_of(near_clusters(self.first, self.second, room, self.unfolded.known)), tight

    def _pairs(self, there: Found, back: Found, edges: Found) -> Pairs:
        """Of vertices near triangles, of the first body and of the second, and of edges near each other."""
        one, other = self.first.surface, self.second.surface
        if self.large:
            there, back = _of_large(there, other), _of_large(back, one)
            edges = edges.taken(_of(one.large_edges, edges.items[:, 0]) | _of(other.large_edges, edges.items[:, 1]))
        corners = [
            Corners(*there, one.vertex_areas, other.corner_shares),
            Corners(*back, other.vertex_areas, one.corner_shares),
        ]
        sides = Edges(*edges, (one.edge_areas, other.edge_areas), (self.first.edge_squares, self.second.edge_squares))
        pairs = pairs_of(corners, sides, self.reach, self.modulus, self.friction)
        if not self.own or not len(pairs.nodes):
            return pairs
        if self.thin is not None:
            pairs = taken(pairs, ~self.thin.held(pairs.nodes, pairs.points))
        known = None if self.known is None else self.known.reaches(pairs.nodes, pairs.points, self.rest, self.reach)
        since: NDArray[np.bool_] | None = None if self.since is None else np.asarray(self.since[pairs.nodes].any(axis=1))
        return apart_at_rest(pairs, self.rest, self.reach, known, since)


def _of_large(found: Found, surface: ContactSurface) -> Found:
    """Those with a large triangle of a surface."""
    return found.taken(_of(surface.large_triangles, found.items[:, 1]))


def _of(large: NDArray[np.bool_] | None, items: IntArray) -> NDArray[np.bool_]:
    """Which of some items (k,) by their numbers are large."""
    return np.zeros(len(items), dtype=bool) if large is None else large[items]


@kernel
def _leave(spans, positions, begun, ended, axes, sure, off):  # type: ignore[no-untyped-def]
    """Fill off (n, 3) with what nodes of some spans (s, 2) are off a share of their way between two places (n, 3).

    That is the share which some of them are best at, seen from the first. Of nodes of the first span and of the last return the
    most that two are off against each other along an axis, inf if any is nowhere; and whether none are by more than `sure` (3,)
    along some axes (3, 3).
    """
    along, square, i = 0.0, 0.0, spans[0, 0]
    for s in range(len(spans)):
        for k in range(spans[s, 0], spans[s, 1], max(1, (spans[s, 1] - spans[s, 0]) // ASKED)):
            for axis in range(3):
                goes = ended[k, axis] - begun[k, axis] - (ended[i, axis] - begun[i, axis])
                along += (positions[k, axis] - begun[k, axis] - (positions[i, axis] - begun[i, axis])) * goes
                square += goes * goes
    share = min(max(along / square, 0.0), 1.0) if square > 0.0 else 0.0
    here, begin, end, left = positions.ravel(), begun.ravel(), ended.ravel(), off.ravel()
    ranges, bad = np.empty((len(spans), 1, 2, 3)), 0
    for s in range(len(spans)):
        low, high, last = np.full(TOGETHER, np.inf), np.full(TOGETHER, -np.inf), 3 * spans[s, 1]
        for first in range(3 * spans[s, 0], last, TOGETHER):
            part = slice(first, min(first + TOGETHER, last))
            bad += _take_off(here[part], begin[part], end[part], share, left[part], low, high)
        for axis in range(3):
            ranges[s, 0, 0, axis], ranges[s, 0, 1, axis] = low[axis::3].min(), high[axis::3].max()
    most, one, other = 0.0, ranges[0], ranges[-1]
    for axis in range(3):
        most = max(most, one[0, 1, axis] - other[0, 0, axis], other[0, 1, axis] - one[0, 0, axis])
    return (most, _within(one, 0, other, 0, axes, sure)) if bad == 0 else (np.inf, False)


@inner_kernel
def _take_off(here, begin, end, share, left, low, high):  # type: ignore[no-untyped-def]
    """Fill how far coordinates are off, and widen low to high; how many are nowhere. No branch, for vectors."""
    bad = 0
    for n in range(len(left)):
        off = here[n] - begin[n] - share * (end[n] - begin[n])
        left[n], low[n], high[n] = off, min(low[n], off), max(high[n], off)
        bad += not abs(off) < np.inf
    return bad


@kernel
def _ranges(off, own, first_own, ranges):  # type: ignore[no-untyped-def]
    """Fill ranges (c, 2, 3) with the least and the most that the clusters' nodes are off (n, 3)."""
    for c in range(len(ranges)):
        i = np.uint64(own[first_own[c]])
        x0, y0, z0 = off[i, 0], off[i, 1], off[i, 2]
        x1, y1, z1 = x0, y0, z0
        for k in range(first_own[c] + 1, first_own[c + 1]):
            i = np.uint64(own[k])
            x, y, z = off[i, 0], off[i, 1], off[i, 2]
            x0, y0, z0, x1, y1, z1 = min(x0, x), min(y0, y), min(z0, z), max(x1, x), max(y1, y), max(z1, z)
        ranges[c, 0, 0], ranges[c, 0, 1], ranges[c, 0, 2] = x0, y0, z0
        ranges[c, 1, 0], ranges[c, 1, 1], ranges[c, 1, 2] = x1, y1, z1


@inline
def _within(ranges, a, others, b, axes, most):  # type: ignore[no-untyped-def]
    """Whether what is off by range a, and by range b of others, is off against each other by at most `most` (3,) along axes."""
    x, y, z = ranges[a, 0, 0] + ranges[a, 1, 0], ranges[a, 0, 1] + ranges[a, 1, 1], ranges[a, 0, 2] + ranges[a, 1, 2]
    u, v, w = ranges[a, 1, 0] - ranges[a, 0, 0], ranges[a, 1, 1] - ranges[a, 0, 1], ranges[a, 1, 2] - ranges[a, 0, 2]
    x, u = x - (others[b, 0, 0] + others[b, 1, 0]), u + (others[b, 1, 0] - others[b, 0, 0])
    y, v = y - (others[b, 0, 1] + others[b, 1, 1]), v + (others[b, 1, 1] - others[b, 0, 1])
    z, w = z - (others[b, 0, 2] + others[b, 1, 2]), w + (others[b, 1, 2] - others[b, 0, 2])
    within = True
    for k in range(3):  # twice the middle of what they are off against each other, and twice half of its width
        middle = abs(axes[k, 0] * x + axes[k, 1] * y + axes[k, 2] * z)
        within &= middle + abs(axes[k, 0]) * u + abs(axes[k, 1]) * v + abs(axes[k, 2]) * w <= 2.0 * most[k]
    return within


@kernel
def _stay(near, ranges, others, axes, most):  # type: ignore[no-untyped-def]
    """Whether no two near clusters are off against each other by more than `most` (3,) along some axes (3, 3)."""
    p = 0
    while p < len(near) and _within(ranges, np.uint64(near[p, 0]), others, np.uint64(near[p, 1]), axes, most):
        p += 1
    return p == len(near)
