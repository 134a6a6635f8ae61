"""Values at points that tets carry, from values at the nodes."""

import numpy as np
from numba import prange

from ..jit import CHUNKS, parallel


@parallel
def carry_by_tets(bound, weights, tets, values, result):  # type: ignore[no-untyped-def]
    """result (k, d): values (n, d) at the corners of each point's tet, bound (k,), by weights (k, 4)."""
    for chunk in prange(CHUNKS):
        for p in range(len(bound) * chunk // CHUNKS, len(bound) * (chunk + 1) // CHUNKS):
            w0, w1, w2, w3 = weights[p, 0], weights[p, 1], weights[p, 2], weights[p, 3]
            corners = tets[bound[p]]
            a, b, c, d = corners[0], corners[1], corners[2], corners[3]
            for m in range(values.shape[1]):
                result[p, m] = w0 * values[a, m] + w1 * values[b, m] + w2 * values[c, m] + w3 * values[d, m]


@parallel
def carry_by_rows(points, start, nodes, weights, values, result):  # type: ignore[no-untyped-def]
    """Rows `points` (r,) of result (k, d): values (n, d) at nodes[start[r]:start[r + 1]] by weights."""
    for chunk in prange(CHUNKS):
        total = np.empty(values.shape[1])
        for r in range(len(points) * chunk // CHUNKS, len(points) * (chunk + 1) // CHUNKS):
            total[:] = 0.0
            for e in range(start[r], start[r + 1]):
                for m in range(values.shape[1]):
                    total[m] += weights[e] * values[nodes[e], m]
            result[points[r]] = total


@parallel
def average_at_nodes(corner_offsets, corners, shares, first, second, values):  # type: ignore[no-untyped-def]
    """values (n, 2): two quantities (m,) of the tets averaged over each node's corners by their shares (4m,)."""
    n = len(values)
    for chunk in prange(CHUNKS):
        for i in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
            a, b = 0.0, 0.0
            for k in range(corner_offsets[i], corner_offsets[i + 1]):
                corner = corners[k]
                a += shares[corner] * first[corner >> 2]
                b += shares[corner] * second[corner >> 2]
            values[i, 0], values[i, 1] = a, b
