"""The coarse level's matrix W^T A W: what the affine motions of parts (coarse_space.py) meet in the matrix of block_matrix.py.

With f the modes of a row, an edge (i, j) adds f_i A_ij (f_j - f_i) + f_j A_ij^T (f_i - f_j). Slabs are pieces of parts; where
both rows are of one, that is written by d = f_j - f_i, and as the whole sum is symmetric only this part of it is taken:

    d d S + (f_i d - d f_i) R    with S the symmetric part of -A_ij and R the other part of A_ij.

So nothing of a translation is left to rounding, nor of the constant mode.
"""

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..jit import inline, inner_kernel, kernel, parallel
from ..jit.simd import add_scaled, lane, load, store, subtract, zero
from ..jit.simd_mixed import add_scaled_at
from .block_matrix import Layout
from .coarse_space import MODES, Parts
from .coarse_within import add_within
from .slabs import SLOT

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

FOUR, EIGHT = np.uint64(4), np.uint64(8)
PAIRS = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))  # of modes, in `within`
SIDES = ((0, 1), (0, 2), (1, 2))  # of a block, in `skew`
WHERE = (0, 3, 4, 3, 1, 5, 4, 5, 2)  # the six numbers of `within` a block's nine are


@inline
def _sum_run(k, end, here, node_parts, modes, columns, values, start, sums):  # type: ignore[no-untyped-def]
    """sums (48) := modes relative to `here` times blocks by themselves, which begin at `start`, over a row's from k on that
    lead to one part; their end.

    Four modes of three columns of four numbers, of which the last means nothing.
    """
    other = node_parts[columns[k]]
    a0, a1, a2, b0, b1, b2 = zero(), zero(), zero(), zero(), zero(), zero()
    c0, c1, c2, d0, d1, d2 = zero(), zero(), zero(), zero(), zero(), zero()
    while k < end and node_parts[columns[k]] == other:
        f, v = subtract(load(modes, np.uint64(4) * np.uint64(columns[k])), here), start + np.uint64(9) * np.uint64(k)
        x, y, z = load(values, v), load(values, v + np.uint64(3)), load(values, v + np.uint64(6))
        a0, a1, a2 = add_scaled(a0, x, lane(f, 0)), add_scaled(a1, y, lane(f, 0)), add_scaled(a2, z, lane(f, 0))
        b0, b1, b2 = add_scaled(b0, x, lane(f, 1)), add_scaled(b1, y, lane(f, 1)), add_scaled(b2, z, lane(f, 1))
        c0, c1, c2 = add_scaled(c0, x, lane(f, 2)), add_scaled(c1, y, lane(f, 2)), add_scaled(c2, z, lane(f, 2))
        d0, d1, d2 = add_scaled(d0, x, lane(f, 3)), add_scaled(d1, y, lane(f, 3)), add_scaled(d2, z, lane(f, 3))
        k += 1
    _store_columns(sums, np.uint64(0), a0, a1, a2)
    _store_columns(sums, np.uint64(12), b0, b1, b2)
    _store_columns(sums, np.uint64(24), c0, c1, c2)
    _store_columns(sums, np.uint64(36), d0, d1, d2)
    return k


@inline
def _store_columns(sums, at, x, y, z):  # type: ignore[no-untyped-def]
    store(sums, at, x)
    store(sums, at + np.uint64(4), y)
    store(sums, at + np.uint64(8), z)


@inline
def _add_run(sums, f, most, total, at):  # type: ignore[no-untyped-def]
    """total[at : at + 192] += modes f (4) times the first `most` of sums (48)."""
    f0, f1, f2, f3 = np.float64(f[0]), np.float64(f[1]), np.float64(f[2]), np.float64(f[3])
    for c in range(np.uint64(0), np.uint64(most), FOUR):
        numbers, t = load(sums, c), at + c
        add_scaled_at(total, t, numbers, f0)
        add_scaled_at(total, t + np.uint64(48), numbers, f1)
        add_scaled_at(total, t + np.uint64(96), numbers, f2)
        add_scaled_at(total, t + np.uint64(144), numbers, f3)


@inline
def _take_constant(sums, f, total, at):  # type: ignore[no-untyped-def]
    """total[at : at + 192] -= modes f (4) times modes f times what the constant mode of `sums` (48) holds."""
    x, y, z = load(sums, np.uint64(36)), load(sums, np.uint64(40)), load(sums, np.uint64(44))
    for m in range(4):
        for q in range(4):
            product, t = -(np.float64(f[m]) * np.float64(f[q])), at + np.uint64(48 * m + 12 * q)
            add_scaled_at(total, t, x, product)
            add_scaled_at(total, t + FOUR, y, product)
            add_scaled_at(total, t + EIGHT, z, product)


@inline
def _add_own(block, f, square):  # type: ignore[no-untyped-def]
    """Add a row's inertia and contact, a block (9), to square (4, 4, 9): modes f (4) times modes times block."""
    for m in range(4):
        for q in range(4):
            product = np.float64(f[m]) * np.float64(f[q])
            for c in range(9):
                square[m, q, c] += product * block[c]


@inline
def _add_inertia(inertia, f, square):  # type: ignore[no-untyped-def]
    """The same where there is nothing but inertia, to the first of each nine, square (4, 4)."""
    numbers = load(f, np.uint64(0))
    for m in range(4):
        add_scaled_at(square, np.uint64(4 * m), numbers, np.float64(f[m]) * inertia)


