"""Elastic strain that a new mesh can take over: the logarithm of the left stretch, in the frame of the world.

With F = V R, log V holds the stress of an isotropic body and nothing of how it has turned, so averages of it are right where
the paper's Green strain, built on F^T F, loses the frame (Bargteil 2007, section 4.3; correction 6 of the claims). The new
rest shape is taken as turned like the world: F_e = exp(h), and beta = D_s^-1 F_e.

What flow is counted by, F_p, lies in the frame between flow and elasticity, which F_e = V R turns by R into the world; so there
log V_p of F_p, its left stretch, becomes R log(V_p) R^T.
"""

import numpy as np
from numpy.typing import NDArray

from ..fem.lanes import cross, dot, read
from ..fem.limit_surface import symmetric_exponential, times
from ..geometry.chunks import in_chunks
from ..jit import TILE, inline, kernel
from ..jit.tile_code import tile_loop_on
from ..svd import decompose_tile, signed_svd

Array = NDArray[np.float64]

FLATTEST = 0.05  # elastic stretch that what is flatter counts as, as in plasticity.SMALLEST_STRETCH
# Of exp(h): the part of h of which it is the series 2^-SQUARINGS, and how many terms leave nothing but rounding
SQUARINGS, TERMS = 6, 9
LOGS, EDGES, SHAPE, INVERSE, SLOTS = 0, 6, 15, 24, 33  # slots of a tile
AXES, STRETCHES = 9, 18  # slots of one that has been decomposed
T = TILE
ROWS, COLUMNS = (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)


def log_left_stretch(
    positions: Array, tets: NDArray[np.int32], rest_shape_inverse: Array, turning: bool = True
) -> tuple[Array, Array]:
    """h = log V (m, 6: 00 11 22 01 02 12) and, if it is asked for, the rotation R (m, 3, 3) of F = V R = D_s beta.

    Nodes (n, 3) [m], tets (m, 4), basis matrices (m, 3, 3) [1/m]. What is inside out counts as its mirror image.
    """
    strain, rotation = np.empty((len(tets), 6)), np.empty((len(tets) if turning else 0, 9))
    in_chunks(_log_left_stretch, len(tets), positions, tets, rest_shape_inverse.reshape(-1, 9), strain, rotation)
    return strain, rotation.reshape(-1, 3, 3)


