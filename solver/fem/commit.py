"""Take the flow of an accepted step into the rest shapes (Bargteil eqs 8-12)."""

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..jit import TILE, inline, kernel, parallel
from ..state import HARDENING, MINIMUM_YIELD, STRESS_TIME, YIELD_STRESS, State
from .elements import T
from .tile import FLOW, FLOW_STRESS, MATERIAL, MEASURE, SIZE, YIELD, B, N, P, S, V

MOST_SLENDER = 30.0  # |F_p| |F_p^-1|, about the ratio of its longest to its shortest stretch; 3 at rest
MOST_FLOW = float(np.log(1.5))  # log stretch that one step may make permanent


def largest_flow(state: State, tiles: NDArray[np.float64]) -> float:
    """The largest log principal stretch that flow makes permanent in this step."""
    lanes = tiles.reshape(len(tiles), -1, TILE)
    stretch = (lanes[:, FLOW] * np.abs(lanes[:, N : N + 3]).max(axis=1)).ravel()[: len(state.tets)]
    flows = (lanes[:, SIZE].ravel()[: len(state.tets)] > 0.0) & (state.worn == 0.0)
    return float(stretch[flows].max(initial=0.0))


def commit_flow(state: State, tiles: NDArray[np.float64], step: float) -> None:
    """Update beta, F_p, plastic strain, hardening and yield stress in place, in state and tiles.

    With V from F = U s V^T and p n the plastic log strain: beta := beta V exp(-p n) V^T and F_p := V exp(p n) V^T F_p
    (eq 12 lacks the left beta in print), det F_p renormalised to 1. Where F_p would become more slender than
    MOST_SLENDER the flow is not made permanent: the element stays as soft as it is and springs back, and is `worn`.
    """
    _commit(
        tiles, step, state.rest_shape_inverse.reshape(-1, 9), state.plastic_deformation.reshape(-1, 9), state.plastic_strain,
        state.hardening, state.yield_stress, state.flow_stress, state.stress, state.worn,
    )  # fmt: skip


@kernel
def _times(a, b, out):  # type: ignore[no-untyped-def]
    """out := a b, row-major 3x3."""
    for i in range(3):
        for j in range(3):
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j]


@kernel
def _stretch(w, i, factor, out):  # type: ignore[no-untyped-def]
    """out := V exp(factor p n) V^T."""
    p = factor * w[FLOW * T + i]
    e0, e1, e2 = np.exp(p * w[N * T + i]), np.exp(p * w[(N + 1) * T + i]), np.exp(p * w[(N + 2) * T + i])
    for r in range(3):
        for c in range(3):
            out[3 * r + c] = (
                e0 * w[(V + 3 * r) * T + i] * w[(V + 3 * c) * T + i]
                + e1 * w[(V + 3 * r + 1) * T + i] * w[(V + 3 * c + 1) * T + i]
                + e2 * w[(V + 3 * r + 2) * T + i] * w[(V + 3 * c + 2) * T + i]
            )


@inline
def _slenderness(m):  # type: ignore[no-untyped-def]
    """det m, and |m| |m^-1| by Frobenius norms: about the ratio of its longest to its shortest stretch."""
    c0, c1, c2 = m[4] * m[8] - m[5] * m[7], m[5] * m[6] - m[3] * m[8], m[3] * m[7] - m[4] * m[6]
    c3, c4, c5 = m[2] * m[7] - m[1] * m[8], m[0] * m[8] - m[2] * m[6], m[1] * m[6] - m[0] * m[7]
    c6, c7, c8 = m[1] * m[5] - m[2] * m[4], m[2] * m[3] - m[0] * m[5], m[0] * m[4] - m[1] * m[3]
    det = m[0] * c0 + m[1] * c1 + m[2] * c2
    size = m[0] ** 2 + m[1] ** 2 + m[2] ** 2 + m[3] ** 2 + m[4] ** 2 + m[5] ** 2 + m[6] ** 2 + m[7] ** 2 + m[8] ** 2
    inverse = c0**2 + c1**2 + c2**2 + c3**2 + c4**2 + c5**2 + c6**2 + c7**2 + c8**2
    return det, np.sqrt(size * inverse) / abs(det)


@kernel
def _grow(w, i, inverse, plastic, change, product):  # type: ignore[no-untyped-def]
    """Make one element's flow permanent; False if that would leave it too slender."""
    _stretch(w, i, 1.0, change)
    _times(change, plastic, product)
    det, slender = _slenderness(product)
    if not slender < MOST_SLENDER and not slender < _slenderness(plastic)[1]:
        return False
    scale = det ** (1.0 / 3.0)
    for c in range(9):
        plastic[c] = product[c] / scale
    _stretch(w, i, -1.0, change)
    _times(inverse, change, product)
    for c in range(9):
        inverse[c] = product[c] * scale
        w[(B + c) * T + i] = inverse[c]
    return True


@parallel
def _commit(tiles, step, inverse, plastic, strain, hardening, yield_stress, flow_stress, stress, worn):  # type: ignore[no-untyped-def]
    for k in prange(len(tiles)):
        w = tiles[k]
        change, product = np.empty(9), np.empty(9)
        for lane in range(min(TILE, len(strain) - k * TILE)):
            t, i = k * TILE + lane, lane
            p0, p1, p2 = w[P * T + i], w[(P + 1) * T + i], w[(P + 2) * T + i]
            t0, t1, t2 = p0 * w[S * T + i], p1 * w[(S + 1) * T + i], p2 * w[(S + 2) * T + i]
            average = (t0 + t1 + t2) / 3.0
            stress[t] = np.sqrt(1.5 * ((t0 - average) ** 2 + (t1 - average) ** 2 + (t2 - average) ** 2))
            gain = 0.0
            if w[SIZE * T + i] > 0.0 and w[FLOW * T + i] > 0.0:
                worn[t] = 0.0 if _grow(w, i, inverse[t], plastic[t], change, product) else 1.0
                gain = (1.0 - worn[t]) * np.sqrt(2.0 / 3.0) * w[FLOW * T + i]
            strain[t] += gain
            if w[(MATERIAL + STRESS_TIME) * T + i] > 0.5:
                gain = step * np.sqrt(p0 * p0 + p1 * p1 + p2 * p2)
            hardening[t] += gain
            flow_stress[t] = w[MEASURE * T + i]
            hard = w[(MATERIAL + YIELD_STRESS) * T + i] + w[(MATERIAL + HARDENING) * T + i] * hardening[t]
            yield_stress[t] = max(hard, w[(MATERIAL + MINIMUM_YIELD) * T + i])
            w[FLOW_STRESS * T + i], w[YIELD * T + i] = flow_stress[t], yield_stress[t]