@inner_kernel
def _add_rows(  # type: ignore[no-untyped-def]
    first, last, part, count, node_parts, modes, slabs, values, inertia, own, touched, between, square
):
    """Add what a part's rows, first to last - 1, have beside that: all other edges to between, inertia and contact to square
    (4, 4, 9)."""
    _, _, _, slot_offsets, _, outer_offsets, columns = slabs
    start = np.uint64(SLOT) * np.uint64(slot_offsets[-1])
    sums, f, free = np.zeros(48, np.float32), np.empty(4, np.float32), np.zeros((4, 4))
    ahead, here = np.uint64(192 * count * part), np.uint64(192 * (count * part + part))
    for i in range(first, last):
        row = load(modes, FOUR * np.uint64(i))
        store(f, np.uint64(0), row)
        k, end = np.int64(outer_offsets[i]), outer_offsets[i + 1]
        while k < end:
            other = node_parts[columns[k]]
            if other == part:  # the difference, as within a slab
                k = _sum_run(k, end, row, node_parts, modes, columns, values, start, sums)
                _add_run(sums, f, 36, between, here)
            else:
                k = _sum_run(k, end, zero(), node_parts, modes, columns, values, start, sums)
                _add_run(sums, f, 48, between, ahead + np.uint64(192) * np.uint64(other))
                _take_constant(sums, f, between, here)
        if touched[i]:
            _add_own(own[i], f, square)
        else:
            _add_inertia(np.float64(inertia[i]), f, free)
    for m in range(4):  # one by one: to compile slices takes seconds
        for q in range(4):
            for axis in range(3):
                square[m, q, 4 * axis] += free[m, q]


@parallel
def _coarse_blocks(  # type: ignore[no-untyped-def]
    part_offsets, part_slabs, node_parts, modes, slabs, values, inertia, own, touched, within, skew, between, square
):
    """Per part what edges of one slab add, within (a, 288) and skew (a, 288), of eight edges each, and what inertia and contact
    add, square (a, 4, 4, 9); per pair of parts what all other edges add, between, flat (192 a a)."""
    count = len(part_offsets) - 1
    for part in prange(count):
        add_within(part_slabs[part], part_slabs[part + 1], slabs, values, modes, within[part], skew[part])
        _add_rows(
            part_offsets[part], part_offsets[part + 1], np.int64(part), count, node_parts, modes, slabs, values, inertia, own,
            touched, between, square[part],
        )  # fmt: skip


@inline
def _sum_lanes(lanes, at):  # type: ignore[no-untyped-def]
    """lanes[at : at + 8] added."""
    total = 0.0
    for k in range(8):
        total += lanes[at + k]
    return total


@kernel
def _put_together(within, skew, square, between, matrix):  # type: ignore[no-untyped-def]
    """Fill matrix (12a, 12a) with what `_coarse_blocks` has found."""
    count = len(within)
    for p in range(count):
        for o in range(count):
            for k in range(144):
                m, q, row, column = k // 36, k // 9 % 4, k // 3 % 3, k % 3
                at = 192 * (count * p + o)
                entry = between[at + 48 * m + 12 * q + 4 * column + row]
                if o == p:
                    entry = 0.5 * (entry + between[at + 48 * q + 12 * m + 4 * row + column]) + square[p, m, q, k % 9]
                matrix[12 * p + 3 * m + row, 12 * o + 3 * q + column] = entry
        for k in range(54):
            m, q = PAIRS[k // 9]
            row, column = k // 3 % 3, k % 3
            entry = _sum_lanes(within[p], 48 * (k // 9) + 8 * WHERE[k % 9]) * (1.0 if row == column else 0.5)
            matrix[12 * p + 3 * m + row, 12 * p + 3 * q + column] -= entry
            if m != q:
                matrix[12 * p + 3 * q + row, 12 * p + 3 * m + column] -= entry
        for k in range(36):
            row, column = SIDES[k % 3]
            entry, i, j = 0.5 * _sum_lanes(skew[p], 8 * k), 12 * p + 3 * (k // 9), 12 * p + 3 * (k // 3 % 3)
            matrix[i + row, j + column] += entry
            matrix[i + column, j + row] -= entry
            matrix[j + row, i + column] -= entry
            matrix[j + column, i + row] += entry


def coarse_matrix(
    parts: Parts, layout: Layout, values: Floats, inertia: Floats, own: Array, touched: NDArray[np.bool_]
) -> Array:
    """W^T A W (12a, 12a) of the matrix in block_matrix.py's arrays; a part's mode 3m + axis moves along axis by modes[m]."""
    count, slabs = len(parts.part_offsets) - 1, layout.slabs.arrays
    within, skew = np.zeros((count, 288)), np.zeros((count, 288))
    between, square = np.zeros(192 * count * count), np.zeros((count, 4, 4, 9))
    part_slabs = np.searchsorted(slabs.bounds, parts.part_offsets)
    _coarse_blocks(
        parts.part_offsets, part_slabs, parts.node_parts, parts.modes, slabs, values, inertia, own, touched, within, skew,
        between, square,
    )  # fmt: skip
    matrix = np.empty((MODES * count, MODES * count))
    _put_together(within, skew, square, between, matrix)
    return matrix
