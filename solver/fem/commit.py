"""Take the flow of an accepted step into the rest shapes (Bargteil eqs 8-12)."""

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..jit import TILE, kernel, parallel
from ..state import HARDENING, MINIMUM_YIELD, STRESS_TIME, YIELD_STRESS, State
from .elements import at
from .tile import FLOW, FLOW_STRESS, MATERIAL, MEASURE, SIZE, YIELD, B, N, P, V

MOST_FLOW = float(np.log(1.5))  # log stretch that one step may make permanent


def largest_flow(tiles: NDArray[np.float64]) -> float:
    """The largest log principal stretch that flow makes permanent in this step."""
    lanes = tiles.reshape(len(tiles), -1, TILE)
    flows = lanes[:, SIZE] > 0.0
    stretch = lanes[:, FLOW] * np.abs(lanes[:, N : N + 3]).max(axis=1)
    return float(stretch[flows].max(initial=0.0))


def commit_flow(state: State, tiles: NDArray[np.float64], step: float) -> None:
    """Update beta, F_p, plastic strain, hardening and yield stress in place, in state and tiles.

    With V from F = U s V^T and p n the plastic log strain: beta := beta V exp(-p n) V^T and F_p := V exp(p n) V^T F_p
    (eq 12 lacks the left beta in print), det F_p renormalised to 1.
    """
    _commit(
        tiles, step, state.rest_shape_inverse.reshape(-1, 9), state.plastic_deformation.reshape(-1, 9), state.plastic_strain,
        state.hardening, state.flow_stress,
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


@parallel
def _commit(tiles, step, inverse, plastic, strain, hardening, flow_stress):  # type: ignore[no-untyped-def]
    for k in prange(len(tiles)):
        w = tiles[k]
        change, product = np.empty(9), np.empty(9)
        for lane in range(min(TILE, len(strain) - k * TILE)):
            t = k * TILE + lane
            i = np.uint64(lane)
            gain = 0.0
            if w[at(SIZE, i)] > 0.0 and w[at(FLOW, i)] > 0.0:
                _stretch(w, i, 1.0, change)
                _times(change, plastic[t], product)
                det = product[0] * (product[4] * product[8] - product[5] * product[7])
                det -= product[1] * (product[3] * product[8] - product[5] * product[6])
                det += product[2] * (product[3] * product[7] - product[4] * product[6])
                scale = det ** (1.0 / 3.0)
                plastic[t] = product / scale
                _stretch(w, i, -1.0, change)
                _times(inverse[t], change, product)
                inverse[t] = product * scale
                for c in range(9):
                    w[at(B + c, i)] = inverse[t, c]
                gain = np.sqrt(2.0 / 3.0) * w[at(FLOW, i)]
            strain[t] += gain
            if w[at(MATERIAL + STRESS_TIME, i)] > 0.5:
                gain = step * np.sqrt(w[at(P, i)] ** 2 + w[at(P + 1, i)] ** 2 + w[at(P + 2, i)] ** 2)
            hardening[t] += gain
            flow_stress[t] = w[at(MEASURE, i)]
            w[at(FLOW_STRESS, i)] = flow_stress[t]
            hard = w[at(MATERIAL + YIELD_STRESS, i)] + w[at(MATERIAL + HARDENING, i)] * hardening[t]
            w[at(YIELD, i)] = max(hard, w[at(MATERIAL + MINIMUM_YIELD, i)])
