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
from ..svd import svd3, symmetric_eigenvectors
from .elasticity import principal_hessian, principal_stress
from .plasticity import (
    ROOT_2_3,
    ROOT_3_2,
    SMALLEST_STRETCH,
    deviator,
    directed_stress,
    flow_hessian,
    flow_iteration,
    flow_outcome,
    special_flow,
)
from .tile import (
    ANTI,
    DENSITY,
    ENERGY,
    FLOOR,
    FLOW,
    FLOW_STRESS,
    MATERIAL,
    MEASURE,
    SIZE,
    SLOPE,
    SYM,
    VOLUME,
    YIELD,
    B,
    F,
    H,
    N,
    P,
    S,
    U,
    V,
)

T = np.uint64(TILE)
INERTIA_SHARE = 0.9
_LANES = TILE
_MU, _LAM, _LINEAR = (MATERIAL + MU) * TILE, (MATERIAL + LAMBDA) * TILE, (MATERIAL + LINEAR_VOLUME) * TILE
# Node pairs of a tet in the order of its stiffness blocks.
PAIRS = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])


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
        for j in range(_LANES):
            i = np.uint64(j)
            e0, e1, e2 = w[at(F + 3 * row, i)], w[at(F + 3 * row + 1, i)], w[at(F + 3 * row + 2, i)]
            w[at(F + 3 * row, i)] = e0 * w[at(B, i)] + e1 * w[at(B + 3, i)] + e2 * w[at(B + 6, i)]
            w[at(F + 3 * row + 1, i)] = e0 * w[at(B + 1, i)] + e1 * w[at(B + 4, i)] + e2 * w[at(B + 7, i)]
            w[at(F + 3 * row + 2, i)] = e0 * w[at(B + 2, i)] + e1 * w[at(B + 5, i)] + e2 * w[at(B + 8, i)]


