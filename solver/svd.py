"""Signed singular value decomposition of 3x3 matrices, F = U diag(s) V^T with rotations only.

Irving 2004, section 4: det U = det V = +1 always, so an inverted F carries its minus sign on the singular value of
smallest magnitude. V comes from cyclic Jacobi rotations of F^T F by nearly the right angle, kept as a quaternion that is
made one of unit length at the end; U and s from a QR factorisation of F V by Givens rotations, which gives an orthogonal U
for flat, needle-like and zero F too (McAdams et al. 2011, "Computing the singular value decomposition of 3x3 matrices").
"""

import numpy as np
from numba import prange
from numpy.typing import NDArray

from .constants import HALF, ONE, QUARTER, TWO, ZERO
from .jit import TILE, inline, kernel, parallel
from .jit.tile_code import tile_loop, tile_loop_on
from .jit.tile_symbols import inverse_root

Numbers = NDArray[np.floating]

SWEEPS = 3  # after which nothing is left to float32; float64 takes one more
LEADING, ACROSS = 0.8, 0.4828427124746190  # LEADING (1 + sqrt(2))/4: an eighth of a turn where the gap is zero
# Sines far below rounding, and squares that may be taken for zero, in float32 and in float64
SINGLE, DOUBLE = (1e-10, 1e-36), (1e-17, 1e-200)
SMALL_TURN, EIGHTH = 2.0**-7, 0.125  # a sine up to which sqrt(1 - s^2) is 1 - s^2/2 - s^4/8 to rounding
PLACES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))  # of a symmetric matrix
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
def jacobi(app, aqq, arr, b, arp, arq, small):  # type: ignore[no-untyped-def]
    """A Jacobi rotation of a symmetric matrix in its (p, q) plane, r the third axis; off the diagonal doubled: b = 2 apq.

    Returns the matrix times (1 + t^2)^2 and t, the tangent of half the angle. For the angle that makes b vanish, tan of
    its fourfold is b/(aqq - app); t is a quotient near that, right where b is small or the gap is, within 3 % between, so
    that rotations converge as exact ones do and cost one division. small: SINGLE or DOUBLE; a sine that is a little more than
    t says keeps what is off the diagonal above the numbers that processors are slow with, and below rounding.
    """
    least, nothing = small
    d = aqq - app
    gap, across = abs(d), abs(b)
    leading, quarter = gap + LEADING * across, QUARTER * b
    below = gap * leading + ((ACROSS * b) * b + nothing)
    t = (quarter if d >= ZERO else -quarter) * leading / below
    n, c, s = ONE + t * t, ONE - t * t, TWO * t + least
    n2, nc, ns = n * n, n * c, n * s
    up, along = s * d - c * b, s * b + c * d
    return (
        n2 * app + s * up, n2 * aqq - s * up, n2 * arr, n2 * b - (s + s) * along, nc * arp - ns * arq, ns * arp + nc * arq, t,
    )  # fmt: skip


@inline
def _rotate_01(a00, a11, a22, a01, a02, a12, w, x, y, z, small):  # type: ignore[no-untyped-def]
    """A rotation about axis 2 of the matrix, and of the quaternion (w, x, y, z), whose length grows."""
    a00, a11, a22, a01, a02, a12, t = jacobi(a00, a11, a22, a01, a02, a12, small)
    return a00, a11, a22, a01, a02, a12, w + t * z, x - t * y, y + t * x, z - t * w


@inline
def _rotate_02(a00, a11, a22, a01, a02, a12, w, x, y, z, small):  # type: ignore[no-untyped-def]
    """A rotation about axis 1."""
    a00, a22, a11, a02, a01, a12, t = jacobi(a00, a22, a11, a02, a01, a12, small)
    return a00, a11, a22, a01, a02, a12, w - t * y, x - t * z, y + t * w, z + t * x


@inline
def _rotate_12(a00, a11, a22, a01, a02, a12, w, x, y, z, small):  # type: ignore[no-untyped-def]
    """A rotation about axis 0."""
    a11, a22, a00, a12, a01, a02, t = jacobi(a11, a22, a00, a12, a01, a02, small)
    return a00, a11, a22, a01, a02, a12, w + t * x, x - t * w, y - t * z, z + t * y


