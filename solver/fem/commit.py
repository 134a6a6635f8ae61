"""Take the flow of an accepted step into the rest shapes (Bargteil eqs 8-12)."""

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..jit import TILE, inline, inner_kernel, kernel, parallel
from ..slots import (
    FLOW,
    FLOW_STRESS,
    HARDENING,
    MEASURE,
    MINIMUM_YIELD,
    MISES,
    NORM,
    REMADE,
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
from .entangled import entangled
from .limit_surface import keep_limits, times
from .steering import steered
from .tile import Tiles

T = TILE
MOST_SLENDER = 30.0  # |F_p| |F_p^-1|, about the ratio of its longest to its shortest stretch; 3 at rest
MOST_FLOW = float(np.log(1.5))  # log stretch that one step may make permanent
WORN, ENTANGLED = 1.0, 2.0  # in State.worn: the rest shape is as slender as a mesh can bear; or beside what is inside out


def largest_flow(state: State, tiles: Tiles) -> float:
    """The largest log principal stretch that flow makes permanent in this step."""
    if not tiles.flowing:  # to wake a thread takes longer than to look
        return 0.0
    largest = np.zeros(len(tiles.data))
    _largest_flow(tiles.data, state.worn, largest)
    return float(largest.max())


@parallel
def _largest_flow(tiles, worn, largest):  # type: ignore[no-untyped-def]
    for k in prange(len(tiles)):
        w = tiles[k]
        for i in range(0 if w[REMADE * T] > 0.0 else min(TILE, len(worn) - k * TILE)):
            if w[FLOW * T + i] > 0.0 and w[SIZE * T + i] > 0.0 and worn[k * TILE + i] == 0.0:
                steepest = max(abs(w[N * T + i]), abs(w[(N + 1) * T + i]), abs(w[(N + 2) * T + i]))
                largest[k] = max(largest[k], w[FLOW * T + i] * steepest)


def commit_flow(state: State, tiles: Tiles, step: float, positions: NDArray[np.float64]) -> None:
    """Update beta, F_p, plastic strain, hardening and yield stress in place, in state and tiles, for a step that leaves the
    nodes at positions (n, 3) [m].

    With V from F = U s V^T and p n the plastic log strain: beta := beta V exp(-p n) V^T and F_p := V exp(p n) V^T F_p
    (eq 12 lacks the left beta in print), det F_p renormalised to 1. Where F_p would become more slender than
    MOST_SLENDER, or beside what is inside out (entangled.py), the flow is not made permanent: the element stays as soft as
    it is and springs back, and `worn` says why.
    Elements with a goal keep what leads there instead (steering.py), and their volume follows.

    Stresses go into an array of their own, and so does plastic strain where there is flow: who has kept those of the step
    before (moment.Snapshot) has them still.
    """
    steering = not tiles.limitless and bool((state.goal_rate >= 0.0).any())
    state.stress = np.empty_like(state.stress)
    if steering or tiles.flowing:
        state.plastic_strain = state.plastic_strain.copy()
        tiles.reshaped += 1
    arrays = (
        tiles.data, tiles.materials, tiles.kinds, step, state.rest_shape_inverse.reshape(-1, 9),
        state.plastic_deformation.reshape(-1, 9), state.plastic_strain, state.hardening, state.yield_stress, state.flow_stress,
        state.stress, state.worn, state.goal_rate,
    )  # fmt: skip
    _commit(*arrays, entangled(state, tiles, positions), steering)
    if steering:
        _commit_steered(*arrays, state.volumes, state.goal)
    tiles.reshaped += not tiles.limitless and keep_limits(tiles.data, state)
    tiles.turn_fibres(state)


@inner_kernel
def _stretch(w, i, out, scratch):  # type: ignore[no-untyped-def]
    """out := V exp(p n) V^T of determinant 1, in float64; as I + V (exp(p n) - 1) V^T, so that V's rounding is only felt
    where there is flow."""
    p = float(w[FLOW * T + i])
    mean = (float(w[N * T + i]) + float(w[(N + 1) * T + i]) + float(w[(N + 2) * T + i])) / 3.0
    for c in range(9):
        out[c] = 1.0 if c % 4 == 0 else 0.0
    for k in range(3):
        grown = np.expm1(p * (float(w[(N + k) * T + i]) - mean))
        for c in range(9):
            out[c] += grown * float(w[(V + 3 * (c // 3) + k) * T + i]) * float(w[(V + 3 * (c % 3) + k) * T + i])
    scale = 1.0 / _near_root(_adjugate(out, scratch))
    for c in range(9):
        out[c] *= scale


@inner_kernel
def _adjugate(m, out):  # type: ignore[no-untyped-def]
    """out := adj(m) of a row-major 3x3, its inverse times its determinant; return that."""
    for i in range(3):
        for j in range(3):
            a, b = 3 * ((i + 1) % 3), 3 * ((i + 2) % 3)
            out[3 * j + i] = m[a + (j + 1) % 3] * m[b + (j + 2) % 3] - m[a + (j + 2) % 3] * m[b + (j + 1) % 3]
    return m[0] * out[0] + m[1] * out[3] + m[2] * out[6]


@inline
def slenderness(a, b, c, d, e, f, g, h, i):  # type: ignore[no-untyped-def]
    """|m| |m^-1| by Frobenius norms of a row-major 3x3: about the ratio of its longest to its shortest stretch."""
    x, y, z = e * i - f * h, f * g - d * i, d * h - e * g
    determinant = a * x + b * y + c * z
    size = a * a + b * b + c * c + d * d + e * e + f * f + g * g + h * h + i * i
    inverse = x * x + y * y + z * z
    x, y, z = c * h - b * i, a * i - c * g, b * g - a * h
    inverse += x * x + y * y + z * z
    x, y, z = b * f - c * e, c * d - a * f, a * e - b * d
    return np.sqrt(size * (inverse + x * x + y * y + z * z)) / abs(determinant)


@inline
def _slender(m):  # type: ignore[no-untyped-def]
    """That of m (9)."""
    return slenderness(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8])


@inline
def _near_root(x):  # type: ignore[no-untyped-def]
    """The cube root of what is 1 up to rounding of float32: one step of Newton's, true to (x - 1)^2/9."""
    return (2.0 + x) / 3.0


@inner_kernel
def _grow(w, i, inverse, plastic, scratch):  # type: ignore[no-untyped-def]
    """Make one element's flow permanent; False if that would leave it too slender. scratch (3, 9)."""
    change, product, adjugate = scratch[0], scratch[1], scratch[2]
    _stretch(w, i, change, adjugate)
    times(change, plastic, product)
    slender = _slender(product)
    if not slender < MOST_SLENDER and not slender < _slender(plastic):
        return False
    scale = 1.0 / _near_root(_adjugate(product, adjugate))
    for c in range(9):
        plastic[c] = product[c] * scale
    _adjugate(change, adjugate)  # its inverse
    times(inverse, adjugate, product)
    for c in range(9):
        inverse[c] = product[c]
        w[(B + c) * T + i] = inverse[c]
    return True


@kernel
def _steer(w, i, flows, share, inverse, plastic, goal, volume, scratch):  # type: ignore[no-untyped-def]
    """Make the part of one element's flow permanent that leads to its goal; the plastic strain gained, or -1."""
    change, product, adjugate = scratch[0], scratch[1], scratch[2]
    for c in range(9):
        product[c] = plastic[c]
    if flows:
        _stretch(w, i, change, adjugate)
        times(change, plastic, product)
    gained = steered(plastic, product, goal, share, MOST_SLENDER, change)
    if gained < 0.0:
        return gained
    before = _adjugate(plastic, adjugate)
    times(inverse, plastic, product)  # the inverse of the shape before all flow
    after = _adjugate(change, adjugate)
    times(product, adjugate, inverse)
    volume[0] *= after / before
    for c in range(9):
        plastic[c] = change[c]
        inverse[c] /= after
        w[(B + c) * T + i] = inverse[c]
    w[VOLUME * T + i] = volume[0]
    return gained


@inner_kernel
def _record(w, own, i, t, step, gain, strain, hardening, yield_stress, flow_stress, stress):  # type: ignore[no-untyped-def]
    """Note one element's stresses, and what the plastic strain gained does to its yield stress; own: its tile's material."""
    stress[t] = w[MISES * T + i]
    strain[t] += gain
    hardening[t] += step * w[NORM * T + i] if own[STRESS_TIME * T + i] > 0.5 else gain
    flow_stress[t] = w[MEASURE * T + i]
    hard = own[YIELD_STRESS * T + i] + own[HARDENING * T + i] * hardening[t]
    yield_stress[t] = max(hard, own[MINIMUM_YIELD * T + i])
    w[FLOW_STRESS * T + i], w[YIELD * T + i] = flow_stress[t], yield_stress[t]


@inner_kernel
def _record_still(w, own, step, hardening, yield_stress, flow_stress, stress):  # type: ignore[no-untyped-def]
    """The same of the elements (l,) of a tile in which nothing flows; one array after the other, which is all memory's time."""
    timed = False
    for i in range(T):
        timed |= own[STRESS_TIME * T + i] > 0.5
    for i in range(len(stress)):
        stress[i] = w[MISES * T + i]
    for i in range(len(stress)):
        flow_stress[i] = w[MEASURE * T + i]
    for i in range(len(stress)):
        w[FLOW_STRESS * T + i] = w[MEASURE * T + i]
    for i in range(len(stress) if timed else 0):
        hardening[i] += step * w[NORM * T + i] if own[STRESS_TIME * T + i] > 0.5 else 0.0
    for i in range(len(stress)):
        hard = own[YIELD_STRESS * T + i] + own[HARDENING * T + i] * hardening[i]
        yield_stress[i] = max(hard, own[MINIMUM_YIELD * T + i])
    for i in range(len(stress)):
        w[YIELD * T + i] = yield_stress[i]


@parallel
def _commit(  # type: ignore[no-untyped-def]
    tiles, materials, kinds, step, inverse, plastic, strain, hardening, yield_stress, flow_stress, stress, worn, goal_rate,
    held, steering,
):
    """Elements without a goal, `steering` being whether any has one; what is held (m,) keeps its rest shape."""
    for k in prange(len(tiles)):
        w, own, first, last = tiles[k], materials[kinds[k]], k * TILE, min((k + 1) * TILE, len(strain))
        still = w[REMADE * T] > 0.0 and not steering
        if still:
            _record_still(
                w, own, step, hardening[first:last], yield_stress[first:last], flow_stress[first:last], stress[first:last]
            )
        scratch = np.empty((3, 9))
        for i in range(0 if still else last - first):
            t = k * TILE + i
            if goal_rate[t] < 0.0:
                gain = 0.0
                if w[SIZE * T + i] > 0.0 and w[FLOW * T + i] > 0.0:
                    if held[t]:
                        worn[t] = ENTANGLED
                    elif _grow(w, i, inverse[t], plastic[t], scratch):
                        worn[t], gain = 0.0, np.sqrt(2.0 / 3.0) * w[FLOW * T + i]
                    else:
                        worn[t] = WORN
                _record(w, own, i, t, step, gain, strain, hardening, yield_stress, flow_stress, stress)


@parallel
def _commit_steered(  # type: ignore[no-untyped-def]
    tiles, materials, kinds, step, inverse, plastic, strain, hardening, yield_stress, flow_stress, stress, worn, goal_rate,
    volumes, goal,
):
    """Elements with a goal; compiled only where there are any."""
    for k in prange(len(tiles)):
        w, own, scratch = tiles[k], materials[kinds[k]], np.empty((3, 9))
        for i in range(min(TILE, len(strain) - k * TILE)):
            t = k * TILE + i
            if goal_rate[t] >= 0.0:
                flows = w[SIZE * T + i] > 0.0 and w[FLOW * T + i] > 0.0
                share = 1.0 - np.exp(-goal_rate[t] * step)
                gain = _steer(w, i, flows, share, inverse[t], plastic[t], goal[t], volumes[t : t + 1], scratch)
                worn[t] = WORN if gain < 0.0 else 0.0
                _record(w, own, i, t, step, max(gain, 0.0), strain, hardening, yield_stress, flow_stress, stress)
