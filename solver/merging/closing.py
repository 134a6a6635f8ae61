"""Creases of a body that merges, closed where its surface passes through itself, or is about to.

Nothing keeps apart the two sides of such a crease. So the faces in it are taken out, as far as a ball does not get to them that
rolls around the body, and with them what is inside out or enclosed twice; and the borders that are left are joined by
a band from side to side. Faces, vertices and all that lies on them stay as they are everywhere else, to the last bit; where a
few faces still pass through others, their vertices are moved a little (geometry/easing.py).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..geometry.banding import banded
from ..geometry.easing import eased
from ..geometry.edge_crossings import crossing_pairs, pairs_of_shells
from ..geometry.edges import connected, edges_of, unpaired_edges
from ..geometry.hole_filling import borders, filled
from ..geometry.measures import area_vectors, signed_volumes
from ..geometry.triangle_tree import closest_points, triangle_tree
from ..geometry.weights import clamped_weights
from ..geometry.winding import winding_numbers, winding_tree
from ..surface import Surface
from ..tearing.surface_cut import Sources, SurfaceCut

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
IntArray = NDArray[np.int32]

# Lengths in elements
BALL = 0.3  # radius of the ball
TIGHT = 0.9  # share of it within which something else lies, in a crease
ALONG = 0.7  # from where the surface crosses itself up to which a crease is closed
BESIDE = 0.01  # from a face to where it is asked whether it is enclosed twice
ISLAND = 1.0  # across which what is left in the middle of a crease goes as well
FAR = 4.0  # from where it crosses itself up to which it is asked at all
POCKET = 3.0  # across which a shell is that goes when a crease has left it behind,
THIN = 1.0  # or side of a cube that holds no less than it
LARGER = 2.0  # areas of what goes that a band between all of its borders may have
EASED = 0.5  # by which a vertex may be moved where a few faces still pass through others
ROUNDS = 5  # in which more is taken out, a ring of faces at a time, where what is left still crosses itself


def creases_closed(seen: Surface, soon: Array, element_size: float) -> SurfaceCut | None:
    """Return a surface's change where its creases are closed, given its vertices `soon` (n, 3); None where none is.

    element_size [m] is that of the tets. A crease for which no band is found that passes through less than it does itself
    stays as it is.
    """
    met, ahead = (pairs_of_shells(places, seen.triangles) for places in (seen.positions, soon))
    if not (len(met) or len(ahead)) or unpaired_edges(seen.triangles):
        return None
    found: list[_Closing] = []
    for pairs in (np.concatenate([met, ahead]), met):
        if len(pairs) and not (found and min(one.left for one in found) == 0):
            found += _Closer(seen, pairs, element_size).closings()
    best = min((one for one in found if one.out.any()), key=lambda one: one.left, default=None)
    if best is None or (best.left > 0 and best.left >= len(np.unique(met))):
        best = _Closing(np.zeros(len(seen.triangles), dtype=bool), np.zeros((0, 3), dtype=np.int32), len(np.unique(met)))
    out, bands = _without_pockets(seen, best, element_size)
    moved = None
    if best.left:
        moved = eased(seen.positions, np.concatenate([seen.triangles[~out], bands]), EASED * element_size)
    if moved is None and not out.any():
        return None
    return _change(seen, out, bands, seen.positions if moved is None else moved)


class _Closing(NamedTuple):
    """What closes creases of a surface: out (t,) says which triangles go, bands (k, 3) come; `left` still cross then."""

    out: Flags
    bands: IntArray
    left: int


class _Closer:
    """A surface that passes through itself by some pairs (k, 2) of triangles."""

    def __init__(self, seen: Surface, pairs: NDArray[np.int64], element_size: float) -> None:
        self.seen, self.pairs, self.size = seen, pairs, element_size
        count, edges = len(seen.triangles), edges_of(seen.triangles)
        self.beside = np.empty((count, 3), dtype=np.int64)  # the triangle across each side
        sides = edges.order.reshape(-1, 2)
        self.beside[sides // 3, sides % 3] = sides[:, ::-1] // 3
        self.middles = seen.positions[seen.triangles].mean(axis=1)

    def creases(self) -> tuple[Flags, Flags]:
        """Which triangles (t,) cross, are inside out or enclosed twice, and which (t,) else lie in the creases that close."""
        seen, crossing = self.seen, np.unique(self.pairs)
        vectors = area_vectors(seen.positions, seen.triangles)
        normals = vectors / np.maximum(np.sqrt((vectors**2).sum(axis=1, keepdims=True)), 1e-300)
        tree = triangle_tree(seen.positions, seen.triangles)
        wound = winding_tree(tree)
        away = cKDTree(self.middles[crossing]).query(self.middles, distance_upper_bound=FAR * self.size)[0]
        asked = np.flatnonzero(away < FAR * self.size)
        ball, places = BALL * self.size, self.middles[asked]
        inside = winding_numbers(wound, places - BESIDE * self.size * normals[asked])
        centres = places + ball * normals[asked]
        reached = closest_points(tree, centres, ball).distance >= TIGHT * ball
        reached &= winding_numbers(wound, centres) < 0.5
        wrong, tight = np.zeros(len(seen.triangles), dtype=bool), np.zeros(len(seen.triangles), dtype=bool)
        wrong[asked] = np.abs(inside - 1.0) > 0.5
        wrong[crossing] = True
        tight[asked] = ~reached & (away[asked] < ALONG * self.size)
        wrong &= np.isin(name := self._patches(wrong), name[crossing])
        both = wrong | tight
        return wrong, both & np.isin(name := self._patches(both), name[crossing])

    def tidied(self, out: Flags) -> Flags:
        """Some triangles (t,) without dents, and such that no border touches another or itself, nor what is left is small."""
        triangles, out = self.seen.triangles, out.copy()
        while True:
            more = ~out & (out[self.beside].sum(axis=1) > 1)
            border = out[:, None] & ~out[self.beside]
            ends = np.stack([triangles[border], np.roll(triangles, -1, axis=1)[border]])
            pinched = np.bincount(ends.ravel(), minlength=len(self.seen.positions)) > 2
            more |= ~out & pinched[triangles].any(axis=1)
            if not more.any():
                break
            out |= more
        name = self._patches(~out)
        count = np.bincount(name[~out], minlength=len(name))
        for label in np.unique(name[~out & out[self.beside].any(axis=1)]):
            own = (name == label) & ~out
            if count[label] < count.max() and np.ptp(self.middles[own], axis=0).max() < ISLAND * self.size:
                out |= own
        return out

    def closings(self) -> list[_Closing]:
        """Ways to close the creases; where some are not closed well, others take out a ring of faces more each."""
        wrong, tight = self.creases()
        left, done, found = wrong | tight, np.zeros(len(wrong), dtype=bool), []
        for number in range(ROUNDS):
            group, made = self.closed(self.tidied(left | done))
            failed = self.failed(group, made)
            sound = [label for label, band in made.items() if band is not None]
            good = [label for label in sound if label not in failed]
            found += [self._closing(group, made, labels) for labels in ((good, sound) if len(good) < len(sound) else (good,))]
            if not len(failed):
                break
            done, left = np.isin(group, good), np.isin(group, failed)
            left = left & wrong if number == 0 else left | left[self.beside].any(axis=1)
        return found

    def closed(self, out: Flags) -> tuple[NDArray[np.int64], dict[int, IntArray | None]]:
        """The crease (t,) that each triangle which goes is of, or -1, and what (k, 3) closes each; None: nothing does."""
        triangles = self.seen.triangles
        group = np.where(out, self._linked(out), -1)
        rows, sides = np.nonzero(~out[:, None] & out[self.beside])
        starts, stops = triangles[rows, (sides + 1) % 3].tolist(), triangles[rows, sides].tolist()
        across = dict(zip(zip(starts, stops, strict=True), group[self.beside[rows, sides]].tolist(), strict=True))
        ways: dict[int, list[list[int]]] = {int(label): [] for label in np.unique(group[out])}
        for way in borders(triangles, 3 * rows + sides):
            ways[across[way[0], way[1]]].append(way)
        near = np.isin(triangles, np.unique(starts)).sum(axis=1) > 1
        taken = {(a, b) for a, b in edges_of(triangles[near & ~out]).vertices.tolist()}
        return group, {label: self._band(out, group == label, own, taken) for label, own in ways.items()}

    def failed(self, group: NDArray[np.int64], made: dict[int, IntArray | None]) -> NDArray[np.int64]:
        """The creases for which there is no band, or one that passes through something."""
        sound = {label: band for label, band in made.items() if band is not None}
        left = ~np.isin(group, list(sound))
        owner = np.concatenate([np.full(int(left.sum()), -1), *(np.full(len(band), k) for k, band in sound.items())])
        triangles = np.concatenate([self.seen.triangles[left], *sound.values()])
        pairs = owner[pairs_of_shells(self.seen.positions, triangles)]
        return np.union1d([label for label in made if label not in sound], pairs[pairs >= 0]).astype(np.int64)

    def _closing(self, group: NDArray[np.int64], made: dict[int, IntArray | None], labels: list[int]) -> _Closing:
        """The closing of some creases."""
        bands = [band for label in labels if (band := made[label]) is not None]
        out = np.isin(group, labels)
        joined = np.concatenate([np.zeros((0, 3), dtype=np.int32), *bands])
        whole = np.concatenate([self.seen.triangles[~out], joined])
        return _Closing(out, joined, len(np.unique(pairs_of_shells(self.seen.positions, whole))))

    def _band(self, out: Flags, own: Flags, ways: list[list[int]], taken: set[tuple[int, int]]) -> IntArray | None:
        """The triangles that close a crease (t,) of those that go, by its borders, that pass through least; None of none.

        What joins all borders may be somewhat larger than what it closes; no lids may, for they could cut through a neck.
        """
        positions, triangles = self.seen.positions, self.seen.triangles
        if not ways:  # a whole shell goes
            return np.zeros((0, 3), dtype=np.int32)
        best, least = None, np.inf
        area = np.sqrt((area_vectors(positions, triangles[own]) ** 2).sum(axis=1)).sum()
        for number, band in enumerate(_bands(positions, ways, taken)):
            if np.sqrt((area_vectors(positions, band) ** 2).sum(axis=1)).sum() > area * (1.0 if number else LARGER):
                continue
            low, high = positions[band].min(axis=(0, 1)), positions[band].max(axis=(0, 1))
            corners = positions[triangles]
            near = ~out & (corners.max(axis=1) >= low).all(axis=1) & (corners.min(axis=1) <= high).all(axis=1)
            both = triangle_tree(positions, np.concatenate([triangles[near], band]))
            through = crossing_pairs(both)
            count = len(np.unique(through[(through >= near.sum()).any(axis=1)]))
            if count < least:
                best, least = band, count
            if count == 0:
                break
        return best

    def _patches(self, chosen: Flags) -> NDArray[np.int64]:
        """The name (t,) of the patch of chosen triangles that each is of."""
        rows, sides = np.nonzero(chosen[:, None] & chosen[self.beside])
        return connected(np.stack([rows, self.beside[rows, sides]]), len(chosen))

    def _linked(self, out: Flags) -> NDArray[np.int64]:
        """The name (t,) of the patch that each triangle which is taken out is of, one for all that meet each other."""
        patch, which = self._patches(out), np.flatnonzero(out)
        near = cKDTree(self.middles[which]).query_pairs(BALL * self.size, output_type="ndarray")
        links = np.concatenate([self.pairs[out[self.pairs].all(axis=1)], which[near]])
        return connected(patch[links].T, len(patch))[patch]


def _bands(positions: Array, ways: list[list[int]], taken: set[tuple[int, int]]) -> Iterator[IntArray]:
    """Triangles (k, 3) between some borders, without edges that are taken: first all borders joined, last each by itself."""
    ways = sorted(ways, key=len, reverse=True)
    for count in dict.fromkeys((len(ways), min(len(ways), 2), 1)):
        parts = [ways[:count], *([way] for way in ways[count:])]
        made = [_joined(positions, part, taken) for part in parts if part]
        every = [one for part in made if part is not None for one in part]
        if all(part is not None for part in made) and _fits(every, ways):
            yield np.array(every, dtype=np.int32).reshape(-1, 3)


def _joined(positions: Array, ways: list[list[int]], taken: set[tuple[int, int]]) -> list[tuple[int, int, int]] | None:
    """Triangles between some borders, all of them joined; None where there are none."""
    if len(ways) == 2:
        return banded(positions, ways[0], ways[1], taken)
    return filled(positions, _as_one(positions, ways), taken)


def _fits(made: list[tuple[int, int, int]], ways: list[list[int]]) -> bool:
    """Whether each side of some triangles is a border's, or another's the other way round."""
    sides = [(a, b) for one in made for a, b in zip(one, (*one[1:], one[0]), strict=True)]
    border = {(a, b) for way in ways for a, b in zip(way, (*way[1:], way[0]), strict=True)}
    inner = set(sides) - border
    return len(set(sides)) == len(sides) and border <= set(sides) and inner == {(b, a) for a, b in inner}


def _as_one(positions: Array, ways: list[list[int]]) -> list[int]:
    """Several borders as one, joined one after another where they are nearest, there and back."""
    whole, left = list(ways[0]), [list(way) for way in ways[1:]]
    while left:
        gaps = [((positions[whole][:, None] - positions[way][None]) ** 2).sum(axis=2) for way in left]
        k = int(np.argmin([gap.min() for gap in gaps]))
        i, j = (int(n) for n in np.unravel_index(gaps[k].argmin(), gaps[k].shape))
        way = left.pop(k)
        whole = [*whole[: i + 1], *way[j:], *way[: j + 1], *whole[i:]]
    return whole


def _without_pockets(seen: Surface, made: _Closing, element_size: float) -> tuple[Flags, IntArray]:
    """What goes (t,) and comes (k, 3) without small shells, as those around air that a crease has enclosed."""
    triangles, out = np.concatenate([seen.triangles, made.bands]), np.append(made.out, np.zeros(len(made.bands), dtype=bool))
    ends = np.stack([triangles[~out], np.roll(triangles[~out], -1, axis=1)]).reshape(2, -1)
    shell = connected(ends, len(seen.positions))[triangles[:, 0]]
    count = np.bincount(shell[~out])
    for label in np.unique(shell[len(seen.triangles) :]):
        own = (shell == label) & ~out
        if count[label] == count.max():
            continue
        flat = abs(signed_volumes(seen.positions, triangles[own]).sum()) < (THIN * element_size) ** 3
        if flat or np.ptp(seen.positions[triangles[own]].reshape(-1, 3), axis=0).max() < POCKET * element_size:
            out |= own
    return out[: len(seen.triangles)], made.bands[~out[len(seen.triangles) :]]


def _change(seen: Surface, out: Flags, made: NDArray[np.int32], moved: Array) -> SurfaceCut:
    """The surface's change: some triangles (t,) go, others (k, 3) come, which take all from the former next to them; vertices
    lie where they are moved to (n, 3)."""
    middle = 0.5 * (seen.positions.min(axis=0) + seen.positions.max(axis=0))
    places, left, gone = seen.positions - middle, np.flatnonzero(~out), np.flatnonzero(out)
    nearest = gone[:0]
    if len(made):
        found = closest_points(triangle_tree(places, seen.triangles[gone]), np.ascontiguousarray(places[made].mean(axis=1)))
        nearest = gone[found.triangle]
    origin = np.concatenate([left, nearest])
    order = np.argsort(origin, kind="stable")
    whole = np.arange(len(origin)) < len(left)
    triangles = np.concatenate([seen.triangles[left], made])[order]
    loose = np.setdiff1d(np.arange(len(places)), seen.triangles)
    kept = np.union1d(triangles, loose)
    weights = np.tile(np.eye(3), (len(origin), 1, 1))
    weights[~whole] = clamped_weights(places[seen.triangles[nearest]], places[made])
    origin, whole, weights = origin[order].astype(np.int32), whole[order], weights[order]
    return SurfaceCut(
        kept.astype(np.int32), moved[kept], np.searchsorted(kept, triangles).astype(np.int32), seen.triangles,
        origin, whole, Sources(np.zeros(0, dtype=np.int32), np.zeros((0, 3))),
        Sources(np.repeat(origin[:, None], 3, axis=1), weights),
        float(np.sqrt((area_vectors(places, seen.triangles) ** 2).sum(axis=1)).sum()),
    )  # fmt: skip