@kernel
def _log_left_stretch(first, last, positions, tets, inverse, strain, rotation):  # type: ignore[no-untyped-def]
    w, edges, f = np.zeros(30 * TILE), np.empty(9), np.empty(9)
    for begin in range(first, last, TILE):
        count = min(TILE, last - begin)
        for i in range(count):
            _edges(positions, tets, begin + i, edges)
            times(edges, inverse[begin + i], f)
            for c in range(9):
                w[c * TILE + i] = f[c]
        decompose_tile(w)
        _logarithm(w)
        u, v = w[AXES * TILE :], w[21 * TILE :]
        for i in range(count):
            for n in range(6):
                strain[begin + i, n] = w[(LOGS + n) * TILE + i]
            for n in range(9 if len(rotation) else 0):
                p, q = 3 * (n // 3) * TILE + i, 3 * (n % 3) * TILE + i
                rotation[begin + i, n] = u[p] * v[q] + u[p + TILE] * v[q + TILE] + u[p + 2 * TILE] * v[q + 2 * TILE]


@tile_loop_on(1)  # it holds more numbers than there are registers
def _logarithm(w):  # type: ignore[no-untyped-def]
    """LOGS := that of the tensor with these AXES, as columns, and STRETCHES, once a tile has been decomposed (svd.py)."""
    for i in range(T):
        axes, logs = read(w, i, AXES, 9), [np.log(max(abs(s), FLATTEST)) for s in read(w, i, STRETCHES, 3)]
        for n, (p, q) in enumerate(zip(ROWS, COLUMNS, strict=True)):
            w[(LOGS + n) * T + i] = dot(logs, [axes[3 * p + k] * axes[3 * q + k] for k in range(3)])


def log_plastic_stretch(plastic: Array, rotation: Array) -> Array:
    """R log(V_p) R^T (m, 6) of F_p (m, 3, 3), R (m, 3, 3) being the rotation of F_e."""
    left, stretches, _ = signed_svd(plastic)
    return _of_axes(rotation @ left, np.abs(stretches))


def turned(tensors: Array, rotation: Array) -> Array:
    """R T R^T (m, 6) of symmetric T (m, 6) and rotations R (m, 3, 3)."""
    whole = np.empty((len(tensors), 3, 3))
    whole[:, ROWS, COLUMNS] = whole[:, COLUMNS, ROWS] = tensors
    return np.asarray(rotation @ whole @ np.swapaxes(rotation, 1, 2))[:, ROWS, COLUMNS]


def exponentials(logs: Array, factor: float = 1.0) -> Array:
    """exp(factor L) (m, 3, 3) of symmetric L (m, 6)."""
    result = np.empty((len(logs), 9))
    in_chunks(_exponentials, len(logs), logs, factor, result)
    return result.reshape(-1, 3, 3)


def _of_axes(axes: Array, stretches: Array) -> Array:
    """The tensors (m, 6) with axes (m, 3, 3) as columns and logarithms of stretches (m, 3)."""
    logs = np.log(np.maximum(stretches, FLATTEST))
    return np.asarray((axes * logs[:, None, :]) @ np.swapaxes(axes, 1, 2))[:, ROWS, COLUMNS]


def basis_matrices(positions: Array, tets: NDArray[np.int32], strain: Array) -> tuple[Array, Array]:
    """beta and F_p (m, 3, 3) of tets (m, 4) with nodes at (n, 3) [m] and elastic strains h (m, 6).

    F_p = F_e^-1, made to keep volume: how far flow goes is counted from the mesh as it is now.
    """
    beta, plastic = np.empty((len(tets), 9)), np.empty((len(tets), 9))
    in_chunks(_basis_matrices, len(tets), positions, tets, np.ascontiguousarray(strain), beta, plastic)
    return beta.reshape(-1, 3, 3), plastic.reshape(-1, 3, 3)


@kernel
def _basis_matrices(first, last, positions, tets, strain, beta, plastic):  # type: ignore[no-untyped-def]
    w, edges = np.zeros(SLOTS * TILE), np.empty(9)
    for begin in range(first, last, TILE):
        count = min(TILE, last - begin)
        for i in range(TILE):
            _edges(positions, tets, begin + min(i, count - 1), edges)  # lanes left over repeat the last one
            for c in range(9):
                w[(EDGES + c) * TILE + i] = edges[c]
            for c in range(6):
                w[(LOGS + c) * TILE + i] = strain[begin + min(i, count - 1), c]
        _stretch_and_shape(w)
        for i in range(count):
            for c in range(9):
                beta[begin + i, c], plastic[begin + i, c] = w[(SHAPE + c) * TILE + i], w[(INVERSE + c) * TILE + i]


@tile_loop_on(1)  # it holds more numbers than there are registers
def _stretch_and_shape(w):  # type: ignore[no-untyped-def]
    """SHAPE := D_s^-1 exp(h), INVERSE := exp(tr h / 3) exp(-h), of symmetric h (6) in LOGS and D_s (9) in EDGES.

    What is left of h without a third of its trace has an exponential of determinant 1, so the inverse of that is its cofactors.
    """
    for i in range(T):
        logs, edges = read(w, i, LOGS, 6), read(w, i, EDGES, 9)
        third = (logs[0] + logs[1] + logs[2]) / 3.0
        shapes, size = _exponential([*(x - third for x in logs[:3]), *logs[3:]]), _exponential_of_number(third)
        inverse = _cofactors(shapes)
        rows = [cross(edges[b::3], edges[c::3]) for b, c in ((1, 2), (2, 0), (0, 1))]
        scale = size / dot(rows[0], edges[0::3])
        columns = (shapes[0], shapes[3], shapes[4]), (shapes[3], shapes[1], shapes[5]), (shapes[4], shapes[5], shapes[2])
        for row in range(3):
            for column in range(3):
                w[(SHAPE + 3 * row + column) * T + i] = scale * dot(rows[row], columns[column])
        for k, n in enumerate((0, 3, 4, 3, 1, 5, 4, 5, 2)):
            w[(INVERSE + k) * T + i] = inverse[n]


def _exponential(logs):  # type: ignore[no-untyped-def]
    """exp of a symmetric matrix (6), its eigenvalues not above 8: that of a part, as a series, squared again and again."""
    part = [x / (1 << SQUARINGS) for x in logs]
    result = [1.0 + x / TERMS for x in part[:3]] + [x / TERMS for x in part[3:]]
    for n in range(TERMS - 1, 0, -1):
        product = _product(part, result)
        result = [1.0 + x / n for x in product[:3]] + [x / n for x in product[3:]]
    for _ in range(SQUARINGS):
        result = _product(result, result)
    return result


def _exponential_of_number(x):  # type: ignore[no-untyped-def]
    """exp(x) in the same way."""
    part = x / (1 << SQUARINGS)
    result = 1.0 + part / TERMS
    for n in range(TERMS - 1, 0, -1):
        result = 1.0 + part * result / n
    for _ in range(SQUARINGS):
        result = result * result
    return result


def _cofactors(a):  # type: ignore[no-untyped-def]
    """Those of a symmetric matrix (6)."""
    return [
        a[1] * a[2] - a[5] * a[5], a[0] * a[2] - a[4] * a[4], a[0] * a[1] - a[3] * a[3],
        a[4] * a[5] - a[2] * a[3], a[3] * a[5] - a[1] * a[4], a[3] * a[4] - a[0] * a[5],
    ]  # fmt: skip


def _product(a, b):  # type: ignore[no-untyped-def]
    """a b of symmetric matrices (6) with the same axes, which is symmetric too."""
    rows = [((m[0], m[3], m[4]), (m[3], m[1], m[5]), (m[4], m[5], m[2])) for m in (a, b)]
    return [dot(rows[0][p], rows[1][q]) for p, q in zip(ROWS, COLUMNS, strict=True)]


@kernel
def _exponentials(first, last, logs, factor, result):  # type: ignore[no-untyped-def]
    for t in range(first, last):
        symmetric_exponential(factor, logs[t], result[t])


@inline
def _edges(positions, tets, t, out):  # type: ignore[no-untyped-def]
    """out (9) := the edges of a tet from its first corner, as columns."""
    o = positions[tets[t, 0]]
    for n in range(3):
        x = positions[tets[t, n + 1]]
        for a in range(3):
            out[3 * a + n] = x[a] - o[a]
