"""Signed singular value decomposition of 3x3 matrices, F = U diag(s) V^T with rotations only.

Irving 2004, section 4: det U = det V = +1 always, so an inverted F carries its minus sign on the singular value of
smallest magnitude. V comes from cyclic Jacobi rotations of F^T F, written out one after another (a loop over sweeps is
not vectorised), U and s from a QR factorisation of F V by Givens rotations (McAdams et al. 2011, "Computing the singular
value decomposition of 3x3 matrices"), which gives an orthogonal U for flat, needle-like and zero F too.
"""

import numpy as np
from numba import prange
from numpy.typing import NDArray

from .constants import FOUR, ONE, TWO, ZERO
from .jit import TILE, inline, parallel
from .jit.tile_code import tile_loop

Numbers = NDArray[np.floating]

T = TILE


def signed_svd(matrices: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """Return U (n, 3, 3), s (n, 3), V (n, 3, 3) of matrices (n, 3, 3): rotations, s0 >= s1 >= |s2|, sign(s2) = sign(det).

    float32 stays float32 (entries of size 1e-8 to 1e8); anything else is worked on in float64.
    """
    given = np.asarray(matrices)
    given = np.ascontiguousarray(given, dtype=np.float32 if given.dtype == np.float32 else np.float64)
    if given.ndim != 3 or given.shape[1:] != (3, 3):
        raise ValueError(f"matrices have shape {given.shape}, not (n, 3, 3)")
    count, kind = len(given), given.dtype
    left, values, right = np.empty((9, count), kind), np.empty((3, count), kind), np.empty((9, count), kind)
    _signed_svd_kernel(np.ascontiguousarray(given.reshape(count, 9).T), left, values, right)
    return left.T.reshape(count, 3, 3).copy(), values.T.copy(), right.T.reshape(count, 3, 3).copy()


@inline
def jacobi(app, aqq, apq, arp, arq, vp0, vp1, vp2, vq0, vq1, vq2):  # type: ignore[no-untyped-def]
    """One Jacobi rotation of the symmetric matrix in its (p, q) plane, r the third axis, and of columns p, q of V."""
    d = aqq - app
    sign = ONE if d >= ZERO else -ONE
    reach = abs(d) + np.sqrt(d * d + FOUR * apq * apq)
    t = TWO * apq * sign / (reach if reach > ZERO else ONE)
    c = ONE / np.sqrt(ONE + t * t)
    s = t * c
    return (
        app - t * apq, aqq + t * apq, c * arp - s * arq, s * arp + c * arq,
        c * vp0 - s * vq0, c * vp1 - s * vq1, c * vp2 - s * vq2,
        s * vp0 + c * vq0, s * vp1 + c * vq1, s * vp2 + c * vq2,
    )  # fmt: skip


@inline
def jacobi_sweep(a00, a11, a22, a01, a02, a12, v00, v01, v02, v10, v11, v12, v20, v21, v22):  # type: ignore[no-untyped-def]
    """Rotate the planes (0, 1), (0, 2), (1, 2) once each; v[row][column]."""
    a00, a11, a02, a12, v00, v10, v20, v01, v11, v21 = jacobi(a00, a11, a01, a02, a12, v00, v10, v20, v01, v11, v21)
    a00, a22, a01, a12, v00, v10, v20, v02, v12, v22 = jacobi(a00, a22, a02, ZERO, a12, v00, v10, v20, v02, v12, v22)
    a11, a22, a01, a02, v01, v11, v21, v02, v12, v22 = jacobi(a11, a22, a12, a01, ZERO, v01, v11, v21, v02, v12, v22)
    return a00, a11, a22, a01, a02, ZERO, v00, v01, v02, v10, v11, v12, v20, v21, v22


@inline
def symmetric_eigenvectors(a00, a11, a22, a01, a02, a12):  # type: ignore[no-untyped-def]
    """Eigenvalues and eigenvectors (v[row][column], det +1) of a symmetric matrix by four Jacobi sweeps."""
    e = jacobi_sweep(a00, a11, a22, a01, a02, a12, ONE, ZERO, ZERO, ZERO, ONE, ZERO, ZERO, ZERO, ONE)
    e = jacobi_sweep(e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7], e[8], e[9], e[10], e[11], e[12], e[13], e[14])
    e = jacobi_sweep(e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7], e[8], e[9], e[10], e[11], e[12], e[13], e[14])
    e = jacobi_sweep(e[0], e[1], e[2], e[3], e[4], e[5], e[6], e[7], e[8], e[9], e[10], e[11], e[12], e[13], e[14])
    return e[0], e[1], e[2], e[6], e[7], e[8], e[9], e[10], e[11], e[12], e[13], e[14]


@inline
def order(swap, p0, p1, p2, q0, q1, q2):  # type: ignore[no-untyped-def]
    """Swap two columns, one negated so that the determinant stays."""
    return (
        q0 if swap else p0, q1 if swap else p1, q2 if swap else p2,
        -p0 if swap else q0, -p1 if swap else q1, -p2 if swap else q2,
    )  # fmt: skip


@inline
def givens(a, b):  # type: ignore[no-untyped-def]
    """Cosine and sine that turn (a, b) into (length, 0); the identity when both are zero."""
    r = np.sqrt(a * a + b * b)
    safe = r if r > ZERO else ONE
    return (a / safe if r > ZERO else ONE), b / safe


