"""The blocks of the preconditioner's aggregates (aggregates.py): what their translations meet in the matrix.

That is, with D_i the diagonal blocks of its nodes i and A_ij those between two of them, C = sum_i D_i + sum_ij A_ij. Inertia
and contact are those of each solve; what contact adds off the diagonal is left out, so that it holds an aggregate by no less
than it does, and no edge is looked at where contact alone has changed. The elastic part is taken when the coarse level is.
"""

from dataclasses import dataclass, field

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..jit import inline, kernel, parallel
from ..jit.simd import store, three
from ..jit.simd_rows import ROWS, add_eight, add_to_rows, eight_zeros, load_eight, load_three, sum_of_eights
from .aggregates import SHARE, AggregateArrays, Aggregates
from .block_matrix import Layout, inverted
from .pair_coupling import PairStiffness
from .slabs import SLOT
from .spring_coupling import Springs
from .volume_coupling import VolumeCoupling

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
IntArray = NDArray[np.int32]

EIGHT = np.uint64(8)
NOTHING = np.zeros((0, 9))
PLACES = (0, 4, 8, 1, 2, 5)  # of 00, 11, 22, 01, 02, 12 in a block
ROUNDING = 2.0**-21  # of what its rows meet by themselves, added to an aggregate's block, which may be much less


