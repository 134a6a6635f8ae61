"""Moving nodes no further than their tets bear."""

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..jit import CHUNKS, kernel, parallel

Array = NDArray[np.float64]

SHARPEST = 10.0  # dihedral angle below which no move may bring a tet [deg]; stuffing leaves some 16
HALVINGS = 4  # of a node's way, before it stays where it is


def guarded(positions: Array, wanted: Array, tets: NDArray[np.int32], sharpest: float = SHARPEST) -> Array:
    """Return positions (n, 3) moved to where they are wanted (n, 3), or as far as tets (m, 4) stay well shaped.

    None becomes sharper than `sharpest` [deg], or than it is where it is sharper.
    """
    x, y, z = (wanted != positions).T
    moving = x | y | z
    a, b, c, d = tets.T
    tets = tets[moving[a] | moving[b] | moving[c] | moving[d]]  # others stay as they are
    bound, angles = np.empty(len(tets)), np.empty(len(tets))
    _sharpest(positions, tets, bound)
    np.minimum(bound, sharpest, out=bound)
    share, moved, halvings = np.ones((len(positions), 1)), wanted, 0
    while True:
        _sharpest(moved, tets, angles)
        bad = angles < bound
        if not bad.any():
            return moved
        share[tets[bad].ravel()] *= 0.5 if halvings < HALVINGS else 0.0
        moved = np.where(share > 0.0, positions + share * (wanted - positions), positions)
        halvings += 1


@parallel
def _sharpest(positions, tets, angles):  # type: ignore[no-untyped-def]
    """The smallest dihedral angle (m,) of each tet [deg]; -1 where it is flat or inside out."""
    for chunk in prange(CHUNKS):
        normals = np.empty((4, 3))
        for t in range(len(tets) * chunk // CHUNKS, len(tets) * (chunk + 1) // CHUNKS):
            a, b, c, d = positions[tets[t, 0]], positions[tets[t, 1]], positions[tets[t, 2]], positions[tets[t, 3]]
            angles[t] = _angle(a, b, c, d, normals)


@kernel
def _angle(a, b, c, d, n):  # type: ignore[no-untyped-def]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        n[1, i] = (c[j] - a[j]) * (d[k] - a[k]) - (c[k] - a[k]) * (d[j] - a[j])
        n[2, i] = (d[j] - a[j]) * (b[k] - a[k]) - (d[k] - a[k]) * (b[j] - a[j])
        n[3, i] = (b[j] - a[j]) * (c[k] - a[k]) - (b[k] - a[k]) * (c[j] - a[j])
        n[0, i] = -(n[1, i] + n[2, i] + n[3, i])
    if not (b[0] - a[0]) * n[1, 0] + (b[1] - a[1]) * n[1, 1] + (b[2] - a[2]) * n[1, 2] > 0.0:
        return -1.0
    cosine = -1.0
    for i in range(4):
        for j in range(i):
            inner = n[i, 0] * n[j, 0] + n[i, 1] * n[j, 1] + n[i, 2] * n[j, 2]
            sizes = (n[i, 0] ** 2 + n[i, 1] ** 2 + n[i, 2] ** 2) * (n[j, 0] ** 2 + n[j, 1] ** 2 + n[j, 2] ** 2)
            cosine = max(cosine, -inner / np.sqrt(sizes))
    return np.degrees(np.arccos(min(cosine, 1.0)))
