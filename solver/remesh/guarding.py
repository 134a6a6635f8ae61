"""Moving nodes no further than their tets bear."""

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..fem.lanes import cross, dot, read
from ..jit import CHUNKS, TILE, parallel
from ..jit.tile_code import tile_loop_on

Array = NDArray[np.float64]

SHARPEST = 10.0  # dihedral angle below which no move may bring a tet [deg]; stuffing leaves some 16
T, COSINE, SLOTS, FLAT = TILE, 12, 13, 2.0  # slots of a tile; what is said of a flat tet: more than any cosine
HALVINGS = 4  # of a node's way, before it stays where it is


def guarded(positions: Array, wanted: Array, tets: NDArray[np.int32], sharpest: float = SHARPEST) -> Array:
    """Return positions (n, 3) moved to where they are wanted (n, 3), or as far as tets (m, 4) stay well shaped.

    None becomes sharper than `sharpest` [deg], or than it is where it is sharper.
    """
    x, y, z = (wanted != positions).T
    moving = x | y | z
    a, b, c, d = tets.T
    tets = tets[moving[a] | moving[b] | moving[c] | moving[d]]  # others stay as they are
    least, cosines = np.cos(np.radians(sharpest)), np.empty(len(tets))
    share, moved, halvings = np.ones((len(positions), 1)), wanted, 0
    while True:
        _sharpest(moved, tets, cosines)
        bad = np.flatnonzero(cosines > least)
        if len(bad):  # how sharp they are is asked of these alone: nearly all tets stay well shaped
            before = np.empty(len(bad))
            _sharpest(positions, tets[bad], before)
            bad = bad[cosines[bad] > before]
        if not len(bad):
            return moved
        share[tets[bad].ravel()] *= 0.5 if halvings < HALVINGS else 0.0
        moved = np.where(share > 0.0, positions + share * (wanted - positions), positions)
        halvings += 1


@parallel
def _sharpest(positions, tets, cosines):  # type: ignore[no-untyped-def]
    """The cosine (m,) of each tet's smallest dihedral angle; FLAT where it is flat or inside out."""
    tiles = (len(tets) + TILE - 1) // TILE
    for chunk in prange(CHUNKS):
        w = np.zeros(SLOTS * TILE)
        for tile in range(tiles * chunk // CHUNKS, tiles * (chunk + 1) // CHUNKS):
            begin, count = tile * TILE, min(TILE, len(tets) - tile * TILE)
            for i in range(count):
                for corner in range(4):
                    for a in range(3):
                        w[(3 * corner + a) * TILE + i] = positions[tets[begin + i, corner], a]
            _cosines(w)
            for i in range(count):
                cosines[begin + i] = w[COSINE * TILE + i]


@tile_loop_on(1)  # it holds more numbers than there are registers
def _cosines(w):  # type: ignore[no-untyped-def]
    """COSINE := that of the smallest dihedral angle of a tet with corners (4 x 3) in the first slots, by its faces' normals."""
    for i in range(T):
        a, b, c, d = (read(w, i, 3 * corner, 3) for corner in range(4))
        ab, ac, ad = ([q - p for p, q in zip(a, other, strict=True)] for other in (b, c, d))
        inner = [cross(ac, ad), cross(ad, ab), cross(ab, ac)]
        normals = [*inner, [-(x + y + z) for x, y, z in zip(*inner, strict=True)]]
        lengths = [1.0 / np.sqrt(dot(n, n)) for n in normals]
        cosine = -1.0
        for m in range(4):
            for n in range(m):
                cosine = max(cosine, -dot(normals[m], normals[n]) * (lengths[m] * lengths[n]))
        w[COSINE * T + i] = min(cosine, 1.0) if dot(ab, inner[0]) > 0.0 else FLAT
