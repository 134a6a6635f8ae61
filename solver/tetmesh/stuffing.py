"""Isosurface stuffing: lattice points inside or outside, and where the surface cuts the edges between, become tets.

1. Every lattice edge from an inside to an outside point has a cut point.
2. A lattice point with a cut point too close to it is warped onto the nearest one and lies on the surface.
3. The lattice tets that are left with both kinds of corners are cut by fixed stencils.

Source: Labelle & Shewchuk 2007, sections 3 and 4. Departure: the diagonals of cut faces follow the cut points (see
`_first_keeps`), where the paper decides by the colour of the edges alone; that allows more warping and lifts the
smallest dihedral angle over random signs and worst-case cut points from 9.3 to over 11 degrees (tests/tetmesh).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import inline, kernel
from .compaction import compacted
from .lattice import DIRECTIONS, LONG_DIRECTIONS, centre, coordinates, corner, neighbour
from .lattice_points import Lattice

# A cut point within this share of an edge is too close to the lattice point there.
WARP_LONG = 0.26
WARP_SHORT = 0.38
SHORT = math.sqrt(0.75)  # length of a short edge, in cells


class Cuts(NamedTuple):
    """The lattice edges with one end inside and one outside.

    inner, outer : (c,) int64, lattice points
    active : (n,) int32, row of `table` of a lattice point with such an edge, or -1
    table  : (a, 14) int32, number of the cut on each of its edges, or -1
    """

    inner: NDArray[np.int64]
    outer: NDArray[np.int64]
    active: NDArray[np.int32]
    table: NDArray[np.int32]


def find_cuts(lattice: Lattice, inside: NDArray[np.bool_]) -> Cuts:
    """Return the edges that the surface cuts, given which of the (n,) lattice points are inside."""
    active = np.full(len(inside), -1, dtype=np.int32)
    rows, cuts = _count_cuts(lattice, inside, active)
    table = np.full((rows, DIRECTIONS), -1, dtype=np.int32)
    ends = np.empty((2, cuts), dtype=np.int64)
    _list_cuts(lattice, inside, active, table, ends)
    return Cuts(ends[0], ends[1], active, table)


def stuff(
    lattice: Lattice,
    points: NDArray[np.float64],
    inside: NDArray[np.bool_],
    cuts: Cuts,
    cut_points: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return positions (m, 3) and tets (t, 4) between lattice points (n, 3) and cut points (c, 3).

    `points` is overwritten where it is warped. No tet is inverted, no vertex unused.
    """
    sign = np.where(inside, 1, -1).astype(np.int8)
    share = _shares(points, cuts, cut_points)
    _warp(lattice, points, sign, cuts, cut_points)
    positions = np.concatenate([points, cut_points])
    tets = np.empty((3 * _count_cubes_tets(lattice, sign), 4), dtype=np.int32)
    count = _cut_tets(lattice, sign, cuts.active, cuts.table, share, positions, tets)
    mesh = compacted(positions, tets[:count])
    return mesh.positions, mesh.tets


