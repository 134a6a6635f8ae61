"""The search for pairs that may come close, made with room to spare so that it holds for many Newton iterations.

A search is made for a straight way of all nodes. It holds for nodes elsewhere if, for some share of that way, the same for all,
pairs that were not found cannot have come closer to each other, along any axis, than by what was spared for them: a little
between clusters (clusters.py) that were near each other, more between all others. What near clusters do together, as when they
move on, turn or stretch little, needs no new search. All is seen from the middle of the bodies concerned.

Clusters of one surface lie near each other because they hang together. Where it is not folded (unfolded.py) that is known for
all of a patch at once, and nothing is searched.
"""

import numpy as np
from numpy.typing import NDArray

from ...jit import kernel
from .carried import Carried
from .clusters import ROUNDING, Clusters, near_clusters
from .going import ROUNDED
from .known_reach import KnownReach
from .overlap import Found, Way, corners_near, edges_near
from .pairs import Corners, Edges, Pairs, apart_at_rest, no_pairs, pairs_of, taken
from .surface import ContactSurface
from .thin_parts import ThinParts
from .touch import Touch
from .unfolded import ALL_AXES, Doubts, Unfolded

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

REACH = 0.02  # distance at which surfaces begin to push, in sizes of the tets,
FINE = 0.1  # and at most so many mean edges of theirs
SPARE = 0.25  # mean edges that nodes of near clusters may come closer, beside their way, until the next search,
FAR = 1.0  # and those of others;
TIGHT = 0.06  # the same as SPARE at least of what a patch knows that is not folded: of more, less of it seems so
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
        self.edge, self.spare, self.far = edge, SPARE * edge, FAR * edge
        self.sure = self.spare  # by less than which what was found holds, whatever is off its way
        self.sides = [first] if self.own else [first, second]
        self.unfolded = Unfolded(first, rest) if self.own else None
        self.nodes = np.concatenate([side.vertices.nodes[:, 0] for side in self.sides])
        self.start, self.way, self.off = np.empty((3, len(self.nodes), 3))  # what was searched; how far nodes are off it
        self.searched, self.share = False, 1.0  # of the room to spare that is looked for
        self.held: list[tuple[Array, Doubts | None]] = []  # what has been found to hold last, with what is doubted there
        self.doubts: Doubts | None = None
        self.doubtful = False  # whether that had to be looked at by itself
        self.known: KnownReach | None = None  # of one body, how far pairs have reached before a remesh
        self.near = np.empty((0, 2), dtype=np.int32)
        self.pairs = no_pairs()

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

    def cover(self, before: Array, after: Array) -> bool:
        """See to it that `pairs` holds for nodes anywhere between two places (n, 3); whether it had to be changed."""
        if self.searched and self._holds_between(before, after):
            return False
        had = len(self.pairs.nodes) > 0
        if not self.own and self._apart(before, after):
            self.pairs, self.searched = no_pairs(), False
            return had
        self._search(before, after)
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
        return self.unfolded is None or not doubts or self.unfolded.still(doubts, self.nodes, before, after, self.reach)

    def passed(self, places: Array, begun: Array, ended: Array, share: float) -> None:
        """Let what holds at both ends of a straight way, places (n, 3), hold at others after a share of it, or not where nan.

        By how much nodes are off the way that was searched is a convex function of that share.
        """
        ends = [marks for end in (begun, ended) for known, marks in self.held if known is end]
        if not self.searched or len(ends) < 2 or np.isnan(share):
            return
        at_end = share > 1.0 - ROUNDED
        if at_end or not any(ends):
            self.held = [(places, ends[1] if at_end else None), *self.held[: HELD - 1]]

    def _holds(self, positions: Array) -> bool:
        """Whether what was found holds with nodes at positions (n, 3), but for what `unfolded` then doubts; that is `held`."""
        spread, self.doubts = _leave(self.nodes, positions, self.start, self.way, self.off), None
        if not (spread <= self.sure or (spread <= self.far and self._stay_near(spread))):
            return False
        self.held = [(positions, self.doubts), *self.held[: HELD - 1]]
        return True

    def _stay_near(self, spread: float) -> bool:
        """Whether all that are near each other have stayed with each other, by how far nodes are `off` their way, none off any
        other by more than a spread [m]."""
        ranges, first = [], 0
        for side in self.sides:
            ranges.append(np.empty((len(side.vertices.first) - 1, 2, 3)))
            _ranges(self.off[first:], side.own, side.first_own, ranges[-1])
            first = len(side.vertices.nodes)
        if self.unfolded is not None:
            self.doubts = self.unfolded.doubts(ranges[0], spread)
        return bool(_stay(self.near, ranges[0], ranges[-1], self.spare))

    def _search(self, before: Array, after: Array) -> None:
        """Find all pairs for the way between two places (n, 3)."""
        start, way = np.empty_like(before), np.empty_like(before)
        _set_out(self.nodes, before, after, start, way, self.start, self.way)
        for side in self.sides:
            side.fit(start, way)
        rounding = ROUNDING * max(side.farthest for side in self.sides)
        self.searched, self.held, self.sure = True, [(after, None), (before, None)], np.inf
        self.near = self._near_clusters(rounding)
        for k, side in enumerate(self.sides):
            side.fit_items(start, way, self.near if self.own else self.near[:, k])
        most, room = CROWDED * len(self.nodes), self.spare
        self.share = min(1.0, 2.0 * self.share if len(self.pairs.nodes) < 0.25 * most else self.share)
        while True:
            self.spare = self.share * room
            self.sure = min(self.sure, self.spare)
            self._find(start, way, rounding)
            if len(self.pairs.nodes) <= most or self.share <= CLOSEST:
                return
            self.share *= 0.5

    def _find(self, start: Array, way: Array, rounding: float) -> None:
        """Set the pairs of near clusters that may come close on a way (n, 3), with `spare` to spare."""
        # A pair may lose all that its nodes are off against each other, up to `spare` along each axis
        seen = Way(start, way, self.reach + self.spare + rounding, self.reach + ALL_AXES * self.spare)
        there, back = corners_near(self.first, self.second, self.near, seen)
        edges = edges_near(self.first, self.second, self.near, seen)
        self.pairs = self._pairs(there, back, edges)

    def _near_clusters(self, rounding: float) -> IntArray:
        """The near clusters among which pairs have to be looked for; sets `spare` and, with what is not folded, `sure`."""
        room, tight, self.spare = self.reach + self.far, TIGHT * self.edge, SPARE * self.edge
        if self.unfolded is None or not self.unfolded.look(self.start, self.way, self.reach, tight, self.spare, rounding):
            return near_clusters(self.first, self.second, room)
        self.sure = tight
        return self.unfolded.rest_of(near_clusters(self.first, self.second, room, self.unfolded.known))

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
        return apart_at_rest(pairs, self.rest, self.reach, known)