@inline
def svd3(f00, f01, f02, f10, f11, f12, f20, f21, f22):  # type: ignore[no-untyped-def]
    """U (row-major, 9), s (3), V (row-major, 9) of one matrix, as 21 scalars."""
    _, _, _, v00, v01, v02, v10, v11, v12, v20, v21, v22 = symmetric_eigenvectors(
        f00 * f00 + f10 * f10 + f20 * f20,
        f01 * f01 + f11 * f11 + f21 * f21,
        f02 * f02 + f12 * f12 + f22 * f22,
        f00 * f01 + f10 * f11 + f20 * f21,
        f00 * f02 + f10 * f12 + f20 * f22,
        f01 * f02 + f11 * f12 + f21 * f22,
    )
    b00, b01, b02 = f00 * v00 + f01 * v10 + f02 * v20, f00 * v01 + f01 * v11 + f02 * v21, f00 * v02 + f01 * v12 + f02 * v22
    b10, b11, b12 = f10 * v00 + f11 * v10 + f12 * v20, f10 * v01 + f11 * v11 + f12 * v21, f10 * v02 + f11 * v12 + f12 * v22
    b20, b21, b22 = f20 * v00 + f21 * v10 + f22 * v20, f20 * v01 + f21 * v11 + f22 * v21, f20 * v02 + f21 * v12 + f22 * v22
    n0 = b00 * b00 + b10 * b10 + b20 * b20
    n1 = b01 * b01 + b11 * b11 + b21 * b21
    n2 = b02 * b02 + b12 * b12 + b22 * b22
    swap = n0 < n1
    b00, b10, b20, b01, b11, b21 = order(swap, b00, b10, b20, b01, b11, b21)
    v00, v10, v20, v01, v11, v21 = order(swap, v00, v10, v20, v01, v11, v21)
    n0, n1 = (n1 if swap else n0), (n0 if swap else n1)
    swap = n0 < n2
    b00, b10, b20, b02, b12, b22 = order(swap, b00, b10, b20, b02, b12, b22)
    v00, v10, v20, v02, v12, v22 = order(swap, v00, v10, v20, v02, v12, v22)
    n2 = n0 if swap else n2
    swap = n1 < n2
    b01, b11, b21, b02, b12, b22 = order(swap, b01, b11, b21, b02, b12, b22)
    v01, v11, v21, v02, v12, v22 = order(swap, v01, v11, v21, v02, v12, v22)
    c1, s1 = givens(b00, b10)
    b00 = c1 * b00 + s1 * b10
    b01, b11 = c1 * b01 + s1 * b11, c1 * b11 - s1 * b01
    b02, b12 = c1 * b02 + s1 * b12, c1 * b12 - s1 * b02
    c2, s2 = givens(b00, b20)
    b00 = c2 * b00 + s2 * b20
    b01, b21 = c2 * b01 + s2 * b21, c2 * b21 - s2 * b01
    b02, b22 = c2 * b02 + s2 * b22, c2 * b22 - s2 * b02
    c3, s3 = givens(b11, b21)
    b11 = c3 * b11 + s3 * b21
    b22 = c3 * b22 - s3 * b12
    return (
        c1 * c2, -s1 * c3 - c1 * s2 * s3, s1 * s3 - c1 * s2 * c3,
        s1 * c2, c1 * c3 - s1 * s2 * s3, -c1 * s3 - s1 * s2 * c3,
        s2, c2 * s3, c2 * c3,
        b00, b11, b22,
        v00, v01, v02, v10, v11, v12, v20, v21, v22,
    )  # fmt: skip


@parallel
def _signed_svd_kernel(f, u, s, v):  # type: ignore[no-untyped-def]
    """Components first: f, u, v (9, n), s (3, n).

    Block by block through one buffer: at constant distances inside it the compiler sees that nothing overlaps.
    """
    n = f.shape[1]
    for block in prange((n + TILE - 1) // TILE):
        first = block * TILE
        count = min(TILE, n - first)
        w = np.zeros(30 * TILE, f.dtype)
        for c in range(9):
            w[c * TILE : c * TILE + count] = f[c, first : first + count]
        decompose_tile(w)
        for c in range(9):
            u[c, first : first + count] = w[(9 + c) * TILE : (9 + c) * TILE + count]
            v[c, first : first + count] = w[(21 + c) * TILE : (21 + c) * TILE + count]
        for c in range(3):
            s[c, first : first + count] = w[(18 + c) * TILE : (18 + c) * TILE + count]


@tile_loop
def decompose_tile(w):  # type: ignore[no-untyped-def]
    """Of TILE matrices at once, component after component: rows 0-8 are F, 9-17 become U, 18-20 s, 21-29 V."""
    for i in range(T):
        r = svd3(
            w[i], w[T + i], w[2 * T + i], w[3 * T + i], w[4 * T + i], w[5 * T + i], w[6 * T + i],
            w[7 * T + i], w[8 * T + i],
        )  # fmt: skip
        w[9 * T + i], w[10 * T + i], w[11 * T + i] = r[0], r[1], r[2]
        w[12 * T + i], w[13 * T + i], w[14 * T + i] = r[3], r[4], r[5]
        w[15 * T + i], w[16 * T + i], w[17 * T + i] = r[6], r[7], r[8]
        w[18 * T + i], w[19 * T + i], w[20 * T + i] = r[9], r[10], r[11]
        w[21 * T + i], w[22 * T + i], w[23 * T + i] = r[12], r[13], r[14]
        w[24 * T + i], w[25 * T + i], w[26 * T + i] = r[15], r[16], r[17]
        w[27 * T + i], w[28 * T + i], w[29 * T + i] = r[18], r[19], r[20]
