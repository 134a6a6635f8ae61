"""The sparse matrix of 3x3 blocks: its numbering and layout, summing element blocks into it, its diagonal.

Nodes are renumbered so that those near each other in space are near in memory, part by part (coarse_space.py). The matrix
acts as y_i = own_i x_i + sum_j values_ij (x_j - x_i): a translation costs exactly nothing but what `own` says, which is
inertia and contact. Blocks are float32. A node in contact keeps its own block in float64, since contact is so stiff along its
normal that float32 would lose what holds the node along the surface.
"""

from dataclasses import dataclass

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..geometry.chunks import in_chunks
from ..jit import CHUNKS, inline, kernel, parallel
from ..jit.simd import (
    add,
    add_block,
    add_scaled_block,
    apart,
    lane,
    load,
    load_block,
    load_doubles,
    part_of,
    put_block,
    store,
    three,
    turned_block,
    zero,
    zero_block,
    zero_sum,
)
from ..jit.simd_mixed import add_doubles, add_scaled_by
from .assembly import Pattern, offsets_of
from .incidence import edge_numbers, place_blocks, place_columns
from .runs import BLOCKS_ALONE, Items, Runs
from .slabs import take_row

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
IntArray = NDArray[np.int32]


@dataclass(frozen=True)
class Layout:
    """Where blocks go in the matrix of a mesh with n nodes and e edges.

    order (n,)                            : the node at each row
    row_offsets (n + 1,), columns (2e,)   : off-diagonal blocks by row
    slots (e, 2)                          : of each edge, its two places in `columns`
    item_offsets (e + 1,), items (6m,)    : where an edge's element blocks begin, edges and blocks as `runs` have them
    middles (e,)                          : from here to the edge's end its items are transposed
    """

    order: IntArray
    row_offsets: IntArray
    columns: IntArray
    slots: IntArray
    item_offsets: IntArray
    items: IntArray
    middles: IntArray
    runs: Runs