@kernel
def _decompose(w):  # type: ignore[no-untyped-def]
    """F = U diag(s) V^T, rotations only (Irving section 4)."""
    for j in range(_LANES):
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
    for j in range(_LANES):
        i = np.uint64(j)
        s0, s1, s2 = w[at(S, i)], w[at(S + 1, i)], w[at(S + 2, i)]
        energy, p0, p1, p2 = principal_stress(
            s0, s1, s2, w[np.uint64(_MU) + i], w[np.uint64(_LAM) + i], w[np.uint64(_LINEAR) + i]
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
    for j in range(_LANES):
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
    for j in range(_LANES):
        i = np.uint64(j)
        s0, s1, s2 = w[at(S, i)], w[at(S + 1, i)], w[at(S + 2, i)]
        n0, n1, n2, a = w[at(N, i)], w[at(N + 1, i)], w[at(N + 2, i)], w[at(SIZE, i)]
        mu, lam, linear = w[np.uint64(_MU) + i], w[np.uint64(_LAM) + i], w[np.uint64(_LINEAR) + i]
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
    for j in range(_LANES):
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
    for j in range(_LANES):
        i = np.uint64(j)
        flows = w[at(SIZE, i)] > 0.0
        s0, s1, s2 = w[at(S, i)], w[at(S + 1, i)], w[at(S + 2, i)]
        p0, p1, p2, energy, along = flow_outcome(
            w[at(FLOW, i)], w[at(SLOPE, i)], w[at(SIZE, i)], s0 if flows else 1.0, s1 if flows else 1.0, s2 if flows else 1.0,
            w[at(N, i)], w[at(N + 1, i)], w[at(N + 2, i)],
            w[np.uint64(_MU) + i], w[np.uint64(_LAM) + i], w[np.uint64(_LINEAR) + i], ROOT_2_3 * w[at(YIELD, i)],
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
        for j in range(_LANES):
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
        first = k * _LANES
        _deform(w, positions, tets[first : min(count, first + _LANES)])
        _decompose(w)
        _stress(w)
        _flow(w, dt)
        _corner_forces(w, forces[first : first + _LANES])
        total = 0.0
        for j in range(_LANES):
            total += w[at(ENERGY, np.uint64(j))] * w[at(VOLUME, np.uint64(j))]
        energies[k] = total


@inline
def _secant(pi, pj, si, sj, hii, hjj, hij):  # type: ignore[no-untyped-def]
    """(Pi - Pj)/(si - sj), by its limit when the stretches agree."""
    gap = si - sj
    close = abs(gap) < 1e-5
    return 0.5 * (hii + hjj) - hij if close else (pi - pj) / (1.0 if close else gap)


@kernel
def _principal_moduli(w):  # type: ignore[no-untyped-def]
    """Hessian in the principal frame: 3x3 on the diagonal, symmetric and antisymmetric moduli of the planes, elastic."""
    for j in range(_LANES):
        i = np.uint64(j)
        s0, s1, s2 = w[at(S, i)], w[at(S + 1, i)], w[at(S + 2, i)]
        mu, lam, linear = w[at(MATERIAL + MU, i)], w[at(MATERIAL + LAMBDA, i)], w[at(MATERIAL + LINEAR_VOLUME, i)]
        h00, h11, h22, h01, h02, h12 = principal_hessian(s0, s1, s2, mu, lam, linear)
        p0, p1, p2 = w[at(P, i)], w[at(P + 1, i)], w[at(P + 2, i)]
        w[at(H, i)], w[at(H + 1, i)], w[at(H + 2, i)] = h00, h11, h22
        w[at(H + 3, i)], w[at(H + 4, i)], w[at(H + 5, i)] = h01, h02, h12
        excess = 0.0 if linear > 0.5 else lam * (s0 * s1 * s2 - 1.0)
        w[at(SYM, i)], w[at(SYM + 1, i)], w[at(SYM + 2, i)] = 2.0 * mu - excess * s2, 2.0 * mu - excess * s1, 2.0 * mu - excess * s0
        t01, t02, t12 = s0 + s1, s0 + s2, s1 + s2
        t12 = t12 if t12 > 1e-3 else 1e-3
        t02 = t02 if t02 > 1e-3 else 1e-3
        t01 = t01 if t01 > 1e-3 else 1e-3
        w[at(ANTI, i)], w[at(ANTI + 1, i)], w[at(ANTI + 2, i)] = (p0 + p1) / t01, (p0 + p2) / t02, (p1 + p2) / t12


@kernel
def _flowing_moduli(w):  # type: ignore[no-untyped-def]
    """The same for the lanes that flow, if there are any."""
    any_flow = False
    for j in range(_LANES):
        any_flow |= w[at(SIZE, np.uint64(j))] > 0.0
    if not any_flow:
        return
    for j in range(_LANES):
        i = np.uint64(j)
        flows = w[at(SIZE, i)] > 0.0
        s0, s1, s2 = w[at(S, i)], w[at(S + 1, i)], w[at(S + 2, i)]
        s0, s1, s2 = s0 if flows else 1.0, s1 if flows else 1.0, s2 if flows else 1.0
        p0, p1, p2 = w[at(P, i)], w[at(P + 1, i)], w[at(P + 2, i)]
        h00, h11, h22, h01, h02, h12 = flow_hessian(
            w[at(FLOW, i)], w[at(SLOPE, i)], w[at(SIZE, i)], s0, s1, s2, w[at(N, i)], w[at(N + 1, i)], w[at(N + 2, i)],
            p0, p1, p2, w[np.uint64(_MU) + i], w[np.uint64(_LAM) + i], w[np.uint64(_LINEAR) + i],
        )  # fmt: skip
        sym01, sym02, sym12 = (
            _secant(p0, p1, s0, s1, h00, h11, h01), _secant(p0, p2, s0, s2, h00, h22, h02), _secant(p1, p2, s1, s2, h11, h22, h12)
        )  # fmt: skip
        w[at(H, i)] = h00 if flows else w[at(H, i)]
        w[at(H + 1, i)] = h11 if flows else w[at(H + 1, i)]
        w[at(H + 2, i)] = h22 if flows else w[at(H + 2, i)]
        w[at(H + 3, i)] = h01 if flows else w[at(H + 3, i)]
        w[at(H + 4, i)] = h02 if flows else w[at(H + 4, i)]
        w[at(H + 5, i)] = h12 if flows else w[at(H + 5, i)]
        w[at(SYM, i)] = sym01 if flows else w[at(SYM, i)]
        w[at(SYM + 1, i)] = sym02 if flows else w[at(SYM + 1, i)]
        w[at(SYM + 2, i)] = sym12 if flows else w[at(SYM + 2, i)]


@kernel
def _project(w, inertia):  # type: ignore[no-untyped-def]
    """Raise negative curvature to what the tet's own inertia outweighs, so that the sum stays positive.

    A tet's curvature -c costs its nodes at most c volume |sum g g^T| in stiffness, g the shape gradients, and each holds
    density volume/4 times `inertia` = 1/step^2. Clamping to zero instead makes Newton crawl in compressed bodies.
    """
    for j in range(_LANES):
        i = np.uint64(j)
        b00, b01, b02 = w[at(B, i)], w[at(B + 1, i)], w[at(B + 2, i)]
        b10, b11, b12 = w[at(B + 3, i)], w[at(B + 4, i)], w[at(B + 5, i)]
        b20, b21, b22 = w[at(B + 6, i)], w[at(B + 7, i)], w[at(B + 8, i)]
        g0, g1, g2 = b00 + b10 + b20, b01 + b11 + b21, b02 + b12 + b22
        s00, s11 = b00 * b00 + b10 * b10 + b20 * b20 + g0 * g0, b01 * b01 + b11 * b11 + b21 * b21 + g1 * g1
        s22, s01 = b02 * b02 + b12 * b12 + b22 * b22 + g2 * g2, b00 * b01 + b10 * b11 + b20 * b21 + g0 * g1
        s02, s12 = b00 * b02 + b10 * b12 + b20 * b22 + g0 * g2, b01 * b02 + b11 * b12 + b21 * b22 + g1 * g2
        size = np.sqrt(s00 * s00 + s11 * s11 + s22 * s22 + 2.0 * (s01 * s01 + s02 * s02 + s12 * s12))
        floor = -INERTIA_SHARE * 0.25 * w[at(DENSITY, i)] * inertia / (size + 1e-300)
        w[at(FLOOR, i)] = floor
        w[at(SYM, i)], w[at(SYM + 1, i)] = max(w[at(SYM, i)], floor), max(w[at(SYM + 1, i)], floor)
        w[at(SYM + 2, i)], w[at(ANTI, i)] = max(w[at(SYM + 2, i)], floor), max(w[at(ANTI, i)], floor)
        w[at(ANTI + 1, i)], w[at(ANTI + 2, i)] = max(w[at(ANTI + 1, i)], floor), max(w[at(ANTI + 2, i)], floor)
    for j in range(_LANES):
        i = np.uint64(j)
        floor = w[at(FLOOR, i)]
        a, b, c = w[at(H, i)] - floor, w[at(H + 1, i)] - floor, w[at(H + 2, i)] - floor
        d, e, f = w[at(H + 3, i)], w[at(H + 4, i)], w[at(H + 5, i)]
        minor = a * b - d * d
        if a > 0.0 and minor > 0.0 and c * minor - a * f * f - b * e * e + 2.0 * d * e * f > 0.0:
            continue
        e0, e1, e2, v00, v01, v02, v10, v11, v12, v20, v21, v22 = symmetric_eigenvectors(a, b, c, d, e, f)
        e0, e1, e2 = max(e0, 0.0) + floor, max(e1, 0.0) + floor, max(e2, 0.0) + floor
        w[at(H, i)] = e0 * v00 * v00 + e1 * v01 * v01 + e2 * v02 * v02
        w[at(H + 1, i)] = e0 * v10 * v10 + e1 * v11 * v11 + e2 * v12 * v12
        w[at(H + 2, i)] = e0 * v20 * v20 + e1 * v21 * v21 + e2 * v22 * v22
        w[at(H + 3, i)] = e0 * v00 * v10 + e1 * v01 * v11 + e2 * v02 * v12
        w[at(H + 4, i)] = e0 * v00 * v20 + e1 * v01 * v21 + e2 * v02 * v22
        w[at(H + 5, i)] = e0 * v10 * v20 + e1 * v11 * v21 + e2 * v12 * v22


@inline
def _rotated_gradient(w, i, node):  # type: ignore[no-untyped-def]
    """V^T times the shape gradient of a node: row node - 1 of B, or minus their sum for node 0."""
    if node == 0:
        b0 = -(w[at(B, i)] + w[at(B + 3, i)] + w[at(B + 6, i)])
        b1 = -(w[at(B + 1, i)] + w[at(B + 4, i)] + w[at(B + 7, i)])
        b2 = -(w[at(B + 2, i)] + w[at(B + 5, i)] + w[at(B + 8, i)])
    else:
        b0, b1, b2 = w[at(B + 3 * node - 3, i)], w[at(B + 3 * node - 2, i)], w[at(B + 3 * node - 1, i)]
    return (
        w[at(V, i)] * b0 + w[at(V + 3, i)] * b1 + w[at(V + 6, i)] * b2,
        w[at(V + 1, i)] * b0 + w[at(V + 4, i)] * b1 + w[at(V + 7, i)] * b2,
        w[at(V + 2, i)] * b0 + w[at(V + 5, i)] * b1 + w[at(V + 8, i)] * b2,
    )


@inline
def _turned(w, i, m0, m1, m2, row):  # type: ignore[no-untyped-def]
    """Row of U M U^T, given the row (U M)[row] = (m0, m1, m2)."""
    return (
        m0 * w[at(U, i)] + m1 * w[at(U + 1, i)] + m2 * w[at(U + 2, i)],
        m0 * w[at(U + 3, i)] + m1 * w[at(U + 4, i)] + m2 * w[at(U + 5, i)],
        m0 * w[at(U + 6, i)] + m1 * w[at(U + 7, i)] + m2 * w[at(U + 8, i)],
    )


@kernel
def _blocks(w, first, second, pair, out):  # type: ignore[no-untyped-def]
    """Stiffness block of one node pair for all lanes into out[lane, pair, 9]."""
    slot = np.uint64(pair)
    for j in range(_LANES):
        i = np.uint64(j)
        a0, a1, a2 = _rotated_gradient(w, i, first)
        b0, b1, b2 = _rotated_gradient(w, i, second)
        volume = w[at(VOLUME, i)]
        h00, h11, h22 = w[at(H, i)], w[at(H + 1, i)], w[at(H + 2, i)]
        h01, h02, h12 = w[at(H + 3, i)], w[at(H + 4, i)], w[at(H + 5, i)]
        sym01, sym02, sym12 = w[at(SYM, i)], w[at(SYM + 1, i)], w[at(SYM + 2, i)]
        anti01, anti02, anti12 = w[at(ANTI, i)], w[at(ANTI + 1, i)], w[at(ANTI + 2, i)]
        g01, g02, g12 = 0.5 * (sym01 + anti01), 0.5 * (sym02 + anti02), 0.5 * (sym12 + anti12)
        x01, x02, x12 = 0.5 * (sym01 - anti01), 0.5 * (sym02 - anti02), 0.5 * (sym12 - anti12)
        m00 = volume * (h00 * a0 * b0 + g01 * a1 * b1 + g02 * a2 * b2)
        m11 = volume * (h11 * a1 * b1 + g01 * a0 * b0 + g12 * a2 * b2)
        m22 = volume * (h22 * a2 * b2 + g02 * a0 * b0 + g12 * a1 * b1)
        m01, m10 = volume * (h01 * a0 * b1 + x01 * a1 * b0), volume * (h01 * a1 * b0 + x01 * a0 * b1)
        m02, m20 = volume * (h02 * a0 * b2 + x02 * a2 * b0), volume * (h02 * a2 * b0 + x02 * a0 * b2)
        m12, m21 = volume * (h12 * a1 * b2 + x12 * a2 * b1), volume * (h12 * a2 * b1 + x12 * a1 * b2)
        for row in range(3):
            u0, u1, u2 = w[at(U + 3 * row, i)], w[at(U + 3 * row + 1, i)], w[at(U + 3 * row + 2, i)]
            r0, r1, r2 = u0 * m00 + u1 * m10 + u2 * m20, u0 * m01 + u1 * m11 + u2 * m21, u0 * m02 + u1 * m12 + u2 * m22
            k0, k1, k2 = _turned(w, i, r0, r1, r2, row)
            out[i, slot, np.uint64(3 * row)] = k0
            out[i, slot, np.uint64(3 * row + 1)] = k1
            out[i, slot, np.uint64(3 * row + 2)] = k2


@parallel
def stiffness(tiles, inertia, blocks):  # type: ignore[no-untyped-def]
    """Off-diagonal 3x3 blocks of every tet, blocks (tiles * TILE, 6, 9) in the order of PAIRS [N/m].

    `inertia` is 1/step^2 [1/s^2], the least that the time step multiplies masses by; negative leaves the stiffness as it is.
    Moving all nodes together stores no energy, so a diagonal block is minus the sum of its row and is not kept.
    """
    for k in prange(len(tiles)):
        w = tiles[k]
        out = blocks[k * _LANES : (k + 1) * _LANES]
        _principal_moduli(w)
        _flowing_moduli(w)
        if inertia >= 0.0:
            _project(w, inertia)
        _blocks(w, 0, 1, 0, out)
        _blocks(w, 0, 2, 1, out)
        _blocks(w, 0, 3, 2, out)
        _blocks(w, 1, 2, 3, out)
        _blocks(w, 1, 3, 4, out)
        _blocks(w, 2, 3, 5, out)
