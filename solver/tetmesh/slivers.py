"""Fewer slivers in a finished mesh: edges and faces are flipped, inner vertices moved or merged, the surface kept.

Only what is around a sliver is touched, one sliver after the other, worst first, so that the result is the same on every
machine.
"""

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import inline, kernel
from .boundary import FACES, face_table

Tet = tuple[int, int, int, int]

GOOD = float(np.sin(np.radians(11.0)))  # a tet is left alone from here on: sine of its dihedral angle furthest from a right one
GAIN = 1e-3  # by which a change has to better the worst tet that it touches
PASSES = 8
LONGEST_RING = 9  # tets around an edge that is taken out: there are as many ways to do so as to triangulate the ring
ROUNDING = 1e-14  # volume, in parts of the cube of the longest edge, that is nothing
FLAT = 1e-9  # the same, under which four vertices of the surface are in one plane
SHRINKS, FIRST_STEP = 6, 0.2  # of a vertex's search for a better place, in parts of the mean edge

_EVEN = {  # (i, j): the two others in the order that makes the permutation of (0, 1, 2, 3) even
    (p[0], p[1]): (p[2], p[3])
    for p in itertools.permutations(range(4))
    if sum(p[a] > p[b] for a in range(4) for b in range(a + 1, 4)) % 2 == 0
}
_EDGES = list(itertools.combinations(range(4), 2))
_OPPOSITE = FACES[:, ::-1].tolist()  # the face without vertex i, counter-clockwise seen from it
_GOLDEN = 0.5 * (1.0 + np.sqrt(5.0))
_WAYS = np.array([np.roll((0.0, a, b * _GOLDEN), k) for k in range(3) for a in (-1, 1) for b in (-1, 1)])
_WAYS /= np.hypot(1.0, _GOLDEN)  # unit vectors to the corners of an icosahedron


