"""What closes creases of a surface once faces are taken out of it: bands of triangles between the borders that are left."""

from collections.abc import Iterator
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..geometry.banding import banded
from ..geometry.edge_crossings import crossing_pairs, pairs_of_shells
from ..geometry.edges import connected, edges_of
from ..geometry.hole_filling import borders, filled
from ..geometry.measures import area_vectors
from ..geometry.triangle_tree import triangle_tree
from ..surface import Surface

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Indices = NDArray[np.int64]
IntArray = NDArray[np.int32]

FLAT = 0.03  # area over the square of the longest edge below which a triangle is to be avoided: rims are all but straight
MOST_CORNERS = 240  # of borders that are joined at once
LARGER = 2.0  # areas of what goes that a band between all of its borders may have


def across_sides(triangles: IntArray) -> Indices:
    """Return the triangle across each side (t, 3) of a closed surface."""
    beside, edges = np.empty((len(triangles), 3), dtype=np.int64), edges_of(triangles)
    sides = edges.order.reshape(-1, 2)
    beside[sides // 3, sides % 3] = sides[:, ::-1] // 3
    return beside


def patches(chosen: Flags, beside: Indices) -> Indices:
    """Return the name (t,) of the patch of chosen triangles (t,) that each is of."""
    rows, sides = np.nonzero(chosen[:, None] & chosen[beside])
    return connected(np.stack([rows, beside[rows, sides]]), len(chosen))


def tidied(seen: Surface, beside: Indices, out: Flags, island: float) -> Flags:
    """Some triangles (t,) without dents, and such that no border touches another or itself, nor what is left is small.

    beside (t, 3): the triangle across each side. An island [m] is smaller.
    """
    triangles, out = seen.triangles, out.copy()
    while True:
        more = ~out & (out[beside].sum(axis=1) > 1)
        border = out[:, None] & ~out[beside]
        ends = np.stack([triangles[border], np.roll(triangles, -1, axis=1)[border]])
        pinched = np.bincount(ends.ravel(), minlength=len(seen.positions)) > 2
        more |= ~out & pinched[triangles].any(axis=1)
        if not more.any():
            break
        out |= more
    name = patches(~out, beside)
    count = np.bincount(name[~out], minlength=len(name))
    for label in np.unique(name[~out & out[beside].any(axis=1)]):
        own = (name == label) & ~out
        places = seen.positions[triangles[own]].mean(axis=1)
        if count[label] < count.max() and np.ptp(places, axis=0).max() < island:
            out |= own
    return out


class Cleared:
    """A surface of which some triangles (t,) go, in creases that are one where they meet.

    pairs (k, 2): of triangles that pass through each other; so do creases that are nearer to each other than `near` [m].
    group : (t,) the crease that each triangle which goes is of, or -1
    sound : the triangles (k, 3) that close each crease for which there are some
    """

    def __init__(self, seen: Surface, out: Flags, pairs: Indices, near: float, island: float) -> None:
        self.seen, self.beside = seen, across_sides(seen.triangles)
        self.out = tidied(seen, self.beside, out, island)
        self.group = np.where(self.out, self._linked(pairs, near), -1)
        self.sound: dict[int, IntArray] = {}
        self.failing: list[int] = []
        for label, band in self._closed().items():
            if band is None:
                self.failing.append(label)
            else:
                self.sound[label] = band

    def _closed(self) -> dict[int, IntArray | None]:
        """What closes each crease."""
        triangles, out, group = self.seen.triangles, self.out, self.group
        rows, sides = np.nonzero(~out[:, None] & out[self.beside])
        starts, stops = triangles[rows, (sides + 1) % 3].tolist(), triangles[rows, sides].tolist()
        across = dict(zip(zip(starts, stops, strict=True), group[self.beside[rows, sides]].tolist(), strict=True))
        ways: dict[int, list[list[int]]] = {int(label): [] for label in np.unique(group[out])}
        for way in borders(triangles, 3 * rows + sides):
            ways[across[way[0], way[1]]].append(way)
        near = np.isin(triangles, np.unique(starts)).sum(axis=1) > 1
        taken = {(a, b) for a, b in edges_of(triangles[near & ~out]).vertices.tolist()}
        return {label: self._band(group == label, own, taken) for label, own in ways.items()}

    def failed(self) -> Indices:
        """The creases for which there is no band, or one that passes through something."""
        sound = self.sound
        left = ~np.isin(self.group, list(sound))
        owner = np.concatenate([np.full(int(left.sum()), -1), *(np.full(len(band), k) for k, band in sound.items())])
        triangles = np.concatenate([self.seen.triangles[left], *sound.values()])
        pairs = owner[pairs_of_shells(self.seen.positions, triangles)]
        return np.union1d(self.failing, pairs[pairs >= 0]).astype(np.int64)

    def _band(self, own: Flags, ways: list[list[int]], taken: set[tuple[int, int]]) -> IntArray | None:
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
            lower, upper = self._boxes
            near = ~self.out & (upper >= low).all(axis=1) & (lower <= high).all(axis=1)
            both = triangle_tree(positions, np.concatenate([triangles[near], band]))
            through = crossing_pairs(both)
            count = len(np.unique(through[(through >= near.sum()).any(axis=1)]))
            if count < least:
                best, least = band, count
            if count == 0:
                break
        return best

    @cached_property
    def _boxes(self) -> tuple[Array, Array]:
        """Lower and upper corners (t, 3) of the triangles' boxes."""
        corners = self.seen.positions[self.seen.triangles]
        return corners.min(axis=1), corners.max(axis=1)

    def _linked(self, pairs: Indices, near: float) -> Indices:
        """The name (t,) of the patch that each triangle which is taken out is of, one for all that meet each other."""
        patch, which = patches(self.out, self.beside), np.flatnonzero(self.out)
        middles = self.seen.positions[self.seen.triangles[which]].mean(axis=1)
        close = cKDTree(middles).query_pairs(near, output_type="ndarray")
        links = np.concatenate([pairs[self.out[pairs].all(axis=1)], which[close]])
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
    return filled(positions, _as_one(positions, ways), taken, FLAT, MOST_CORNERS)


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
