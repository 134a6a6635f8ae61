"""The sparse matrix of 3x3 blocks: its numbering and layout, summing element blocks into it, its diagonal.

Nodes are renumbered so that those near each other in space are near in memory, part by part (coarse_space.py). The matrix
acts as y_i = own_i x_i + sum_j A_ij (x_j - x_i): a translation costs exactly nothing but what `own` says, which is
inertia and contact. Blocks are float32, and of most edges there is one only (slabs.py). A node in contact keeps its own block
in float64, since contact is so stiff along its normal that float32 would lose what holds the node along the surface.
"""

from dataclasses import dataclass

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..geometry.chunks import in_chunks
from ..jit import CHUNKS, inline, kernel, parallel
from ..jit.simd import store, three
from ..jit.simd_blocks import (
    add_block,
    add_scaled_block,
    load_apart,
    load_block,
    put_apart,
    put_block,
    turned_block,
    zero_block,
)
from .assembly import Pattern, offsets_of
from .incidence import edge_numbers, place_blocks, place_columns
from .runs import BLOCKS_ALONE, Items, Runs
from .slabs import Slabs

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]


@dataclass(frozen=True)
class Layout:
    """Where blocks go in the matrix of a mesh with n nodes and e edges.

    order (n,)                            : the node at each row
    row_offsets (n + 1,), columns (2e,)   : the other rows that each has edges with
    slabs, addresses (2e,)                : where the matrix's numbers are, and the block of each column, -1 where there is none
    places (e, 2)                         : where each edge's blocks begin, that of its earlier row first
    item_offsets (e + 1,), items (6m,)    : where an edge's element blocks begin, edges and blocks as `runs` have them
    middles (e,)                          : from here to the edge's end its items are transposed
    """

    order: IntArray
    row_offsets: IntArray
    columns: IntArray
    slabs: Slabs
    addresses: IntArray
    places: IntArray
    item_offsets: IntArray
    items: IntArray
    middles: IntArray
    runs: Runs

    def rank(self) -> NDArray[np.int64]:
        """The row of each node (n,)."""
        rank = np.empty(len(self.order), dtype=np.int64)
        rank[self.order] = np.arange(len(self.order))
        return rank

    def slots(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> IntArray:
        """Where blocks of rows and columns, arrays of one shape, stand in `columns`: those of nodes that share an edge."""
        count = len(self.order)
        places = np.repeat(np.arange(count), np.diff(self.row_offsets)) * count + self.columns  # rises
        return np.searchsorted(places, rows * count + columns).astype(np.int32)


def build_layout(
    pattern: Pattern, order: IntArray, part_offsets: IntArray, starts: IntArray | None = None, blocks: Items = BLOCKS_ALONE
) -> Layout:
    """The layout with the nodes in `order` (n,), in parts with rows part_offsets (a + 1,).

    starts (r + 1,): the runs of tiles in which blocks are summed as they are made (runs.py), or None where all are there
    before.
    """
    count, edges, corners = len(order), len(pattern.edges), len(pattern.corners)
    nodes, rank = np.empty(corners, dtype=np.int32), np.empty(count, dtype=np.int32)
    nodes[pattern.corners] = np.repeat(np.arange(count, dtype=np.int32), np.diff(pattern.corner_offsets))
    rank[order] = np.arange(count, dtype=np.int32)
    numbers, items = np.empty(6 * corners // 4, np.int32), np.empty(6 * corners // 4, np.int32)
    in_chunks(edge_numbers, corners // 4, nodes, offsets_of(pattern.edges[:, 0], count), pattern.edges, numbers)
    runs, found = Runs.of(numbers, edges, blocks, starts)
    item_offsets, middles = np.zeros(edges + 1, np.int32), np.empty(edges, np.int32)
    place_blocks(nodes, rank, numbers, runs.place, item_offsets, middles, items)
    row_offsets, columns, owners = np.zeros(count + 1, np.int32), np.empty(2 * edges, np.int32), np.empty(2 * edges, np.int32)
    place_columns(pattern.edges, order, rank, runs.place, row_offsets, columns, owners)
    (slabs, addresses), places = Slabs.of(row_offsets, columns, part_offsets), np.empty(2 * edges, np.int32)
    places[owners] = addresses
    return Layout(
        order=order.astype(np.int32), row_offsets=row_offsets, columns=columns, slabs=slabs, addresses=addresses,
        places=places.reshape(-1, 2), item_offsets=item_offsets, items=found[items], middles=middles, runs=runs,
    )  # fmt: skip


@inline
def sum_edges(first, last, item_offsets, middles, items, places, blocks, more, rate, values):  # type: ignore[no-untyped-def]
    """Sum the element blocks of edges first .. last - 1, flat and by rows, into the matrix's values, by columns.

    more: values of another matrix, which are added `rate` times, if that is not 0.
    """
    for e in range(first, last):
        upright, turned = zero_block(), zero_block()
        for k in range(np.uint64(item_offsets[e]), np.uint64(middles[e])):
            upright = add_block(upright, load_block(blocks, np.uint64(items[k])))
        for k in range(np.uint64(middles[e]), np.uint64(item_offsets[e + 1])):
            turned = add_block(turned, load_block(blocks, np.uint64(items[k])))
        total, at = add_block(turned_block(upright), turned), np.uint64(places[e, 0])
        if places[e, 1] < 0:
            if rate != 0.0:
                total = add_scaled_block(total, load_apart(more, at), rate)
            put_apart(values, at, total)
        else:
            if rate != 0.0:
                total = add_scaled_block(total, load_block(more, at), rate)
            put_block(values, at, total)
            put_block(values, np.uint64(places[e, 1]), turned_block(total))


@parallel
def sum_blocks(item_offsets, middles, items, places, blocks, more, rate, values):  # type: ignore[no-untyped-def]
    """Sum element blocks that are all there, flat (lanes * 54 + SPARE,); arguments as of `sum_edges`."""
    edges = len(places)
    for chunk in prange(CHUNKS):
        first, last = edges * chunk // CHUNKS, edges * (chunk + 1) // CHUNKS
        sum_edges(first, last, item_offsets, middles, items, places, blocks, more, rate, values)


@inline
def inverted(a, b, c, e, f, g):  # type: ignore[no-untyped-def]
    """Inverse of the symmetric block a b c, e f, g, and whether the block is positive."""
    c00, c01, c02 = e * g - f * f, c * f - b * g, b * f - c * e
    det = a * c00 + b * c01 + c * c02
    positive = a > 0.0 and a * e - b * b > 0.0 and det > 0.0
    s = 1.0 / det
    return positive, s * c00, s * c01, s * c02, s * (a * g - c * c), s * (b * c - a * f), s * (a * e - b * b)


STIFF = 300.0  # about where the coarse level begins to pay
ROUNDING = 2.0**-22  # of an inverse's trace, added to it so that rounding to float32 cannot make it negative


@inline
def _sum_of(sums, contact, i):  # type: ignore[no-untyped-def]
    """A row's three numbers of two such vectors (4n,), added."""
    at = 4 * i
    x, y, z = sums[at] + contact[at], sums[at + 1] + contact[at + 1], sums[at + 2] + contact[at + 2]
    return np.float64(x), np.float64(y), np.float64(z)


@inline
def _put_inverse(inverse, i, a, b, c, e, f, g):  # type: ignore[no-untyped-def]
    """The i-th of `inverse`, flat (8n,), := that of the block a b c, e f g; whether the block is positive."""
    positive, i0, i01, i02, i1, i12, i2 = inverted(a, b, c, e, f, g)
    shift, at = ROUNDING * (i0 + i1 + i2), np.uint64(8) * np.uint64(i)
    store(inverse, at, three(np.float32(i0 + shift), np.float32(i1 + shift), np.float32(i2 + shift)))
    store(inverse, at + np.uint64(4), three(np.float32(i01), np.float32(i02), np.float32(i12)))
    return positive


@inline
def _split_row(i, d, sums, contact, extra, inertia, own, touched, inverse):  # type: ignore[no-untyped-def]
    """One row of `split_diagonal`; the sum of its blocks' traces but for contact's."""
    inertia[i] = np.float32(d[0])
    off = abs(d[1]) + abs(d[2]) + abs(d[3]) + abs(d[5]) + abs(d[6]) + abs(d[7])
    touched[i] = off > 0.0 or d[0] != d[4] or d[0] != d[8]
    for k in range(9):
        own[i, k] = d[k]
    e0, e1, e2 = _sum_of(sums[0], contact[0], i)
    f01, f02, f12 = _sum_of(sums[1], contact[1], i)
    if extra is not None:
        x = extra[i]
        e0, e1, e2, f01, f02, f12 = e0 - x[0], e1 - x[4], e2 - x[8], f01 - x[1], f02 - x[2], f12 - x[5]
    if not _put_inverse(inverse, i, d[0] - e0, d[1] - f01, d[2] - f02, d[4] - e1, d[5] - f12, d[8] - e2):
        # Put once more rather than chosen between: else each row is inverted twice
        _put_inverse(inverse, i, d[0], d[1], d[2], d[4], d[5], d[8])
    return e0 + e1 + e2 - (contact[0, 4 * i] + contact[0, 4 * i + 1] + contact[0, 4 * i + 2])


@parallel
def split_diagonal(order, sums, contact, diagonal, extra, inertia, own, touched, inverse, stiff):  # type: ignore[no-untyped-def]
    """Of diagonal (n, 9), inertia and contact: inertia (n,) alone or, where touched (n,), own (n, 9), by rows.

    sums (2, 4n): of each row's blocks, as `row_sums` has them, and `contact` those of what has been put in since; extra: None,
    or the diagonal blocks (n, 9), by rows, of what acts beside the matrix.

    inverse, flat (8n,): the inverted diagonal blocks, 00, 11, 22 and 01, 02, 12, each three padded with 0, the preconditioner;
    where a block is not positive, that of inertia and contact alone. stiff (CHUNKS,) counts the untouched nodes whose
    neighbours hold them more than STIFF times as hard as inertia.
    """
    n = len(order)
    for chunk in prange(CHUNKS):
        total = 0.0
        for i in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
            d = diagonal[order[i]]
            trace = _split_row(i, d, sums, contact, extra, inertia, own, touched, inverse)
            if not touched[i]:
                total += 1.0 if -trace > 3.0 * STIFF * d[0] else 0.0
        stiff[chunk] = total


@kernel
def split_rows(rows, order, sums, contact, diagonal, extra, inertia, own, touched, inverse):  # type: ignore[no-untyped-def]
    """The same of some rows (h,)."""
    for i in rows:
        _split_row(np.int64(i), diagonal[order[i]], sums, contact, extra, inertia, own, touched, inverse)
