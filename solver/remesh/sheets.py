"""The lattice as a body's own tets see it: each lattice point once for each sheet of the body that it lies in.

Points of a lattice are joined where the old tets themselves lead from one to the other, not where some part of the body lies
in between: so what has folded onto itself, or lies in itself, is told apart however near it is (an immersion, as in Li and
Barbic 2018, "Immersion of self-intersecting solids and surfaces", on the lattice of solver/tetmesh).

Where the boundary does not pass, and only one sheet does, points are joined without looking at the way.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..geometry.chunks import in_chunks
from ..geometry.measures import bounding_box, within_box
from ..geometry.tet_walk import way
from ..jit import inline, kernel
from ..tetmesh.cage import ASIDE
from ..tetmesh.cuts import opposite
from ..tetmesh.lattice import DIRECTIONS, LONG_DIRECTIONS, coordinates, neighbour_of
from ..tetmesh.lattice_points import Lattice
from ..tetmesh.mesh import TetMesh
from .held_points import held_points

Array = NDArray[np.float64]

MOST_SHEETS = 16  # that are told apart at one point
BESIDE = 1e-6  # cells by which a cube counts as larger when it is asked whether the boundary passes


class Sheets(NamedTuple):
    """Points of a lattice as the tets of a mesh see them: s of them, by rising `place`.

    place : (s,) int64, the lattice point of each
    begin : (n + 1,) int64, those of lattice point p are begin[p]:begin[p + 1]
    tet   : (s,) int32, the old tet that holds it
    link  : (s, 14) int32, the one that it is joined to in each direction of the lattice, or -1
    left  : (s, 14) float64, the share of the way there that is inside
    """

    place: NDArray[np.int64]
    begin: NDArray[np.int64]
    tet: NDArray[np.int32]
    link: NDArray[np.int32]
    left: Array


def sheets_of(old: TetMesh, lattice: Lattice, points: Array) -> Sheets:
    """Return how the tets of a mesh see the points (n, 3) of a lattice, looking ASIDE."""
    shift = lattice.size * np.array(ASIDE)
    looked = points + shift
    inside = within_box(looked, *bounding_box(old.positions))
    begin, held = _told_apart(old.tets, *held_points(old, lattice, shift), inside)
    count = len(held)
    place = np.repeat(np.arange(len(points)), np.diff(begin))
    link, reached = (np.full((count, DIRECTIONS), -1, dtype=np.int32) for _ in range(2))
    left, near = np.zeros((count, DIRECTIONS)), np.zeros((lattice.nx, lattice.ny, lattice.nz), dtype=bool)
    _mark_boundary(old.positions, old.faces.boundary, lattice, shift, near)
    mesh = old.positions, old.tets, old.faces.neighbours
    for forward in (True, False):  # and back where the way out does not lead there: the share of it that is inside is asked for
        in_chunks(_walk, count, forward, lattice, looked, *mesh, near, place, begin, held, link, left, reached)
        _join(forward, lattice, old.tets, place, begin, held, reached, link, left)
    return Sheets(place, begin, held, link, left)


@kernel
def _told_apart(tets, begin, holders, asked):  # type: ignore[no-untyped-def]
    """How many sheets hold the points that are asked for, as begin (n + 1,), and of each sheet a tet that does.

    Tets that share a node there are one sheet: where tets have turned inside out several of a sheet hold a point.
    """
    every, found, total = np.zeros_like(begin), np.empty_like(holders), 0
    for p in range(len(begin) - 1):
        for n in range(begin[p], begin[p + 1] if asked[p] else begin[p]):
            known = total - every[p] >= MOST_SHEETS
            for m in range(begin[p], n):
                known |= _share_a_node(tets, holders[n], holders[m])
            if not known:
                found[total] = holders[n]
                total += 1
        every[p + 1] = total
    return every, found[:total].copy()


@inline
def _share_a_node(tets, s, t):  # type: ignore[no-untyped-def]
    for a in range(4):
        for b in range(4):
            if tets[s, a] == tets[t, b]:
                return True
    return False


@kernel
def _mark_boundary(positions, boundary, lattice, shift, near):  # type: ignore[no-untyped-def]
    """Mark the cubes of the lattice, moved by `shift`, that the box of a boundary triangle meets."""
    low, high = np.empty(3, dtype=np.int64), np.empty(3, dtype=np.int64)
    for f in range(len(boundary)):
        for a in range(3):
            p, q, r = positions[boundary[f, 0], a], positions[boundary[f, 1], a], positions[boundary[f, 2], a]
            origin, last = lattice.origin[a] + shift[a], near.shape[a] - 1
            low[a] = max(int(np.floor((min(min(p, q), r) - origin) / lattice.size - BESIDE)), 0)
            high[a] = min(int(np.floor((max(max(p, q), r) - origin) / lattice.size + BESIDE)), last)
        for i in range(low[0], high[0] + 1):
            for j in range(low[1], high[1] + 1):
                for k in range(low[2], high[2] + 1):
                    near[i, j, k] = True


@inline
def _leads_forward(direction):  # type: ignore[no-untyped-def]
    return direction % 2 == 1 if direction < LONG_DIRECTIONS else direction >= (LONG_DIRECTIONS + DIRECTIONS) // 2


@inline
def _boundary_beside(near, place, direction):  # type: ignore[no-untyped-def]
    """Whether the boundary may pass where an edge leads forward from a point with this place: in a cube that it is of."""
    i, j, k, is_centre = place
    if is_centre:
        beyond = direction < LONG_DIRECTIONS and near[i + (direction == 1), j + (direction == 3), k + (direction == 5)]
        return near[i, j, k] or beyond
    if direction < LONG_DIRECTIONS:  # along four cubes: what crosses it meets each of them
        return near[min(i, near.shape[0] - 1), min(j, near.shape[1] - 1), min(k, near.shape[2] - 1)]
    bits = direction - LONG_DIRECTIONS
    return near[i - 1 + (bits & 1), j - 1 + ((bits >> 1) & 1), k - 1 + ((bits >> 2) & 1)]


@kernel
def _walk(first, last, forward, lattice, points, positions, tets, neighbours, near, place, begin, held, link, left, reached):  # type: ignore[no-untyped-def]
    """Set the tets at the ends of ways along edges that lead forward, or back, from points that are not joined there yet, and
    left."""
    for s in range(first, last):
        here = coordinates(lattice, place[s])
        alone = begin[place[s] + 1] - begin[place[s]] == 1
        for direction in range(DIRECTIONS):
            if _leads_forward(direction) != forward or link[s, direction] >= 0:
                continue
            other = neighbour_of(lattice, here, direction)
            if other < 0:
                continue
            clear = forward and alone and begin[other + 1] - begin[other] == 1
            if clear and not _boundary_beside(near, here, direction):
                reached[s, direction], left[s, direction] = held[begin[other]], 1.0
            else:
                found, share = way(positions, tets, neighbours, held[s], points[place[s]], points[other])
                reached[s, direction], left[s, direction] = found, share


@kernel
def _join(forward, lattice, tets, place, begin, held, reached, link, left):  # type: ignore[no-untyped-def]
    """Join what ways forward, or back, have reached."""
    for s in range(len(place)):
        here = coordinates(lattice, place[s])
        for direction in range(DIRECTIONS):
            if _leads_forward(direction) != forward or link[s, direction] >= 0 or reached[s, direction] < 0:
                continue
            other = neighbour_of(lattice, here, direction)
            for r in range(begin[other], begin[other + 1]):
                free = link[r, opposite(direction)] < 0 and link[s, direction] < 0
                if free and _share_a_node(tets, held[r], reached[s, direction]):
                    link[s, direction], link[r, opposite(direction)] = r, s
                    left[r, opposite(direction)] = 1.0