def without_slivers(
    points: NDArray[np.float64], tets: NDArray[np.int32], good: float = GOOD
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return points (n, 3) and tets (m, 4) of the same body, with the worst dihedral angles lifted where that can be done.

    A tet is left alone whose dihedral angles all have a `good` sine. The boundary stays where it is; a flat part of it may be
    triangulated anew. Vertices may be left without a tet.
    Source: Freitag and Ollivier-Gooch 1997 (flips and smoothing), Klincsek 1980 and Shewchuk 2002 (taking out an edge).
    """
    work = Tets(points, tets)
    tried: dict[int, int] = {}
    for _ in range(PASSES):
        before = work.changes
        for number in work.slivers(good):
            # Tried in vain, a sliver is tried again once something around it has changed
            if work.quality.get(number, 1.0) < good and tried.get(number, -1) < work.changed(number):
                tried[number] = work.changed(number)
                _better(work, number)
        if work.changes == before:
            break
    return work.points, np.array([work.tets[number] for number in sorted(work.tets)], dtype=np.int32)


class Change(NamedTuple):
    """Tets that go, by number, those that come, their quality, and by how much the worst is better than the worst before."""

    old: set[int]
    new: list[Tet]
    quality: list[float]
    gain: float


class Tets:
    """A mesh that changes tet by tet."""

    def __init__(self, points: NDArray[np.float64], tets: NDArray[np.int32]) -> None:
        self.points = points.copy()
        self.tets: dict[int, Tet] = {number: (a, b, c, d) for number, (a, b, c, d) in enumerate(tets.tolist())}
        self.around: list[set[int]] = [set() for _ in points]
        for number, tet in self.tets.items():
            for vertex in tet:
                self.around[vertex].add(number)
        self.on_surface = np.zeros(len(points), dtype=bool)
        self.on_surface[face_table(tets).boundary] = True
        self.quality: dict[int, float] = dict(enumerate(tet_quality(points, tets).tolist()))
        self.changes = 0
        self._changed = [0] * len(points)
        self._next = len(tets)

    def slivers(self, good: float) -> list[int]:
        """Return the numbers of the tets that are not good, worst first."""
        return sorted((n for n, quality in self.quality.items() if quality < good), key=lambda n: (self.quality[n], n))

    def changed(self, number: int) -> int:
        """Return the number of the last change around a tet."""
        return max(self._changed[vertex] for vertex in self.tets[number])

    def having(self, *vertices: int) -> set[int]:
        """Return the numbers of the tets that have all these vertices."""
        return set.intersection(*(self.around[vertex] for vertex in vertices))

    def apply(self, change: Change) -> None:
        """Put the new tets in the place of the old ones."""
        self.changes += 1
        for number in sorted(change.old):
            del self.quality[number]
            for vertex in self.tets.pop(number):
                self.around[vertex].discard(number)
                self._changed[vertex] = self.changes
        for tet, quality in zip(change.new, change.quality, strict=True):
            self.tets[self._next], self.quality[self._next] = tet, quality
            for vertex in tet:
                self.around[vertex].add(self._next)
            self._next += 1

    def place(self, vertex: int, point: NDArray[np.float64], numbers: list[int], quality: list[float]) -> None:
        """Put a vertex elsewhere; quality of the tets with these numbers, which are those around it, thereafter."""
        self.changes += 1
        self.points[vertex] = point
        self.quality.update(zip(numbers, quality, strict=True))
        for number in numbers:
            for corner in self.tets[number]:
                self._changed[corner] = self.changes


def tet_quality(points: NDArray[np.float64], tets: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return (m,) the smallest sine of the dihedral angles of tets (m, 4); negative where a tet is turned inside out."""
    quality = np.empty(len(tets))
    _smallest_sines(points, tets, quality)
    return quality


@kernel
def _smallest_sines(points, tets, result):  # type: ignore[no-untyped-def]
    """sin = 3 volume x edge / (2 x areas of the two faces that meet there)."""
    area = np.empty(4)
    for t in range(len(tets)):
        for i in range(4):
            n = _normal(points, tets[t, FACES[i, 0]], tets[t, FACES[i, 1]], tets[t, FACES[i, 2]])
            area[i] = 0.5 * np.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
        origin, apex = tets[t, 0], tets[t, 3]
        volume = 0.0
        n = _normal(points, origin, tets[t, 1], tets[t, 2])
        for a in range(3):
            volume += n[a] * (points[apex, a] - points[origin, a]) / 6.0
        result[t], longest = np.inf, 0.0
        for i in range(3):
            for j in range(i + 1, 4):
                square = 0.0
                for a in range(3):
                    square += (points[tets[t, j], a] - points[tets[t, i], a]) ** 2
                others = area[0] * area[1] * area[2] * area[3] / max(area[i] * area[j], 1e-300)
                result[t] = min(result[t], 1.5 * volume * np.sqrt(square) / max(others, 1e-300))
                longest = max(longest, np.sqrt(square))
        if abs(volume) < ROUNDING * longest**3:  # flat: areas may vanish as well
            result[t] = 0.0


@inline
def _normal(points, p, q, r):  # type: ignore[no-untyped-def]
    ux, uy, uz = points[q, 0] - points[p, 0], points[q, 1] - points[p, 1], points[q, 2] - points[p, 2]
    vx, vy, vz = points[r, 0] - points[p, 0], points[r, 1] - points[p, 1], points[r, 2] - points[p, 2]
    return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx


def _better(work: Tets, number: int) -> None:
    """Make the best change around one sliver, if any makes its surroundings better: flips before merging before moving."""
    for ways in (_flips, _merges):
        changes = [change for change in ways(work, number) if change.gain > GAIN]
        if changes:
            work.apply(max(changes, key=lambda change: min(change.quality)))
            return
    for vertex in work.tets[number]:
        if not work.on_surface[vertex]:
            _move(work, vertex)


def _flips(work: Tets, number: int) -> Iterator[Change]:
    """Yield every way to do without the tet by taking out one of its edges or faces."""
    tet = work.tets[number]
    for i, j in _EDGES:
        ring = ring_of_edge(work, tet[i], tet[j])
        if 3 <= len(ring) <= LONGEST_RING:
            yield without_edge(work, tet[i], tet[j], ring)
    for vertex, face in zip(tet, _OPPOSITE, strict=True):
        p, q, r = (tet[k] for k in face)
        beyond = work.having(p, q, r) - {number}
        if len(beyond) == 1:
            (below,) = set(work.tets[min(beyond)]) - {p, q, r}
            yield _change(work, beyond | {number}, [(s, t, below, vertex) for s, t in ((p, q), (q, r), (r, p))])


def _merges(work: Tets, number: int) -> Iterator[Change]:
    """Yield every way to do without the tet by merging one of its vertices that is not on the surface into another one."""
    for gone, kept in itertools.permutations(work.tets[number], 2):
        if not work.on_surface[gone]:
            old = work.around[gone]
            left = [work.tets[one] for one in sorted(old) if kept not in work.tets[one]]
            yield _change(work, set(old), [_exchanged(tet, gone, kept) for tet in left])


def _exchanged(tet: Tet, gone: int, kept: int) -> Tet:
    a, b, c, d = (kept if vertex == gone else vertex for vertex in tet)
    return a, b, c, d


def _change(work: Tets, old: set[int], new: list[Tet]) -> Change:
    quality = tet_quality(work.points, np.array(new, dtype=np.int32)).tolist()
    return Change(old, new, quality, min(quality) - min(work.quality[number] for number in old))


def ring_of_edge(work: Tets, a: int, b: int) -> list[int]:
    """Return the vertices around an edge in order; none if it is on the surface, unless that is flat there.

    Seen from b they go around counter-clockwise, so that the tets are (a, b, ring[i], ring[i + 1]).
    """
    follows = {}
    for number in work.having(a, b):
        tet = work.tets[number]
        k, l = _EVEN[tet.index(a), tet.index(b)]  # noqa: E741
        follows[tet[k]] = tet[l]
    loose = sorted(set(follows) - set(follows.values()))
    if len(loose) > 1:
        return []
    ring = [loose[0] if loose else min(follows)]
    while ring[-1] in follows and follows[ring[-1]] != ring[0]:
        ring.append(follows[ring[-1]])
        if len(ring) > len(follows) + 1:
            return []
    if len(ring) != len(follows) + len(loose) or (loose and not _in_plane(work.points[[a, b, ring[0], ring[-1]]])):
        return []
    return ring


def _in_plane(corners: NDArray[np.float64]) -> bool:
    ways = corners[1:] - corners[0]
    return bool(abs(np.linalg.det(ways)) < 6.0 * FLAT * np.sqrt((ways * ways).sum(axis=1)).max() ** 3)


def without_edge(work: Tets, a: int, b: int, ring: list[int]) -> Change:
    """Fill the ring of an edge without it, by the triangulation of the ring whose worst tet is best."""
    size = len(ring)
    triples = list(itertools.combinations(range(size), 3))
    pairs = [_both_sides(a, b, ring[i], ring[j], ring[k]) for i, j, k in triples]
    quality = tet_quality(work.points, np.array(pairs, dtype=np.int32).reshape(-1, 4)).reshape(-1, 2).min(axis=1)
    of = dict(zip(triples, quality.tolist(), strict=True))
    best: dict[tuple[int, int], tuple[float, int]] = {(i, i + 1): (np.inf, -1) for i in range(size - 1)}
    for length in range(2, size):
        for i in range(size - length):
            j = i + length
            best[i, j] = max((min(best[i, k][0], best[k, j][0], of[i, k, j]), k) for k in range(i + 1, j))
    made: list[Tet] = []
    open_ends = [(0, size - 1)]
    while open_ends:
        i, j = open_ends.pop()
        k = best[i, j][1]
        if k > 0:
            made += _both_sides(a, b, ring[i], ring[k], ring[j])
            open_ends += [(i, k), (k, j)]
    return _change(work, work.having(a, b), made)


def _both_sides(a: int, b: int, i: int, j: int, k: int) -> list[Tet]:
    return [(i, j, k, b), (i, k, j, a)]


def _move(work: Tets, vertex: int) -> None:
    """Move a vertex to where the worst tet around it is best."""
    numbers = sorted(work.around[vertex])
    tets = np.array([work.tets[number] for number in numbers], dtype=np.int32)
    points, start = work.points, work.points[vertex].copy()
    place = start
    quality = np.array([work.quality[number] for number in numbers])
    before = quality.min()
    step = FIRST_STEP * np.sqrt(((points[np.unique(tets)] - place) ** 2).sum(axis=1).mean())
    for _ in range(SHRINKS):
        while True:
            best, found = place, quality
            for tried in place + step * _WAYS:
                points[vertex] = tried
                there = tet_quality(points, tets)
                if there.min() > found.min() + 0.1 * GAIN:
                    best, found = tried, there
            if found is quality:
                break
            place, quality = best, found
        step *= 0.5
    points[vertex] = start
    if quality.min() > before + GAIN:
        work.place(vertex, place, numbers, quality.tolist())
