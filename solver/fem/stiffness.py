"""Stiffness of all tets: second derivatives in the principal frame, made positive where asked, turned into node blocks.

In the frame of U and V the stiffness of an isotropic element is a 3x3 block on the stretches and, for each of the three
planes, a symmetric and an antisymmetric modulus: (P_i - P_j)/(s_i - s_j) and (P_i + P_j)/(s_i + s_j) (Smith et al. 2019,
"Analytic eigensystems for isotropic distortion energies"; here by chain rule through the flow too).
"""

import numpy as np
from numba import prange

from ..constants import HALF, ONE, QUARTER, TINY, TWO, ZERO
from ..jit import TILE, inline, kernel, parallel
from ..scalar_math import like
from ..slots import (
    ACTIVATION,
    ANTI,
    DENSITY,
    DIRECT,
    FLOOR,
    FLOW,
    MATERIAL,
    MU,
    SIZE,
    SLOPE,
    SYM,
    VOLUME,
    B,
    D,
    E,
    G,
    H,
    N,
    P,
    Q,
    R,
    S,
    U,
    V,
)
from ..svd import symmetric_eigenvectors
from .direct import direct_blocks
from .fibres import stiffen
from .lanes import any_lane
from .plasticity import flow_hessian, log_stiffness

# Node pairs of a tet in the order of its stiffness blocks.
PAIRS = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])
INERTIA_SHARE = np.float32(0.9)
SMALLEST_SUM = np.float32(1e-3)  # of two stretches that the antisymmetric modulus divides by
T = TILE


@kernel
def _principal_hessian(w):  # type: ignore[no-untyped-def]
    """Second derivatives by the trial stretches: the law's own, or through the flow."""
    for k in range(6):
        for i in range(T):
            w[(D + k) * T + i] = w[(H + k) * T + i]
    if any_lane(w, SIZE):
        _flowing_hessian(w)


@kernel
def _flowing_hessian(w):  # type: ignore[no-untyped-def]
    """The same for the lanes that flow."""
    for i in range(T):
        flows = w[SIZE * T + i] > ZERO
        t0, t1, t2, h00, h11, h22, h01, h02, h12 = log_stiffness(
            w[E * T + i], w[(E + 1) * T + i], w[(E + 2) * T + i], w[Q * T + i], w[(Q + 1) * T + i], w[(Q + 2) * T + i],
            w[H * T + i], w[(H + 1) * T + i], w[(H + 2) * T + i], w[(H + 3) * T + i], w[(H + 4) * T + i], w[(H + 5) * T + i],
        )  # fmt: skip
        d = flow_hessian(
            w[FLOW * T + i], w[SLOPE * T + i], w[SIZE * T + i], w[S * T + i] if flows else ONE,
            w[(S + 1) * T + i] if flows else ONE, w[(S + 2) * T + i] if flows else ONE,
            w[N * T + i], w[(N + 1) * T + i], w[(N + 2) * T + i], w[P * T + i], w[(P + 1) * T + i], w[(P + 2) * T + i],
            w[(MATERIAL + MU) * T + i], t0, t1, t2, h00, h11, h22, h01, h02, h12,
        )  # fmt: skip
        w[D * T + i] = d[0] if flows else w[D * T + i]
        w[(D + 1) * T + i] = d[1] if flows else w[(D + 1) * T + i]
        w[(D + 2) * T + i] = d[2] if flows else w[(D + 2) * T + i]
        w[(D + 3) * T + i] = d[3] if flows else w[(D + 3) * T + i]
        w[(D + 4) * T + i] = d[4] if flows else w[(D + 4) * T + i]
        w[(D + 5) * T + i] = d[5] if flows else w[(D + 5) * T + i]


@inline
def _secant(pi, pj, si, sj, hii, hjj, hij, close):  # type: ignore[no-untyped-def]
    """(Pi - Pj)/(si - sj), by its limit when the stretches are `close`."""
    gap = si - sj
    near = abs(gap) < close
    return HALF * (hii + hjj) - hij if near else (pi - pj) / (ONE if near else gap)


@kernel
def _plane_moduli(w):  # type: ignore[no-untyped-def]
    """Symmetric and antisymmetric moduli of the three planes."""
    for i in range(T):
        s0, s1, s2 = w[S * T + i], w[(S + 1) * T + i], w[(S + 2) * T + i]
        p0, p1, p2 = w[P * T + i], w[(P + 1) * T + i], w[(P + 2) * T + i]
        h00, h11, h22 = w[D * T + i], w[(D + 1) * T + i], w[(D + 2) * T + i]
        h01, h02, h12 = w[(D + 3) * T + i], w[(D + 4) * T + i], w[(D + 5) * T + i]
        close = like(s0, 3e-3 if w.itemsize == 4 else 1e-5)  # below it rounding costs more than the limit does
        w[SYM * T + i] = _secant(p0, p1, s0, s1, h00, h11, h01, close)
        w[(SYM + 1) * T + i] = _secant(p0, p2, s0, s2, h00, h22, h02, close)
        w[(SYM + 2) * T + i] = _secant(p1, p2, s1, s2, h11, h22, h12, close)
        w[ANTI * T + i] = (p0 + p1) / max(s0 + s1, SMALLEST_SUM)
        w[(ANTI + 1) * T + i] = (p0 + p2) / max(s0 + s2, SMALLEST_SUM)
        w[(ANTI + 2) * T + i] = (p1 + p2) / max(s1 + s2, SMALLEST_SUM)


