"""From tets to nodes: who touches whom, and sums taken by the receiver in a fixed order.

Every node gathers the forces of its tets and every edge the blocks of its tets, so no two threads write one number and
the order of additions never depends on the thread count.
"""

from dataclasses import dataclass

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..jit import CHUNKS, parallel
from .stiffness import PAIRS

IntArray = NDArray[np.int32]


@dataclass(frozen=True)
class Pattern:
    """Incidence of a tet mesh with n nodes, m tets and e edges.

    corner_offsets (n + 1,), corners (4m,)  : a node's corners, tet * 4 + corner
    edge_offsets (e + 1,), edge_items (6m,) : an edge's element blocks, (tet * 6 + pair) * 2 + transposed
    edges (e, 2)                            : their nodes, i < j
    edge_slots (e, 2)                       : where the block (i, j) and its transpose (j, i) go in the matrix, i < j
    row_offsets (n + 1,), columns (2e,)     : the matrix's off-diagonal blocks by row
    """

    corner_offsets: IntArray
    corners: IntArray
    edge_offsets: IntArray
    edge_items: IntArray
    edges: IntArray
    edge_slots: IntArray
    row_offsets: IntArray
    columns: IntArray


def build_pattern(tets: IntArray, node_count: int) -> Pattern:
    """The incidence tables of tets (m, 4)."""
    corners = np.argsort(tets.ravel(), kind="stable").astype(np.int32)
    corner_offsets = _offsets(tets.ravel(), node_count)
    pairs = tets[:, PAIRS].reshape(-1, 2).astype(np.int64)
    low, high = pairs.min(axis=1), pairs.max(axis=1)
    edges, inverse = np.unique(low * node_count + high, return_inverse=True)
    inverse = inverse.ravel()
    order = np.argsort(inverse, kind="stable")
    items = order * 2 + (pairs[order, 0] > pairs[order, 1])
    first, second = edges // node_count, edges % node_count
    rows, columns = np.concatenate([first, second]), np.concatenate([second, first])
    by_row = np.lexsort((columns, rows))
    slots = np.empty(len(by_row), dtype=np.int32)
    slots[by_row] = np.arange(len(by_row))
    return Pattern(
        corner_offsets=corner_offsets,
        corners=corners,
        edge_offsets=_offsets(inverse, len(edges)),
        edge_items=items.astype(np.int32),
        edges=np.stack([first, second], axis=1).astype(np.int32),
        edge_slots=np.ascontiguousarray(slots.reshape(2, -1).T),
        row_offsets=_offsets(rows, node_count),
        columns=columns[by_row].astype(np.int32),
    )


def _offsets(values: NDArray[np.integer], count: int) -> IntArray:
    return np.concatenate([[0], np.cumsum(np.bincount(values, minlength=count))]).astype(np.int32)


@parallel
def gather_gradient(corner_offsets, corners, forces, positions, targets, inertia, gradient, energies):  # type: ignore[no-untyped-def]
    """Gradient of inertia/2 |x - target|^2 + elastic energy (n, 3) [N]; the inertial energy in CHUNKS parts."""
    n = len(positions)
    for chunk in prange(CHUNKS):
        total = 0.0
        for i in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
            f0, f1, f2 = 0.0, 0.0, 0.0
            for k in range(corner_offsets[i], corner_offsets[i + 1]):
                tet, corner = corners[k] >> 2, corners[k] & 3
                if corner == 0:
                    f0 -= forces[tet, 0] + forces[tet, 3] + forces[tet, 6]
                    f1 -= forces[tet, 1] + forces[tet, 4] + forces[tet, 7]
                    f2 -= forces[tet, 2] + forces[tet, 5] + forces[tet, 8]
                else:
                    f0 += forces[tet, 3 * corner - 3]
                    f1 += forces[tet, 3 * corner - 2]
                    f2 += forces[tet, 3 * corner - 1]
            d0, d1, d2 = positions[i, 0] - targets[i, 0], positions[i, 1] - targets[i, 1], positions[i, 2] - targets[i, 2]
            gradient[i, 0] = inertia[i] * d0 - f0
            gradient[i, 1] = inertia[i] * d1 - f1
            gradient[i, 2] = inertia[i] * d2 - f2
            total += 0.5 * inertia[i] * (d0 * d0 + d1 * d1 + d2 * d2)
        energies[chunk] = total


