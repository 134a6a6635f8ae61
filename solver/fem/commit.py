"""Take the flow of an accepted step into the rest shapes (Bargteil eqs 8-12)."""

import numpy as np
from numba import prange

from ..jit import TILE, inline, kernel, parallel
from ..slots import (
    FLOW,
    FLOW_STRESS,
    HARDENING,
    MATERIAL,
    MEASURE,
    MINIMUM_YIELD,
    MISES,
    NORM,
    SIZE,
    STRESS_TIME,
    VOLUME,
    YIELD,
    YIELD_STRESS,
    B,
    N,
    V,
)
from ..state import State
from .steering import steered
from .tile import Tiles

T = TILE
MOST_SLENDER = 30.0  # |F_p| |F_p^-1|, about the ratio of its longest to its shortest stretch; 3 at rest
MOST_FLOW = float(np.log(1.5))  # log stretch that one step may make permanent


def largest_flow(state: State, tiles: Tiles) -> float:
    """The largest log principal stretch that flow makes permanent in this step."""
    return float(_largest_flow(tiles.data, state.worn, np.zeros(len(tiles.data))))


@parallel
def _largest_flow(tiles, worn, largest):  # type: ignore[no-untyped-def]
    for k in prange(len(tiles)):
        w = tiles[k]
        for i in range(min(TILE, len(worn) - k * TILE)):
            if w[SIZE * T + i] > 0.0 and worn[k * TILE + i] == 0.0:
                steepest = max(abs(w[N * T + i]), abs(w[(N + 1) * T + i]), abs(w[(N + 2) * T + i]))
                largest[k] = max(largest[k], w[FLOW * T + i] * steepest)
    return largest.max()


def commit_flow(state: State, tiles: Tiles, step: float) -> None:
    """Update beta, F_p, plastic strain, hardening and yield stress in place, in state and tiles.

    With V from F = U s V^T and p n the plastic log strain: beta := beta V exp(-p n) V^T and F_p := V exp(p n) V^T F_p
    (eq 12 lacks the left beta in print), det F_p renormalised to 1. Where F_p would become more slender than
    MOST_SLENDER the flow is not made permanent: the element stays as soft as it is and springs back, and is `worn`.
    Elements with a goal keep what leads there instead (steering.py), and their volume follows.
    """
    _commit(
        tiles.data, step, state.rest_shape_inverse.reshape(-1, 9), state.plastic_deformation.reshape(-1, 9),
        state.plastic_strain, state.hardening, state.yield_stress, state.flow_stress, state.stress, state.worn,
        state.volumes, state.goal, state.goal_rate,
    )  # fmt: skip
    tiles.turn_fibres(state)


@kernel
def _times(a, b, out):  # type: ignore[no-untyped-def]
    """out := a b, row-major 3x3."""
    for i in range(3):
        for j in range(3):
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j]


@kernel
def _stretch(w, i, out):  # type: ignore[no-untyped-def]
    """out := V exp(p n) V^T of determinant 1, in float64; as I + V (exp(p n) - 1) V^T, so that V's rounding is only felt
    where there is flow."""
    p, n0, n1, n2 = float(w[FLOW * T + i]), float(w[N * T + i]), float(w[(N + 1) * T + i]), float(w[(N + 2) * T + i])
    mean = (n0 + n1 + n2) / 3.0
    e0, e1, e2 = np.expm1(p * (n0 - mean)), np.expm1(p * (n1 - mean)), np.expm1(p * (n2 - mean))
    for r in range(3):
        for c in range(3):
            out[3 * r + c] = (
                (1.0 if r == c else 0.0)
                + e0 * float(w[(V + 3 * r) * T + i]) * float(w[(V + 3 * c) * T + i])
                + e1 * float(w[(V + 3 * r + 1) * T + i]) * float(w[(V + 3 * c + 1) * T + i])
                + e2 * float(w[(V + 3 * r + 2) * T + i]) * float(w[(V + 3 * c + 2) * T + i])
            )
    scale = _determinant(out) ** (1.0 / 3.0)
    for c in range(9):
        out[c] /= scale


@inline
def _determinant(m):  # type: ignore[no-untyped-def]
    """det of a row-major 3x3."""
    return (
        m[0] * (m[4] * m[8] - m[5] * m[7]) + m[1] * (m[5] * m[6] - m[3] * m[8]) + m[2] * (m[3] * m[7] - m[4] * m[6])
    )


@kernel
def _times_adjugate(a, b, out):  # type: ignore[no-untyped-def]
    """out := a adj(b), which is a b^-1 where b has determinant 1."""
    c00, c01, c02 = b[4] * b[8] - b[5] * b[7], b[2] * b[7] - b[1] * b[8], b[1] * b[5] - b[2] * b[4]
    c10, c11, c12 = b[5] * b[6] - b[3] * b[8], b[0] * b[8] - b[2] * b[6], b[2] * b[3] - b[0] * b[5]
    c20, c21, c22 = b[3] * b[7] - b[4] * b[6], b[1] * b[6] - b[0] * b[7], b[0] * b[4] - b[1] * b[3]
    for i in range(3):
        x, y, z = a[3 * i], a[3 * i + 1], a[3 * i + 2]
        out[3 * i] = x * c00 + y * c10 + z * c20
        out[3 * i + 1] = x * c01 + y * c11 + z * c21
        out[3 * i + 2] = x * c02 + y * c12 + z * c22


