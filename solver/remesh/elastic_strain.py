"""Elastic strain that a new mesh can take over: the logarithm of the left stretch, in the frame of the world.

With F = V R, log V holds the stress of an isotropic body and nothing of how it has turned, so averages of it are right where
the paper's Green strain, built on F^T F, loses the frame (Bargteil 2007, section 4.3; correction 6 of the claims). The new
rest shape is taken as turned like the world: F_e = exp(h), and beta = D_s^-1 F_e.

What flow is counted by, F_p, lies in the frame between flow and elasticity, which F_e = V R turns by R into the world; so there
log V_p of F_p, its left stretch, becomes R log(V_p) R^T.
"""

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..fem.limit_surface import symmetric_exponential, times
from ..jit import CHUNKS, kernel, parallel
from ..svd import signed_svd

Array = NDArray[np.float64]

FLATTEST = 0.05  # elastic stretch that what is flatter counts as, as in plasticity.SMALLEST_STRETCH
ROWS, COLUMNS = [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]


def log_left_stretch(edges: Array, rest_shape_inverse: Array) -> tuple[Array, Array]:
    """h = log V (m, 6: 00 11 22 01 02 12) and the rotation R (m, 3, 3) of F = V R = D_s beta.

    edges (m, 3, 3) as columns [m], basis matrices (m, 3, 3) [1/m]. What is inside out counts as its mirror image.
    """
    parts = signed_svd(edges @ rest_shape_inverse)
    left, stretches, right = (np.asarray(part, dtype=np.float64) for part in parts)
    return _of_axes(left, np.abs(stretches)), np.asarray(left @ np.swapaxes(right, 1, 2), dtype=np.float64)


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
    _exponentials(logs, factor, result)
    return result.reshape(-1, 3, 3)


def _of_axes(axes: Array, stretches: Array) -> Array:
    """The tensors (m, 6) with axes (m, 3, 3) as columns and logarithms of stretches (m, 3)."""
    logs = np.log(np.maximum(stretches, FLATTEST))
    return np.asarray((axes * logs[:, None, :]) @ np.swapaxes(axes, 1, 2))[:, ROWS, COLUMNS]


def basis_matrices(edges: Array, strain: Array) -> tuple[Array, Array]:
    """beta and F_p (m, 3, 3) of tets with these edges (m, 3, 3) [m] and elastic strains h (m, 6).

    F_p = F_e^-1, made to keep volume: how far flow goes is counted from the mesh as it is now.
    """
    beta, plastic = np.empty((len(edges), 9)), np.empty((len(edges), 9))
    _basis_matrices(np.ascontiguousarray(edges).reshape(-1, 9), strain, beta, plastic)
    return beta.reshape(-1, 3, 3), plastic.reshape(-1, 3, 3)


@parallel
def _basis_matrices(edges, strain, beta, plastic):  # type: ignore[no-untyped-def]
    for chunk in prange(CHUNKS):
        inverse, stretch = np.empty(9), np.empty(9)
        for t in range(len(edges) * chunk // CHUNKS, len(edges) * (chunk + 1) // CHUNKS):
            symmetric_exponential(1.0, strain[t], stretch)
            _invert(edges[t], inverse)
            times(inverse, stretch, beta[t])
            symmetric_exponential(-1.0, strain[t], plastic[t])
            grown = np.exp((strain[t, 0] + strain[t, 1] + strain[t, 2]) / 3.0)
            for k in range(9):
                plastic[t, k] *= grown


@parallel
def _exponentials(logs, factor, result):  # type: ignore[no-untyped-def]
    for chunk in prange(CHUNKS):
        for t in range(len(logs) * chunk // CHUNKS, len(logs) * (chunk + 1) // CHUNKS):
            symmetric_exponential(factor, logs[t], result[t])


@kernel
def _invert(m, out):  # type: ignore[no-untyped-def]
    """out := the inverse of a row-major 3x3 matrix, of a tet that is not flat."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for n in range(3):
            p, q = (n + 1) % 3, (n + 2) % 3
            out[3 * n + i] = m[3 * j + p] * m[3 * k + q] - m[3 * j + q] * m[3 * k + p]
    determinant = m[0] * out[0] + m[1] * out[3] + m[2] * out[6]
    for n in range(9):
        out[n] /= determinant
