"""Fewer slivers in a finished mesh: edges and faces are flipped, inner vertices moved or merged, the surface kept.

Only what is around a sliver is touched, one sliver after the other, worst first, so that the result is the same on every
machine. numpy is quick enough: they are few.
"""

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .boundary import FACES, face_table

Tet = tuple[int, int, int, int]
Change = tuple[set[int], list[Tet]]  # the tets that go, by number, and those that come

GOOD = np.sin(np.radians(14.0))  # a tet is left alone from here on: sine of its dihedral angle furthest from a right one
GAIN = 1e-3  # by which a change has to better the worst tet that it touches
PASSES = 8
LONGEST_RING = 9  # tets around an edge that is taken out: there are as many ways to do so as to triangulate the ring
FLAT = 1e-9  # volume, in parts of the cube of the longest edge, under which four vertices of the surface are in one plane
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


def without_slivers(points: NDArray[np.float64], tets: NDArray[np.int32]) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return points (n, 3) and tets (m, 4) of the same body, with the worst dihedral angles lifted where that can be done.

    The boundary stays where it is; a flat part of it may be triangulated anew. Vertices may be left without a tet.
    Source: Freitag and Ollivier-Gooch 1997 (flips and smoothing), Klincsek 1980 and Shewchuk 2002 (taking out an edge).
    """
    work = _Work(points, tets)
    for _ in range(PASSES):
        changed = False
        for number in work.slivers():
            if number in work.tets and work.worst([work.tets[number]]) < GOOD:
                changed |= _better(work, number)
        if not changed:
            break
    return work.points, np.array([work.tets[number] for number in sorted(work.tets)], dtype=np.int32)


class _Work:
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
        self._next = len(tets)

    def slivers(self) -> list[int]:
        """Return the numbers of the tets that are not good, worst first."""
        numbers = np.array(list(self.tets), dtype=np.int64)
        quality = tet_quality(self.points[np.array(list(self.tets.values()))])
        bad = np.flatnonzero(quality < GOOD)
        return [int(number) for number in numbers[bad[np.argsort(quality[bad], kind="stable")]]]

    def worst(self, tets: list[Tet]) -> float:
        """Return the quality of the worst of some tets."""
        return float(tet_quality(self.points[np.array(tets)]).min())

    def having(self, *vertices: int) -> set[int]:
        """Return the numbers of the tets that have all these vertices."""
        return set.intersection(*(self.around[vertex] for vertex in vertices))

    def apply(self, change: Change) -> None:
        """Put the new tets in the place of the old ones."""
        old, new = change
        for number in sorted(old):
            for vertex in self.tets.pop(number):
                self.around[vertex].discard(number)
        for tet in new:
            self.tets[self._next] = tet
            for vertex in tet:
                self.around[vertex].add(self._next)
            self._next += 1


def tet_quality(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (m,) the smallest sine of the dihedral angles of tets (m, 4, 3); negative where a tet is turned inside out.

    sin = 3 volume x edge / (2 x areas of the two faces that meet there).
    """
    origin = corners[:, 0]
    u, v, w = (corners[:, i] - origin for i in (1, 2, 3))
    volume = np.einsum("ij,ij->i", u, np.cross(v, w)) / 6.0
    faces = [np.cross(corners[:, b] - corners[:, a], corners[:, c] - corners[:, a]) for a, b, c in _OPPOSITE]
    areas = [0.5 * np.sqrt((normal * normal).sum(axis=1)) for normal in faces]
    smallest = np.full(len(corners), np.inf)
    for i, j in _EDGES:
        k, l = _EVEN[i, j]  # noqa: E741  the two vertices opposite, whose faces meet in this edge
        way = corners[:, j] - corners[:, i]
        both = np.maximum(areas[k] * areas[l], 1e-300)
        smallest = np.minimum(smallest, 1.5 * volume * np.sqrt((way * way).sum(axis=1)) / both)
    return smallest


def _better(work: _Work, number: int) -> bool:
    """Make the best change around one sliver; False when none makes its surroundings better."""
    best, most = None, 0.0
    for old, new in _changes(work, number):
        before = work.worst([work.tets[one] for one in old])
        after = work.worst(new)
        if after > before + GAIN and after > most:
            best, most = (old, new), after
    if best is not None:
        work.apply(best)
        return True
    moved = [_move(work, vertex) for vertex in work.tets[number] if not work.on_surface[vertex]]
    return any(moved)


