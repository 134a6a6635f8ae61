"""What new tets and points take from the sheet of a folded body that they are of, and not from one that lies next to it.

Old tets that share volume with a new one are its own where they hang together with those that it was made of (unfused.py); a
point is its own sheet's where new tets have taken over the old one that carried it.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..embedding import Binding, Spread, joined_rows
from ..geometry.tet_walk import weight_of
from ..jit import inline, kernel
from ..tetmesh.mesh import TetMesh
from .unfused import OfSheets

if TYPE_CHECKING:
    from .record import MeshChange

Array = NDArray[np.float64]
Pairs = tuple[NDArray[np.int64], NDArray[np.int32], Array]

OUTSIDE = 0.02  # weight in a tet below 0 by which a point is clearly outside
RINGS = 3  # of old tets around the one that carried a point, among which new tets are looked for


def own_pairs(old: TetMesh, pairs: Pairs, of_sheets: OfSheets) -> Pairs:
    """Return those of the pairs (start, old tets, volumes: overlap.overlaps) that lie in the sheet of the new tet."""
    start, sources, volumes = pairs
    own = np.zeros(len(sources), dtype=bool)
    _flood(start, sources, old.faces.neighbours, of_sheets.anchors, own)
    kept = np.concatenate([[0], np.cumsum(own)])
    return kept[start].astype(np.int64), sources[own], volumes[own]


def first_anchors(of_sheets: OfSheets) -> NDArray[np.int32]:
    """An old tet (m',) of each new tet's sheet, next to it; -1 where none is known."""
    anchors = of_sheets.anchors
    return np.asarray(anchors[np.arange(len(anchors)), (anchors >= 0).argmax(axis=1)])


def own_places(
    old: TetMesh, new: TetMesh, start: NDArray[np.int64], sources: NDArray[np.int32]
) -> tuple[NDArray[np.int32], Array]:
    """Return the old nodes (n', 4) that each new node lies between, and weights (n', 4), in its own sheet.

    Of old tets that share volume with the new tets around a node it is the one that holds it, or that it is least outside of.
    """
    found, weights = np.zeros(len(new.positions), dtype=np.int32), np.empty((len(new.positions), 4))
    _places(old.positions, old.tets, new.positions, new.tets, start, sources, found, weights)
    weights = np.maximum(weights, 0.0)
    return old.tets[found], weights / weights.sum(axis=1, keepdims=True)


def own_binding(
    binding: Binding, points: Array, carrying: NDArray[np.int32], change: "MeshChange", at_fold: NDArray[np.bool_]
) -> Binding:
    """Return a binding of points (k, 3) to new tets in which those at a fold are carried by their own sheet.

    carrying (k,) are the old tets that did so, or -1 where none is known; at_fold (m',) are new tets next to another sheet.
    A point outside is carried by a blend of the tets of its sheet around, those that it is least outside of before others.
    """
    old, new = change.old, change.new
    sources, targets = change.pairs()
    order = np.argsort(sources, kind="stable")
    first = np.searchsorted(sources[order], np.arange(len(old.tets) + 1))
    found, weights = np.full(len(points), -1, dtype=np.int32), np.zeros((len(points), 4))
    takers = targets[order].astype(np.int32), first, old.faces.neighbours
    counts, tets, shares = _takers(new.positions, new.tets, points, carrying, *takers, found, weights)
    moved = found >= 0
    moved[moved] = at_fold[binding.tets[moved]] | at_fold[found[moved]]
    outside = moved & (counts > 0)
    weights[outside] = np.maximum(weights[outside], 0.0)  # takes forces where it is nearest, not at the end of a lever
    weights[outside] /= weights[outside].sum(axis=1, keepdims=True)
    rows = np.repeat(outside, counts)
    blend = _blend(points, np.flatnonzero(outside), counts[outside], new, tets[rows], shares[rows])
    spread = joined_rows([part for part in (binding.spread and binding.spread.without(moved), blend) if part is not None])
    return Binding(
        np.where(moved, found, binding.tets).astype(np.int32), np.where(moved[:, None], weights, binding.weights),
        spread, binding.standby,
    )  # fmt: skip


def _blend(
    points: Array, which: NDArray[np.int64], counts: NDArray[np.int64], mesh: TetMesh, tets: NDArray[np.int32], shares: Array
) -> Spread | None:
    """The rows of some points (r,) that so many tets each carry together, given their shares."""
    if not len(which):
        return None
    row = np.repeat(np.arange(len(which)), counts)
    total = np.bincount(row, shares)
    weights = np.empty((len(tets), 4))
    _weigh_all(mesh.positions, mesh.tets, tets, points[which[row]], weights)
    weights *= (shares / total[row])[:, None]
    start = np.concatenate([[0], 4 * np.cumsum(counts)]).astype(np.int64)
    return Spread(which, start, mesh.tets[tets].ravel(), weights.ravel())


@kernel
def _flood(start, sources, neighbours, anchors, own):  # type: ignore[no-untyped-def]
    """Mark the pairs that hang together with the new tet's anchors, by faces of old tets."""
    for t in range(len(start) - 1):
        known = anchors[t].max() >= 0
        own[start[t] : start[t + 1]] = not known
        grown = known
        while grown:
            grown = False
            for k in range(start[t], start[t + 1]):
                if own[k]:
                    continue
                source = sources[k]
                for a in range(4):
                    own[k] |= anchors[t, a] == source
                for face in range(4):
                    for a in range(4):
                        own[k] |= neighbours[source, face] >= 0 and neighbours[source, face] == anchors[t, a]
                    for j in range(start[t], start[t + 1]):
                        own[k] |= own[j] and sources[j] == neighbours[source, face]
                grown |= own[k]


@inline
def _weigh(positions, tets, t, point, out):  # type: ignore[no-untyped-def]
    """Set the weights of a point in a tet; return the least of them."""
    least = np.inf
    for corner in range(4):
        out[corner] = weight_of(positions, tets[t], corner, point[0], point[1], point[2])
        least = min(least, out[corner])
    return least


@kernel
def _places(positions, tets, points, around, start, sources, found, weights):  # type: ignore[no-untyped-def]
    best, out = np.full(len(points), -np.inf), np.empty(4)
    for t in range(len(around)):
        for a in range(4):
            node = around[t, a]
            for k in range(start[t], start[t + 1]):
                least = _weigh(positions, tets, sources[k], points[node], out)
                if best[node] == -np.inf:  # flat tets hold nothing, but it may be that there is no other
                    found[node] = sources[k]
                    weights[node] = 0.25
                if least > best[node] + 1e-9:
                    best[node], found[node] = least, sources[k]
                    weights[node] = out


@kernel
def _weigh_all(positions, tets, which, points, weights):  # type: ignore[no-untyped-def]
    for k in range(len(which)):
        _weigh(positions, tets, which[k], points[k], weights[k])


@kernel
def _takers(positions, tets, points, carrying, takers, first, neighbours, found, weights):  # type: ignore[no-untyped-def]
    """Of the new tets that have taken over the old tet that carried a point, or some around it, the one least outside of which
    it lies.

    Returns for points clearly outside of all how many there are (k,), and these one after the other, with their shares.
    """
    ring, out = np.empty(256, dtype=np.int32), np.empty(4)
    counts, total = np.zeros(len(points), dtype=np.int64), 0
    tet, share = np.empty(64, dtype=np.int32), np.empty(64)
    for p in range(len(points)):
        if carrying[p] < 0:
            continue
        ring[0], begin, end, best, before = carrying[p], 0, 1, -np.inf, total
        for _ in range(RINGS):
            for r in range(begin, end):
                for k in range(first[ring[r]], first[ring[r] + 1]):
                    known = False
                    for n in range(before, total):
                        known |= tet[n] == takers[k]
                    if known:
                        continue
                    least = _weigh(positions, tets, takers[k], points[p], out)
                    if least > best + 1e-9:
                        best, found[p] = least, takers[k]
                        weights[p] = out
                    if total == len(tet):
                        tet = np.concatenate((tet, np.empty(total, dtype=np.int32)))
                        share = np.concatenate((share, np.empty(total)))
                    tet[total], share[total] = takers[k], 1.0 / (OUTSIDE - min(least, 0.0)) ** 2
                    total += 1
            if best >= -1e-6:
                break
            last = end
            for r in range(begin, last):
                for face in range(4):
                    other = neighbours[ring[r], face]
                    known = other < 0 or end == len(ring)
                    for q in range(end):
                        known |= ring[q] == other
                    if not known:
                        ring[end] = other
                        end += 1
            begin = last
        if best >= -OUTSIDE:
            total = before
        counts[p] = total - before
    return counts, tet[:total].copy(), share[:total].copy()
