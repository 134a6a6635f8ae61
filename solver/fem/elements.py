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

T = np.uint64(TILE)
LANES = TILE
MU_INDEX = np.uint64((MATERIAL + MU) * TILE)
LAM_INDEX = np.uint64((MATERIAL + LAMBDA) * TILE)
LINEAR_INDEX = np.uint64((MATERIAL + LINEAR_VOLUME) * TILE)


@inline
def at(slot, lane):  # type: ignore[no-untyped-def]
    """Index of a slot's lane in its tile; unsigned, so that no test for negative indices stops vectorisation."""
    return np.uint64(slot) * T + lane


@kernel
def _deform(w, positions, tets):  # type: ignore[no-untyped-def]
    """F = [x1 - x0, x2 - x0, x3 - x0] B (Bargteil eq 1)."""
    for j in range(len(tets)):
        i = np.uint64(j)
        a, b, c, d = np.uint64(tets[i, 0]), np.uint64(tets[i, 1]), np.uint64(tets[i, 2]), np.uint64(tets[i, 3])
        for k in range(3):
            origin = positions[a, k]
            w[at(F + 3 * k, i)] = positions[b, k] - origin
            w[at(F + 3 * k + 1, i)] = positions[c, k] - origin
            w[at(F + 3 * k + 2, i)] = positions[d, k] - origin
    for row in range(3):
        for j in range(LANES):
            i = np.uint64(j)
            e0, e1, e2 = w[at(F + 3 * row, i)], w[at(F + 3 * row + 1, i)], w[at(F + 3 * row + 2, i)]
            w[at(F + 3 * row, i)] = e0 * w[at(B, i)] + e1 * w[at(B + 3, i)] + e2 * w[at(B + 6, i)]
            w[at(F + 3 * row + 1, i)] = e0 * w[at(B + 1, i)] + e1 * w[at(B + 4, i)] + e2 * w[at(B + 7, i)]
            w[at(F + 3 * row + 2, i)] = e0 * w[at(B + 2, i)] + e1 * w[at(B + 5, i)] + e2 * w[at(B + 8, i)]


@kernel
def _decompose(w):  # type: ignore[no-untyped-def]
    """F = U diag(s) V^T, rotations only (Irving section 4)."""
    for j in range(LANES):
        i = np.uint64(j)
        r = svd3(
            w[at(0, i)], w[at(1, i)], w[at(2, i)], w[at(3, i)], w[at(4, i)], w[at(5, i)], w[at(6, i)], w[at(7, i)], w[at(8, i)]
        )  # fmt: skip
        w[at(9, i)], w[at(10, i)], w[at(11, i)] = r[0], r[1], r[2]
        w[at(12, i)], w[at(13, i)], w[at(14, i)] = r[3], r[4], r[5]
        w[at(15, i)], w[at(16, i)], w[at(17, i)] = r[6], r[7], r[8]
        w[at(18, i)], w[at(19, i)], w[at(20, i)] = r[9], r[10], r[11]
        w[at(21, i)], w[at(22, i)], w[at(23, i)] = r[12], r[13], r[14]
        w[at(24, i)], w[at(25, i)], w[at(26, i)] = r[15], r[16], r[17]
        w[at(27, i)], w[at(28, i)], w[at(29, i)] = r[18], r[19], r[20]


@kernel
def _stress(w):  # type: ignore[no-untyped-def]
    """Elastic principal stresses, and an upper bound of the yield measure in MEASURE."""
    for j in range(LANES):
        i = np.uint64(j)
        s0, s1, s2 = w[at(S, i)], w[at(S + 1, i)], w[at(S + 2, i)]
        energy, p0, p1, p2 = principal_stress(
            s0, s1, s2, w[MU_INDEX + i], w[LAM_INDEX + i], w[LINEAR_INDEX + i]
        )
        t0, t1, t2 = s0 * p0, s1 * p1, s2 * p2
        average = (t0 + t1 + t2) / 3.0
        mises = ROOT_3_2 * np.sqrt((t0 - average) ** 2 + (t1 - average) ** 2 + (t2 - average) ** 2)
        norm = np.sqrt(p0 * p0 + p1 * p1 + p2 * p2)
        w[at(P, i)], w[at(P + 1, i)], w[at(P + 2, i)] = p0, p1, p2
        w[at(ENERGY, i)] = energy
        w[at(FLOW, i)] = 0.0
        w[at(SLOPE, i)] = 0.0
        w[at(SIZE, i)] = 0.0
        w[at(MEASURE, i)] = norm if w[at(MATERIAL + FULL_NORM, i)] > 0.5 else mises


@kernel
def _yielding(w):  # type: ignore[no-untyped-def]
    """Mark the lanes that yield by the size and direction of their log deviator; return how many."""
    count = 0
    for j in range(LANES):
        i = np.uint64(j)
        s0, s1, s2 = w[at(S, i)], w[at(S + 1, i)], w[at(S + 2, i)]
        if w[at(MEASURE, i)] > w[at(YIELD, i)] and w[at(MATERIAL + FLOW_RATE, i)] > 0.0 and s2 > SMALLEST_STRETCH:
            a, n0, n1, n2 = deviator(s0, s1, s2)
            along = n0 * s0 * w[at(P, i)] + n1 * s1 * w[at(P + 1, i)] + n2 * s2 * w[at(P + 2, i)]
            if along > 0.0 and (w[at(MATERIAL + FULL_NORM, i)] > 0.5 or ROOT_3_2 * along > w[at(YIELD, i)]):
                w[at(SIZE, i)], w[at(N, i)], w[at(N + 1, i)], w[at(N + 2, i)] = a, n0, n1, n2
                count += 1
    return count


