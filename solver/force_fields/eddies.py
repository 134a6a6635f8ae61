"""The noise of turbulence: three octaves of gradient noise in each direction (Perlin 2002, "Improving noise").

As Blender's, but with gradients chosen by a hash of lattice point and seed: alike in size and strength, other eddies.
"""

import numpy as np
from numba import prange

from ..jit import inline, parallel

OCTAVES = 3


@inline
def _mixed(x, y, z, seed):  # type: ignore[no-untyped-def]
    """A number out of the bits of a lattice point and a seed, each of its bits as good as drawn."""
    h = np.uint32(x * 73856093) ^ np.uint32(y * 19349663) ^ np.uint32(z * 83492791) ^ np.uint32(seed * np.uint32(2654435761))
    h = np.uint32((h ^ (h >> np.uint32(16))) * np.uint32(0x85EBCA6B))
    h = np.uint32((h ^ (h >> np.uint32(13))) * np.uint32(0xC2B2AE35))
    return h ^ (h >> np.uint32(16))


@inline
def _slope(h, x, y, z):  # type: ignore[no-untyped-def]
    """The product of (x, y, z) with one of the twelve directions to a cube's edges, four of them twice."""
    case = h & np.uint32(15)
    u = x if case < 8 else y
    v = y if case < 4 else (x if case == 12 or case == 14 else z)
    return (u if case & np.uint32(1) == 0 else -u) + (v if case & np.uint32(2) == 0 else -v)


@inline
def _noise(x, y, z, seed):  # type: ignore[no-untyped-def]
    """Gradient noise at a point, between -1 and 1."""
    i, j, k = int(np.floor(x)), int(np.floor(y)), int(np.floor(z))
    x, y, z = x - i, y - j, z - k
    u, v, w = x**3 * (x * (6.0 * x - 15.0) + 10.0), y**3 * (y * (6.0 * y - 15.0) + 10.0), z**3 * (z * (6.0 * z - 15.0) + 10.0)
    total = 0.0
    for a in range(2):
        for b in range(2):
            for c in range(2):
                share = (u if a else 1.0 - u) * (v if b else 1.0 - v) * (w if c else 1.0 - w)
                total += share * _slope(_mixed(i + a, j + b, k + c, seed), x - a, y - b, z - c)
    return total


@parallel
def turbulence(points, seed, eddies):  # type: ignore[no-untyped-def]
    """eddies (n, 3) := noise of three octaves at points (n, 3), between -1 and 1 in each direction."""
    for n in prange(len(points)):
        for axis in range(3):
            x, y, z = points[n, axis], points[n, (axis + 1) % 3], points[n, (axis + 2) % 3]
            total, whole, amplitude = 0.0, 0.0, 1.0
            for _ in range(OCTAVES):
                total += amplitude * _noise(x, y, z, seed)
                whole += amplitude
                x, y, z, amplitude = 2.0 * x, 2.0 * y, 2.0 * z, 0.5 * amplitude
            eddies[n, axis] = total / whole
