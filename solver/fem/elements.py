"""Forces and stiffness of all tets, tile by tile: deformation, decomposition, stress, flow, nodal forces.

Each phase is a loop over the lanes of one tile; `evaluate` and `stiffness` run the phases for every tile in parallel.
"""

import numpy as np
from numba import prange

from ..jit import TILE, inline, kernel, parallel
from ..state import (
    FLOW_RATE,
    FULL_NORM,
    HARDENING,
    LAMBDA,
    LINEAR_VOLUME,
    MINIMUM_YIELD,
    MU,
    RATE_EXPONENT,
    RATE_STRESS,
    STRESS_TIME,
)
from ..svd import svd3
from .elasticity import principal_stress
from .plasticity import (
    ROOT_2_3,
    ROOT_3_2,
    SMALLEST_STRETCH,
    deviator,
    directed_stress,
    flow_iteration,
    flow_outcome,
    special_flow,
)
from .tile import (
    ENERGY,
    FLOW,
    FLOW_STRESS,
    MATERIAL,
    MEASURE,
    SIZE,
    SLOPE,
    VOLUME,
    YIELD,
    B,
    F,
    N,
    P,
    S,
    U,
    V,
)

MOST_RELAXATION = 30.0  # rate times step: what lasts 3 % of a step is over in it; more would leave no viscosity at all
T = LANES = TILE
MU_INDEX = (MATERIAL + MU) * TILE
LAM_INDEX = (MATERIAL + LAMBDA) * TILE
LINEAR_INDEX = (MATERIAL + LINEAR_VOLUME) * TILE


@kernel
def _deform(w, positions, tets):  # type: ignore[no-untyped-def]
    """F = [x1 - x0, x2 - x0, x3 - x0] B (Bargteil eq 1)."""
    for i in range(len(tets)):
        a, b, c, d = np.uint64(tets[i, 0]), np.uint64(tets[i, 1]), np.uint64(tets[i, 2]), np.uint64(tets[i, 3])
        for k in range(3):
            origin = positions[a, k]
            w[(F + 3 * k) * T + i] = positions[b, k] - origin
            w[(F + 3 * k + 1) * T + i] = positions[c, k] - origin
            w[(F + 3 * k + 2) * T + i] = positions[d, k] - origin
    for row in range(3):
        for i in range(LANES):
            e0, e1, e2 = w[(F + 3 * row) * T + i], w[(F + 3 * row + 1) * T + i], w[(F + 3 * row + 2) * T + i]
            w[(F + 3 * row) * T + i] = e0 * w[B * T + i] + e1 * w[(B + 3) * T + i] + e2 * w[(B + 6) * T + i]
            w[(F + 3 * row + 1) * T + i] = e0 * w[(B + 1) * T + i] + e1 * w[(B + 4) * T + i] + e2 * w[(B + 7) * T + i]
            w[(F + 3 * row + 2) * T + i] = e0 * w[(B + 2) * T + i] + e1 * w[(B + 5) * T + i] + e2 * w[(B + 8) * T + i]


@kernel
def _decompose(w):  # type: ignore[no-untyped-def]
    """F = U diag(s) V^T, rotations only (Irving section 4)."""
    for i in range(LANES):
        r = svd3(
            w[i], w[T + i], w[2 * T + i], w[3 * T + i], w[4 * T + i], w[5 * T + i], w[6 * T + i], w[7 * T + i], w[8 * T + i]
        )  # fmt: skip
        w[9 * T + i], w[10 * T + i], w[11 * T + i] = r[0], r[1], r[2]
        w[12 * T + i], w[13 * T + i], w[14 * T + i] = r[3], r[4], r[5]
        w[15 * T + i], w[16 * T + i], w[17 * T + i] = r[6], r[7], r[8]
        w[18 * T + i], w[19 * T + i], w[20 * T + i] = r[9], r[10], r[11]
        w[21 * T + i], w[22 * T + i], w[23 * T + i] = r[12], r[13], r[14]
        w[24 * T + i], w[25 * T + i], w[26 * T + i] = r[15], r[16], r[17]
        w[27 * T + i], w[28 * T + i], w[29 * T + i] = r[18], r[19], r[20]


@kernel
def _stress(w):  # type: ignore[no-untyped-def]
    """Elastic principal stresses, and an upper bound of the yield measure in MEASURE."""
    for i in range(LANES):
        s0, s1, s2 = w[S * T + i], w[(S + 1) * T + i], w[(S + 2) * T + i]
        energy, p0, p1, p2 = principal_stress(
            s0, s1, s2, w[MU_INDEX + i], w[LAM_INDEX + i], w[LINEAR_INDEX + i]
        )
        t0, t1, t2 = s0 * p0, s1 * p1, s2 * p2
        average = (t0 + t1 + t2) / 3.0
        mises = ROOT_3_2 * np.sqrt((t0 - average) ** 2 + (t1 - average) ** 2 + (t2 - average) ** 2)
        norm = np.sqrt(p0 * p0 + p1 * p1 + p2 * p2)
        w[P * T + i], w[(P + 1) * T + i], w[(P + 2) * T + i] = p0, p1, p2
        w[ENERGY * T + i] = energy
        w[FLOW * T + i] = 0.0
        w[SLOPE * T + i] = 0.0
        w[SIZE * T + i] = 0.0
        w[MEASURE * T + i] = norm if w[(MATERIAL + FULL_NORM) * T + i] > 0.5 else mises


