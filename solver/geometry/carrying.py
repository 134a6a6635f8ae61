"""Values at points that tets carry, from values at the nodes.

Numbers of tets and nodes are taken without their sign here: for one that may be negative numba looks at the length of the
array, which costs as much as the rest.
"""

import numpy as np

from ..jit import kernel

TWO = np.uint64(2)


@kernel
def carry_by_tets(begin, end, bound, weights, tets, values, result):  # type: ignore[no-untyped-def]
    """Rows begin .. end - 1 of result (k, d): values (n, d) at the corners of points' tets, bound (k,), by weights (k, 4)."""
    for p in range(begin, end):
        w0, w1, w2, w3 = weights[p, 0], weights[p, 1], weights[p, 2], weights[p, 3]
        t = np.uint64(bound[p])
        a, b, c, d = np.uint64(tets[t, 0]), np.uint64(tets[t, 1]), np.uint64(tets[t, 2]), np.uint64(tets[t, 3])
        for m in range(values.shape[1]):
            result[p, m] = w0 * values[a, m] + w1 * values[b, m] + w2 * values[c, m] + w3 * values[d, m]


@kernel
def carry_by_rows(points, start, nodes, weights, values, result):  # type: ignore[no-untyped-def]
    """Rows `points` (r,) of result (k, d): values (n, d) at nodes[start[r]:start[r + 1]] by weights."""
    for r in range(len(points)):
        p = points[r]
        for m in range(values.shape[1]):
            result[p, m] = 0.0
        for e in range(start[r], start[r + 1]):
            for m in range(values.shape[1]):
                result[p, m] += weights[e] * values[np.uint64(nodes[e]), m]


@kernel
def part(begin, end, carried, origin, positions, velocities, strain, stress):  # type: ignore[no-untyped-def]
    """Rows begin .. end - 1 of what a frame holds in single precision, of carried (k, 8): places, which become relative to an
    origin, velocities, and two quantities that are not negative."""
    for p in range(begin, end):
        for k in range(3):
            positions[p, k] = carried[p, k] - origin[k]
            velocities[p, k] = carried[p, 3 + k]
        strain[p], stress[p] = max(carried[p, 6], 0.0), max(carried[p, 7], 0.0)


@kernel
def gather_at_nodes(  # type: ignore[no-untyped-def]
    begin, end, corner_offsets, corners, shares, positions, velocities, first, second, values
):
    """Rows begin .. end - 1 of values (n, 8): positions, velocities, and two quantities (m,) of the tets averaged over each
    node's corners by their shares (4m,)."""
    for i in range(begin, end):
        a, b = 0.0, 0.0
        for k in range(np.uint64(corner_offsets[i]), np.uint64(corner_offsets[i + 1])):
            corner = np.uint64(corners[k])
            a += shares[corner] * first[corner >> TWO]
            b += shares[corner] * second[corner >> TWO]
        for k in range(3):
            values[i, k], values[i, 3 + k] = positions[i, k], velocities[i, k]
        values[i, 6], values[i, 7] = a, b
