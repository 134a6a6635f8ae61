"""Preconditioned conjugate gradients on the block matrix, with the 3x3 diagonal blocks as preconditioner."""

import numpy as np
from numba import prange

from ..jit import CHUNKS, inline, parallel


@inline
def _times(m, x0, x1, x2):  # type: ignore[no-untyped-def]
    """A 3x3 block (9) times a vector."""
    return (
        m[0] * x0 + m[1] * x1 + m[2] * x2,
        m[3] * x0 + m[4] * x1 + m[5] * x2,
        m[6] * x0 + m[7] * x1 + m[8] * x2,
    )


@inline
def _total(parts):  # type: ignore[no-untyped-def]
    """Sum in order."""
    total = 0.0
    for k in range(len(parts)):
        total += parts[k]
    return total


@parallel
def conjugate_gradient(row_offsets, columns, values, diagonal, inverse, rhs, tolerance, most, x, work):  # type: ignore[no-untyped-def]
    """Solve A x = rhs from x = 0 until the preconditioned residual has fallen by `tolerance`; return iterations.

    x, rhs (n, 3); work (4, n, 3). Returns -1 - iterations, keeping the last good x, where A turns out not positive.
    """
    n, parts = len(rhs), np.empty(CHUNKS)
    r, z, p, q = work[0], work[1], work[2], work[3]
    for chunk in prange(CHUNKS):
        total = 0.0
        for i in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
            r0, r1, r2 = rhs[i, 0], rhs[i, 1], rhs[i, 2]
            z0, z1, z2 = _times(inverse[i], r0, r1, r2)
            x[i, 0], x[i, 1], x[i, 2] = 0.0, 0.0, 0.0
            r[i, 0], r[i, 1], r[i, 2] = r0, r1, r2
            p[i, 0], p[i, 1], p[i, 2] = z0, z1, z2
            total += r0 * z0 + r1 * z1 + r2 * z2
        parts[chunk] = total
    rz = _total(parts)
    goal = tolerance * tolerance * rz
    for iteration in range(most):
        if rz < 0.0:
            return -1 - iteration
        if not rz > goal:
            return iteration
        for chunk in prange(CHUNKS):
            total = 0.0
            for i in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
                p0, p1, p2 = p[i, 0], p[i, 1], p[i, 2]
                q0, q1, q2 = _times(diagonal[i], p0, p1, p2)
                for k in range(row_offsets[i], row_offsets[i + 1]):
                    j = np.uint64(columns[k])
                    a = values[k]
                    e0, e1, e2 = p[j, 0] - p0, p[j, 1] - p1, p[j, 2] - p2
                    q0 += a[0] * e0 + a[1] * e1 + a[2] * e2
                    q1 += a[3] * e0 + a[4] * e1 + a[5] * e2
                    q2 += a[6] * e0 + a[7] * e1 + a[8] * e2
                q[i, 0], q[i, 1], q[i, 2] = q0, q1, q2
                total += p0 * q0 + p1 * q1 + p2 * q2
            parts[chunk] = total
        pq = _total(parts)
        if not pq > 0.0:
            return -1 - iteration
        step = rz / pq
        for chunk in prange(CHUNKS):
            total = 0.0
            for i in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
                x[i, 0] += step * p[i, 0]
                x[i, 1] += step * p[i, 1]
                x[i, 2] += step * p[i, 2]
                r0, r1, r2 = r[i, 0] - step * q[i, 0], r[i, 1] - step * q[i, 1], r[i, 2] - step * q[i, 2]
                z0, z1, z2 = _times(inverse[i], r0, r1, r2)
                r[i, 0], r[i, 1], r[i, 2] = r0, r1, r2
                z[i, 0], z[i, 1], z[i, 2] = z0, z1, z2
                total += r0 * z0 + r1 * z1 + r2 * z2
            parts[chunk] = total
        fresh = _total(parts)
        beta = fresh / rz
        rz = fresh
        for chunk in prange(CHUNKS):
            for i in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
                p[i, 0] = z[i, 0] + beta * p[i, 0]
                p[i, 1] = z[i, 1] + beta * p[i, 1]
                p[i, 2] = z[i, 2] + beta * p[i, 2]
    return most
