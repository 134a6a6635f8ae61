"""What tile kernels share: looking for a lane, and the ways out of a tile.

Results are computed component after component, which is vectorised, and turned round in a loop of its own, which cannot be.
"""

from ..constants import ZERO
from ..jit import TILE, inline
from ..slots import VOLUME, B, R

T = TILE


@inline
def any_lane(w, slot):  # type: ignore[no-untyped-def]
    """Whether a slot is above zero in some lane; a loop of its own, as a count among float32 halves the SIMD's width."""
    some = False
    for i in range(T):
        some |= w[slot * T + i] > ZERO
    return some


@inline
def corner_forces(w, stress, forces):  # type: ignore[no-untyped-def]
    """Forces (TILE, 9) on nodes 1 to 3, -volume P B^T, P row-major in the slot `stress`, which the caller writes as a number.

    Irving 2004, section 3: the area-weighted normals are rows of B.
    """
    for row in range(3):
        for i in range(T):
            volume = w[VOLUME * T + i]
            p0, p1 = volume * w[(stress + 3 * row) * T + i], volume * w[(stress + 3 * row + 1) * T + i]
            p2 = volume * w[(stress + 3 * row + 2) * T + i]
            w[(R + row) * T + i] = -(p0 * w[B * T + i] + p1 * w[(B + 1) * T + i] + p2 * w[(B + 2) * T + i])
            w[(R + 3 + row) * T + i] = -(p0 * w[(B + 3) * T + i] + p1 * w[(B + 4) * T + i] + p2 * w[(B + 5) * T + i])
            w[(R + 6 + row) * T + i] = -(p0 * w[(B + 6) * T + i] + p1 * w[(B + 7) * T + i] + p2 * w[(B + 8) * T + i])
    for i in range(T):
        for c in range(9):
            forces[i, c] = w[(R + c) * T + i]
