"""The matrix as conjugate gradients read it: of the two blocks of an edge only one, as far as both rows lie in one slab.

The product with a matrix much larger than the caches takes as long as its blocks take to arrive. They are the same on both
sides of the diagonal, turned. Rows are therefore divided into slabs, ranges of rows that one thread treats from end to end: of
an edge within a slab the block is read once and serves both rows; an edge between two slabs has both blocks, so that no thread
writes where another does. Within a slab eight rows go side by side, sorted by how many blocks they have, so that eight edges
make one slot: a block's nine numbers of all eight, one after the other (SELL-C-sigma: Kreutzer et al. 2014, "A unified sparse
matrix data format ...", here for the half of a symmetric matrix).
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..jit import inline, parallel
from ..jit.simd import add, add_products, add_scaled, lane, load, store, subtract, sum_of_three, three, zero, zero_sum
from ..jit.simd_rows import (
    ROWS,
    add_eight,
    add_to_rows,
    eight_zeros,
    load_eight,
    load_rows,
    subtract_eight,
    take_from_rows,
)
from .runs import SPARE

Floats = NDArray[np.float32]
IntArray = NDArray[np.int32]

SLAB = 2048  # rows of a slab, about: their vectors stay in the second cache
LEAST_SLAB = 640  # rows that a slab keeps at least for the sake of more threads
SLABS = 8  # that there are, as long as these have enough rows
SLOT = 9 * ROWS  # numbers in a slot
ONE, FOUR, EIGHT, NINE = np.uint64(1), np.uint64(4), np.uint64(8), np.uint64(9)


class SlabArrays(NamedTuple):
    """What kernels take, for n rows in s slabs, g groups of eight rows, t slots and w blocks between slabs.

    bounds (s + 1,)                       : first row of each slab
    group_bounds (s + 1,)                 : first group of each slab
    group_rows (8g,)                      : rows of each group; where a slab has no more, its last one again
    slot_offsets (g + 1,)                 : first slot of each group
    slot_columns (8t,)                    : the other row of each edge; the row itself where there is none
    blocks, flat (72t,)                   : of each slot the nine numbers of eight blocks, by columns; 0 where there is none
    outer_offsets (n + 1,), outer_columns (w,), outer, flat (9w + SPARE,) : rows of blocks that lead to other slabs
    """

    bounds: IntArray
    group_bounds: IntArray
    group_rows: IntArray
    slot_offsets: IntArray
    slot_columns: IntArray
    blocks: Floats
    outer_offsets: IntArray
    outer_columns: IntArray
    outer: Floats


@dataclass
class Slabs:
    """The half matrix, and where its blocks come from and go. The columns of a row ascend, so these are ranges: of each row
    (n, 3) where columns in the slab begin, those beyond the row, and those beyond the slab; starts (n,): where among `blocks`
    the first of the row's begins."""

    arrays: SlabArrays
    ranges: IntArray = field(repr=False)
    starts: IntArray = field(repr=False)

    @property
    def places(self) -> tuple[IntArray, IntArray, IntArray, Floats, Floats]:
        """What `take_row` takes."""
        return self.ranges, self.starts, self.arrays.outer_offsets, self.arrays.blocks, self.arrays.outer

    @classmethod
    def of(cls, row_offsets: IntArray, columns: IntArray) -> "Slabs":
        """For a matrix with symmetric structure: row_offsets (n + 1,), columns (2e,), ascending in a row."""
        count = len(row_offsets) - 1
        slabs = max(min(SLABS, count // LEAST_SLAB), count // SLAB, 1)
        bounds = (count * np.arange(slabs + 1) // slabs).astype(np.int32)
        group_bounds = np.zeros(slabs + 1, np.int32)
        np.cumsum(-(-np.diff(bounds) // ROWS), out=group_bounds[1:])
        ranges, starts, outer_offsets = np.empty((count, 3), np.int32), np.empty(count, np.int32), np.zeros(count + 1, np.int32)
        group_rows, slots = np.empty(ROWS * group_bounds[-1], np.int32), np.empty(group_bounds[-1], np.int32)
        _divide(bounds, group_bounds, row_offsets, columns, ranges, outer_offsets, group_rows, slots)
        np.cumsum(outer_offsets, out=outer_offsets)
        slot_offsets = np.concatenate([[0], np.cumsum(slots)]).astype(np.int32)
        slot_columns, outer_columns = np.empty(ROWS * slot_offsets[-1], np.int32), np.empty(outer_offsets[-1], np.int32)
        _place(
            bounds, group_bounds, group_rows, slot_offsets, row_offsets, columns, outer_offsets, slot_columns, outer_columns,
            ranges, starts,
        )  # fmt: skip
        blocks, outer = np.zeros(SLOT * slot_offsets[-1], np.float32), np.zeros(9 * outer_offsets[-1] + SPARE, np.float32)
        arrays = SlabArrays(
            bounds, group_bounds, group_rows, slot_offsets, slot_columns, blocks, outer_offsets, outer_columns, outer
        )
        return cls(arrays, ranges, starts)

@parallel
def _divide(bounds, group_bounds, row_offsets, columns, ranges, outer, group_rows, slots):  # type: ignore[no-untyped-def]
    """Ranges of each row's columns, the numbers of those that lead out, outer (n + 1,) after a 0, and a slab's rows by how many
    edges they keep, most first, in groups; slots (g,): the most of each group."""
    for slab in prange(len(bounds) - 1):
        first, last, most = bounds[slab], bounds[slab + 1], 0
        for i in range(first, last):
            k, end = row_offsets[i], row_offsets[i + 1]
            for at, limit in enumerate((first, i, last)):
                while k < end and columns[k] < limit:
                    k += 1
                ranges[i, at] = k
            outer[i + 1] = ranges[i, 0] - row_offsets[i] + end - ranges[i, 2]
            most = max(most, ranges[i, 2] - ranges[i, 1])
        starts = np.zeros(most + 2, np.int32)
        for i in range(first, last):
            starts[most - ranges[i, 2] + ranges[i, 1] + 1] += 1
        for c in range(most + 1):
            starts[c + 1] += starts[c]
        at, end = ROWS * group_bounds[slab], ROWS * group_bounds[slab + 1]
        for i in range(first, last):
            c = most - ranges[i, 2] + ranges[i, 1]
            group_rows[at + starts[c]] = i
            starts[c] += 1
        group_rows[at + last - first : end] = group_rows[at + last - first - 1]
        for g in range(group_bounds[slab], group_bounds[slab + 1]):
            i = group_rows[ROWS * g]
            slots[g] = ranges[i, 2] - ranges[i, 1]


@parallel
def _place(  # type: ignore[no-untyped-def]
    bounds, group_bounds, group_rows, slot_offsets, row_offsets, columns, outer_offsets, slot_columns, outer_columns, ranges,
    starts,
):  # fmt: skip
    """The other row of each edge, and where each row's begin; a row's edges keep their order."""
    for slab in prange(len(bounds) - 1):
        for i in range(bounds[slab], bounds[slab + 1]):
            low, high, at = ranges[i, 0] - row_offsets[i], row_offsets[i + 1] - ranges[i, 2], outer_offsets[i]
            outer_columns[at : at + low] = columns[row_offsets[i] : ranges[i, 0]]
            outer_columns[at + low : at + low + high] = columns[ranges[i, 2] : row_offsets[i + 1]]
        seen = -1
        for g in range(group_bounds[slab], group_bounds[slab + 1]):
            for row in range(ROWS):
                i, at, end = group_rows[ROWS * g + row], ROWS * slot_offsets[g] + row, ROWS * slot_offsets[g + 1]
                if i != seen:  # else a row again, to fill the group
                    starts[i] = SLOT * slot_offsets[g] + row
                    for k in range(ranges[i, 1], ranges[i, 2]):
                        slot_columns[at] = columns[k]
                        at += ROWS
                seen = i
                for rest in range(at, end, ROWS):
                    slot_columns[rest] = i


@inline
def _copy(values, first, last, stride, into, start, step):  # type: ignore[no-untyped-def]
    """Copy blocks first to last - 1, their numbers `stride` apart and the blocks `step`; return where the next would begin."""
    for k in range(np.uint64(first), np.uint64(last)):
        at = NINE * k
        for c in range(NINE):
            into[start + stride * c] = values[at + c]
        start += step
    return start


@inline
def take_row(i, row_offsets, values, ranges, starts, outer_offsets, blocks, outer):  # type: ignore[no-untyped-def]
    """Take a row of the whole matrix, `values` flat (18e + SPARE,) by columns, into the half."""
    _copy(values, ranges[i, 1], ranges[i, 2], EIGHT, blocks, np.uint64(starts[i]), np.uint64(SLOT))
    at = _copy(values, row_offsets[i], ranges[i, 0], ONE, outer, NINE * np.uint64(outer_offsets[i]), NINE)
    _copy(values, ranges[i, 2], row_offsets[i + 1], ONE, outer, at, NINE)


@inline
def _row_product(i, row_offsets, columns, values, p):  # type: ignore[no-untyped-def]
    """sum_j values_ij (p_j - p_i)."""
    here = load(p, FOUR * i)
    q0, q1, q2 = zero(), zero(), zero()
    for k in range(np.uint64(row_offsets[i]), np.uint64(row_offsets[i + np.uint64(1)])):
        apart = subtract(load(p, FOUR * np.uint64(columns[k])), here)
        v = NINE * k
        q0 = add_scaled(q0, load(values, v), lane(apart, 0))
        q1 = add_scaled(q1, load(values, v + np.uint64(3)), lane(apart, 1))
        q2 = add_scaled(q2, load(values, v + np.uint64(6)), lane(apart, 2))
    return add(add(q0, q1), q2)


@inline
def _column_product(blocks, at, own, x, y, z, q0, q1, q2):  # type: ignore[no-untyped-def]
    """Of a slot's column at `at`: what it gives the other rows, its products with x, y and z added; and q plus itself times
    its `own` one of them."""
    a, b, c = load_eight(blocks, at), load_eight(blocks, at + EIGHT), load_eight(blocks, at + np.uint64(16))
    back = add_eight(add_eight(add_eight(eight_zeros(), a, x), b, y), c, z)
    return back, add_eight(q0, a, own), add_eight(q1, b, own), add_eight(q2, c, own)


@inline
def _group_product(rows, group, first, last, columns, blocks, p, q):  # type: ignore[no-untyped-def]
    """Add the products of a group's slots, first to last - 1: A_ij (p_j - p_i) to its rows i, A_ij^T (p_i - p_j) to theirs."""
    x, y, z = load_rows(p, rows, group)
    q0, q1, q2 = eight_zeros(), eight_zeros(), eight_zeros()
    for slot in range(first, last):
        at, v = EIGHT * slot, np.uint64(SLOT) * slot
        u, w, t = load_rows(p, columns, at)
        u, w, t = subtract_eight(u, x), subtract_eight(w, y), subtract_eight(t, z)
        b0, q0, q1, q2 = _column_product(blocks, v, u, u, w, t, q0, q1, q2)
        b1, q0, q1, q2 = _column_product(blocks, v + np.uint64(24), w, u, w, t, q0, q1, q2)
        b2, q0, q1, q2 = _column_product(blocks, v + np.uint64(48), t, u, w, t, q0, q1, q2)
        take_from_rows(q, columns, at, b0, b1, b2)
    add_to_rows(q, rows, group, q0, q1, q2)


@inline
def _own_product(m, p):  # type: ignore[no-untyped-def]
    """A node's own block m (9), float64, times its vector."""
    p0, p1, p2 = np.float64(lane(p, 0)), np.float64(lane(p, 1)), np.float64(lane(p, 2))
    return three(
        np.float32(m[0] * p0 + m[1] * p1 + m[2] * p2),
        np.float32(m[3] * p0 + m[4] * p1 + m[5] * p2),
        np.float32(m[6] * p0 + m[7] * p1 + m[8] * p2),
    )


@inline
def multiply_slab(  # type: ignore[no-untyped-def]
    slab, bounds, group_bounds, group_rows, slot_offsets, slot_columns, blocks, outer_offsets, outer_columns, outer,
    inertia, own, touched, p, q,
):  # fmt: skip
    """q := A p in a slab's rows; return its share of p . q.

    inertia (n,) is a row's own block, or where touched (n,) own (n, 9): it comes last, for in contact it is so stiff that what
    is added to it would be rounded away bit by bit.
    """
    for row in range(bounds[slab], bounds[slab + 1]):
        i = np.uint64(row)
        store(q, FOUR * i, _row_product(i, outer_offsets, outer_columns, outer, p))
    for g in range(group_bounds[slab], group_bounds[slab + 1]):
        first, last = np.uint64(slot_offsets[g]), np.uint64(slot_offsets[g + 1])
        _group_product(group_rows, np.uint64(ROWS * g), first, last, slot_columns, blocks, p, q)
    total = zero_sum()
    for row in range(bounds[slab], bounds[slab + 1]):
        i = np.uint64(row)
        product, here = load(q, FOUR * i), load(p, FOUR * i)
        if touched[i]:
            product = add(product, _own_product(own[i], here))
        else:
            product = add_scaled(product, here, inertia[i])
        store(q, FOUR * i, product)
        total = add_products(total, here, product)
    return sum_of_three(total)