@inline
def _diagonalized(a00, a11, a22, a01, a02, a12, sweeps, small):  # type: ignore[no-untyped-def]
    """The diagonal that sweeps of Jacobi rotations leave of a symmetric matrix, times the square of what the squared length
    of the quaternion (4) is, which comes after it and turns the axes into eigenvectors.

    A sweep is three rotations; after the last come two more, and a third would find nothing left.
    """
    a01, a02, a12 = a01 + a01, a02 + a02, a12 + a12
    a00, a11, a22, a01, a02, a12, t = jacobi(a00, a11, a22, a01, a02, a12, small)
    z = -t
    a00, a22, a11, a02, a01, a12, y = jacobi(a00, a22, a11, a02, a01, a12, small)
    w, x = ONE, -y * z
    a00, a11, a22, a01, a02, a12, w, x, y, z = _rotate_12(a00, a11, a22, a01, a02, a12, w, x, y, z, small)
    for _ in range(sweeps - 1):
        a00, a11, a22, a01, a02, a12, w, x, y, z = _rotate_01(a00, a11, a22, a01, a02, a12, w, x, y, z, small)
        a00, a11, a22, a01, a02, a12, w, x, y, z = _rotate_02(a00, a11, a22, a01, a02, a12, w, x, y, z, small)
        a00, a11, a22, a01, a02, a12, w, x, y, z = _rotate_12(a00, a11, a22, a01, a02, a12, w, x, y, z, small)
    a00, a11, a22, a01, a02, a12, w, x, y, z = _rotate_01(a00, a11, a22, a01, a02, a12, w, x, y, z, small)
    a00, a11, a22, a01, a02, a12, w, x, y, z = _rotate_02(a00, a11, a22, a01, a02, a12, w, x, y, z, small)
    return a00, a11, a22, w, x, y, z


@inline
def _turned(w, x, y, z, once):  # type: ignore[no-untyped-def]
    """The rotation (9, row-major) of a quaternion, `once` over its squared length."""
    twice = once + once
    p, q, r = twice * x, twice * y, twice * z
    xx, yy, zz, xy, xz, yz, wx, wy, wz = p * x, q * y, r * z, p * y, p * z, q * z, p * w, q * w, r * w
    return (
        ONE - (yy + zz), xy - wz, xz + wy,
        xy + wz, ONE - (xx + zz), yz - wx,
        xz - wy, yz + wx, ONE - (xx + yy),
    )  # fmt: skip


@inline
def symmetric_eigenvectors(a00, a11, a22, a01, a02, a12, sweeps, small):  # type: ignore[no-untyped-def]
    """Eigenvalues (3) and eigenvectors (v[row][column], det +1) of a symmetric matrix; sweeps, small as the precision asks."""
    a00, a11, a22, w, x, y, z = _diagonalized(a00, a11, a22, a01, a02, a12, sweeps, small)
    once = ONE / (w * w + x * x + y * y + z * z)
    square = once * once
    v00, v01, v02, v10, v11, v12, v20, v21, v22 = _turned(w, x, y, z, once)
    return square * a00, square * a11, square * a22, v00, v01, v02, v10, v11, v12, v20, v21, v22


def _ordered(swap, p, q):  # type: ignore[no-untyped-def]
    """Two groups of numbers, swapped where asked."""
    first = [b if swap else a for a, b in zip(p, q, strict=True)]
    return first, [a if swap else b for a, b in zip(p, q, strict=True)]


def _givens(a, b):  # type: ignore[no-untyped-def]
    """Cosine and sine that turn (a, b) into (length, 0); the identity when both are zero."""
    square = a * a + b * b
    some = square > ZERO
    inverse = inverse_root(square if some else ONE)  # type: ignore[arg-type]
    return (a * inverse if some else ONE), b * inverse


def _sorted_columns(f, v):  # type: ignore[no-untyped-def]
    """Columns of F V and of V, longest of F V first, and whether that made V's determinant -1; f, v (9) row-major."""
    groups = []
    for k in range(3):
        own = v[k::3]
        turned = [f[row] * own[0] + f[row + 1] * own[1] + f[row + 2] * own[2] for row in (0, 3, 6)]
        length = turned[0] * turned[0] + turned[1] * turned[1] + turned[2] * turned[2]
        groups.append([length, *turned, *own])
    p, q, r = groups
    swap = p[0] < q[0]
    p, q = _ordered(swap, p, q)
    again = p[0] < r[0]
    p, r = _ordered(again, p, r)
    last = q[0] < r[0]
    q, r = _ordered(last, q, r)
    mirrored = (swap != again) != last
    return (p[1:4], q[1:4], r[1:4]), (p[4:], q[4:], r[4:]), mirrored