@kernel
def _yielding(w):  # type: ignore[no-untyped-def]
    """Mark the lanes that yield by the size and direction of their log deviator; return how many."""
    count = 0
    for i in range(LANES):
        s0, s1, s2 = w[S * T + i], w[(S + 1) * T + i], w[(S + 2) * T + i]
        if w[MEASURE * T + i] > w[YIELD * T + i] and w[(MATERIAL + FLOW_RATE) * T + i] > 0.0 and s2 > SMALLEST_STRETCH:
            a, n0, n1, n2 = deviator(s0, s1, s2)
            along = n0 * s0 * w[P * T + i] + n1 * s1 * w[(P + 1) * T + i] + n2 * s2 * w[(P + 2) * T + i]
            if along > 0.0 and (w[(MATERIAL + FULL_NORM) * T + i] > 0.5 or ROOT_3_2 * along > w[YIELD * T + i]):
                w[SIZE * T + i], w[N * T + i], w[(N + 1) * T + i], w[(N + 2) * T + i] = a, n0, n1, n2
                count += 1
    return count


@inline
def _flow_law(w, i, dt):  # type: ignore[no-untyped-def]
    """Along the deviator's direction: yield stress, hardening, least yield stress [Pa], and rate times dt."""
    gated = w[(MATERIAL + STRESS_TIME) * T + i] > 0.5
    return (
        ROOT_2_3 * w[YIELD * T + i],
        0.0 if gated else w[(MATERIAL + HARDENING) * T + i] * (2.0 / 3.0),
        ROOT_2_3 * w[(MATERIAL + MINIMUM_YIELD) * T + i],
        min(w[(MATERIAL + FLOW_RATE) * T + i] * dt, MOST_RELAXATION),
    )


@kernel
def _flow_all(w, dt):  # type: ignore[no-untyped-def]
    """Plastic strains of all lanes at once, by a fixed number of safe Newton iterations for a constant rate.

    Lanes that this does not suit are left with a slope of -1 for `_flow_special`.
    """
    for i in range(LANES):
        s0, s1, s2 = w[S * T + i], w[(S + 1) * T + i], w[(S + 2) * T + i]
        n0, n1, n2, a = w[N * T + i], w[(N + 1) * T + i], w[(N + 2) * T + i], w[SIZE * T + i]
        mu, lam, linear = w[MU_INDEX + i], w[LAM_INDEX + i], w[LINEAR_INDEX + i]
        mu = mu if mu > 0.0 else 1.0
        y, hard, least, k = _flow_law(w, i, dt)
        g, slope = directed_stress(0.0, s0, s1, s2, n0, n1, n2, mu, lam, linear)
        p = max(g - y, 0.0) * k / (2.0 * mu + k * max(slope + hard, mu))
        low, high = 0.0, a
        p = p if p < high else 0.5 * high
        p, low, high = flow_iteration(p, low, high, s0, s1, s2, n0, n1, n2, mu, lam, linear, y, hard, least, k)
        p, low, high = flow_iteration(p, low, high, s0, s1, s2, n0, n1, n2, mu, lam, linear, y, hard, least, k)
        p, low, high = flow_iteration(p, low, high, s0, s1, s2, n0, n1, n2, mu, lam, linear, y, hard, least, k)
        p, low, high = flow_iteration(p, low, high, s0, s1, s2, n0, n1, n2, mu, lam, linear, y, hard, least, k)
        end, low, high = flow_iteration(p, low, high, s0, s1, s2, n0, n1, n2, mu, lam, linear, y, hard, least, k)
        special = (
            (abs(end - p) > 1e-10 * a)
            | (w[(MATERIAL + FULL_NORM) * T + i] > 0.5)
            | (w[(MATERIAL + RATE_STRESS) * T + i] > 0.0)
            | (y + hard * end < least)
        )
        w[FLOW * T + i] = end if a > 0.0 else 0.0
        w[SLOPE * T + i] = -1.0 if special else hard + 2.0 * mu / max(k, 1e-300)


