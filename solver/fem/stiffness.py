"""Stiffness of all tets: second derivatives in the principal frame, made positive where asked, turned into node blocks.

In the frame of U and V the stiffness of an isotropic element is a 3x3 block on the stretches and, for each of the three
planes, a symmetric and an antisymmetric modulus: (P_i - P_j)/(s_i - s_j) and (P_i + P_j)/(s_i + s_j) (Smith et al. 2019,
"Analytic eigensystems for isotropic distortion energies"; here by chain rule through the flow too).
"""

import numpy as np
from numba import prange

from ..jit import inline, kernel, parallel
from ..state import LAMBDA, LINEAR_VOLUME, MU
from ..svd import symmetric_eigenvectors
from .elasticity import principal_hessian
from .elements import LAM_INDEX, LANES, LINEAR_INDEX, MU_INDEX, at
from .plasticity import flow_hessian
from .tile import ANTI, DENSITY, FLOOR, FLOW, MATERIAL, SIZE, SLOPE, SYM, VOLUME, B, H, N, P, S, U, V

# Node pairs of a tet in the order of its stiffness blocks.
PAIRS = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])
INERTIA_SHARE = 0.9


@inline
def _secant(pi, pj, si, sj, hii, hjj, hij):  # type: ignore[no-untyped-def]
    """(Pi - Pj)/(si - sj), by its limit when the stretches agree."""
    gap = si - sj
    close = abs(gap) < 1e-5
    return 0.5 * (hii + hjj) - hij if close else (pi - pj) / (1.0 if close else gap)


@kernel
def _principal_moduli(w):  # type: ignore[no-untyped-def]
    """Hessian in the principal frame: 3x3 on the diagonal, symmetric and antisymmetric moduli of the planes, elastic."""
    for j in range(LANES):
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
    for j in range(LANES):
        any_flow |= w[at(SIZE, np.uint64(j))] > 0.0
    if not any_flow:
        return
    for j in range(LANES):
        i = np.uint64(j)
        flows = w[at(SIZE, i)] > 0.0
        s0, s1, s2 = w[at(S, i)], w[at(S + 1, i)], w[at(S + 2, i)]
        s0, s1, s2 = s0 if flows else 1.0, s1 if flows else 1.0, s2 if flows else 1.0
        p0, p1, p2 = w[at(P, i)], w[at(P + 1, i)], w[at(P + 2, i)]
        h00, h11, h22, h01, h02, h12 = flow_hessian(
            w[at(FLOW, i)], w[at(SLOPE, i)], w[at(SIZE, i)], s0, s1, s2, w[at(N, i)], w[at(N + 1, i)], w[at(N + 2, i)],
            p0, p1, p2, w[MU_INDEX + i], w[LAM_INDEX + i], w[LINEAR_INDEX + i],
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
    for j in range(LANES):
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
    for j in range(LANES):
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
    for j in range(LANES):
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
        out = blocks[k * LANES : (k + 1) * LANES]
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
