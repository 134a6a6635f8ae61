"""The volume of what is seen of bodies, piece by piece: it is what is to be kept, while tets are filled by it in part only."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..embedding import Binding, evaluate
from ..geometry.chunks import in_parts
from ..geometry.edges import connected
from ..jit import CHUNKS, kernel
from ..state import Ranges, State
from ..tetmesh.manifold import components
from ..tetmesh.quality import tet_volumes

Array = NDArray[np.float64]

MANY = 100_000  # triangles, of which half takes longer than to wake a thread
WHOLE, HALVES = [(0, CHUNKS)], [(0, CHUNKS // 2), (CHUNKS // 2, CHUNKS)]


class SeenVolume:
    """What is seen of connected pieces of all bodies' tets, those together that share a shell; built anew with the tets.

    piece  : (m,) the number of what each tet is of, one piece or several; bodies : (p,) the body of each
    closed : (p,) whether what is seen of it is a closed surface. Of others the volume is that of the tets.
    """

    def __init__(
        self,
        ranges: Ranges,
        tets: NDArray[np.int32],
        surfaces: list[Binding],
        triangles: list[NDArray[np.int32]],
        pieces: list[NDArray[np.int32]],
    ) -> None:
        """surfaces, triangles and pieces (of each tet) hold one item a body, in its own numbers; tets (m, 4) those of all."""
        self.tets, self.ranges, self.surfaces, self.triangles = tets, ranges, surfaces, triangles
        self.piece, counts, self.owners = np.zeros(len(tets), dtype=np.int64), list[int](), []
        for body, (a, b) in enumerate(pairwise(ranges.tets.tolist())):
            own = _together(pieces[body], surfaces[body].tets, triangles[body])
            self.piece[a:b] = own + sum(counts)
            carrying = self.piece[a + surfaces[body].tets[triangles[body][:, 0]]]
            self.owners.append(carrying)
            counts.append(int(own.max()) + 1)
        self.count = sum(counts)
        self.bodies = np.repeat(np.arange(len(counts)), counts)
        open_sides = np.zeros(self.count, dtype=np.int64)
        for owners, own_triangles in zip(self.owners, triangles, strict=True):
            open_sides += _open_sides(own_triangles, owners, np.bincount(own_triangles.ravel()), self.count)
        has_some = np.isin(np.arange(self.count), np.concatenate([np.zeros(0, dtype=np.int64), *self.owners]))
        self.closed = has_some & (open_sides == 0)

    def of(self, positions: Array) -> Array:
        """Volumes (p,) [m^3] with the nodes at positions (n, 3)."""
        volumes: Array = np.bincount(self.piece, tet_volumes(positions, self.tets), self.count).astype(np.float64)
        for body, (owners, triangles) in enumerate(zip(self.owners, self.triangles, strict=True)):
            (a, b), (c, d) = self.ranges.nodes[body : body + 2], self.ranges.tets[body : body + 2]
            places = evaluate(self.surfaces[body], self.tets[c:d] - a, positions[a:b])
            sums = np.zeros((CHUNKS, self.count))
            in_parts(_sum_volumes, HALVES if len(triangles) > MANY else WHOLE, places, triangles, owners, sums)
            own = self.closed & (self.bodies == body)
            volumes[own] = sums.sum(axis=0)[own]
        return volumes


def shown_at_rest(state: State, seen: SeenVolume, rest: Array) -> Array:
    """Return what tets would show at rest (m,) [m^3], in sum over each piece what is seen of it now times its rest volume over
    its present one; rest (m,) [m^3]."""
    now = np.bincount(seen.piece, tet_volumes(state.positions, state.tets), seen.count)
    result: Array = rest * (seen.of(state.positions) / now)[seen.piece]
    return result


def show(
    state: State, seen: SeenVolume, rest: Array, back: float = 0.0, some: NDArray[np.bool_] | None = None,
    astray: Array | float = 1.0, family: NDArray[np.int32] | None = None,
) -> None:  # fmt: skip
    """Let what is to be seen of each piece be what is seen now, times its rest volume over its present one; rest (m,) [m^3].

    back: by which share more it may be, as far as more was to be seen before of a family (m,) of pieces, or of the piece; it is
    not known how much of what has torn was to be seen of each part. some (m,): of which tets alone; None of all.
    astray (m,): times that, as so much was to be seen more than that all along.
    """
    shown = astray * shown_at_rest(state, seen, rest)
    of = seen.piece if family is None else family
    had, has = (np.bincount(of, each) for each in (state.shown, shown))
    shown = shown * np.clip(np.divide(had, has, out=np.ones(len(had)), where=has > 0.0), 1.0, 1.0 + back)[of]
    state.shown = shown if some is None else np.where(some, shown, state.shown)


def whole(state: State, surface: Binding, triangles: NDArray[np.int32]) -> SeenVolume:
    """Return that of a state of one body."""
    ranges = Ranges(np.array([0, len(state.positions)]), np.array([0, len(state.tets)]))
    return SeenVolume(ranges, state.tets, [surface], [triangles], [components(state.tets)])


def _together(piece: NDArray[np.int32], carrying: NDArray[np.int32], triangles: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return what each tet (m,) is of, given its piece (m,): those are one that share a shell of what is seen, triangles (t, 3)
    with vertices that tets carry (n,)."""
    count = int(piece.max()) + 1
    if count == 1 or not len(triangles):
        return piece.astype(np.int64)
    shell = connected(np.stack([triangles, np.roll(triangles, -1, axis=1)]).reshape(2, -1), len(carrying))
    owner = piece[carrying[triangles[:, 0]]].astype(np.int64)
    first = np.full(len(carrying), -1, dtype=np.int64)  # a piece of each shell
    first[shell[triangles[:, 0]]] = owner
    name = connected(np.stack([owner, first[shell[triangles[:, 0]]]]), count)
    return np.unique(name, return_inverse=True)[1][piece]