def _shares(
    points: NDArray[np.float64], cuts: Cuts, cut_points: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return (c,) where along its edge, from the inside end, each cut lies [0, 1].

    Rounded, so that cuts which are equal by symmetry compare equal wherever the body stands.
    """
    edge = points[cuts.outer] - points[cuts.inner]
    arm = cut_points - points[cuts.inner]
    return np.round(np.sqrt((arm * arm).sum(axis=1) / (edge * edge).sum(axis=1)), 9)


@kernel
def _count_cuts(lattice, inside, active):  # type: ignore[no-untyped-def]
    rows, cuts = 0, 0
    for point in range(len(inside)):
        found = 0
        for direction in range(DIRECTIONS):
            other = neighbour(lattice, point, direction)
            if other >= 0 and inside[other] != inside[point]:
                found += 1
        if found:
            active[point] = rows
            rows += 1
            if inside[point]:
                cuts += found
    return rows, cuts


@kernel
def _list_cuts(lattice, inside, active, table, ends):  # type: ignore[no-untyped-def]
    cut = 0
    for point in range(len(inside)):
        if active[point] < 0 or not inside[point]:
            continue
        for direction in range(DIRECTIONS):
            other = neighbour(lattice, point, direction)
            if other >= 0 and not inside[other]:
                ends[0, cut], ends[1, cut] = point, other
                table[active[point], direction] = cut
                table[active[other], opposite(direction)] = cut
                cut += 1


@inline
def opposite(direction):  # type: ignore[no-untyped-def]
    """The direction that leads back."""
    if direction < LONG_DIRECTIONS:
        return direction ^ 1
    return 6 + (7 - (direction - 6))


@kernel
def _warp(lattice, points, sign, cuts, cut_points):  # type: ignore[no-untyped-def]
    """Step 2, one point after the other: a cut point goes with the first end that is warped."""
    for point in range(len(sign)):
        row = cuts.active[point]
        if row < 0:
            continue
        nearest, best = -1, np.inf
        for direction in range(DIRECTIONS):
            cut = cuts.table[row, direction]
            if cut < 0:
                continue
            other = cuts.outer[cut] if cuts.inner[cut] == point else cuts.inner[cut]
            if sign[other] == 0:
                continue
            d2 = 0.0
            for a in range(3):
                d2 += (cut_points[cut, a] - points[point, a]) ** 2
            length = lattice.size * (1.0 if direction < LONG_DIRECTIONS else SHORT)
            limit = length * (WARP_LONG if direction < LONG_DIRECTIONS else WARP_SHORT)
            # A tie goes to the first direction, not to the rounding of the day.
            if d2 < limit * limit and d2 < best * (1.0 - 1e-6):
                nearest, best = cut, d2
        if nearest >= 0:
            sign[point] = 0
            for a in range(3):
                points[point, a] = cut_points[nearest, a]


@inline
def _lattice_tet(lattice, axis, i, j, k, side, corners):  # type: ignore[no-untyped-def]
    """Set the corners of one of the four tets around the long edge from centre (i, j, k) along an axis.

    False where the neighbouring cube is outside the block.
    """
    ni, nj, nk = i + (axis == 0), j + (axis == 1), k + (axis == 2)
    if ni >= lattice.nx or nj >= lattice.ny or nk >= lattice.nz:
        return False
    corners[0] = centre(lattice, i, j, k)
    corners[1] = centre(lattice, ni, nj, nk)
    for n in range(2):
        turn = (side + n) % 4
        u, v = (1 if turn == 1 or turn == 2 else 0), (1 if turn >= 2 else 0)
        if axis == 0:
            corners[2 + n] = corner(lattice, ni, j + u, k + v)
        elif axis == 1:
            corners[2 + n] = corner(lattice, i + v, nj, k + u)
        else:
            corners[2 + n] = corner(lattice, i + u, j + v, nk)
    return True


@kernel
def _count_cubes_tets(lattice, sign):  # type: ignore[no-untyped-def]
    """How many lattice tets have an inside corner."""
    corners = np.empty(4, dtype=np.int64)
    count = 0
    for i in range(lattice.nx):
        for j in range(lattice.ny):
            for k in range(lattice.nz):
                for which in range(12):
                    if _lattice_tet(lattice, which // 4, i, j, k, which % 4, corners):
                        for n in range(4):
                            if sign[corners[n]] > 0:
                                count += 1
                                break
    return count


@kernel
def _cut_tets(lattice, sign, active, table, share, positions, tets):  # type: ignore[no-untyped-def]
    """Step 3; return how many tets there are."""
    corners = np.empty(4, dtype=np.int64)
    cut = np.empty((4, 4), dtype=np.int64)
    prism = np.empty(6, dtype=np.int64)
    parts = np.empty((3, 4), dtype=np.int64)
    up = np.empty(3, dtype=np.bool_)
    count = np.int64(0)
    for i in range(lattice.nx):
        for j in range(lattice.ny):
            for k in range(lattice.nz):
                for which in range(12):
                    if not _lattice_tet(lattice, which // 4, i, j, k, which % 4, corners):
                        continue
                    _sort_and_cut(lattice, sign, active, table, corners, cut)
                    for part in range(_stencil(lattice, sign, share, positions, corners, cut, up, prism, parts)):
                        _add(positions, tets, count, parts[part])
                        count += 1
    return count


@inline
def _sort_and_cut(lattice, sign, active, table, corners, cut):  # type: ignore[no-untyped-def]
    """Order the corners inside, on the surface, outside; set the vertices where edges are cut."""
    for a in range(1, 4):
        for b in range(a, 0, -1):
            if sign[corners[b]] > sign[corners[b - 1]]:
                corners[b], corners[b - 1] = corners[b - 1], corners[b]
    for a in range(3):
        for b in range(a + 1, 4):
            if sign[corners[a]] <= 0 or sign[corners[b]] >= 0:
                continue
            row = active[corners[a]]
            for direction in range(DIRECTIONS):
                if table[row, direction] >= 0 and neighbour(lattice, corners[a], direction) == corners[b]:
                    cut[a, b] = len(sign) + table[row, direction]


@kernel
def _stencil(lattice, sign, share, positions, corners, cut, up, prism, parts):  # type: ignore[no-untyped-def]
    """Set the parts (3, 4) of one sorted lattice tet that lie inside; return how many."""
    inner = outer = 0
    for n in range(4):
        inner += sign[corners[n]] > 0
        outer += sign[corners[n]] < 0
    if inner == 0:
        return 0
    if inner == 1 or outer == 0:
        for n in range(4):
            parts[0, n] = cut[0, n] if n >= 4 - outer else corners[n]
        return 1
    a, b, c = corners[0], corners[1], corners[2]
    # The sides of the faces that are cut into quads: (0, 1 | 3), and (0, 1 | 2) or (1, 2 | 3) and (0, 2 | 3).
    for side in range(3 if inner == 3 else outer):
        first, second = (1 if side == 1 and inner == 3 else 0), (2 if side > 0 and inner == 3 else 1)
        third = 2 if side == 1 and inner == 2 else 3
        up[side] = _first_keeps(lattice, share, sign, corners, cut, first, second, third)
    if inner == 2 and outer == 1:  # a pyramid over the quad a, b, cut b, cut a
        parts[0, 0], parts[0, 1], parts[0, 2], parts[0, 3] = a, b, cut[1, 3] if up[0] else cut[0, 3], c
        parts[1, 0], parts[1, 1], parts[1, 2], parts[1, 3] = a if up[0] else b, cut[0, 3], cut[1, 3], c
        return 2
    for n in range(3):
        prism[n], prism[3 + n] = corners[n], cut[n, 3]
    up01, up12, up02 = up[0], up[1], up[2]
    if inner == 2:
        prism[1], prism[2], prism[3], prism[4], prism[5] = cut[0, 2], cut[0, 3], b, cut[1, 2], cut[1, 3]
        up02, up01 = up[0], up[1]
        # The third side lies on the surface and belongs to this tet alone.
        up12 = up02 if up01 != up02 else _shorter(positions, prism)
    return _split_prism(prism, up01, up12, up02, parts)


@kernel
def _first_keeps(lattice, share, sign, corners, cut, first, second, third):  # type: ignore[no-untyped-def]
    """Whether the diagonal of the quad that is left of a lattice face starts at its first rather than its second corner.

    The face has two corners inside and the third outside. The diagonal starts at the longer side, measured in shares of
    the lattice edge: the shorter diagonal, nearly, and an order of the sides, so that no prism gets a cycle of
    diagonals, which would leave it without a split. The quad alone decides, so the tets on its two sides agree. Equal
    sides: it starts at the long edge, or of two short ones, by the parity rule of the paper, at that of the two corners
    of which an even number of coordinates exceed those of the third.
    """
    longer = share[cut[first, third] - len(sign)] - share[cut[second, third] - len(sign)]
    if longer != 0.0:
        return longer > 0.0
    ai, aj, ak, a_centre = coordinates(lattice, corners[first])
    oi, oj, ok, o_centre = coordinates(lattice, corners[third])
    if a_centre != coordinates(lattice, corners[second])[3]:
        return a_centre == o_centre
    half = a_centre - o_centre  # centres stand half a cube beyond the corner of the same numbers
    exceeding = (2 * ai + half > 2 * oi) + (2 * aj + half > 2 * oj) + (2 * ak + half > 2 * ok)
    return exceeding % 2 == 0


@inline
def _shorter(positions, prism):  # type: ignore[no-untyped-def]
    """Whether the diagonal 1-5 of a prism is shorter than 2-4."""
    rising = falling = 0.0
    for n in range(3):
        rising += (positions[prism[1], n] - positions[prism[5], n]) ** 2
        falling += (positions[prism[2], n] - positions[prism[4], n]) ** 2
    return rising < falling


@kernel
def _split_prism(prism, up01, up12, up02, parts):  # type: ignore[no-untyped-def]
    """Split the prism (0, 1, 2), (3, 4, 5) into three tets; up01 says that the diagonal of its side 0-1 joins 0 and 4."""
    # The diagonals order the three uprights; without a cycle one of them comes first, one last.
    rank0, rank1 = (not up01) + (not up02), up01 + (not up12)
    first = 0 if rank0 == 0 else (1 if rank1 == 0 else 2)
    last = 0 if rank0 == 2 else (1 if rank1 == 2 else 2)
    middle = 3 - first - last
    for n in range(3):
        parts[n, 0], parts[n, 3] = prism[first], prism[3 + last]
    parts[0, 1], parts[0, 2] = prism[middle], prism[last]
    parts[1, 1], parts[1, 2] = prism[middle], prism[3 + middle]
    parts[2, 1], parts[2, 2] = prism[3 + first], prism[3 + middle]
    return 3


@inline
def _add(positions, tets, count, part):  # type: ignore[no-untyped-def]
    """Store one tet, turned to positive orientation."""
    a, b, c, d = positions[part[0]], positions[part[1]], positions[part[2]], positions[part[3]]
    u0, u1, u2 = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    v0, v1, v2 = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    w0, w1, w2 = d[0] - a[0], d[1] - a[1], d[2] - a[2]
    volume = u0 * (v1 * w2 - v2 * w1) + u1 * (v2 * w0 - v0 * w2) + u2 * (v0 * w1 - v1 * w0)
    tets[count, 0], tets[count, 1] = part[0], part[1]
    tets[count, 2], tets[count, 3] = (part[2], part[3]) if volume > 0.0 else (part[3], part[2])