@kernel
def _project(w, inertia):  # type: ignore[no-untyped-def]
    """Raise negative curvature to what the tet's own inertia outweighs, so that the sum stays positive.

    A tet's curvature -c costs its nodes at most c volume |sum g g^T| in stiffness, g the shape gradients, and each holds
    density volume/4 times `inertia` = 1/step^2. Clamping to zero instead makes Newton crawl in compressed bodies.
    """
    for i in range(T):
        b00, b01, b02 = w[B * T + i], w[(B + 1) * T + i], w[(B + 2) * T + i]
        b10, b11, b12 = w[(B + 3) * T + i], w[(B + 4) * T + i], w[(B + 5) * T + i]
        b20, b21, b22 = w[(B + 6) * T + i], w[(B + 7) * T + i], w[(B + 8) * T + i]
        g0, g1, g2 = b00 + b10 + b20, b01 + b11 + b21, b02 + b12 + b22
        s00, s11 = b00 * b00 + b10 * b10 + b20 * b20 + g0 * g0, b01 * b01 + b11 * b11 + b21 * b21 + g1 * g1
        s22, s01 = b02 * b02 + b12 * b12 + b22 * b22 + g2 * g2, b00 * b01 + b10 * b11 + b20 * b21 + g0 * g1
        s02, s12 = b00 * b02 + b10 * b12 + b20 * b22 + g0 * g2, b01 * b02 + b11 * b12 + b21 * b22 + g1 * g2
        size = np.sqrt(s00 * s00 + s11 * s11 + s22 * s22 + TWO * (s01 * s01 + s02 * s02 + s12 * s12))
        floor = -INERTIA_SHARE * QUARTER * w[DENSITY * T + i] * like(size, inertia) / max(size, TINY)
        w[FLOOR * T + i] = floor
        w[SYM * T + i], w[(SYM + 1) * T + i] = max(w[SYM * T + i], floor), max(w[(SYM + 1) * T + i], floor)
        w[(SYM + 2) * T + i], w[ANTI * T + i] = max(w[(SYM + 2) * T + i], floor), max(w[ANTI * T + i], floor)
        w[(ANTI + 1) * T + i], w[(ANTI + 2) * T + i] = max(w[(ANTI + 1) * T + i], floor), max(w[(ANTI + 2) * T + i], floor)
    for i in range(T):
        floor = w[FLOOR * T + i]
        a, b, c = w[D * T + i] - floor, w[(D + 1) * T + i] - floor, w[(D + 2) * T + i] - floor
        d, e, f = w[(D + 3) * T + i], w[(D + 4) * T + i], w[(D + 5) * T + i]
        minor = a * b - d * d
        if a > ZERO and minor > ZERO and c * minor - a * f * f - b * e * e + TWO * d * e * f > ZERO:
            continue
        e0, e1, e2, v00, v01, v02, v10, v11, v12, v20, v21, v22 = symmetric_eigenvectors(a, b, c, d, e, f)
        e0, e1, e2 = max(e0, ZERO) + floor, max(e1, ZERO) + floor, max(e2, ZERO) + floor
        w[D * T + i] = e0 * v00 * v00 + e1 * v01 * v01 + e2 * v02 * v02
        w[(D + 1) * T + i] = e0 * v10 * v10 + e1 * v11 * v11 + e2 * v12 * v12
        w[(D + 2) * T + i] = e0 * v20 * v20 + e1 * v21 * v21 + e2 * v22 * v22
        w[(D + 3) * T + i] = e0 * v00 * v10 + e1 * v01 * v11 + e2 * v02 * v12
        w[(D + 4) * T + i] = e0 * v00 * v20 + e1 * v01 * v21 + e2 * v02 * v22
        w[(D + 5) * T + i] = e0 * v10 * v20 + e1 * v11 * v21 + e2 * v12 * v22


@kernel
def _rotate_gradients(w):  # type: ignore[no-untyped-def]
    """V^T times the shape gradients of the four nodes: rows of B for nodes 1 to 3, minus their sum for node 0."""
    for i in range(T):
        for axis in range(3):
            v0, v1, v2 = w[(V + axis) * T + i], w[(V + 3 + axis) * T + i], w[(V + 6 + axis) * T + i]
            g1 = v0 * w[B * T + i] + v1 * w[(B + 1) * T + i] + v2 * w[(B + 2) * T + i]
            g2 = v0 * w[(B + 3) * T + i] + v1 * w[(B + 4) * T + i] + v2 * w[(B + 5) * T + i]
            g3 = v0 * w[(B + 6) * T + i] + v1 * w[(B + 7) * T + i] + v2 * w[(B + 8) * T + i]
            w[(G + axis) * T + i] = -(g1 + g2 + g3)
            w[(G + 3 + axis) * T + i] = g1
            w[(G + 6 + axis) * T + i] = g2
            w[(G + 9 + axis) * T + i] = g3