@kernel
def _open_sides(triangles, owners, degrees, count):  # type: ignore[no-untyped-def]
    """How many sides of triangles (t, 3) of each owner (count,), owners (t,), no other of its own runs through the other way.

    Faces of one shell may be those of several pieces, none of which they enclose. degrees (n,): corners at each vertex. A side
    is listed with that of its vertices which has fewer, so that no list is long where many meet in one.
    """
    sides, found = 3 * len(triangles), np.zeros(count, np.int64)
    keepers, others = np.empty(sides, np.int32), np.empty(sides, np.int32)
    begin = np.zeros(len(degrees) + 1, np.int64)
    for side in range(sides):
        a, b = triangles[side // 3, side % 3], triangles[side // 3, (side + 1) % 3]
        kept_by_first = degrees[a] < degrees[b] or (degrees[a] == degrees[b] and a < b)
        keepers[side] = a if kept_by_first else b
        others[side] = 0 if a == b else b + 1 if kept_by_first else -a - 1  # and which way it runs
        begin[keepers[side] + 1] += 1
    for v in range(len(degrees)):
        begin[v + 1] += begin[v]
    listed, own, filled = np.empty(sides, np.int32), np.empty(sides, owners.dtype), begin[:-1].copy()
    for side in range(sides):
        at = filled[keepers[side]]
        listed[at], own[at] = others[side], owners[side // 3]
        filled[keepers[side]] += 1
    for v in range(len(degrees)):
        for i in range(begin[v], begin[v + 1]):
            if listed[i]:
                j = i + 1
                while j < begin[v + 1] and (listed[j] != -listed[i] or own[j] != own[i]):
                    j += 1
                if j == begin[v + 1]:
                    found[own[i]] += 1
                else:
                    listed[j] = 0  # has its partner
    return found


@kernel
def _sum_volumes(first, last, places, triangles, owners, sums):  # type: ignore[no-untyped-def]
    """Volumes that triangles span with the first point, in CHUNKS parts (CHUNKS, p), of which those from first to last.

    No parallel kernel, since it is asked for beside others (geometry/chunks.py)."""
    o0, o1, o2 = places[0, 0], places[0, 1], places[0, 2]
    for chunk in range(first, last):
        for t in range(len(triangles) * chunk // CHUNKS, len(triangles) * (chunk + 1) // CHUNKS):
            a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
            u0, u1, u2 = places[a, 0] - o0, places[a, 1] - o1, places[a, 2] - o2
            v0, v1, v2 = places[b, 0] - o0, places[b, 1] - o1, places[b, 2] - o2
            w0, w1, w2 = places[c, 0] - o0, places[c, 1] - o1, places[c, 2] - o2
            sums[chunk, owners[t]] += (u0 * (v1 * w2 - v2 * w1) + u1 * (v2 * w0 - v0 * w2) + u2 * (v0 * w1 - v1 * w0)) / 6.0
