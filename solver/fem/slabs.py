"""Where the blocks of the matrix lie: of the two of an edge only one, as far as both rows are in one slab.

The product with a matrix much larger than the caches takes as long as its blocks take to arrive. They are the same on both
sides of the diagonal, turned. Rows are therefore divided into slabs, ranges of rows of one part (coarse_space.py), that one
thread treats from end to end: of an edge within a slab there is the block of its earlier row only, which serves both; an edge
between two slabs has both blocks, so that no thread writes where another does. Within a slab eight rows go side by side,
sorted by how many blocks they have, so that eight edges make one slot: a block's nine numbers of all eight, one after the other
(SELL-C-sigma: Kreutzer et al. 2014, "A unified sparse matrix data format ...", here for the half of a symmetric matrix).

All blocks are numbers of one flat array, by columns: slots first, then the blocks between slabs, each by itself.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..geometry.chunks import in_parts
from ..jit import kernel
from ..jit.simd_rows import ROWS
from .runs import SPARE

Floats = NDArray[np.float32]
IntArray = NDArray[np.int32]

SLAB = 2048  # rows of a slab, about: their vectors stay in the second cache
SLOT = 9 * ROWS  # numbers in a slot


class SlabArrays(NamedTuple):
    """What kernels take, for n rows in s slabs, g groups of eight rows, t slots and w blocks between slabs.

    bounds (s + 1,)                       : first row of each slab
    group_bounds (s + 1,)                 : first group of each slab
    group_rows (8g,)                      : rows of each group; where a slab has no more, its last one again, without edges
    slot_offsets (g + 1,)                 : first slot of each group
    slot_columns (8t,)                    : the other row of each edge, which comes later; the row itself where there is none
    outer_offsets (n + 1,), outer_columns (w,) : of each row, the rows of other slabs
    """

    bounds: IntArray
    group_bounds: IntArray
    group_rows: IntArray
    slot_offsets: IntArray
    slot_columns: IntArray
    outer_offsets: IntArray
    outer_columns: IntArray


@dataclass(frozen=True)
class Slabs:
    """The structure of the half of a matrix."""

    arrays: SlabArrays

    @property
    def apart(self) -> int:
        """The numbers of all slots, after which blocks lie by themselves."""
        return ROWS * 9 * int(self.arrays.slot_offsets[-1])

    def values(self) -> Floats:
        """Room for the numbers of a matrix. Where a slot has no edge they stay zero."""
        return np.zeros(self.apart + 9 * len(self.arrays.outer_columns) + SPARE, np.float32)

    @classmethod
    def of(cls, row_offsets: IntArray, columns: IntArray, part_offsets: IntArray) -> "tuple[Slabs, IntArray]":
        """For a matrix with row_offsets (n + 1,), columns (2e,), ascending in a row, in pieces of parts with rows part_offsets
        (a + 1,); and where the block of each column begins (2e,), -1 where only the other row has it."""
        count, bounds = len(row_offsets) - 1, _bounds(part_offsets)
        slabs = len(bounds) - 1
        group_bounds = np.zeros(slabs + 1, np.int32)
        np.cumsum(-(-np.diff(bounds) // ROWS), out=group_bounds[1:])
        ranges, outer_offsets = np.empty((count, 3), np.int32), np.zeros(count + 1, np.int32)
        group_rows, slots = np.empty(ROWS * group_bounds[-1], np.int32), np.empty(group_bounds[-1], np.int32)
        each = [(slab, slab + 1) for slab in range(slabs)]
        in_parts(_divide, each, bounds, group_bounds, row_offsets, columns, ranges, outer_offsets, group_rows, slots)
        np.cumsum(outer_offsets, out=outer_offsets)
        slot_offsets = np.concatenate([[0], np.cumsum(slots)]).astype(np.int32)
        slot_columns, outer_columns = np.empty(ROWS * slot_offsets[-1], np.int32), np.empty(outer_offsets[-1], np.int32)
        addresses = np.full(len(columns), -1, np.int32)
        in_parts(
            _place, each, bounds, group_bounds, group_rows, slot_offsets, row_offsets, columns, ranges, outer_offsets,
            slot_columns, outer_columns, addresses,
        )  # fmt: skip
        arrays = SlabArrays(bounds, group_bounds, group_rows, slot_offsets, slot_columns, outer_offsets, outer_columns)
        return cls(arrays), addresses


def _bounds(part_offsets: IntArray) -> IntArray:
    """First rows of slabs, and the end: each part in pieces that are alike."""
    sizes = np.diff(part_offsets)
    pieces = np.maximum(sizes // SLAB, 1)
    each = [first + size * np.arange(k) // k for first, size, k in zip(part_offsets, sizes, pieces, strict=False)]
    return np.concatenate([*each, part_offsets[-1:]]).astype(np.int32)


@kernel
def _divide(  # type: ignore[no-untyped-def]
    begin, stop, bounds, group_bounds, row_offsets, columns, ranges, outer, group_rows, slots
):
    """Of slabs begin to stop - 1: ranges (n, 3), of each row where columns in the slab begin, those beyond the row, and those
    beyond the slab; outer (n + 1,), after a 0, how many lead out; and a slab's rows by how many edges they keep, most first,
    in groups; slots (g,): the most of each group."""
    for slab in range(begin, stop):
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
        for again in range(at + last - first, end):
            group_rows[again] = group_rows[at + last - first - 1]
        for g in range(group_bounds[slab], group_bounds[slab + 1]):
            i = group_rows[ROWS * g]
            slots[g] = ranges[i, 2] - ranges[i, 1]


@kernel
def _place(  # type: ignore[no-untyped-def]
    begin, stop, bounds, group_bounds, group_rows, slot_offsets, row_offsets, columns, ranges, outer_offsets,
    slot_columns, outer_columns, addresses,
):  # fmt: skip
    """The other row of each edge, and where its block begins, of slabs begin to stop - 1; a row's edges keep their order."""
    apart = np.int32(SLOT * slot_offsets[-1])
    for slab in range(begin, stop):
        for i in range(bounds[slab], bounds[slab + 1]):
            at = outer_offsets[i]
            for k in range(row_offsets[i], row_offsets[i + 1]):
                if k < ranges[i, 0] or k >= ranges[i, 2]:
                    outer_columns[at], addresses[k] = columns[k], apart + 9 * at
                    at += 1
        seen = -1
        for g in range(group_bounds[slab], group_bounds[slab + 1]):
            for row in range(ROWS):
                i, at, end = group_rows[ROWS * g + row], ROWS * slot_offsets[g] + row, ROWS * slot_offsets[g + 1]
                if i != seen:  # else a row again, to fill the group
                    for k in range(ranges[i, 1], ranges[i, 2]):
                        slot_columns[at], addresses[k] = columns[k], 9 * (at - row) + row
                        at += ROWS
                seen = i
                for rest in range(at, end, ROWS):
                    slot_columns[rest] = i