@inline
def _flow_law(w, i, dt):  # type: ignore[no-untyped-def]
    """Along the deviator's direction: yield stress, hardening, least yield stress [Pa], and rate times dt."""
    gated = w[at(MATERIAL + STRESS_TIME, i)] > 0.5
    return (
        ROOT_2_3 * w[at(YIELD, i)],
        0.0 if gated else w[at(MATERIAL + HARDENING, i)] * (2.0 / 3.0),
        ROOT_2_3 * w[at(MATERIAL + MINIMUM_YIELD, i)],
        w[at(MATERIAL + FLOW_RATE, i)] * dt,
    )


@kernel
def _flow_all(w, dt):  # type: ignore[no-untyped-def]
    """Plastic strains of all lanes at once, by a fixed number of safe Newton iterations for a constant rate.

    Lanes that this does not suit are left with a slope of -1 for `_flow_special`.
    """
    for j in range(LANES):
        i = np.uint64(j)
        s0, s1, s2 = w[at(S, i)], w[at(S + 1, i)], w[at(S + 2, i)]
        n0, n1, n2, a = w[at(N, i)], w[at(N + 1, i)], w[at(N + 2, i)], w[at(SIZE, i)]
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
            | (w[at(MATERIAL + FULL_NORM, i)] > 0.5)
            | (w[at(MATERIAL + RATE_STRESS, i)] > 0.0)
            | (y + hard * end < least)
        )
        w[at(FLOW, i)] = end if a > 0.0 else 0.0
        w[at(SLOPE, i)] = -1.0 if special else hard + 2.0 * mu / max(k, 1e-300)


@kernel
def _flow_special(w, dt):  # type: ignore[no-untyped-def]
    """Plastic strains of the lanes that `_flow_all` left."""
    for j in range(LANES):
        i = np.uint64(j)
        if w[at(SIZE, i)] > 0.0 and w[at(SLOPE, i)] < 0.0:
            y, hard, least, k = _flow_law(w, i, dt)
            w[at(FLOW, i)], w[at(SLOPE, i)] = special_flow(
                w[at(SIZE, i)], w[at(S, i)], w[at(S + 1, i)], w[at(S + 2, i)], w[at(N, i)], w[at(N + 1, i)], w[at(N + 2, i)],
                w[at(MATERIAL + MU, i)], w[at(MATERIAL + LAMBDA, i)], w[at(MATERIAL + LINEAR_VOLUME, i)], y, hard, least, k,
                w[at(MATERIAL + RATE_STRESS, i)], w[at(MATERIAL + RATE_EXPONENT, i)], w[at(MATERIAL + FULL_NORM, i)],
                w[at(FLOW_STRESS, i)],
            )  # fmt: skip


@kernel
def _relax(w):  # type: ignore[no-untyped-def]
    """Stress, energy and yield measure of the lanes that flow."""
    for j in range(LANES):
        i = np.uint64(j)
        flows = w[at(SIZE, i)] > 0.0
        s0, s1, s2 = w[at(S, i)], w[at(S + 1, i)], w[at(S + 2, i)]
        p0, p1, p2, energy, along = flow_outcome(
            w[at(FLOW, i)], w[at(SLOPE, i)], w[at(SIZE, i)], s0 if flows else 1.0, s1 if flows else 1.0, s2 if flows else 1.0,
            w[at(N, i)], w[at(N + 1, i)], w[at(N + 2, i)],
            w[MU_INDEX + i], w[LAM_INDEX + i], w[LINEAR_INDEX + i], ROOT_2_3 * w[at(YIELD, i)],
        )  # fmt: skip
        measure = np.sqrt(p0 * p0 + p1 * p1 + p2 * p2) if w[at(MATERIAL + FULL_NORM, i)] > 0.5 else ROOT_3_2 * along
        w[at(P, i)] = p0 if flows else w[at(P, i)]
        w[at(P + 1, i)] = p1 if flows else w[at(P + 1, i)]
        w[at(P + 2, i)] = p2 if flows else w[at(P + 2, i)]
        w[at(ENERGY, i)] = energy if flows else w[at(ENERGY, i)]
        w[at(MEASURE, i)] = measure if flows else w[at(MEASURE, i)]


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
        for j in range(LANES):
            i = np.uint64(j)
            u0 = w[at(U + 3 * row, i)] * w[at(P, i)] * w[at(VOLUME, i)]
            u1 = w[at(U + 3 * row + 1, i)] * w[at(P + 1, i)] * w[at(VOLUME, i)]
            u2 = w[at(U + 3 * row + 2, i)] * w[at(P + 2, i)] * w[at(VOLUME, i)]
            p0 = u0 * w[at(V, i)] + u1 * w[at(V + 1, i)] + u2 * w[at(V + 2, i)]
            p1 = u0 * w[at(V + 3, i)] + u1 * w[at(V + 4, i)] + u2 * w[at(V + 5, i)]
            p2 = u0 * w[at(V + 6, i)] + u1 * w[at(V + 7, i)] + u2 * w[at(V + 8, i)]
            forces[i, np.uint64(row)] = -(p0 * w[at(B, i)] + p1 * w[at(B + 1, i)] + p2 * w[at(B + 2, i)])
            forces[i, np.uint64(3 + row)] = -(p0 * w[at(B + 3, i)] + p1 * w[at(B + 4, i)] + p2 * w[at(B + 5, i)])
            forces[i, np.uint64(6 + row)] = -(p0 * w[at(B + 6, i)] + p1 * w[at(B + 7, i)] + p2 * w[at(B + 8, i)])


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
            total += w[at(ENERGY, np.uint64(j))] * w[at(VOLUME, np.uint64(j))]
        energies[k] = total
