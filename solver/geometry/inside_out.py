"""Signed volumes of tets, and how many are inside out or flat."""

import numpy as np
from numpy.typing import NDArray

from ..jit import inline, kernel
from .chunks import evenly


def count_inverted_and_flat(
    positions: NDArray[np.float64], tets: NDArray[np.int32], least: NDArray[np.float64]
) -> tuple[float, float]:
    """How many of tets (m, 4) have no volume, or a negative one, at node positions (n, 3) [m], and how many less than the
    least (m,) [m^3]."""
    inverted, flat = np.sum(evenly(_count, len(tets), positions, tets, least), axis=0)
    return float(inverted), float(flat)


@inline
def signed_volume(x, tet):  # type: ignore[no-untyped-def]
    """The volume of a tet at positions x (n, 3), negative where it is inside out."""
    a, b, c, d = np.uint64(tet[0]), np.uint64(tet[1]), np.uint64(tet[2]), np.uint64(tet[3])
    u0, u1, u2 = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    v0, v1, v2 = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
    w0, w1, w2 = x[d, 0] - x[a, 0], x[d, 1] - x[a, 1], x[d, 2] - x[a, 2]
    return (u0 * (v1 * w2 - v2 * w1) + u1 * (v2 * w0 - v0 * w2) + u2 * (v0 * w1 - v1 * w0)) / 6.0


@kernel
def _count(begin, end, positions, tets, least):  # type: ignore[no-untyped-def]
    inverted, flat = 0, 0
    for t in range(np.uint64(begin), np.uint64(end)):
        volume = signed_volume(positions, tets[t])
        inverted += not volume > 0.0
        flat += not volume > least[t]
    return inverted, flat
