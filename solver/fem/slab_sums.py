"""What is asked of all blocks of the matrix that slabs.py lays out: the sums of its rows, other weights, rows that are held."""

import numpy as np
from numba import prange

from ..jit import inline, parallel
from ..jit.simd import add, lane, load, store, three, zero
from ..jit.simd_rows import ROWS, add_to_rows, eight_zeros, load_three, sum_of_eights
from .slabs import SLOT

EIGHT, NINE = np.uint64(8), np.uint64(9)
ROW_OF, COLUMN_OF = np.arange(9) % 3, np.arange(9) // 3  # of a block's numbers


@inline
def _sum_group(rows, group, first, last, columns, values, straight, across):  # type: ignore[no-untyped-def]
    """Add a group's slots, first to last - 1, to its rows' sums and, transposed, to theirs."""
    none = eight_zeros(straight)
    s0, s1, s2, s01, s02, s12 = none, none, none, none, none, none
    for slot in range(first, last):
        at, v = EIGHT * slot, np.uint64(SLOT) * slot
        a0, a1, a2 = load_three(values, v)
        b0, b1, b2 = load_three(values, v + np.uint64(24))
        c0, c1, c2 = load_three(values, v + np.uint64(48))
        s0, s1, s2 = sum_of_eights(s0, a0), sum_of_eights(s1, b1), sum_of_eights(s2, c2)
        s01, s02, s12 = sum_of_eights(s01, b0), sum_of_eights(s02, c0), sum_of_eights(s12, c1)
        add_to_rows(straight, columns, at, a0, b1, c2)
        add_to_rows(across, columns, at, a1, a2, b2)
    add_to_rows(straight, rows, group, s0, s1, s2)
    add_to_rows(across, rows, group, s01, s02, s12)


@parallel
def row_sums(slabs, values, sums):  # type: ignore[no-untyped-def]
    """sums (2, 4n) := of the sum of each row's blocks, which is symmetric but for rounding, the numbers 00, 11, 22 and 01, 02,
    12."""
    bounds, group_bounds, group_rows, slot_offsets, slot_columns, outer_offsets, _outer_columns = slabs
    straight, across, start = sums[0], sums[1], np.uint64(SLOT) * np.uint64(slot_offsets[-1])
    for slab in prange(len(bounds) - 1):
        for i in range(bounds[slab], bounds[slab + 1]):
            s0, s1, s2 = zero(), zero(), zero()
            for k in range(np.uint64(outer_offsets[i]), np.uint64(outer_offsets[i + 1])):
                v = start + NINE * k
                s0, s1 = add(s0, load(values, v)), add(s1, load(values, v + np.uint64(3)))
                s2 = add(s2, load(values, v + np.uint64(6)))
            at = np.uint64(4) * np.uint64(i)
            store(straight, at, three(lane(s0, 0), lane(s1, 1), lane(s2, 2)))
            store(across, at, three(lane(s1, 0), lane(s2, 0), lane(s2, 1)))
        for g in range(group_bounds[slab], group_bounds[slab + 1]):
            first, last = np.uint64(slot_offsets[g]), np.uint64(slot_offsets[g + 1])
            _sum_group(group_rows, EIGHT * np.uint64(g), first, last, slot_columns, values, straight, across)


@inline
def _weigh_block(values, at, step, here, there, scaled, own, back):  # type: ignore[no-untyped-def]
    """Scale the block at `at`, its numbers `step` apart, by here * there, and add what that leaves to own (9) of its row, and
    to back (9) of its column's unless it is None."""
    for c in range(9):
        number, upright, turned = values[at + step * c], 3 * ROW_OF[c] + COLUMN_OF[c], c
        scaled[at + step * c] = np.float32(here * there) * number
        own[upright] += here * (there - here) * number
        if back is not None:
            back[turned] += there * (here - there) * number


@parallel
def weigh(order, slabs, values, weights, scaled, own):  # type: ignore[no-untyped-def]
    """Scale blocks (i, j) of `values` by weights_i weights_j (n,) into `scaled`; own (n, 9), by rows: what that adds to the
    diagonal blocks, which stand for minus the sums of their rows, beyond those sums. Nodes in the mesh's own numbering."""
    bounds, group_bounds, group_rows, slot_offsets, slot_columns, outer_offsets, outer_columns = slabs
    start = SLOT * np.int64(slot_offsets[-1])
    for slab in prange(len(bounds) - 1):
        for row in range(bounds[slab], bounds[slab + 1]):
            i = order[row]
            own[i] = 0.0
            for k in range(outer_offsets[row], outer_offsets[row + 1]):
                there = weights[order[outer_columns[k]]]
                _weigh_block(values, start + 9 * k, 1, weights[i], there, scaled, own[i], None)
        for g in range(group_bounds[slab], group_bounds[slab + 1]):
            for k in range(ROWS * slot_offsets[g], ROWS * slot_offsets[g + 1]):
                row, column = group_rows[ROWS * g + k % ROWS], slot_columns[k]
                if row != column:
                    i, j, at = order[row], order[column], SLOT * (k // ROWS) + k % ROWS
                    _weigh_block(values, at, ROWS, weights[i], weights[j], scaled, own[i], own[j])


@inline
def _take_block(values, at, step, own, back):  # type: ignore[no-untyped-def]
    """Take the block at `at`, its numbers `step` apart, out of the matrix and from own (9) of its row, and of its column's
    unless `back` is None."""
    for c in range(9):
        number = values[at + step * c]
        own[3 * ROW_OF[c] + COLUMN_OF[c]] -= number
        if back is not None:
            back[c] -= number
        values[at + step * c] = np.float32(0.0)


@parallel
def eliminate(held, slabs, values, own, touched):  # type: ignore[no-untyped-def]
    """Take rows held (n,) and their columns out of the matrix: they become zero, and what they hold the others by becomes
    part of the others' own blocks."""
    bounds, group_bounds, group_rows, slot_offsets, slot_columns, outer_offsets, outer_columns = slabs
    start = SLOT * np.int64(slot_offsets[-1])
    for slab in prange(len(bounds) - 1):
        for i in range(bounds[slab], bounds[slab + 1]):
            for k in range(outer_offsets[i], outer_offsets[i + 1]):
                if held[i] or held[outer_columns[k]]:
                    touched[i] = True
                    _take_block(values, start + 9 * k, 1, own[i], None)
        for g in range(group_bounds[slab], group_bounds[slab + 1]):
            for k in range(ROWS * slot_offsets[g], ROWS * slot_offsets[g + 1]):
                i, j = group_rows[ROWS * g + k % ROWS], slot_columns[k]
                if i != j and (held[i] or held[j]):
                    touched[i] = touched[j] = True
                    _take_block(values, SLOT * (k // ROWS) + k % ROWS, ROWS, own[i], own[j])
        for i in range(bounds[slab], bounds[slab + 1]):
            if held[i]:
                touched[i] = True
                own[i] = 0.0
