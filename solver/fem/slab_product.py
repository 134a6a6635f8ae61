"""Products of the matrix with vectors, as slabs.py lays it out: float32 for conjugate gradients, float64 for all else."""

import numpy as np
from numba import prange

from ..jit import inline, parallel
from ..jit.simd import (
    add,
    add_products,
    add_scaled,
    apart,
    lane,
    load,
    load_doubles,
    store,
    subtract,
    sum_of_three,
    three,
    zero,
    zero_sum,
)
from ..jit.simd_mixed import add_doubles, add_scaled_by, store_doubles
from ..jit.simd_rows import add_eight, add_to_rows, eight_zeros, load_rows, load_three, subtract_eight, take_from_rows
from .slabs import SLOT

FOUR, EIGHT, NINE = np.uint64(4), np.uint64(8), np.uint64(9)


@inline
def _row_product(i, row_offsets, columns, values, start, p):  # type: ignore[no-untyped-def]
    """sum_j A_ij (p_j - p_i) over the blocks by themselves, which begin at `start`."""
    here = load(p, FOUR * i)
    q0, q1, q2 = zero(), zero(), zero()
    for k in range(np.uint64(row_offsets[i]), np.uint64(row_offsets[i + np.uint64(1)])):
        away, v = subtract(load(p, FOUR * np.uint64(columns[k])), here), start + NINE * k
        q0 = add_scaled(q0, load(values, v), lane(away, 0))
        q1 = add_scaled(q1, load(values, v + np.uint64(3)), lane(away, 1))
        q2 = add_scaled(q2, load(values, v + np.uint64(6)), lane(away, 2))
    return add(add(q0, q1), q2)


@inline
def _wide_row_product(i, row_offsets, columns, values, start, p):  # type: ignore[no-untyped-def]
    """The same in float64."""
    here = load_doubles(p, FOUR * i)
    q0, q1, q2 = zero_sum(), zero_sum(), zero_sum()
    for k in range(np.uint64(row_offsets[i]), np.uint64(row_offsets[i + np.uint64(1)])):
        away, v = apart(load_doubles(p, FOUR * np.uint64(columns[k])), here), start + NINE * k
        q0 = add_scaled_by(q0, load(values, v), away, 0)
        q1 = add_scaled_by(q1, load(values, v + np.uint64(3)), away, 1)
        q2 = add_scaled_by(q2, load(values, v + np.uint64(6)), away, 2)
    return add_doubles(add_doubles(q0, q1), q2)


@inline
def _column_product(values, at, own, x, y, z, none, q0, q1, q2):  # type: ignore[no-untyped-def]
    """Of a slot's column at `at`: what it gives the other rows, its products with x, y and z added; and q plus itself times
    its `own` one of them."""
    a, b, c = load_three(values, at)
    back = add_eight(add_eight(add_eight(none, a, x), b, y), c, z)
    return back, add_eight(q0, a, own), add_eight(q1, b, own), add_eight(q2, c, own)


@inline
def _group_product(rows, group, first, last, columns, values, p, q):  # type: ignore[no-untyped-def]
    """Add the products of a group's slots, first to last - 1: A_ij (p_j - p_i) to its rows i, A_ij^T (p_i - p_j) to theirs."""
    x, y, z = load_rows(p, rows, group)
    none = eight_zeros(p)
    q0, q1, q2 = none, none, none
    for slot in range(first, last):
        at, v = EIGHT * slot, np.uint64(SLOT) * slot
        u, w, t = load_rows(p, columns, at)
        u, w, t = subtract_eight(u, x), subtract_eight(w, y), subtract_eight(t, z)
        b0, q0, q1, q2 = _column_product(values, v, u, u, w, t, none, q0, q1, q2)
        b1, q0, q1, q2 = _column_product(values, v + np.uint64(24), w, u, w, t, none, q0, q1, q2)
        b2, q0, q1, q2 = _column_product(values, v + np.uint64(48), t, u, w, t, none, q0, q1, q2)
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
    slab, bounds, group_bounds, group_rows, slot_offsets, slot_columns, outer_offsets, outer_columns, values, inertia, own,
    touched, p, q,
):  # fmt: skip
    """q := A p in a slab's rows; return its share of p . q. Vectors are flat (4n,), float32.

    inertia (n,) is a row's own block, or where touched (n,) own (n, 9): it comes last, for in contact it is so stiff that what
    is added to it would be rounded away bit by bit.
    """
    start = np.uint64(SLOT) * np.uint64(slot_offsets[-1])
    for row in range(bounds[slab], bounds[slab + 1]):
        i = np.uint64(row)
        store(q, FOUR * i, _row_product(i, outer_offsets, outer_columns, values, start, p))
    for g in range(group_bounds[slab], group_bounds[slab + 1]):
        first, last = np.uint64(slot_offsets[g]), np.uint64(slot_offsets[g + 1])
        _group_product(group_rows, EIGHT * np.uint64(g), first, last, slot_columns, values, p, q)
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


@parallel
def multiply(order, slabs, values, own, x, y):  # type: ignore[no-untyped-def]
    """y_i = own_i x_i + sum_j A_ij (x_j - x_i), the matrix times x (n, 3), nodes in the mesh's own numbering.

    own (n, 9), by rows, float64; (0, 9) for elasticity alone.
    """
    bounds, group_bounds, group_rows, slot_offsets, slot_columns, outer_offsets, outer_columns = slabs
    n, start = len(x), np.uint64(SLOT) * np.uint64(slot_offsets[-1])
    p, q = np.empty(4 * n), np.empty(4 * n)
    for row in prange(n):
        i = order[row]
        p[4 * row], p[4 * row + 1], p[4 * row + 2], p[4 * row + 3] = x[i, 0], x[i, 1], x[i, 2], 0.0
    for slab in prange(len(bounds) - 1):
        for row in range(bounds[slab], bounds[slab + 1]):
            k = np.uint64(row)
            store_doubles(q, FOUR * k, _wide_row_product(k, outer_offsets, outer_columns, values, start, p))
        for g in range(group_bounds[slab], group_bounds[slab + 1]):
            first, last = np.uint64(slot_offsets[g]), np.uint64(slot_offsets[g + 1])
            _group_product(group_rows, EIGHT * np.uint64(g), first, last, slot_columns, values, p, q)
        for row in range(bounds[slab], bounds[slab + 1]):
            i = order[row]
            y[i, 0], y[i, 1], y[i, 2] = q[4 * row], q[4 * row + 1], q[4 * row + 2]
            if len(own) > 0:
                m, x0, x1, x2 = own[row], x[i, 0], x[i, 1], x[i, 2]
                y[i, 0] += m[0] * x0 + m[1] * x1 + m[2] * x2
                y[i, 1] += m[3] * x0 + m[4] * x1 + m[5] * x2
                y[i, 2] += m[6] * x0 + m[7] * x1 + m[8] * x2
