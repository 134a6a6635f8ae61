"""Preconditioned conjugate gradients on the block matrix: 3x3 diagonal blocks and, where asked, the coarse level.

Matrix and vectors are float32, which halves what memory has to carry; sums over nodes are float64, in fixed chunks. Vectors
are flat, four numbers a node (solver/jit/simd.py); the fourth of direction, preconditioned residual and solution stays 0.
"""

import numpy as np
from numba import prange

from ..jit import inline, parallel
from ..jit.simd import add, add_products, add_scaled, lane, load, store, subtract, sum_of_three, three, zero, zero_sum
from .coarse_space import solve_coarse
from .pair_coupling import add_pairs
from .volume_coupling import add_coupling

FOUR = np.uint64(4)


@inline
def _row_product(i, row_offsets, columns, values, p):  # type: ignore[no-untyped-def]
    """sum_j values_ij (p_j - p_i)."""
    here = load(p, FOUR * i)
    q0, q1, q2 = zero(), zero(), zero()
    for k in range(np.uint64(row_offsets[i]), np.uint64(row_offsets[i + np.uint64(1)])):
        apart = subtract(load(p, FOUR * np.uint64(columns[k])), here)
        v = np.uint64(9) * k
        q0 = add_scaled(q0, load(values, v), lane(apart, 0))
        q1 = add_scaled(q1, load(values, v + np.uint64(3)), lane(apart, 1))
        q2 = add_scaled(q2, load(values, v + np.uint64(6)), lane(apart, 2))
    return add(add(q0, q1), q2)


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
def _multiply(first, last, row_offsets, columns, values, inertia, own, touched, p, q):  # type: ignore[no-untyped-def]
    """q := A p in a range of rows; return its share of p . q."""
    total = zero_sum()
    for row in range(first, last):
        i = np.uint64(row)
        product, here = _row_product(i, row_offsets, columns, values, p), load(p, FOUR * i)
        if touched[i]:
            product = add(product, _own_product(own[i], here))
        else:
            product = add_scaled(product, here, inertia[i])
        store(q, FOUR * i, product)
        total = add_products(total, here, product)
    return sum_of_three(total)


@inline
def _descend(first, last, start, order, rhs, step, inverse, modes, p, q, x, r, z, weights):  # type: ignore[no-untyped-def]
    """x += step p, r -= step q, z := J r in a range of rows; weights (16) := W^T r there; return its share of r . z.

    At the `start` x and p become 0 and r the right-hand side.
    """
    total = zero_sum()
    w0, w1, w2, w3 = zero(), zero(), zero(), zero()
    for row in range(first, last):
        i = FOUR * np.uint64(row)
        if start:
            node = np.uint64(order[row])
            left = three(np.float32(rhs[node, 0]), np.float32(rhs[node, 1]), np.float32(rhs[node, 2]))
            store(x, i, zero())
            store(p, i, zero())
        else:
            left = add_scaled(load(r, i), load(q, i), -step)
            store(x, i, add_scaled(load(x, i), load(p, i), step))
        b = np.uint64(3) * i
        smooth = add_scaled(zero(), load(inverse, b), lane(left, 0))
        smooth = add_scaled(smooth, load(inverse, b + FOUR), lane(left, 1))
        smooth = add_scaled(smooth, load(inverse, b + np.uint64(8)), lane(left, 2))
        store(r, i, left)
        store(z, i, smooth)
        total = add_products(total, left, smooth)
        f = load(modes, i)
        w0, w1, w2 = add_scaled(w0, left, lane(f, 0)), add_scaled(w1, left, lane(f, 1)), add_scaled(w2, left, lane(f, 2))
        w3 = add(w3, left)
    store(weights, np.uint64(0), w0)
    store(weights, FOUR, w1)
    store(weights, np.uint64(8), w2)
    store(weights, np.uint64(12), w3)
    return sum_of_three(total)


@inline
def _turn(first, last, beta, modes, c, z, p):  # type: ignore[no-untyped-def]
    """p := z + W c + beta p in a range of rows of one part; c (12) of its modes."""
    c0, c1 = three(c[0], c[1], c[2]), three(c[3], c[4], c[5])
    c2, c3 = three(c[6], c[7], c[8]), three(c[9], c[10], c[11])
    for row in range(first, last):
        i = FOUR * np.uint64(row)
        f = load(modes, i)
        whole = add_scaled(add_scaled(c3, c0, lane(f, 0)), c1, lane(f, 1))
        smooth = add(load(z, i), add_scaled(whole, c2, lane(f, 2)))
        store(p, i, add_scaled(smooth, load(p, i), beta))


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
    order, chunk_offsets, chunk_parts, modes, row_offsets, columns, values, inertia, own, touched, inverse,
    coarse, lower, upper, pivots, coupling, pairs, held, g, c, rhs, tolerance, most, work, solution,
):  # fmt: skip
    """Solve A x = rhs from x = 0 until the preconditioned residual has fallen by `tolerance`; return iterations.

    rhs and solution (n, 3) in the mesh's numbering; work (5, 4n): x, the solution by rows, r, z, p, q; `coarse` whether to use
    the coarse level, with vectors g and c (12a), c zero at the start; `coupling` None or what acts beside the matrix
    (volume_coupling.py), pairs also that (pair_coupling.py); rows held (h,) stay where they are. Returns -1 - iterations,
    with the last good solution, where A turns out not positive.
    """
    chunks = len(chunk_parts)
    x, r, z, p, q = work[0], work[1], work[2], work[3], work[4]
    parts, weights = np.empty(chunks), np.empty((chunks, 16), np.float32)
    goal, before, step, spent = 0.0, 1.0, np.float32(0.0), most
    for iteration in range(most + 1):
        for chunk in prange(chunks):
            parts[chunk] = _descend(
                chunk_offsets[chunk], chunk_offsets[chunk + 1], iteration == 0, order, rhs, step, inverse, modes, p, q, x, r, z,
                weights[chunk],
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
            _turn(chunk_offsets[chunk], chunk_offsets[chunk + 1], beta, modes, c[first : first + 12], z, p)
        _clear(held, p)
        for chunk in prange(chunks):
            parts[chunk] = _multiply(
                chunk_offsets[chunk], chunk_offsets[chunk + 1], row_offsets, columns, values, inertia, own, touched, p, q
            )
        pq = _total(parts)
        if coupling is not None:
            pq += add_coupling(coupling, p, q)
        pq += add_pairs(pairs, p, q)
        _clear(held, q)
        if not pq > 0.0:
            spent = -1 - iteration
            break
        step, before = np.float32(rz / pq), rz
    for chunk in prange(chunks):
        for row in range(chunk_offsets[chunk], chunk_offsets[chunk + 1]):
            for axis in range(3):
                solution[order[row], axis] = x[4 * row + axis]
    return spent