@dataclass
class AggregateBlocks:
    """The inverted blocks of a mesh's aggregates.

    arrays         : what conjugate gradients take
    owners (2, n)  : the fine and the wide aggregate of each row; one more than there are of a row that is held
    """

    aggregates: Aggregates
    layout: Layout
    arrays: AggregateArrays = field(init=False)
    owners: IntArray = field(init=False)

    def __post_init__(self) -> None:
        each, slots = self.aggregates, int(self.layout.slabs.arrays.slot_offsets[-1])
        fines, wides, rows = len(each.fine_rows) - 1, len(each.wide_fines) - 1, len(self.layout.order)
        self.arrays = AggregateArrays(
            each.chunk_wides, each.wide_fines, each.fine_rows, np.zeros(8 * fines, np.float32),
            np.zeros(8 * wides, np.float32), np.zeros(4 * fines, np.float32),
        )  # fmt: skip
        fine = np.repeat(np.arange(fines, dtype=np.int32), np.diff(each.fine_rows))
        wide = np.repeat(np.arange(wides, dtype=np.int32), np.diff(each.wide_fines))[fine]
        self._all, self._held = np.stack([fine, wide]), np.zeros(0, np.int64)
        self.owners = self._all
        self._within = np.zeros((2, 2, 4 * rows), np.float32)
        self._elastic = np.zeros((fines, 7)), np.zeros((wides, 7))
        self._volumes: list[Array] | None = None
        self._together = np.zeros(2 * ROWS * slots, np.float32)
        _find_together(self.layout.slabs.arrays, self.owners, self._together)

    def hold(self, held: NDArray[np.int64]) -> None:
        """Take rows held (h,) out of their aggregates, and put others back."""
        if np.array_equal(held, self._held):
            return
        self._held, self.owners = held, self._all.copy()
        self.owners[:, held] = [[len(self.arrays.moved) // 4], [len(self.arrays.wide_inverse) // 8]]
        _find_together(self.layout.slabs.arrays, self.owners, self._together)

    def take_elastic(self, values: Floats, sums: Floats, volume: VolumeCoupling | None) -> None:
        """Take what is elastic: the matrix's values without contact, sums (2, 4n) of their rows, and nodal volumes."""
        _sum_within(self.layout.slabs.arrays, values, self._together, self.owners, self._within)
        _sum_elastic(self.arrays, self.owners, sums, self._within, *self._elastic)
        self._volumes = None if volume is None else self._beside([volume])

    def invert(self, inertia: Floats, own: Array, touched: NDArray[np.bool_], pairs: PairStiffness, springs: Springs) -> None:
        """Put the blocks together and invert them: inertia, own and touched as `split_diagonal` makes them, and pairs and
        springs beside the matrix."""
        extra = self._volumes
        if len(pairs.rows) or len(springs.rows):
            more = self._beside([pairs, springs])
            extra = more if extra is None else [a + b for a, b in zip(extra, more, strict=True)]
        fine, wide = (NOTHING, NOTHING) if extra is None else extra
        _invert(self.arrays, self.owners, *self._elastic, inertia, own, touched, fine, wide)

    def _beside(self, stiffnesses: list[VolumeCoupling | PairStiffness | Springs]) -> list[Array]:
        """What stiffness beside the matrix adds to the blocks of fine and of wide aggregates, and of what is held."""
        blocks = [np.zeros((len(elastic) + 1, 9)) for elastic in self._elastic]
        for owners, own in zip(self.owners, blocks, strict=True):
            for stiffness in stiffnesses:
                stiffness.add_blocks(owners, own)
        return blocks

    def leave_out(self) -> None:
        """Have no aggregate move."""
        self.arrays.fine_inverse[:] = 0.0
        self.arrays.wide_inverse[:] = 0.0


@kernel
def _find_together(slabs, owners, together):  # type: ignore[no-untyped-def]
    """together, flat (16t,): of each slot 1 or 0 for each of its eight edges, whether its rows have one fine aggregate, and the
    same of wide ones. No parallel kernel, since tables are made beside others (geometry/chunks.py)."""
    bounds, group_bounds, group_rows, slot_offsets, slot_columns, _, _ = slabs
    for slab in range(len(bounds) - 1):
        for g in range(group_bounds[slab], group_bounds[slab + 1]):
            for slot in range(slot_offsets[g], slot_offsets[g + 1]):
                for k in range(ROWS):
                    i, j = group_rows[ROWS * g + k], slot_columns[ROWS * slot + k]
                    for level in range(2):
                        same = owners[level, i] == owners[level, j]
                        together[2 * ROWS * slot + ROWS * level + k] = np.float32(1.0 if same else 0.0)


@inline
def _sum_group(rows, group, first, last, values, together, within):  # type: ignore[no-untyped-def]
    """Add what a group's slots, first to last - 1, hold within aggregates to their earlier rows, for both."""
    none = eight_zeros(values)
    f0, f1, f2, f01, f02, f12 = none, none, none, none, none, none
    w0, w1, w2, w01, w02, w12 = none, none, none, none, none, none
    for slot in range(first, last):
        v, at = np.uint64(SLOT) * slot, np.uint64(2 * ROWS) * slot
        fine, wide = load_eight(together, at), load_eight(together, at + EIGHT)
        a0, a1, a2 = load_three(values, v)
        b0, b1, b2 = load_three(values, v + np.uint64(24))
        c0, c1, c2 = load_three(values, v + np.uint64(48))
        s01, s02, s12 = sum_of_eights(b0, a1), sum_of_eights(c0, a2), sum_of_eights(c1, b2)
        f0, f1, f2 = add_eight(f0, fine, a0), add_eight(f1, fine, b1), add_eight(f2, fine, c2)
        f01, f02, f12 = add_eight(f01, fine, s01), add_eight(f02, fine, s02), add_eight(f12, fine, s12)
        w0, w1, w2 = add_eight(w0, wide, a0), add_eight(w1, wide, b1), add_eight(w2, wide, c2)
        w01, w02, w12 = add_eight(w01, wide, s01), add_eight(w02, wide, s02), add_eight(w12, wide, s12)
    add_to_rows(within[0, 0], rows, group, sum_of_eights(f0, f0), sum_of_eights(f1, f1), sum_of_eights(f2, f2))
    add_to_rows(within[0, 1], rows, group, f01, f02, f12)
    add_to_rows(within[1, 0], rows, group, sum_of_eights(w0, w0), sum_of_eights(w1, w1), sum_of_eights(w2, w2))
    add_to_rows(within[1, 1], rows, group, w01, w02, w12)


@inline
def _add_apart(values, v, within, at):  # type: ignore[no-untyped-def]
    """Add the symmetric part of the block at v, which lies by itself, to within (2, 4n)."""
    half = np.float32(0.5)
    for c in range(3):
        within[0, at + c] += values[v + 4 * c]
    within[1, at] += half * (values[v + 3] + values[v + 1])
    within[1, at + 1] += half * (values[v + 6] + values[v + 2])
    within[1, at + 2] += half * (values[v + 7] + values[v + 5])


@parallel
def _sum_within(slabs, values, together, owners, within):  # type: ignore[no-untyped-def]
    """within (2, 2, 4n): of fine and wide aggregates the sum of blocks between a row and others of its aggregate, 00, 11, 22
    and 01, 02, 12. Those of an edge within a slab are both with its earlier row."""
    bounds, group_bounds, group_rows, slot_offsets, _, outer_offsets, outer_columns = slabs
    start = SLOT * np.int64(slot_offsets[-1])
    for slab in prange(len(bounds) - 1):
        within[:, :, 4 * bounds[slab] : 4 * bounds[slab + 1]] = np.float32(0.0)
        for i in range(bounds[slab], bounds[slab + 1]):
            for k in range(outer_offsets[i], outer_offsets[i + 1]):
                for level in range(2):
                    if owners[level, i] == owners[level, outer_columns[k]]:
                        _add_apart(values, start + 9 * k, within[level], 4 * i)
        for g in range(group_bounds[slab], group_bounds[slab + 1]):
            first, last = np.uint64(slot_offsets[g]), np.uint64(slot_offsets[g + 1])
            _sum_group(group_rows, EIGHT * np.uint64(g), first, last, values, together, within)


@inline
def _add_elastic(i, sums, within, block):  # type: ignore[no-untyped-def]
    """Add a row to the elastic part (7) of an aggregate's block: 00, 11, 22, 01, 02, 12, and the trace of its own block."""
    for c in range(3):
        straight = np.float64(sums[0, 4 * i + c])
        block[c] += np.float64(within[0, 4 * i + c]) - straight
        block[3 + c] += np.float64(within[1, 4 * i + c]) - np.float64(sums[1, 4 * i + c])
        block[6] -= straight


@parallel
def _sum_elastic(arrays, owners, sums, within, fine_elastic, wide_elastic):  # type: ignore[no-untyped-def]
    """Elastic parts (f, 7) and (w, 7) of aggregates' blocks, from sums (2, 4n) of rows and within (2, 2, 4n)."""
    chunk_wides, wide_fines, fine_rows, _, _, _ = arrays
    held = len(fine_elastic)
    for chunk in prange(len(chunk_wides) - 1):
        for wide in range(chunk_wides[chunk], chunk_wides[chunk + 1]):
            wide_elastic[wide] = 0.0
            for fine in range(wide_fines[wide], wide_fines[wide + 1]):
                fine_elastic[fine] = 0.0
                for i in range(fine_rows[fine], fine_rows[fine + 1]):
                    if owners[0, i] != held:
                        _add_elastic(i, sums, within[0], fine_elastic[fine])
                        _add_elastic(i, sums, within[1], wide_elastic[wide])


@inline
def _put_inverse(elastic, contact, extra, at, inverse):  # type: ignore[no-untyped-def]
    """inverse[8 at : 8 at + 8] := that of an aggregate's block, of elastic (7), what inertia and contact add (6), which is
    cleared, and extra (m, 9); or 0 where that is not positive."""
    shift = ROUNDING * abs(elastic[6])
    a, e, g = elastic[0] + contact[0] + shift, elastic[1] + contact[1] + shift, elastic[2] + contact[2] + shift
    b, c, f = elastic[3] + contact[3], elastic[4] + contact[4], elastic[5] + contact[5]
    if len(extra) > 0:
        x = extra[at]
        a, e, g, b, c, f = a + x[0], e + x[4], g + x[8], b + x[1], c + x[2], f + x[5]
    positive, i0, i01, i02, i1, i12, i2 = inverted(a, b, c, e, f, g)
    if not positive:
        i0, i01, i02, i1, i12, i2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    more, k = ROUNDING * (i0 + i1 + i2), np.uint64(8) * np.uint64(at)
    store(inverse, k, three(np.float32(SHARE * (i0 + more)), np.float32(SHARE * (i1 + more)), np.float32(SHARE * (i2 + more))))
    store(inverse, k + np.uint64(4), three(np.float32(SHARE * i01), np.float32(SHARE * i02), np.float32(SHARE * i12)))
    contact[:] = 0.0


@parallel
def _invert(  # type: ignore[no-untyped-def]
    arrays, owners, fine_elastic, wide_elastic, inertia, own, touched, fine_extra, wide_extra
):
    """Fill the inverses of `arrays`; owners (2, n) tell of rows that are held."""
    chunk_wides, wide_fines, fine_rows, fine_inverse, wide_inverse, _ = arrays
    held = len(fine_elastic)
    for chunk in prange(len(chunk_wides) - 1):
        fine_own, wide_own = np.zeros(6), np.zeros(6)
        for wide in range(chunk_wides[chunk], chunk_wides[chunk + 1]):
            for fine in range(wide_fines[wide], wide_fines[wide + 1]):
                mass = np.float64(0.0)
                for i in range(fine_rows[fine], fine_rows[fine + 1]):
                    if owners[0, i] == held:
                        continue
                    if touched[i]:
                        for c in range(6):
                            fine_own[c] += own[i, PLACES[c]]
                    else:
                        mass += np.float64(inertia[i])
                for c in range(3):
                    fine_own[c] += mass
                for c in range(6):
                    wide_own[c] += fine_own[c]
                _put_inverse(fine_elastic[fine], fine_own, fine_extra, fine, fine_inverse)
            _put_inverse(wide_elastic[wide], wide_own, wide_extra, wide, wide_inverse)
