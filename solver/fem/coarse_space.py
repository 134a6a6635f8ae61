"""The coarse level of the preconditioner: parts of the mesh that move as if each were one affine body.

Block-Jacobi hands news from neighbour to neighbour only, so what a stiff body does as a whole takes conjugate gradients many
iterations. The twelve affine motions of a few parts, solved for exactly, carry it at once: M^-1 = J^-1 + W (W^T A W)^-1 W^T
(additive two-level Schwarz with aggregation; Toselli and Widlund 2005, "Domain Decomposition Methods", chapter 3).
"""

from dataclasses import dataclass

import numpy as np
from numba import prange
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..jit import inline, kernel, parallel
from ..jit.simd import add_scaled, lane, load, store, subtract, zero
from .block_matrix import Layout

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
IntArray = NDArray[np.int32]

PARTS = 8  # parts of all bodies together; each body has at least one
NODES_A_PART = 256  # at least
MOST_PIECES = 32  # more unconnected pieces than these share parts
CHUNKS_A_PART = 8
MODES = 12
DEPENDENT = 1e-11  # what is left of a mode's stiffness, relatively, when it is taken for a copy of those before


@dataclass(frozen=True)
class Parts:
    """Nodes sorted so that each part, and each chunk of it, is one range.

    order (n,)                : the node at each row
    part_offsets (a + 1,)     : rows of each part
    chunk_offsets (c + 1,)    : rows of each chunk; parts are whole numbers of chunks
    chunk_parts (c,)          : the part of each chunk
    node_parts (n,)           : the part of each row
    modes, flat (4n + 4,)     : of each row, position relative to its part's centre over the part's size, and 1
    """

    order: IntArray
    part_offsets: IntArray
    chunk_offsets: IntArray
    chunk_parts: IntArray
    node_parts: IntArray
    modes: Floats


