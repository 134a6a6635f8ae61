"""Preconditioned conjugate gradients on the block matrix: 3x3 diagonal blocks, aggregates and, where asked, the coarse level.

Matrix and vectors are float32, which halves what memory has to carry; sums over nodes are float64, in fixed chunks. Vectors
are flat, four numbers a node (solver/jit/simd.py); the fourth of direction, preconditioned residual and solution stays 0.
"""

import numpy as np
from numba import prange

from ..jit import inline, parallel
from ..jit.simd import add, add_products, add_scaled, lane, load, store, sum_of_three, three, zero, zero_sum
from ..jit.simd_blocks import symmetric_product
from .coarse_space import solve_coarse
from .pair_coupling import add_pairs
from .slab_product import multiply_slab
from .spring_coupling import add_springs
from .volume_coupling import add_coupling

ONE, FOUR = np.uint64(1), np.uint64(4)


@inline
def _block_product(inverse, k, vector):  # type: ignore[no-untyped-def]
    """The k-th of inverted blocks, flat (8n,), times a vector."""
    b = np.uint64(8) * k
    return symmetric_product(load(inverse, b), load(inverse, b + FOUR), vector)


@inline
def _descend(chunk, aggregates, start, order, rhs, step, inverse, modes, q, r, weights):  # type: ignore[no-untyped-def]
    """r -= step q, q := J r in a chunk's rows, and how its aggregates move by r; weights (16) := W^T r there; return its share
    of r . z.

    At the `start` r becomes the right-hand side.
    """
    chunk_wides, wide_fines, fine_rows, fine_inverse, wide_inverse, moved = aggregates
    total = zero_sum()
    w0, w1, w2, w3 = zero(), zero(), zero(), zero()
    for wide in range(np.uint64(chunk_wides[chunk]), np.uint64(chunk_wides[chunk + 1])):
        above = zero()
        for fine in range(np.uint64(wide_fines[wide]), np.uint64(wide_fines[wide + ONE])):
            own = zero()
            for row in range(np.uint64(fine_rows[fine]), np.uint64(fine_rows[fine + ONE])):
                i = FOUR * row
                if start:
                    node = np.uint64(order[row])
                    left = three(np.float32(rhs[node, 0]), np.float32(rhs[node, 1]), np.float32(rhs[node, 2]))
                else:
                    left = add_scaled(load(r, i), load(q, i), -step)
                smooth = _block_product(inverse, row, left)
                store(r, i, left)
                store(q, i, smooth)
                total, own, f = add_products(total, left, smooth), add(own, left), load(modes, i)
                w0, w1 = add_scaled(w0, left, lane(f, 0)), add_scaled(w1, left, lane(f, 1))
                w2 = add_scaled(w2, left, lane(f, 2))
            way = _block_product(fine_inverse, fine, own)
            store(moved, FOUR * fine, way)
            total, above = add_products(total, own, way), add(above, own)
        way = _block_product(wide_inverse, wide, above)
        total, w3 = add_products(total, above, way), add(w3, above)
        for fine in range(np.uint64(wide_fines[wide]), np.uint64(wide_fines[wide + ONE])):
            store(moved, FOUR * fine, add(load(moved, FOUR * fine), way))
    store(weights, np.uint64(0), w0)
    store(weights, FOUR, w1)
    store(weights, np.uint64(8), w2)
    store(weights, np.uint64(12), w3)
    return sum_of_three(total)


@inline
def _turn(chunk, aggregates, start, step, beta, modes, c, z, p, x):  # type: ignore[no-untyped-def]
    """x += step p for the step before, p := z + W c + beta p in a chunk's rows, z with how aggregates move; c (12) of its
    part's modes.

    At the `start` x is 0 and p nothing yet.
    """
    chunk_wides, wide_fines, fine_rows, _, _, moved = aggregates
    c0, c1 = three(c[0], c[1], c[2]), three(c[3], c[4], c[5])
    c2, c3 = three(c[6], c[7], c[8]), three(c[9], c[10], c[11])
    for fine in range(np.uint64(wide_fines[chunk_wides[chunk]]), np.uint64(wide_fines[chunk_wides[chunk + 1]])):
        constant = add(c3, load(moved, FOUR * fine))
        for row in range(np.uint64(fine_rows[fine]), np.uint64(fine_rows[fine + ONE])):
            i = FOUR * row
            f = load(modes, i)
            whole = add_scaled(add_scaled(constant, c0, lane(f, 0)), c1, lane(f, 1))
            smooth = add(load(z, i), add_scaled(whole, c2, lane(f, 2)))
            if start:
                store(x, i, zero())
                store(p, i, smooth)
            else:
                before = load(p, i)
                store(x, i, add_scaled(load(x, i), before, step))
                store(p, i, add_scaled(smooth, before, beta))