def build_layout(pattern: Pattern, order: IntArray, starts: IntArray | None = None, blocks: Items = BLOCKS_ALONE) -> Layout:
    """The layout with the nodes in `order` (n,); starts (r + 1,): the runs of tiles in which blocks are summed as they are
    made (runs.py), or None where all are there before."""
    count, edges, corners = len(order), len(pattern.edges), len(pattern.corners)
    nodes, rank = np.empty(corners, dtype=np.int32), np.empty(count, dtype=np.int32)
    nodes[pattern.corners] = np.repeat(np.arange(count, dtype=np.int32), np.diff(pattern.corner_offsets))
    rank[order] = np.arange(count, dtype=np.int32)
    numbers, items = np.empty(6 * corners // 4, np.int32), np.empty(6 * corners // 4, np.int32)
    in_chunks(edge_numbers, corners // 4, nodes, offsets_of(pattern.edges[:, 0], count), pattern.edges, numbers)
    runs, found = Runs.of(numbers, edges, blocks, starts)
    item_offsets, middles = np.zeros(edges + 1, np.int32), np.empty(edges, np.int32)
    place_blocks(nodes, rank, numbers, runs.place, item_offsets, middles, items)
    row_offsets, columns, slots = np.zeros(count + 1, np.int32), np.empty(2 * edges, np.int32), np.empty((edges, 2), np.int32)
    place_columns(pattern.edges, rank, runs.place, row_offsets, columns, slots)
    return Layout(
        order=order.astype(np.int32), row_offsets=row_offsets, columns=columns, slots=slots, item_offsets=item_offsets,
        items=found[items], middles=middles, runs=runs,
    )  # fmt: skip


@inline
def sum_edges(first, last, item_offsets, middles, items, slots, blocks, more, rate, values):  # type: ignore[no-untyped-def]
    """Sum the element blocks of edges first .. last - 1, flat and by rows, into values, flat (18e +
    SPARE,), by columns.

    more: values of another matrix, which are added `rate` times, if that is not 0.
    """
    for e in range(first, last):
        upright, turned = zero_block(), zero_block()
        for k in range(np.uint64(item_offsets[e]), np.uint64(middles[e])):
            upright = add_block(upright, load_block(blocks, np.uint64(items[k])))
        for k in range(np.uint64(middles[e]), np.uint64(item_offsets[e + 1])):
            turned = add_block(turned, load_block(blocks, np.uint64(items[k])))
        total = add_block(upright, turned_block(turned))
        here, there = np.uint64(9) * np.uint64(slots[e, 1]), np.uint64(9) * np.uint64(slots[e, 0])
        if rate != 0.0:
            total = add_scaled_block(total, load_block(more, here), rate)
        put_block(values, here, total)
        put_block(values, there, turned_block(total))


@parallel
def sum_blocks(item_offsets, middles, items, slots, blocks, more, rate, values):  # type: ignore[no-untyped-def]
    """Sum element blocks that are all there, flat (lanes * 54 + SPARE,); arguments as of `sum_edges`."""
    edges = len(slots)
    for chunk in prange(CHUNKS):
        first, last = edges * chunk // CHUNKS, edges * (chunk + 1) // CHUNKS
        sum_edges(first, last, item_offsets, middles, items, slots, blocks, more, rate, values)


@inline
def _inverted(a, b, c, e, f, g):  # type: ignore[no-untyped-def]
    """Inverse of the symmetric block a b c, e f, g, and whether the block is positive."""
    c00, c01, c02 = e * g - f * f, c * f - b * g, b * f - c * e
    det = a * c00 + b * c01 + c * c02
    positive = a > 0.0 and a * e - b * b > 0.0 and det > 0.0
    s = 1.0 / det
    return positive, s * c00, s * c01, s * c02, s * (a * g - c * c), s * (b * c - a * f), s * (a * e - b * b)


STIFF = 300.0  # about where the coarse level begins to pay
ROUNDING = 2.0**-22  # of an inverse's trace, added to it so that rounding to float32 cannot make it negative


@inline
def _split_row(i, d, row_offsets, values, extra, inertia, own, touched, inverse, half):  # type: ignore[no-untyped-def]
    """One row of `split_diagonal`; the sum of its blocks' traces."""
    ranges, starts, outer_offsets, blocks, outer = half
    take_row(i, row_offsets, values, ranges, starts, outer_offsets, blocks, outer)
    inertia[i] = np.float32(d[0])
    off = abs(d[1]) + abs(d[2]) + abs(d[3]) + abs(d[5]) + abs(d[6]) + abs(d[7])
    touched[i] = off > 0.0 or d[0] != d[4] or d[0] != d[8]
    for k in range(9):
        own[i, k] = d[k]
    s0, s1, s2 = zero(), zero(), zero()
    for k in range(np.uint64(row_offsets[i]), np.uint64(row_offsets[i + 1])):
        v = np.uint64(9) * k
        s0, s1 = add(s0, load(values, v)), add(s1, load(values, v + np.uint64(3)))
        s2 = add(s2, load(values, v + np.uint64(6)))
    e0, e1, e2 = np.float64(lane(s0, 0)), np.float64(lane(s1, 1)), np.float64(lane(s2, 2))
    f01, f02, f12 = np.float64(lane(s1, 0)), np.float64(lane(s2, 0)), np.float64(lane(s2, 1))
    if extra is not None:
        x = extra[i]
        e0, e1, e2, f01, f02, f12 = e0 - x[0], e1 - x[4], e2 - x[8], f01 - x[1], f02 - x[2], f12 - x[5]
    positive, i0, i01, i02, i1, i12, i2 = _inverted(d[0] - e0, d[1] - f01, d[2] - f02, d[4] - e1, d[5] - f12, d[8] - e2)
    if not positive:
        _, i0, i01, i02, i1, i12, i2 = _inverted(d[0], d[1], d[2], d[4], d[5], d[8])
    shift = ROUNDING * (i0 + i1 + i2)
    at = np.uint64(12) * np.uint64(i)
    store(inverse, at, three(np.float32(i0 + shift), np.float32(i01), np.float32(i02)))
    store(inverse, at + np.uint64(4), three(np.float32(i01), np.float32(i1 + shift), np.float32(i12)))
    store(inverse, at + np.uint64(8), three(np.float32(i02), np.float32(i12), np.float32(i2 + shift)))
    return e0 + e1 + e2


@parallel
def split_diagonal(  # type: ignore[no-untyped-def]
    order, row_offsets, values, diagonal, extra, inertia, own, touched, inverse, half, stiff
):
    """The half of the matrix that conjugate gradients read (slabs.py), and of diagonal (n, 9), inertia and contact: inertia
    (n,) alone or, where touched (n,), own (n, 9), by rows.

    half: where the half is (Slabs.places); extra: None, or the diagonal blocks (n, 9), by rows, of what acts beside the matrix.

    inverse, flat (12n,): columns of the inverted diagonal blocks, padded with 0, the preconditioner; where a block is not
    positive, that of inertia and contact alone. stiff (CHUNKS,) counts the untouched nodes whose neighbours hold them more
    than STIFF times as hard as inertia.
    """
    n = len(order)
    for chunk in prange(CHUNKS):
        total = 0.0
        for i in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
            d = diagonal[order[i]]
            trace = _split_row(i, d, row_offsets, values, extra, inertia, own, touched, inverse, half)
            if not touched[i]:
                total += 1.0 if -trace > 3.0 * STIFF * d[0] else 0.0
        stiff[chunk] = total


@kernel
def split_rows(rows, order, row_offsets, values, diagonal, extra, inertia, own, touched, inverse, half):  # type: ignore[no-untyped-def]
    """The same of some rows (h,)."""
    for i in rows:
        _split_row(i, diagonal[order[i]], row_offsets, values, extra, inertia, own, touched, inverse, half)


@parallel
def eliminate(held, row_offsets, columns, values, own, touched, half):  # type: ignore[no-untyped-def]
    """Take rows held (n,) and their columns out of the matrix: they become zero, and what they hold the others by becomes
    part of the others' own blocks."""
    ranges, starts, outer_offsets, blocks, outer = half
    n = len(held)
    for chunk in prange(CHUNKS):
        for i in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
            for k in range(row_offsets[i], row_offsets[i + 1]):
                if held[i] or held[columns[k]]:
                    touched[i] = True
                    for c in range(9):
                        own[i, 3 * (c % 3) + c // 3] -= values[9 * k + c]
                        values[9 * k + c] = np.float32(0.0)
            if held[i]:
                touched[i] = True
                own[i] = 0.0
            take_row(i, row_offsets, values, ranges, starts, outer_offsets, blocks, outer)


@parallel
def weigh(order, row_offsets, columns, values, weights, scaled, own):  # type: ignore[no-untyped-def]
    """Scale blocks (i, j) of `values` by weights_i weights_j (n,) into `scaled`; own (n, 9), by rows: what that adds to the
    diagonal blocks, which stand for minus the sums of their rows, beyond those sums. Nodes in the mesh's own numbering."""
    n = len(order)
    for chunk in prange(CHUNKS):
        for row in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
            i = order[row]
            own[i] = 0.0
            for k in range(row_offsets[row], row_offsets[row + 1]):
                here, there = weights[i], weights[order[columns[k]]]
                for c in range(9):
                    scaled[9 * k + c] = np.float32(here * there) * values[9 * k + c]
                    own[i, 3 * (c % 3) + c // 3] += here * (there - here) * values[9 * k + c]


@inline
def _wide_product(row, row_offsets, columns, values, flat):  # type: ignore[no-untyped-def]
    """sum_j values_ij (x_j - x_i) in float64; flat (4n,): x by rows, padded."""
    here = load_doubles(flat, np.uint64(4) * np.uint64(row))
    y0, y1, y2 = zero_sum(), zero_sum(), zero_sum()
    for k in range(np.uint64(row_offsets[row]), np.uint64(row_offsets[row + 1])):
        d, v = apart(load_doubles(flat, np.uint64(4) * np.uint64(columns[k])), here), np.uint64(9) * k
        y0 = add_scaled_by(y0, load(values, v), d, 0)
        y1 = add_scaled_by(y1, load(values, v + np.uint64(3)), d, 1)
        y2 = add_scaled_by(y2, load(values, v + np.uint64(6)), d, 2)
    total = add_doubles(add_doubles(y0, y1), y2)
    return part_of(total, 0), part_of(total, 1), part_of(total, 2)


@parallel
def multiply(order, row_offsets, columns, values, own, x, y):  # type: ignore[no-untyped-def]
    """y_i = own_i x_i + sum_j values_ij (x_j - x_i), the matrix times x (n, 3), nodes in the mesh's own numbering.

    own (n, 9), by rows, float64; (0, 9) for elasticity alone.
    """
    n = len(x)
    flat = np.empty(4 * n)
    for row in prange(n):
        i = order[row]
        flat[4 * row], flat[4 * row + 1], flat[4 * row + 2], flat[4 * row + 3] = x[i, 0], x[i, 1], x[i, 2], 0.0
    for chunk in prange(CHUNKS):
        for row in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
            i = order[row]
            y0, y1, y2 = _wide_product(row, row_offsets, columns, values, flat)
            if len(own) > 0:
                m, x0, x1, x2 = own[row], x[i, 0], x[i, 1], x[i, 2]
                y0 += m[0] * x0 + m[1] * x1 + m[2] * x2
                y1 += m[3] * x0 + m[4] * x1 + m[5] * x2
                y2 += m[6] * x0 + m[7] * x1 + m[8] * x2
            y[i, 0], y[i, 1], y[i, 2] = y0, y1, y2
