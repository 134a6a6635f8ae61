"""Who takes over what old tets had that is to stay in sum: piece by piece of the new tets; m old and m' new ones.

New tets never fill quite what the old ones did, least of all where a body tears. What of an old tet lies in new ones goes to
the pieces of these. The rest goes to the nearest piece of its own family, a family being the pieces that merge or split: so
what was on one side of a tear does not come out on the other. But a piece takes over little more than its share by size, lest a
fragment get what a whole neck weighed, and burst; then it goes to the next one.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..geometry.triangle_tree import closest_points, triangle_tree
from .record import MeshChange
from .restuffing import kinship

Array = NDArray[np.float64]
Families = tuple[NDArray[np.int32], NDArray[np.int32]]

MOST = 1.05  # times its share by size: what a piece takes over


@dataclass(frozen=True)
class Heirs:
    """Shares in what old tets had, by rising tets; of each tet they sum to 1.

    tets, pieces, shares : (k,) the old tet, the new piece that takes this share of it over, and the share
    after                : (m',) the piece of each new tet
    """

    tets: NDArray[np.int64]
    pieces: NDArray[np.int64]
    shares: Array
    after: NDArray[np.int32]

    @cached_property
    def count(self) -> int:
        """How many new pieces there are."""
        return int(self.after.max()) + 1

    def had(self, values: Array) -> Array:
        """What of a quantity (m,) each new piece (p,) takes over."""
        if self.count == 1:
            return values.sum(keepdims=True)
        return np.bincount(self.pieces, self.shares * values[self.tets], self.count).astype(np.float64, copy=False)

    def of_tets(self, values: Array) -> Array:
        """What is said of each new piece (p,) for its tets, (m',), or (1,) where there is one piece."""
        return values if self.count == 1 else values[self.after]

    def has(self, values: Array) -> Array:
        """How much of a quantity (m',) each new piece (p,) has."""
        if self.count == 1:
            return values.sum(keepdims=True)
        return np.bincount(self.after, values, self.count).astype(np.float64, copy=False)


def kinship_of_pieces(change: MeshChange) -> Families:
    """The family (m,), (m',) of each old and each new tet: pieces that merge or split belong together."""
    before, after = change.old.piece, change.new.piece
    if not (before.any() or after.any()):
        return before, after
    sources, targets = change.pairs()
    first, second = before[sources], after[targets]
    alone = np.setdiff1d(before, first)
    if len(alone):  # nothing is left of these
        middles = np.array([change.old.positions[change.old.tets[before == k]].mean(axis=(0, 1)) for k in alone])
        first, second = np.append(first, alone), np.append(second, _nearest(change, middles))
    old, new = kinship(first, second, int(before.max()) + 1, int(after.max()) + 1)
    return old[before], new[after]


def heirs(change: MeshChange, families: Families, had: Array, has: Array) -> Heirs:
    """Who takes over what old tets had, given the family of each old and of each new tet, and the volume [m^3] at rest that old
    tets had (m,) and that new ones have if they are filled as the old ones are (m',)."""
    before, after = families
    pieces = change.new.piece
    if not (before.any() or after.any() or pieces.any()):
        return Heirs(np.arange(len(before)), np.zeros(len(before), dtype=np.int64), np.ones(len(before)), pieces)
    one = np.zeros(int(after.max()) + 1, dtype=np.int64)  # a piece of each family
    one[after] = pieces
    split = np.isin(before, after[one[after] != pieces])
    whole = np.flatnonzero(~split)
    tets, heir, shares = [whole], [one[before[whole]]], [np.ones(len(whole))]
    if len(whole) == len(before):
        return Heirs(whole, heir[0], shares[0], pieces)
    owners, theirs, covered = _covered(change, split)
    left = np.asarray(1.0 - np.bincount(owners, covered, len(before)), np.float64)
    size = np.bincount(pieces, has)
    taken = np.bincount(theirs, covered * had[owners], len(size))
    for family in np.unique(before[split]):
        own = np.flatnonzero((before == family) & (left > 0.0))
        those = np.unique(pieces[after == family])
        fair = size[those] * (had[before == family].sum() / size[those].sum())
        tets.append(own)
        heir.append(those[_nearest_with_room(change, own, those, (left * had)[own], MOST * fair - taken[those])])
        shares.append(left[own])
    every = np.concatenate([*tets, owners])
    order = np.argsort(every, kind="stable")
    return Heirs(every[order], np.concatenate([*heir, theirs])[order], np.concatenate([*shares, covered])[order], pieces)


def _covered(change: MeshChange, split: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """Of old tets that are of `split` (m,) families: tets (k,), new pieces (k,) that they lie in, and by which share (k,)."""
    (sources, targets), pieces = change.pairs(), change.new.piece
    some, count = split[sources], int(pieces.max()) + 1
    keys, which = np.unique(sources[some].astype(np.int64) * count + pieces[targets[some]], return_inverse=True)
    owners, volumes = keys // count, np.bincount(which, change.volumes[some])
    sums = np.bincount(owners, volumes, len(split))
    return owners, keys % count, volumes / np.maximum(sums, np.abs(change.old.volumes))[owners]


def _nearest_with_room(
    change: MeshChange, own: NDArray[np.int64], pieces: NDArray[np.int64], amounts: Array, room: Array
) -> NDArray[np.int64]:
    """Which of some new pieces (p,) each of some old tets, `own` (k,), goes to, given how much of each is to go, amounts (k,),
    and what there is room for (p,): to the nearest one, the nearest first; those that find no room to the next one."""
    faces, middles = change.new.faces, change.old.positions[change.old.tets[own]].mean(axis=1)
    rims = [faces.boundary[change.new.piece[faces.tet] == k] for k in pieces]
    away = np.array([closest_points(triangle_tree(change.new.positions, rim), middles).distance for rim in rims])
    chosen, waiting = np.zeros(len(own), dtype=np.int64), np.arange(len(own))
    for turn in range(len(pieces)):
        chosen[waiting] = away[:, waiting].argmin(axis=0)
        refused = []
        for k in np.unique(chosen[waiting]) if turn < len(pieces) - 1 else ():
            those = waiting[chosen[waiting] == k]
            those = those[np.argsort(away[k, those], kind="stable")]
            over = np.cumsum(amounts[those]) > room[k]
            if over.any():
                away[k] = np.inf
                refused.append(those[over])
            room[k] -= amounts[those[~over]].sum()
        waiting = np.concatenate(refused) if refused else np.zeros(0, dtype=np.int64)
    return chosen


def _nearest(change: MeshChange, points: Array) -> NDArray[np.int32]:
    """The new piece (k,) that is nearest to points (k, 3)."""
    faces = change.new.faces
    return change.new.piece[faces.tet[closest_points(change.new.hull, points).triangle]]
