"""Stuffing that keeps apart what is apart: tets of the lattice once for each sheet of a body that passes through them.

Each copy of a lattice tet holds points of one sheet only, and its other corners lie outside: what another sheet does there
does not count. Copies that share a face where the sheet passes share their corners (solver/remesh/sheets.py), so new tets
fit together within a sheet, and have no vertex in common from one to the next.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel
from ..tetmesh.compaction import compacted
from ..tetmesh.cuts import Cuts
from ..tetmesh.lattice import DIRECTIONS, neighbour
from ..tetmesh.lattice_points import Lattice
from ..tetmesh.manifold import manifold_rows
from ..tetmesh.mesh import TetMesh
from ..tetmesh.stuffing import lattice_tet, stuff_copies
from .creases import BACKWARDS, BETWEEN, mended
from .sheets import Sheets

Array = NDArray[np.float64]


class OfSheets(NamedTuple):
    """Of which sheet of the old mesh new tets are.

    anchors : (m', 4) int32, old tets that hold corners of the lattice tet that each is a part of, -1 for those outside
    at_fold : (m',) bool, whether another sheet is nearer than a cell
    """

    anchors: NDArray[np.int32]
    at_fold: NDArray[np.bool_]

    def chosen(self, kept: NDArray[np.bool_]) -> "OfSheets":
        """The same without the tets that are not kept (m',)."""
        return OfSheets(self.anchors[kept], self.at_fold[kept])


def unfused(sheets: Sheets, old: TetMesh, lattice: Lattice, points: Array) -> tuple[TetMesh, OfSheets]:
    """Return tets on a lattice with points (n, 3) that fill each sheet of an old mesh by itself, and of which they are."""
    sheets, given_up, places, at_fold = mended(sheets, old, lattice, points)
    count = len(sheets.place)
    lost = (sheets.link >= 0) & given_up[np.maximum(sheets.link, 0)] & ~given_up[:, None]
    left = np.where(lost, 1.0, sheets.left)
    link = np.where(lost | given_up[:, None], -1, sheets.link).astype(np.int32)
    targets, outside = _outside(lattice, sheets.place, link, given_up, BETWEEN)
    place = np.concatenate([sheets.place, outside])
    copies = _copies(lattice, sheets.begin, given_up, link, targets, _kinds())
    copied, inside = points[place], np.arange(len(place)) < count
    inside[:count] &= ~given_up
    copied[targets[lost]] = places[sheets.link[lost]]
    cuts, shares = _cuts(targets, left, link, given_up, count, len(place))
    cut_points = copied[cuts.inner] + shares[:, None] * (copied[cuts.outer] - copied[cuts.inner])
    positions, tets, origin = stuff_copies(lattice, place, copied, inside, cuts, cut_points, copies)
    anchors = np.where(copies < count, sheets.tet[np.minimum(copies, count - 1)], -1).astype(np.int32)
    near = (at_fold[np.minimum(copies, count - 1)] & (copies < count)).any(axis=1)
    rows = manifold_rows(tets)
    return compacted(positions, tets[rows]), OfSheets(anchors[origin[rows]], near[origin[rows]])


def _kinds() -> NDArray[np.int64]:
    """(12, 4, 4) the direction from one corner to another of the lattice tets around a cube's centre."""
    lattice, kinds = Lattice(np.zeros(3), 1.0, 4, 4, 4), np.full((12, 4, 4), -1, dtype=np.int64)
    _list_kinds(lattice, kinds)
    return kinds


@kernel
def _list_kinds(lattice, kinds):  # type: ignore[no-untyped-def]
    corners = np.empty(4, dtype=np.int64)
    for which in range(12):
        lattice_tet(lattice, which // 4, 1, 1, 1, which % 4, corners)
        for a in range(4):
            for b in range(4):
                for direction in range(DIRECTIONS):
                    if neighbour(lattice, corners[a], direction) == corners[b]:
                        kinds[which, a, b] = direction


@kernel
def _outside(lattice, place, link, given_up, between):  # type: ignore[no-untyped-def]
    """Return targets (s, 14), which point is in each direction, those outside from s on; and the place of these.

    Points outside are one where points that are joined see them.
    """
    root = np.arange(len(place) * DIRECTIONS)
    for s in range(len(place)):
        for one in range(DIRECTIONS):
            joined = link[s, one]
            if joined < 0:
                continue
            for other in range(DIRECTIONS):
                on = between[one, other]
                if on >= 0 and link[s, other] < 0 and link[joined, on] < 0:
                    a, b = _root(root, s * DIRECTIONS + other), _root(root, joined * DIRECTIONS + on)
                    root[max(a, b)] = min(a, b)
    targets, ghosts, count = link.astype(np.int64), np.empty(len(root), dtype=np.int64), 0
    number = np.full(len(root), -1, dtype=np.int64)
    for s in range(len(place)):
        for direction in range(DIRECTIONS):
            if given_up[s] or link[s, direction] >= 0:
                continue
            other = neighbour(lattice, place[s], direction)
            if other < 0:
                continue
            own = _root(root, s * DIRECTIONS + direction)
            if number[own] < 0:
                number[own], ghosts[count] = count, other
                count += 1
            targets[s, direction] = len(place) + number[own]
    return targets, ghosts[:count].copy()


@kernel
def _root(root, item):  # type: ignore[no-untyped-def]
    while root[item] != item:
        root[item] = root[root[item]]
        item = root[item]
    return item


@kernel
def _copies(lattice, begin, given_up, link, targets, kinds):  # type: ignore[no-untyped-def]
    """List (k, 4) the copies of lattice tets that hold a point inside, by their corners."""
    corners = np.empty(4, dtype=np.int64)
    found, count = np.empty((64, 4), dtype=np.int64), 0
    for i in range(lattice.nx):
        for j in range(lattice.ny):
            for k in range(lattice.nz):
                for which in range(12):
                    if not lattice_tet(lattice, which // 4, i, j, k, which % 4, corners):
                        continue
                    for a in range(4):
                        for s in range(begin[corners[a]], begin[corners[a] + 1]):
                            known = given_up[s]
                            for b in range(a):
                                known |= link[s, kinds[which, a, b]] >= 0
                            if known:
                                continue
                            if count == len(found):
                                found = np.concatenate((found, np.empty((count, 4), dtype=np.int64)))
                            for b in range(4):
                                found[count, b] = s if a == b else targets[s, kinds[which, a, b]]
                            count += 1
    return found[:count].copy()


def _cuts(
    targets: NDArray[np.int64], left: Array, link: NDArray[np.int32], given_up: NDArray[np.bool_], count: int, total: int
) -> tuple[Cuts, Array]:
    """Return the cuts between points inside and outside, and at which share (c,) of the way each is."""
    inner, direction = np.nonzero((targets >= count) & ~given_up[:, None])
    outer = targets[inner, direction]
    active = np.full(total, -1, dtype=np.int32)
    rows = np.union1d(inner, outer)
    active[rows] = np.arange(len(rows))
    table = np.full((len(rows), DIRECTIONS), -1, dtype=np.int32)
    table[active[inner], direction] = np.arange(len(inner))
    table[active[outer], BACKWARDS[direction]] = np.arange(len(inner))
    return Cuts(inner, outer, active, table), left[inner, direction]