@inline
def _slenderness(m):  # type: ignore[no-untyped-def]
    """|m| |m^-1| by Frobenius norms: about the ratio of its longest to its shortest stretch."""
    c0, c1, c2 = m[4] * m[8] - m[5] * m[7], m[5] * m[6] - m[3] * m[8], m[3] * m[7] - m[4] * m[6]
    c3, c4, c5 = m[2] * m[7] - m[1] * m[8], m[0] * m[8] - m[2] * m[6], m[1] * m[6] - m[0] * m[7]
    c6, c7, c8 = m[1] * m[5] - m[2] * m[4], m[2] * m[3] - m[0] * m[5], m[0] * m[4] - m[1] * m[3]
    size = m[0] ** 2 + m[1] ** 2 + m[2] ** 2 + m[3] ** 2 + m[4] ** 2 + m[5] ** 2 + m[6] ** 2 + m[7] ** 2 + m[8] ** 2
    inverse = c0**2 + c1**2 + c2**2 + c3**2 + c4**2 + c5**2 + c6**2 + c7**2 + c8**2
    return np.sqrt(size * inverse) / abs(m[0] * c0 + m[1] * c1 + m[2] * c2)


@kernel
def _grow(w, i, inverse, plastic, change, product):  # type: ignore[no-untyped-def]
    """Make one element's flow permanent; False if that would leave it too slender."""
    _stretch(w, i, change)
    _times(change, plastic, product)
    slender = _slenderness(product)
    if not slender < MOST_SLENDER and not slender < _slenderness(plastic):
        return False
    scale = _determinant(product) ** (1.0 / 3.0)
    for c in range(9):
        plastic[c] = product[c] / scale
    _times_adjugate(inverse, change, product)
    for c in range(9):
        inverse[c] = product[c]
        w[(B + c) * T + i] = inverse[c]
    return True


@kernel
def _steer(w, i, flows, share, inverse, plastic, goal, volume, change, product):  # type: ignore[no-untyped-def]
    """Make the part of one element's flow permanent that leads to its goal; the plastic strain gained, or -1."""
    for c in range(9):
        product[c] = plastic[c]
    if flows:
        _stretch(w, i, change)
        _times(change, plastic, product)
    gained = steered(plastic, product, goal, share, MOST_SLENDER, change)
    if gained < 0.0:
        return gained
    volume[0] *= _determinant(change) / _determinant(plastic)
    _times(inverse, plastic, product)  # the inverse of the shape before all flow
    _times_adjugate(product, change, inverse)
    scale = 1.0 / _determinant(change)
    for c in range(9):
        plastic[c] = change[c]
        inverse[c] *= scale
        w[(B + c) * T + i] = inverse[c]
    w[VOLUME * T + i] = volume[0]
    return gained


@parallel
def _commit(  # type: ignore[no-untyped-def]
    tiles, step, inverse, plastic, strain, hardening, yield_stress, flow_stress, stress, worn, volumes, goal, goal_rate
):
    for k in prange(len(tiles)):
        w = tiles[k]
        change, product = np.empty(9), np.empty(9)
        for lane in range(min(TILE, len(strain) - k * TILE)):
            t, i = k * TILE + lane, lane
            stress[t] = w[MISES * T + i]
            gain = 0.0
            flows = w[SIZE * T + i] > 0.0 and w[FLOW * T + i] > 0.0
            if goal_rate[t] >= 0.0:
                share = 1.0 - np.exp(-goal_rate[t] * step)
                gain = _steer(w, i, flows, share, inverse[t], plastic[t], goal[t], volumes[t : t + 1], change, product)
                worn[t] = 1.0 if gain < 0.0 else 0.0
                gain = max(gain, 0.0)
            elif flows:
                worn[t] = 0.0 if _grow(w, i, inverse[t], plastic[t], change, product) else 1.0
                gain = (1.0 - worn[t]) * np.sqrt(2.0 / 3.0) * w[FLOW * T + i]
            strain[t] += gain
            if w[(MATERIAL + STRESS_TIME) * T + i] > 0.5:
                gain = step * w[NORM * T + i]
            hardening[t] += gain
            flow_stress[t] = w[MEASURE * T + i]
            hard = w[(MATERIAL + YIELD_STRESS) * T + i] + w[(MATERIAL + HARDENING) * T + i] * hardening[t]
            yield_stress[t] = max(hard, w[(MATERIAL + MINIMUM_YIELD) * T + i])
            w[FLOW_STRESS * T + i], w[YIELD * T + i] = flow_stress[t], yield_stress[t]