@inline
def _total(parts):  # type: ignore[no-untyped-def]
    """Sum in order; numba's own sum would go by threads."""
    total = 0.0
    for k in range(len(parts)):
        total += parts[k]
    return total


@inline
def _coarse_correction(lower, upper, pivots, weights, chunk_parts, g, c):  # type: ignore[no-untyped-def]
    """g (12a) := W^T r from the chunks' weights, c := (W^T A W)^-1 g; return g . c."""
    for k in range(len(g)):
        g[k] = np.float32(0.0)
    for chunk in range(len(chunk_parts)):
        first = 12 * chunk_parts[chunk]
        for m in range(4):
            for axis in range(3):
                g[first + 3 * m + axis] += weights[chunk, 4 * m + axis]
    for k in range(len(g)):
        c[k] = g[k]
    solve_coarse(lower, upper, pivots, c)
    total = 0.0
    for k in range(len(g)):
        total += float(g[k]) * float(c[k])
    return total


@inline
def _clear(rows, vector):  # type: ignore[no-untyped-def]
    """Zero at rows (h,) of a flat vector (4n,)."""
    for k in range(len(rows)):
        for axis in range(3):
            vector[4 * rows[k] + axis] = np.float32(0.0)


@parallel
def conjugate_gradient(  # type: ignore[no-untyped-def]
    order, chunk_offsets, chunk_parts, modes, aggregates, slabs, values, inertia, own, touched, inverse, coarse, lower, upper,
    pivots, coupling, pairs, springs, held, g, c, rhs, tolerance, most, work, solution,
):  # fmt: skip
    """Solve A x = rhs from x = 0 until the preconditioned residual has fallen by `tolerance`; return iterations.

    rhs and solution (n, 3) in the mesh's numbering; slabs and values: the matrix (slabs.py); work (4, 4n): by rows the solution
    x, the residual r, the direction p, and q, which is A p and, once that is used, J r; aggregates: as aggregates.py has them;
    `coarse` whether to use the coarse level, with vectors g and c (12a), c zero at the start; `coupling` None or what acts
    beside the matrix (volume_coupling.py), pairs and springs also that (pair_coupling.py, spring_coupling.py); rows held (h,)
    stay where they are. Returns -1 - iterations, with the last good solution, where A turns out not positive.
    """
    bounds, group_bounds, group_rows, slot_offsets, slot_columns, outer_offsets, outer_columns = slabs
    chunks, ranges = len(chunk_parts), len(bounds) - 1
    x, r, p, q = work[0], work[1], work[2], work[3]
    parts, shares, weights = np.empty(chunks), np.empty(ranges), np.empty((chunks, 16), np.float32)
    goal, before, step, spent = 0.0, 1.0, np.float32(0.0), most
    for iteration in range(most + 1):
        for chunk in prange(chunks):
            parts[chunk] = _descend(
                np.int64(chunk), aggregates, iteration == 0, order, rhs, step, inverse, modes, q, r, weights[chunk],
            )
        rz = _total(parts)
        if coarse:
            rz += _coarse_correction(lower, upper, pivots, weights, chunk_parts, g, c)
        if iteration == 0:
            goal, before = tolerance * tolerance * rz, np.inf
        if rz < 0.0:
            spent = -1 - iteration
            break
        if not rz > goal or iteration == most:
            spent = iteration
            break
        beta = np.float32(rz / before)
        for chunk in prange(chunks):
            first = 12 * chunk_parts[chunk]
            _turn(np.int64(chunk), aggregates, iteration == 0, step, beta, modes, c[first : first + 12], q, p, x)
        step = np.float32(0.0)  # x has it
        _clear(held, p)
        for slab in prange(ranges):
            shares[slab] = multiply_slab(
                np.int64(slab), bounds, group_bounds, group_rows, slot_offsets, slot_columns, outer_offsets,
                outer_columns, values, inertia, own, touched, p, q,
            )
        pq = _total(shares)
        if coupling is not None:
            pq += add_coupling(coupling, p, q)
        pq += add_pairs(pairs, p, q) + add_springs(springs, p, q)
        _clear(held, q)
        if not pq > 0.0:
            spent = -1 - iteration
            break
        step, before = np.float32(rz / pq), rz
    nothing, over = spent == 0 or spent == -1, step == 0.0  # x and p were never written; the last p is not to be taken
    for chunk in prange(chunks):
        for row in range(chunk_offsets[chunk], chunk_offsets[chunk + 1]):
            for axis in range(3):
                at = 4 * row + axis
                solution[order[row], axis] = 0.0 if nothing else x[at] if over else x[at] + step * p[at]
    return spent