@kernel
def _split_moduli(w):  # type: ignore[no-untyped-def]
    """From symmetric and antisymmetric moduli to those of an entry of dF on its own and on its mirror entry."""
    for plane in range(3):
        for i in range(T):
            sym, anti = w[(SYM + plane) * T + i], w[(ANTI + plane) * T + i]
            w[(SYM + plane) * T + i], w[(ANTI + plane) * T + i] = HALF * (sym + anti), HALF * (sym - anti)


@inline
def _block(w, first, second, pair, out):  # type: ignore[no-untyped-def]
    """Stiffness block of one node pair for all lanes into out[lane, pair, 9]: volume U M U^T.

    The nodes are written as numbers where this is called, so every distance is known and the first loop is vectorised;
    the second turns components into blocks, which cannot be.
    """
    a, b = (G + 3 * first) * T, (G + 3 * second) * T
    for i in range(T):
        volume = w[VOLUME * T + i]
        a0, a1, a2 = w[a + i] * volume, w[a + T + i] * volume, w[a + 2 * T + i] * volume
        b0, b1, b2 = w[b + i], w[b + T + i], w[b + 2 * T + i]
        g01, g02, g12 = w[SYM * T + i], w[(SYM + 1) * T + i], w[(SYM + 2) * T + i]
        x01, x02, x12 = w[ANTI * T + i], w[(ANTI + 1) * T + i], w[(ANTI + 2) * T + i]
        h01, h02, h12 = w[(D + 3) * T + i], w[(D + 4) * T + i], w[(D + 5) * T + i]
        m00 = w[D * T + i] * a0 * b0 + g01 * a1 * b1 + g02 * a2 * b2
        m11 = w[(D + 1) * T + i] * a1 * b1 + g01 * a0 * b0 + g12 * a2 * b2
        m22 = w[(D + 2) * T + i] * a2 * b2 + g02 * a0 * b0 + g12 * a1 * b1
        m01, m10 = h01 * a0 * b1 + x01 * a1 * b0, h01 * a1 * b0 + x01 * a0 * b1
        m02, m20 = h02 * a0 * b2 + x02 * a2 * b0, h02 * a2 * b0 + x02 * a0 * b2
        m12, m21 = h12 * a1 * b2 + x12 * a2 * b1, h12 * a2 * b1 + x12 * a1 * b2
        for row in range(3):
            u0, u1, u2 = w[(U + 3 * row) * T + i], w[(U + 3 * row + 1) * T + i], w[(U + 3 * row + 2) * T + i]
            r0, r1, r2 = u0 * m00 + u1 * m10 + u2 * m20, u0 * m01 + u1 * m11 + u2 * m21, u0 * m02 + u1 * m12 + u2 * m22
            w[(R + 3 * row) * T + i] = r0 * w[U * T + i] + r1 * w[(U + 1) * T + i] + r2 * w[(U + 2) * T + i]
            w[(R + 3 * row + 1) * T + i] = r0 * w[(U + 3) * T + i] + r1 * w[(U + 4) * T + i] + r2 * w[(U + 5) * T + i]
            w[(R + 3 * row + 2) * T + i] = r0 * w[(U + 6) * T + i] + r1 * w[(U + 7) * T + i] + r2 * w[(U + 8) * T + i]
    for i in range(T):
        for c in range(9):
            out[i, pair, c] = w[(R + c) * T + i]


@parallel
def stiffness(tiles, inertia, blocks):  # type: ignore[no-untyped-def]
    """Off-diagonal 3x3 blocks of every tet, blocks (tiles * TILE, 6, 9) in the order of PAIRS [N/m].

    `inertia` is 1/step^2 [1/s^2], the least that the time step multiplies masses by; negative leaves the stiffness as it is.
    Only tiles that were decomposed can be made positive.
    Moving all nodes together stores no energy, so a diagonal block is minus the sum of its row and is not kept.
    """
    for k in prange(len(tiles)):
        w = tiles[k]
        out = blocks[k * T : (k + 1) * T]
        if w[DIRECT * T] > ZERO:
            direct_blocks(w, out)
        else:
            _principal_hessian(w)
            _plane_moduli(w)
            if inertia >= 0.0:
                _project(w, inertia)
            _split_moduli(w)
            _rotate_gradients(w)
            _blocks(w, out)
        if w[ACTIVATION * T] >= ZERO:
            stiffen(w, PAIRS, out)


@kernel
def _blocks(w, out):  # type: ignore[no-untyped-def]
    """All six, in the order of PAIRS."""
    _block(w, 0, 1, 0, out)
    _block(w, 0, 2, 1, out)
    _block(w, 0, 3, 2, out)
    _block(w, 1, 2, 3, out)
    _block(w, 1, 3, 4, out)
    _block(w, 2, 3, 5, out)