def _changes(work: _Work, number: int) -> Iterator[Change]:
    """Yield every way to do without the tet by taking out one of its edges or faces, or merging two of its vertices."""
    tet = work.tets[number]
    for i, j in _EDGES:
        ring = _ring(work, tet[i], tet[j])
        if 3 <= len(ring) <= LONGEST_RING:
            yield work.having(tet[i], tet[j]), _without_edge(work, tet[i], tet[j], ring)
    for vertex, face in zip(tet, _OPPOSITE, strict=True):
        yield from _without_face(work, number, vertex, tuple(tet[k] for k in face))
    for gone, kept in itertools.permutations(tet, 2):
        if not work.on_surface[gone]:
            yield from _merged(work, gone, kept)


def _ring(work: _Work, a: int, b: int) -> list[int]:
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


def _without_edge(work: _Work, a: int, b: int, ring: list[int]) -> list[Tet]:
    """Return the tets that fill the ring of an edge without it, by the triangulation of the ring whose worst tet is best."""
    size = len(ring)
    triples = list(itertools.combinations(range(size), 3))
    pairs = [_both_sides(a, b, ring[i], ring[j], ring[k]) for i, j, k in triples]
    quality = tet_quality(work.points[np.array(pairs).reshape(-1, 4)]).reshape(-1, 2).min(axis=1)
    of = dict(zip(triples, quality.tolist(), strict=True))
    best: dict[tuple[int, int], tuple[float, int]] = {(i, i + 1): (np.inf, -1) for i in range(size - 1)}
    for length in range(2, size):
        for i in range(size - length):
            j = i + length
            best[i, j] = max((min(best[i, k][0], best[k, j][0], of[i, k, j]), k) for k in range(i + 1, j))
    made, open_ends = [], [(0, size - 1)]
    while open_ends:
        i, j = open_ends.pop()
        k = best[i, j][1]
        if k > 0:
            made += _both_sides(a, b, ring[i], ring[k], ring[j])
            open_ends += [(i, k), (k, j)]
    return made


def _both_sides(a: int, b: int, i: int, j: int, k: int) -> list[Tet]:
    return [(i, j, k, b), (i, k, j, a)]


def _without_face(work: _Work, number: int, vertex: int, face: tuple[int, ...]) -> Iterator[Change]:
    """Yield the three tets around the edge between the two vertices that see a face, in the place of the two beside it."""
    beyond = work.having(*face) - {number}
    if len(beyond) == 1:
        (other,) = beyond
        (below,) = set(work.tets[other]) - set(face)
        p, q, r = face
        yield {number, other}, [(s, t, below, vertex) for s, t in ((p, q), (q, r), (r, p))]


def _merged(work: _Work, gone: int, kept: int) -> Iterator[Change]:
    """Yield what is left around a vertex when it is merged into another one."""
    old = work.around[gone]
    new = [work.tets[number] for number in sorted(old) if kept not in work.tets[number]]
    yield set(old), [tuple(kept if vertex == gone else vertex for vertex in tet) for tet in new]  # type: ignore[misc]


def _move(work: _Work, vertex: int) -> bool:
    """Move a vertex to where the worst tet around it is best; False if it stays."""
    tets = np.array([work.tets[number] for number in sorted(work.around[vertex])])
    corners, own = work.points[tets], tets == vertex
    start = place = work.points[vertex].copy()
    step = FIRST_STEP * np.sqrt(((corners - place) ** 2).sum(axis=2)[~own].mean())
    before = worst = float(tet_quality(corners).min())
    for _ in range(SHRINKS):
        while True:
            tried = place + step * _WAYS
            many = np.repeat(corners[None], len(tried), axis=0)
            many[:, own] = tried[:, None]
            found = tet_quality(many.reshape(-1, 4, 3)).reshape(len(tried), -1).min(axis=1)
            if found.max() < worst + 0.1 * GAIN:
                break
            place, worst = tried[found.argmax()], float(found.max())
        step *= 0.5
    if worst < before + GAIN:
        work.points[vertex] = start
        return False
    work.points[vertex] = place
    return True
