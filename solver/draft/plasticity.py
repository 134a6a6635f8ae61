"""Plastic strain that absorbs elastic strain (Müller and Gross 2004, eqs 13-14 and the listing of section 3).

Elastic strain e = total - plastic above the yield strain creeps into plastic strain p at the rate c until |e| is down at the
yield strain; |p| stops at a maximum. Norms are of the tensors, so that they do not depend on how a body lies in the world
(the paper's 2-norm of six-vectors does).

The paper adds dt c e in a step, which depends on dt and absorbs everything where c dt = 1. Here a step takes the exact
solution for a total strain that holds still, |e| = max(yield, |e_0| exp(-c t)): the limit of the paper's rule for small dt,
at any rate and dt.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..constants import ONE, THREE, TINY, TWO, ZERO
from ..jit import TILE, inline, kernel
from ..scalar_math import exponential, like
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
        absorb(flat, dt)
        result[own] = flat.reshape(SLOTS, T)[PLASTIC : PLASTIC + 6, :size].T
    return result


@inline
def _norm(a, b, c, d, e, f):  # type: ignore[no-untyped-def]
    """Frobenius norm of the symmetric tensor 00 11 22 01 02 12."""
    return np.sqrt(a * a + b * b + c * c + TWO * (d * d + e * e + f * f))


@kernel
def absorb(w, dt):  # type: ignore[no-untyped-def]
    """Let the tile's PLASTIC follow its STRAIN for dt [s]."""
    step = like(w[0], dt)
    for i in range(T):
        p0, p1, p2 = w[PLASTIC * T + i], w[(PLASTIC + 1) * T + i], w[(PLASTIC + 2) * T + i]
        p3, p4, p5 = w[(PLASTIC + 3) * T + i], w[(PLASTIC + 4) * T + i], w[(PLASTIC + 5) * T + i]
        e0, e1, e2 = w[STRAIN * T + i] - p0, w[(STRAIN + 1) * T + i] - p1, w[(STRAIN + 2) * T + i] - p2
        e3, e4, e5 = w[(STRAIN + 3) * T + i] - p3, w[(STRAIN + 4) * T + i] - p4, w[(STRAIN + 5) * T + i] - p5
        beyond = ONE - w[(MATERIAL + YIELD_STRAIN) * T + i] / max(_norm(e0, e1, e2, e3, e4, e5), TINY)
        share = max(min(ONE - exponential(-step * w[(MATERIAL + FLOW_RATE) * T + i]), beyond), ZERO)
        p0, p1, p2, p3, p4, p5 = (
            p0 + share * e0, p1 + share * e1, p2 + share * e2, p3 + share * e3, p4 + share * e4, p5 + share * e5,
        )  # fmt: skip
        kept = min(ONE, w[(MATERIAL + MOST_STRAIN) * T + i] / max(_norm(p0, p1, p2, p3, p4, p5), TINY))
        w[PLASTIC * T + i], w[(PLASTIC + 1) * T + i], w[(PLASTIC + 2) * T + i] = kept * p0, kept * p1, kept * p2
        w[(PLASTIC + 3) * T + i], w[(PLASTIC + 4) * T + i], w[(PLASTIC + 5) * T + i] = kept * p3, kept * p4, kept * p5


@kernel
def plastic_norm_and_stress(w, plastic_strain, stress):  # type: ignore[no-untyped-def]
    """Fill norm of the plastic strain and von Mises stress [Pa] for the tile's first lanes, (k,) each."""
    for i in range(len(plastic_strain)):
        p0, p1, p2 = w[PLASTIC * T + i], w[(PLASTIC + 1) * T + i], w[(PLASTIC + 2) * T + i]
        p3, p4, p5 = w[(PLASTIC + 3) * T + i], w[(PLASTIC + 4) * T + i], w[(PLASTIC + 5) * T + i]
        e0, e1, e2 = w[STRAIN * T + i] - p0, w[(STRAIN + 1) * T + i] - p1, w[(STRAIN + 2) * T + i] - p2
        e3, e4, e5 = w[(STRAIN + 3) * T + i] - p3, w[(STRAIN + 4) * T + i] - p4, w[(STRAIN + 5) * T + i] - p5
        mean = (e0 + e1 + e2) / THREE
        plastic_strain[i] = _norm(p0, p1, p2, p3, p4, p5)
        deviator = _norm(e0 - mean, e1 - mean, e2 - mean, e3, e4, e5)
        stress[i] = np.sqrt(like(w[0], 1.5)) * TWO * w[(MATERIAL + MU) * T + i] * deviator