def _of_large(found: Found, surface: ContactSurface) -> Found:
    """Those with a large triangle of a surface."""
    return found.taken(_of(surface.large_triangles, found.items[:, 1]))


def _of(large: NDArray[np.bool_] | None, items: IntArray) -> NDArray[np.bool_]:
    """Which of some items (k,) by their numbers are large."""
    return np.zeros(len(items), dtype=bool) if large is None else large[items]


@kernel
def _set_out(nodes, before, after, start, way, own_start, own_way):  # type: ignore[no-untyped-def]
    """Fill start and way (n, 3) of some nodes (k,), seen from their middle, and own_start and own_way (k, 3) in their order."""
    center, later = _middle(nodes, before), _middle(nodes, after)
    for k in range(len(nodes)):
        i = np.uint64(nodes[k])
        for axis in range(3):
            x = before[i, axis] - center[axis]
            d = after[i, axis] - later[axis] - x
            start[i, axis], way[i, axis], own_start[k, axis], own_way[k, axis] = x, d, x, d


@kernel
def _middle(nodes, positions):  # type: ignore[no-untyped-def]
    """The mean of the nodes' positions, taken from the first of them so that no digits are lost."""
    x, y, z = 0.0, 0.0, 0.0
    first = positions[nodes[0]]
    for k in range(len(nodes)):
        i = np.uint64(nodes[k])
        x, y, z = x + positions[i, 0] - first[0], y + positions[i, 1] - first[1], z + positions[i, 2] - first[2]
    return first[0] + x / len(nodes), first[1] + y / len(nodes), first[2] + z / len(nodes)


@kernel
def _leave(nodes, positions, start, way, off):  # type: ignore[no-untyped-def]
    """Fill off (k, 3) with what nodes, seen from the first, are off the best common share of their ways from the start.

    Return the most that two are off against each other along an axis; inf if one is nowhere.
    """
    along, square = 0.0, 0.0
    first = positions[nodes[0]]
    for k in range(len(nodes)):
        i = np.uint64(nodes[k])
        for axis in range(3):
            off[k, axis] = positions[i, axis] - first[axis] - start[k, axis]
            along += off[k, axis] * way[k, axis]
            square += way[k, axis] * way[k, axis]
    share = min(max(along / square, 0.0), 1.0) if square > 0.0 else 0.0
    x0, y0, z0, x1, y1, z1, total = np.inf, np.inf, np.inf, -np.inf, -np.inf, -np.inf, 0.0
    for k in range(len(nodes)):
        x, y, z = off[k, 0] - share * way[k, 0], off[k, 1] - share * way[k, 1], off[k, 2] - share * way[k, 2]
        off[k, 0], off[k, 1], off[k, 2] = x, y, z
        x0, y0, z0, x1, y1, z1 = min(x0, x), min(y0, y), min(z0, z), max(x1, x), max(y1, y), max(z1, z)
        total += x + y + z
    return max(x1 - x0, y1 - y0, z1 - z0) if np.isfinite(total) else np.inf


@kernel
def _ranges(off, own, first_own, ranges):  # type: ignore[no-untyped-def]
    """Fill ranges (c, 2, 3) with the least and the most that the clusters' nodes are off (k, 3)."""
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


@kernel
def _stay(near, ranges, others, most):  # type: ignore[no-untyped-def]
    """Whether no two near clusters are off against each other by more than `most`."""
    for p in range(len(near)):
        a, b = np.uint64(near[p, 0]), np.uint64(near[p, 1])
        for axis in range(3):
            if ranges[a, 1, axis] - others[b, 0, axis] > most or others[b, 1, axis] - ranges[a, 0, axis] > most:
                return False
    return True