@kernel
def _flow_special(w, dt):  # type: ignore[no-untyped-def]
    """Plastic strains of the lanes that `_flow_all` left."""
    for i in range(LANES):
        if w[SIZE * T + i] > 0.0 and w[SLOPE * T + i] < 0.0:
            y, hard, least, k = _flow_law(w, i, dt)
            w[FLOW * T + i], w[SLOPE * T + i] = special_flow(
                w[SIZE * T + i], w[S * T + i], w[(S + 1) * T + i], w[(S + 2) * T + i],
                w[N * T + i], w[(N + 1) * T + i], w[(N + 2) * T + i],
                w[MU_INDEX + i], w[LAM_INDEX + i], w[LINEAR_INDEX + i], y, hard, least, k,
                w[(MATERIAL + RATE_STRESS) * T + i], w[(MATERIAL + RATE_EXPONENT) * T + i], w[(MATERIAL + FULL_NORM) * T + i],
                w[FLOW_STRESS * T + i],
            )  # fmt: skip


@kernel
def _relax(w):  # type: ignore[no-untyped-def]
    """Stress, energy and yield measure of the lanes that flow."""
    for i in range(LANES):
        flows = w[SIZE * T + i] > 0.0
        s0, s1, s2 = w[S * T + i], w[(S + 1) * T + i], w[(S + 2) * T + i]
        p0, p1, p2, energy, along = flow_outcome(
            w[FLOW * T + i], w[SIZE * T + i], s0 if flows else 1.0, s1 if flows else 1.0, s2 if flows else 1.0,
            w[N * T + i], w[(N + 1) * T + i], w[(N + 2) * T + i],
            w[MU_INDEX + i], w[LAM_INDEX + i], w[LINEAR_INDEX + i], ROOT_2_3 * w[YIELD * T + i],
        )  # fmt: skip
        measure = np.sqrt(p0 * p0 + p1 * p1 + p2 * p2) if w[(MATERIAL + FULL_NORM) * T + i] > 0.5 else ROOT_3_2 * along
        w[P * T + i] = p0 if flows else w[P * T + i]
        w[(P + 1) * T + i] = p1 if flows else w[(P + 1) * T + i]
        w[(P + 2) * T + i] = p2 if flows else w[(P + 2) * T + i]
        w[ENERGY * T + i] = energy if flows else w[ENERGY * T + i]
        w[MEASURE * T + i] = measure if flows else w[MEASURE * T + i]


@kernel
def _flow(w, dt):  # type: ignore[no-untyped-def]
    """Relax the elements whose yield measure exceeds the yield stress (Bargteil eqs 7-10)."""
    if _yielding(w) > 0:
        _flow_all(w, dt)
        _flow_special(w, dt)
        _relax(w)


@kernel
def _corner_forces(w, forces):  # type: ignore[no-untyped-def]
    """Forces on nodes 1 to 3, -volume (U P V^T) B^T (Irving section 3: the area-weighted normals are rows of B)."""
    for row in range(3):
        for i in range(LANES):
            u0 = w[(U + 3 * row) * T + i] * w[P * T + i] * w[VOLUME * T + i]
            u1 = w[(U + 3 * row + 1) * T + i] * w[(P + 1) * T + i] * w[VOLUME * T + i]
            u2 = w[(U + 3 * row + 2) * T + i] * w[(P + 2) * T + i] * w[VOLUME * T + i]
            p0 = u0 * w[V * T + i] + u1 * w[(V + 1) * T + i] + u2 * w[(V + 2) * T + i]
            p1 = u0 * w[(V + 3) * T + i] + u1 * w[(V + 4) * T + i] + u2 * w[(V + 5) * T + i]
            p2 = u0 * w[(V + 6) * T + i] + u1 * w[(V + 7) * T + i] + u2 * w[(V + 8) * T + i]
            forces[i, row] = -(p0 * w[B * T + i] + p1 * w[(B + 1) * T + i] + p2 * w[(B + 2) * T + i])
            forces[i, 3 + row] = -(p0 * w[(B + 3) * T + i] + p1 * w[(B + 4) * T + i] + p2 * w[(B + 5) * T + i])
            forces[i, 6 + row] = -(p0 * w[(B + 6) * T + i] + p1 * w[(B + 7) * T + i] + p2 * w[(B + 8) * T + i])


@parallel
def evaluate(positions, tets, tiles, dt, forces, energies):  # type: ignore[no-untyped-def]
    """Fill tiles up to stress and flow, forces (tiles * TILE, 9) on nodes 1-3 [N], energies (tiles,) [J]."""
    count = len(tets)
    for k in prange(len(tiles)):
        w = tiles[k]
        first = k * LANES
        _deform(w, positions, tets[first : min(count, first + LANES)])
        _decompose(w)
        _stress(w)
        _flow(w, dt)
        _corner_forces(w, forces[first : first + LANES])
        total = 0.0
        for j in range(LANES):
            total += w[ENERGY * T + j] * w[VOLUME * T + j]
        energies[k] = total