def divide(positions: Array, edges: IntArray) -> Parts:
    """Divide a mesh with nodes at positions (n, 3) into parts by recursive coordinate bisection within its pieces."""
    parts = []
    for piece in _pieces(len(positions), edges):
        count = min(round(PARTS * len(piece) / len(positions)), len(piece) // NODES_A_PART)
        parts += _bisected(piece, positions, max(count, 1))
    chunks = [chunk for part in parts for chunk in _bisected(part, positions, min(CHUNKS_A_PART, len(part)))]
    order = np.concatenate(chunks)
    sizes = np.array([len(part) for part in parts])
    part_offsets = np.concatenate([[0], np.cumsum(sizes)])
    chunk_offsets = np.concatenate([[0], np.cumsum([len(chunk) for chunk in chunks])])
    node_parts = np.repeat(np.arange(len(parts)), sizes)
    centers = np.stack([positions[part].mean(axis=0) for part in parts])
    modes = np.ones((len(order) + 1, 4))
    modes[:-1, :3] = positions[order] - centers[node_parts]
    extents = np.maximum.reduceat(np.abs(modes[:-1, :3]).max(axis=1), part_offsets[:-1])
    modes[:-1, :3] /= np.where(extents > 0.0, extents, 1.0)[node_parts, None]
    return Parts(
        order=order.astype(np.int32), part_offsets=part_offsets.astype(np.int32), chunk_offsets=chunk_offsets.astype(np.int32),
        chunk_parts=node_parts[chunk_offsets[:-1]].astype(np.int32), node_parts=node_parts.astype(np.int32),
        modes=modes.astype(np.float32).ravel(),
    )  # fmt: skip


def _pieces(count: int, edges: IntArray) -> list[NDArray[np.int64]]:
    """The nodes of each connected piece in the order of their first node; too many are joined to MOST_PIECES groups."""
    graph = coo_array((np.ones(len(edges), dtype=bool), (edges[:, 0], edges[:, 1])), shape=(count, count))
    pieces, labels = connected_components(graph, directed=False)
    _, first = np.unique(labels, return_index=True)
    rank = np.empty(pieces, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(pieces)
    labels = rank[labels]
    if pieces > MOST_PIECES:
        sizes = np.bincount(labels)
        labels = ((np.cumsum(sizes) - sizes) * MOST_PIECES // count)[labels]
    return [np.flatnonzero(labels == label) for label in np.unique(labels)]


def _bisected(nodes: NDArray[np.int64], positions: Array, count: int) -> list[NDArray[np.int64]]:
    """Nodes in `count` parts of nearly equal size, cut across the longest side again and again; ties by index."""
    if count == 1:
        return [nodes]
    own = positions[nodes]
    axis = int(np.argmax(np.ptp(own, axis=0)))
    ordered = nodes[np.lexsort((nodes, own[:, axis]))]
    first = count // 2
    cut = len(nodes) * first // count
    return _bisected(ordered[:cut], positions, first) + _bisected(ordered[cut:], positions, count - first)


@inline
def _sum_run(k, end, here, node_parts, modes, columns, values, sums):  # type: ignore[no-untyped-def]
    """sums (48) := modes relative to `here` times blocks, over a row's blocks from k on that lead to one part; their end.

    Four modes of three columns of four numbers, of which the last means nothing.
    """
    other = node_parts[columns[k]]
    a0, a1, a2, b0, b1, b2 = zero(), zero(), zero(), zero(), zero(), zero()
    c0, c1, c2, d0, d1, d2 = zero(), zero(), zero(), zero(), zero(), zero()
    while k < end and node_parts[columns[k]] == other:
        f, v = subtract(load(modes, np.uint64(4) * np.uint64(columns[k])), here), np.uint64(9) * np.uint64(k)
        x, y, z = load(values, v), load(values, v + np.uint64(3)), load(values, v + np.uint64(6))
        a0, a1, a2 = add_scaled(a0, x, lane(f, 0)), add_scaled(a1, y, lane(f, 0)), add_scaled(a2, z, lane(f, 0))
        b0, b1, b2 = add_scaled(b0, x, lane(f, 1)), add_scaled(b1, y, lane(f, 1)), add_scaled(b2, z, lane(f, 1))
        c0, c1, c2 = add_scaled(c0, x, lane(f, 2)), add_scaled(c1, y, lane(f, 2)), add_scaled(c2, z, lane(f, 2))
        d0, d1, d2 = add_scaled(d0, x, lane(f, 3)), add_scaled(d1, y, lane(f, 3)), add_scaled(d2, z, lane(f, 3))
        k += 1
    _store_columns(sums, np.uint64(0), a0, a1, a2)
    _store_columns(sums, np.uint64(12), b0, b1, b2)
    _store_columns(sums, np.uint64(24), c0, c1, c2)
    _store_columns(sums, np.uint64(36), d0, d1, d2)
    return k


@inline
def _store_columns(sums, at, x, y, z):  # type: ignore[no-untyped-def]
    store(sums, at, x)
    store(sums, at + np.uint64(4), y)
    store(sums, at + np.uint64(8), z)


@inline
def _add_run(sums, f, most, total, at):  # type: ignore[no-untyped-def]
    """total[at : at + 192] += modes f (4) times the first `most` of sums (48)."""
    f0, f1, f2, f3 = np.float64(f[0]), np.float64(f[1]), np.float64(f[2]), np.float64(f[3])
    for c in range(most):
        number, t = np.float64(sums[c]), at + np.uint64(c)
        total[t] += f0 * number
        total[t + np.uint64(48)] += f1 * number
        total[t + np.uint64(96)] += f2 * number
        total[t + np.uint64(144)] += f3 * number


@inline
def _take_constant(sums, f, total, at):  # type: ignore[no-untyped-def]
    """total[at : at + 192] -= modes f (4) times modes f times what the constant mode of `sums` (48) holds."""
    for m in range(4):
        for q in range(4):
            product = np.float64(f[m]) * np.float64(f[q])
            for c in range(12):
                total[at + np.uint64(48 * m + 12 * q + c)] -= product * sums[36 + c]


@inline
def _add_own(block, f, square):  # type: ignore[no-untyped-def]
    """Add a row's inertia and contact, a block (9), to square (4, 4, 9): modes f (4) times modes times block."""
    for m in range(4):
        for q in range(4):
            product = np.float64(f[m]) * np.float64(f[q])
            for c in range(9):
                square[m, q, c] += product * block[c]


@inline
def _add_inertia(inertia, f, square):  # type: ignore[no-untyped-def]
    """The same where there is nothing but inertia, to the first of each nine."""
    for m in range(4):
        for q in range(4):
            square[m, q] += np.float64(f[m]) * np.float64(f[q]) * inertia


@parallel
def _coarse_blocks(  # type: ignore[no-untyped-def]
    part_offsets, node_parts, modes, row_offsets, columns, values, inertia, own, touched, elastic, square
):
    """Per pair of parts, elastic, flat (192 a a), and per part what inertia and contact add, square (a, 4, 4, 9)."""
    count = len(part_offsets) - 1
    for part in prange(count):
        sums, f, free = np.zeros(48, np.float32), np.empty(4, np.float32), np.zeros((4, 4))
        start, here = np.uint64(192 * count * part), np.uint64(192 * (count * part + part))
        elastic[192 * count * part : 192 * count * (part + 1)] = 0.0
        square[part] = 0.0
        for i in range(part_offsets[part], part_offsets[part + 1]):
            row = load(modes, np.uint64(4) * np.uint64(i))
            store(f, np.uint64(0), row)
            k, end = np.int64(row_offsets[i]), row_offsets[i + 1]
            while k < end:
                other = node_parts[columns[k]]
                if other == part:  # the difference, which leaves nothing of a translation to rounding, nor of the constant mode
                    k = _sum_run(k, end, row, node_parts, modes, columns, values, sums)
                    _add_run(sums, f, 36, elastic, here)
                else:
                    k = _sum_run(k, end, zero(), node_parts, modes, columns, values, sums)
                    _add_run(sums, f, 48, elastic, start + np.uint64(192) * np.uint64(other))
                    _take_constant(sums, f, elastic, here)
            if touched[i]:
                _add_own(own[i], f, square[part])
            else:
                _add_inertia(np.float64(inertia[i]), f, free)
        for axis in range(3):
            square[part, :, :, 4 * axis] += free


def coarse_matrix(
    parts: Parts, layout: Layout, values: Floats, inertia: Floats, own: Array, touched: NDArray[np.bool_]
) -> Array:
    """W^T A W (12a, 12a) of the matrix in block_matrix.py's arrays; a part's mode 3m + axis moves along axis by modes[m]."""
    count = len(parts.part_offsets) - 1
    elastic, square = np.empty(192 * count * count), np.empty((count, 4, 4, 9))
    _coarse_blocks(
        parts.part_offsets, parts.node_parts, parts.modes, layout.row_offsets, layout.columns, values, inertia, own, touched,
        elastic, square,
    )  # fmt: skip
    blocks = np.swapaxes(elastic.reshape(count, count, 4, 4, 3, 4)[..., :3], 4, 5)  # part, other, mode, mode, row, column
    every = np.arange(count)
    blocks[every, every] += square.reshape(count, 4, 4, 3, 3)
    return np.ascontiguousarray(blocks.transpose(0, 2, 4, 1, 3, 5)).reshape(MODES * count, MODES * count)


@kernel
def factor(coarse, lower, upper, pivots):  # type: ignore[no-untyped-def]
    """Cholesky of coarse (k, k), of which the lower half is read and spoilt: A = L L^T.

    upper (k, k) float32 holds columns of L in its rows, lower (k, k) rows of L, pivots (k,) 1/L_kk. A mode that depends on
    those before it, or has no positive stiffness, gets the pivot 0 and is left out.
    """
    size = len(coarse)
    column, scale = np.empty(size), np.diag(coarse).copy()
    for k in range(size):
        left = coarse[k, k]
        good = left > DEPENDENT * scale[k] and scale[k] > 0.0
        inverse = 1.0 / np.sqrt(left) if good else 0.0
        for i in range(k, size):
            column[i] = coarse[i, k] * inverse
        for i in range(k + 1, size):
            f = column[i]
            for j in range(k + 1, i + 1):
                coarse[i, j] -= f * column[j]
        pivots[k] = inverse
        for i in range(k + 1, size):
            upper[k, i] = column[i]
            lower[i, k] = column[i]


@kernel
def solve_coarse(lower, upper, pivots, g):  # type: ignore[no-untyped-def]
    """g (k,) := (L L^T)^-1 g; the inner loops run along rows of `upper` and `lower`."""
    size = len(g)
    for k in range(size):
        g[k] *= pivots[k]
        f = g[k]
        for i in range(k + 1, size):
            g[i] -= f * upper[k, i]
    for k in range(size - 1, -1, -1):
        g[k] *= pivots[k]
        f = g[k]
        for i in range(k):
            g[i] -= f * lower[k, i]