def _triangular(columns, v1, v2):  # type: ignore[no-untyped-def]
    """U (row-major, 9) and diagonal (3) of the QR factorisation of the matrix with these columns; v1, v2 turned once more.

    Where F is much longer along one axis than along the others, rounding of F^T F leaves those undecided. The last two
    columns know better: a small turn makes what is left of them orthogonal.
    """
    (b00, b10, b20), (b01, b11, b21), (b02, b12, b22) = columns
    c1, s1 = _givens(b00, b10)
    b00 = c1 * b00 + s1 * b10
    b01, b11 = c1 * b01 + s1 * b11, c1 * b11 - s1 * b01
    b02, b12 = c1 * b02 + s1 * b12, c1 * b12 - s1 * b02
    c2, s2 = _givens(b00, b20)
    b00 = c2 * b00 + s2 * b20
    b21, b22 = c2 * b21 - s2 * b01, c2 * b22 - s2 * b02
    gap = abs(b11 * b11 + b21 * b21 - (b12 * b12 + b22 * b22))
    s = (b11 * b12 + b21 * b22) / (gap if gap > ZERO else ONE)
    s = min(max(s, -SMALL_TURN), SMALL_TURN)
    c = ONE - s * s * (HALF + EIGHTH * s * s)
    b11, b12 = c * b11 + s * b12, c * b12 - s * b11
    b21, b22 = c * b21 + s * b22, c * b22 - s * b21
    v1, v2 = [c * p + s * q for p, q in zip(v1, v2, strict=True)], [c * q - s * p for p, q in zip(v1, v2, strict=True)]
    c3, s3 = _givens(b11, b21)
    left = (
        c1 * c2, -s1 * c3 - c1 * s2 * s3, s1 * s3 - c1 * s2 * c3,
        s1 * c2, c1 * c3 - s1 * s2 * s3, -c1 * s3 - s1 * s2 * c3,
        s2, c2 * s3, c2 * c3,
    )  # fmt: skip
    return left, (b00, c3 * b11 + s3 * b21, c3 * b22 - s3 * b12), v1, v2


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


@kernel
def decompose_tile(w):  # type: ignore[no-untyped-def]
    """Of TILE matrices at once, component after component: rows 0-8 are F, 9-17 become U, 18-20 s, 21-29 V."""
    _find_axes(w)
    _factorize(w)


@tile_loop_on(4)
def _find_axes(w):  # type: ignore[no-untyped-def]
    """A quaternion of V into rows 21-24. By itself: a compiler that sees all of the decomposition puts it in a worse order."""
    for i in range(T):
        f = [w[k * T + i] for k in range(9)]
        square = [f[p] * f[q] + f[p + 3] * f[q + 3] + f[p + 6] * f[q + 6] for p, q in PLACES]
        precise = (SWEEPS, SINGLE) if w.itemsize == 4 else (SWEEPS + 1, DOUBLE)
        for k, x in enumerate(_diagonalized(*square, *precise)[3:]):
            w[(21 + k) * T + i] = x


@tile_loop
def _factorize(w):  # type: ignore[no-untyped-def]
    """U, s and V of F and of the quaternion."""
    for i in range(T):
        f, (qw, qx, qy, qz) = [w[k * T + i] for k in range(9)], [w[(21 + k) * T + i] for k in range(4)]
        v = _turned(qw, qx, qy, qz, ONE / (qw * qw + qx * qx + qy * qy + qz * qz))
        columns, (v0, v1, v2), mirrored = _sorted_columns(f, v)
        left, (s0, s1, s2), v1, v2 = _triangular(columns, v1, v2)
        sign = -ONE if mirrored else ONE
        v2 = [sign * x for x in v2]
        for k, x in enumerate((*left, s0, s1, sign * s2, *(x for row in zip(v0, v1, v2, strict=True) for x in row))):
            w[(9 + k) * T + i] = x