@parallel
def _invert_diagonal(row_offsets, values, diagonal, inverse):  # type: ignore[no-untyped-def]
    """The preconditioner; where a row's own block is not positive, that of inertia and contact alone."""
    n = len(diagonal)
    for chunk in prange(CHUNKS):
        for i in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
            d = diagonal[i]
            a, b, c, e, f, g = d[0], d[1], d[2], d[4], d[5], d[8]
            for k in range(row_offsets[i], row_offsets[i + 1]):
                v = values[k]
                a, b, c, e, f, g = a - v[0], b - v[1], c - v[2], e - v[4], f - v[5], g - v[8]
            c00, c01, c02 = e * g - f * f, c * f - b * g, b * f - c * e
            det = a * c00 + b * c01 + c * c02
            if not (a > 0.0 and a * e - b * b > 0.0 and det > 0.0):
                a, b, c, e, f, g = d[0], d[1], d[2], d[4], d[5], d[8]
                c00, c01, c02 = e * g - f * f, c * f - b * g, b * f - c * e
                det = a * c00 + b * c01 + c * c02
            scale = 1.0 / det
            p = inverse[i]
            p[0], p[1], p[2] = scale * c00, scale * c01, scale * c02
            p[3], p[4], p[5] = p[1], scale * (a * g - c * c), scale * (b * c - a * f)
            p[6], p[7], p[8] = p[2], p[5], scale * (a * e - b * b)


@parallel
def gather_matrix(edge_offsets, edge_items, edge_slots, blocks, row_offsets, values, diagonal, inverse):  # type: ignore[no-untyped-def]
    """Sum element blocks into values (2e, 9); then inverse (n, 9) of diagonal (n, 9) minus the row's off-diagonal blocks.

    The matrix acts as y_i = diagonal_i x_i + sum_j values_ij (x_j - x_i), so a translation costs exactly nothing but
    what `diagonal` (inertia and contact) says.
    """
    edges = len(edge_slots)
    for chunk in prange(CHUNKS):
        for e in range(edges * chunk // CHUNKS, edges * (chunk + 1) // CHUNKS):
            k00, k01, k02, k10, k11, k12, k20, k21, k22 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            for k in range(edge_offsets[e], edge_offsets[e + 1]):
                item = edge_items[k]
                tet, pair = (item >> 1) // 6, (item >> 1) % 6
                b = blocks[tet, pair]
                if item & 1:
                    k00, k01, k02 = k00 + b[0], k01 + b[3], k02 + b[6]
                    k10, k11, k12 = k10 + b[1], k11 + b[4], k12 + b[7]
                    k20, k21, k22 = k20 + b[2], k21 + b[5], k22 + b[8]
                else:
                    k00, k01, k02 = k00 + b[0], k01 + b[1], k02 + b[2]
                    k10, k11, k12 = k10 + b[3], k11 + b[4], k12 + b[5]
                    k20, k21, k22 = k20 + b[6], k21 + b[7], k22 + b[8]
            a, t = values[edge_slots[e, 0]], values[edge_slots[e, 1]]
            a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8] = k00, k01, k02, k10, k11, k12, k20, k21, k22
            t[0], t[1], t[2], t[3], t[4], t[5], t[6], t[7], t[8] = k00, k10, k20, k01, k11, k21, k02, k12, k22
    _invert_diagonal(row_offsets, values, diagonal, inverse)


@parallel
def multiply(row_offsets, columns, values, x, y):  # type: ignore[no-untyped-def]
    """y_i = sum_j values_ij (x_j - x_i), the elastic matrix times x (n, 3)."""
    n = len(x)
    for chunk in prange(CHUNKS):
        for i in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
            y0, y1, y2 = 0.0, 0.0, 0.0
            for k in range(row_offsets[i], row_offsets[i + 1]):
                j, a = columns[k], values[k]
                e0, e1, e2 = x[j, 0] - x[i, 0], x[j, 1] - x[i, 1], x[j, 2] - x[i, 2]
                y0 += a[0] * e0 + a[1] * e1 + a[2] * e2
                y1 += a[3] * e0 + a[4] * e1 + a[5] * e2
                y2 += a[6] * e0 + a[7] * e1 + a[8] * e2
            y[i, 0], y[i, 1], y[i, 2] = y0, y1, y2
