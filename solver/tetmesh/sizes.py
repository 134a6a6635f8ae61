"""Kernels of how large tets are."""

import numpy as np

from ..jit import kernel


@kernel
def fill_volumes(first, last, positions, tets, volumes):  # type: ignore[no-untyped-def]
    """Set the signed volumes (m,) [m^3] of tets (m, 4) from one number to another."""
    for t in range(first, last):
        a, b, c, d = positions[tets[t, 0]], positions[tets[t, 1]], positions[tets[t, 2]], positions[tets[t, 3]]
        u0, u1, u2 = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        v0, v1, v2 = c[0] - a[0], c[1] - a[1], c[2] - a[2]
        w0, w1, w2 = d[0] - a[0], d[1] - a[1], d[2] - a[2]
        volume = u0 * (v1 * w2 - v2 * w1) + u1 * (v2 * w0 - v0 * w2) + u2 * (v0 * w1 - v1 * w0)
        volumes[t] = volume / 6.0


@kernel
def mean_edge(positions, tets):  # type: ignore[no-untyped-def]
    """The mean length [m] of the edges of tets (m, 4), each once a tet."""
    total = 0.0
    for t in range(len(tets)):
        for i in range(4):
            for j in range(i):
                square = 0.0
                for a in range(3):
                    square += (positions[tets[t, i], a] - positions[tets[t, j], a]) ** 2
                total += np.sqrt(square)
    return total / (6 * len(tets))
