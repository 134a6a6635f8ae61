"""Isosurface stuffing: lattice points inside or outside, and where the surface cuts the edges between, become tets.

1. Every lattice edge from an inside to an outside point has a cut point (cuts.py).
2. A lattice point with a cut point too close to it is warped onto the nearest one and lies on the surface.
3. The lattice tets that are left with both kinds of corners are cut by fixed stencils (stencils.py).

Source: Labelle & Shewchuk 2007, sections 3 and 4.
"""

import math

import numpy as np
from numpy.typing import NDArray

from ..geometry.chunks import in_parts
from ..jit import inline, inner_kernel, kernel
from .compaction import compacted
from .cuts import Cuts
from .lattice import DIRECTIONS, LONG_DIRECTIONS, centre, corner
from .lattice_points import Lattice
from .mesh import TetMesh
from .stencils import sort_and_cut, stencil

# A cut point within this share of an edge is too close to the lattice point there.
WARP_LONG = 0.26
WARP_SHORT = 0.38
SLAB = 4  # layers of cubes that are cut together
SHORT = math.sqrt(0.75)  # length of a short edge, in cells


def stuff(
    lattice: Lattice,
    points: NDArray[np.float64],
    inside: NDArray[np.bool_],
    cuts: Cuts,
    cut_points: NDArray[np.float64],
) -> TetMesh:
    """Return the tets between lattice points (n, 3) and cut points (c, 3).

    `points` is overwritten where it is warped. No tet is inverted, no vertex unused.
    """
    sign = np.where(inside, 1, -1).astype(np.int8)
    share = _shares(points, cuts, cut_points)
    _warp(lattice, points, sign, cuts, cut_points)
    positions = np.concatenate([points, cut_points])
    slabs, place = [(first, min(first + SLAB, lattice.nx)) for first in range(0, lattice.nx, SLAB)], np.arange(len(points))
    tables = cuts.active, cuts.table, cuts.outer
    tets = np.concatenate(in_parts(_cut_tets, slabs, lattice, place, sign, *tables, share, positions))
    return compacted(positions, tets)


def stuff_copies(
    lattice: Lattice,
    place: NDArray[np.int64],
    points: NDArray[np.float64],
    inside: NDArray[np.bool_],
    cuts: Cuts,
    cut_points: NDArray[np.float64],
    copies: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.int64]]:
    """The same where points (n, 3) are copies of the lattice's, each of place (n,), and copies (k, 4) of its tets are listed.

    Returns positions (n + c, 3) with those that nothing uses, tets (t, 4), and of which copy (t,) each is a part.
    """
    sign = np.where(inside, 1, -1).astype(np.int8)
    share = _shares(points, cuts, cut_points)
    _warp(lattice, points, sign, cuts, cut_points)
    positions = np.concatenate([points, cut_points])
    tets, origin = np.empty((3 * len(copies), 4), dtype=np.int32), np.empty(3 * len(copies), dtype=np.int64)
    tables = cuts.active, cuts.table, cuts.outer
    count = _cut_copies(lattice, place, sign, *tables, share, positions, copies, tets, origin)
    return positions, tets[:count].copy(), origin[:count].copy()


def _shares(
    points: NDArray[np.float64], cuts: Cuts, cut_points: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return (c,) where along its edge, from the inside end, each cut lies [0, 1].

    Rounded, so that cuts which are equal by symmetry, or on a face of a box, compare equal whatever single precision says.
    """
    edge = points[cuts.outer] - points[cuts.inner]
    arm = cut_points - points[cuts.inner]
    return np.round(np.sqrt((arm * arm).sum(axis=1) / (edge * edge).sum(axis=1)), 5)


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
            if d2 < limit * limit and d2 < best * (1.0 - 1e-4):
                nearest, best = cut, d2
        if nearest >= 0:
            sign[point] = 0
            for a in range(3):
                points[point, a] = cut_points[nearest, a]


@inline
def lattice_tet(lattice, axis, i, j, k, side, corners):  # type: ignore[no-untyped-def]
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


@inner_kernel
def _count_cubes_tets(first, last, lattice, sign):  # type: ignore[no-untyped-def]
    """How many lattice tets around edges from the centres of some slabs of cubes have an inside corner."""
    corners = np.empty(4, dtype=np.int64)
    count = 0
    for i in range(first, last):
        for j in range(lattice.ny):
            for k in range(lattice.nz):
                for which in range(12):
                    if lattice_tet(lattice, which // 4, i, j, k, which % 4, corners):
                        for n in range(4):
                            if sign[corners[n]] > 0:
                                count += 1
                                break
    return count


@kernel
def _cut_tets(first, last, lattice, place, sign, active, table, outer, share, positions):  # type: ignore[no-untyped-def]
    """Step 3 for slabs first .. last - 1 of cubes: the tets (t, 4)."""
    tets = np.empty((3 * _count_cubes_tets(first, last, lattice, sign), 4), dtype=np.int32)
    corners = np.empty(4, dtype=np.int64)
    cut = np.empty((4, 4), dtype=np.int64)
    prism = np.empty(6, dtype=np.int64)
    parts = np.empty((3, 4), dtype=np.int64)
    up = np.empty(3, dtype=np.bool_)
    count = np.int64(0)
    for i in range(first, last):
        for j in range(lattice.ny):
            for k in range(lattice.nz):
                for which in range(12):
                    if not lattice_tet(lattice, which // 4, i, j, k, which % 4, corners):
                        continue
                    inside = 0
                    for n in range(4):
                        inside += sign[corners[n]] > 0
                    if inside == 0:
                        continue
                    if inside == 4:  # nearly all of them
                        _add(positions, tets, count, corners)
                        count += 1
                        continue
                    sort_and_cut(outer, sign, active, table, corners, cut)
                    for part in range(stencil(lattice, place, sign, share, positions, corners, cut, up, prism, parts)):
                        _add(positions, tets, count, parts[part])
                        count += 1
    return tets[:count].copy()


@kernel
def _cut_copies(lattice, place, sign, active, table, outer, share, positions, copies, tets, origin):  # type: ignore[no-untyped-def]
    """Step 3 for the tets that are listed; return how many there are."""
    corners = np.empty(4, dtype=np.int64)
    cut = np.empty((4, 4), dtype=np.int64)
    prism = np.empty(6, dtype=np.int64)
    parts = np.empty((3, 4), dtype=np.int64)
    up = np.empty(3, dtype=np.bool_)
    count = np.int64(0)
    for k in range(len(copies)):
        corners[:] = copies[k]
        sort_and_cut(outer, sign, active, table, corners, cut)
        for part in range(stencil(lattice, place, sign, share, positions, corners, cut, up, prism, parts)):
            _add(positions, tets, count, parts[part])
            origin[count] = k
            count += 1
    return count


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
