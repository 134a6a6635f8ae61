"""Plastic strain that absorbs elastic strain (Müller and Gross 2004, eqs 13-14 and the listing of section 3).

Elastic strain e = total - plastic above the yield strain creeps into plastic strain p at the rate c until |e| is down at the
yield strain; |p| stops at a maximum. Norms are of the tensors, so that they do not depend on how a body lies in the world
(the paper's 2-norm of six-vectors does).

What creeps is all of e, its trace too, and strain is linear in the stretches: a body that flows far loses its volume. Letting
only the deviator creep was tried and lost more, as trace S = 3 is no constant volume at large strains either.

The paper adds dt c e in a step, which depends on dt and absorbs everything where c dt = 1. Here a step takes the exact
solution for a total strain that holds still, |e| = max(yield, |e_0| exp(-c t)): the limit of the paper's rule for small dt,
at any rate and dt.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..constants import ONE, THREE, TINY, TWO, ZERO
from ..fem.lanes import read
from ..jit import TILE, kernel
from ..jit.scalar_math import exponential
from ..jit.tile_code import put_rows, some_lane, tile_loop, tile_question
from .slots import FLOW_RATE, MATERIAL, MOST_STRAIN, MU, PLASTIC, SLOTS, STRAIN, YIELD_STRAIN

Array = NDArray[np.float64]
T = TILE


def absorb_strain(
    strain: Array, plastic: Array, yield_strain: ArrayLike, flow_rate: ArrayLike, most: ArrayLike, dt: float
) -> Array:
    """Return the plastic strain (n, 6) after dt [s] in which the total strain (n, 6) holds still.

    Components are 00 11 22 01 02 12 of the tensors. yield_strain [-], flow_rate [1/s] and most [-] are (n,) or numbers.
    """
    count = len(strain)
    result = np.empty((count, 6))
    for first in range(0, count, T):
        own = slice(first, min(first + T, count))
        tile = np.zeros((SLOTS, T))
        size = own.stop - own.start
        tile[STRAIN : STRAIN + 6, :size], tile[PLASTIC : PLASTIC + 6, :size] = strain[own].T, plastic[own].T
        for row, values in ((YIELD_STRAIN, yield_strain), (FLOW_RATE, flow_rate), (MOST_STRAIN, most)):
            tile[MATERIAL + row, :size] = np.broadcast_to(values, count)[own]
        flat = tile.reshape(-1)
        _absorb_one(flat, dt)
        result[own] = flat.reshape(SLOTS, T)[PLASTIC : PLASTIC + 6, :size].T
    return result


@kernel
def _absorb_one(tile, dt):  # type: ignore[no-untyped-def]
    """`absorb` for callers that are not compiled."""
    absorb(tile, dt)


def size_of(e):  # type: ignore[no-untyped-def]
    """Frobenius norm of a symmetric tensor, its ENTRIES (6)."""
    return np.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + TWO * (e[3] * e[3] + e[4] * e[4] + e[5] * e[5]))


@tile_question
def flows(w):  # type: ignore[no-untyped-def]
    """Whether any of the tile's tets ever yields."""
    for i in range(T):
        some_lane(w[(MATERIAL + FLOW_RATE) * T + i] > ZERO)


@tile_loop
def absorb(w, dt):  # type: ignore[no-untyped-def]
    """Let the tile's PLASTIC follow its STRAIN for dt [s]."""
    for i in range(T):
        plastic = read(w, i, PLASTIC, 6)
        elastic = [total - kept for total, kept in zip(read(w, i, STRAIN, 6), plastic, strict=True)]
        beyond = ONE - w[(MATERIAL + YIELD_STRAIN) * T + i] / max(size_of(elastic), TINY)
        share = max(min(ONE - exponential(-dt * w[(MATERIAL + FLOW_RATE) * T + i]), beyond), ZERO)
        plastic = [kept + share * e for kept, e in zip(plastic, elastic, strict=True)]
        kept = min(w[(MATERIAL + MOST_STRAIN) * T + i] / max(size_of(plastic), TINY), ONE)
        for k in range(6):
            w[(PLASTIC + k) * T + i] = kept * plastic[k]


@tile_loop
def plastic_norm_and_stress(w, out):  # type: ignore[no-untyped-def]
    """Norm of the plastic strain and von Mises stress [Pa] into rows of out (TILE, 2)."""
    for i in range(T):
        plastic = read(w, i, PLASTIC, 6)
        e = [total - kept for total, kept in zip(read(w, i, STRAIN, 6), plastic, strict=True)]
        mean = (e[0] + e[1] + e[2]) / THREE
        deviator = size_of([e[0] - mean, e[1] - mean, e[2] - mean, *e[3:]])
        put_rows(out, 2, i, 0, [size_of(plastic), 2.449489742783178 * w[(MATERIAL + MU) * T + i] * deviator])
