"""Take the flow of an accepted step into the rest shapes (Bargteil eqs 8-12)."""

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..jit import TILE, kernel, parallel
from ..state import HARDENING, MINIMUM_YIELD, STRESS_TIME, YIELD_STRESS, State
from ..svd import svd3
from .elements import at
from .tile import FLOW, FLOW_STRESS, MATERIAL, MEASURE, SIZE, YIELD, B, N, P, S, V

MOST_SLENDER = 30.0  # ratio of the longest to the shortest principal stretch of F_p
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
    p = factor * w[at(FLOW, i)]
    e0, e1, e2 = np.exp(p * w[at(N, i)]), np.exp(p * w[at(N + 1, i)]), np.exp(p * w[at(N + 2, i)])
    for r in range(3):
        for c in range(3):
            out[3 * r + c] = (
                e0 * w[at(V + 3 * r, i)] * w[at(V + 3 * c, i)]
                + e1 * w[at(V + 3 * r + 1, i)] * w[at(V + 3 * c + 1, i)]
                + e2 * w[at(V + 3 * r + 2, i)] * w[at(V + 3 * c + 2, i)]
            )


@kernel
def _grow(w, i, inverse, plastic, change, product):  # type: ignore[no-untyped-def]
    """Make one element's flow permanent; False if that would leave it too slender."""
    _stretch(w, i, 1.0, change)
    _times(change, plastic, product)
    old = svd3(plastic[0], plastic[1], plastic[2], plastic[3], plastic[4], plastic[5], plastic[6], plastic[7], plastic[8])
    new = svd3(product[0], product[1], product[2], product[3], product[4], product[5], product[6], product[7], product[8])
    slender = new[9] / new[11]
    if not slender < MOST_SLENDER and not slender < old[9] / old[11]:
        return False
    scale = (new[9] * new[10] * new[11]) ** (1.0 / 3.0)
    for c in range(9):
        plastic[c] = product[c] / scale
    _stretch(w, i, -1.0, change)
    _times(inverse, change, product)
    for c in range(9):
        inverse[c] = product[c] * scale
        w[at(B + c, i)] = inverse[c]
    return True


@parallel
def _commit(tiles, step, inverse, plastic, strain, hardening, yield_stress, flow_stress, stress, worn):  # type: ignore[no-untyped-def]
    for k in prange(len(tiles)):
        w = tiles[k]
        change, product = np.empty(9), np.empty(9)
        for lane in range(min(TILE, len(strain) - k * TILE)):
            t, i = k * TILE + lane, np.uint64(lane)
            p0, p1, p2 = w[at(P, i)], w[at(P + 1, i)], w[at(P + 2, i)]
            t0, t1, t2 = p0 * w[at(S, i)], p1 * w[at(S + 1, i)], p2 * w[at(S + 2, i)]
            average = (t0 + t1 + t2) / 3.0
            stress[t] = np.sqrt(1.5 * ((t0 - average) ** 2 + (t1 - average) ** 2 + (t2 - average) ** 2))
            gain = 0.0
            if w[at(SIZE, i)] > 0.0 and w[at(FLOW, i)] > 0.0:
                worn[t] = 0.0 if _grow(w, i, inverse[t], plastic[t], change, product) else 1.0
                gain = (1.0 - worn[t]) * np.sqrt(2.0 / 3.0) * w[at(FLOW, i)]
            strain[t] += gain
            if w[at(MATERIAL + STRESS_TIME, i)] > 0.5:
                gain = step * np.sqrt(p0 * p0 + p1 * p1 + p2 * p2)
            hardening[t] += gain
            flow_stress[t] = w[at(MEASURE, i)]
            hard = w[at(MATERIAL + YIELD_STRESS, i)] + w[at(MATERIAL + HARDENING, i)] * hardening[t]
            yield_stress[t] = max(hard, w[at(MATERIAL + MINIMUM_YIELD, i)])
            w[at(FLOW_STRESS, i)], w[at(YIELD, i)] = flow_stress[t], yield_stress[t]
