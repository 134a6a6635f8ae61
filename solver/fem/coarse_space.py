"""The coarse level of the preconditioner: parts of the mesh that move as if each were one affine body.

Block-Jacobi hands news from neighbour to neighbour only, so what a stiff body does as a whole takes conjugate gradients many
iterations. The twelve affine motions of a few parts, solved for exactly, carry it at once: M^-1 = J^-1 + W (W^T A W)^-1 W^T
(additive two-level Schwarz with aggregation; Toselli and Widlund 2005, "Domain Decomposition Methods", chapter 3).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..jit import kernel
from ..jit.simd import add_scaled, load, store
from .aggregates import Aggregates, aggregated
from .bisection import Bisection

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
IntArray = NDArray[np.int32]

PARTS = 8  # parts of all bodies together; each body has at least one
NODES_A_PART = 256  # at least
MOST_PIECES = 32  # more unconnected pieces than these share parts
CHUNKS_A_PART = 8
MODES = 12
ONE, FOUR = np.uint64(1), np.uint64(4)
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
    aggregates                : what chunks are made of
    """

    order: IntArray
    part_offsets: IntArray
    chunk_offsets: IntArray
    chunk_parts: IntArray
    node_parts: IntArray
    modes: Floats
    aggregates: Aggregates


def divide(positions: Array, edges: IntArray) -> Parts:
    """Divide a mesh with nodes at positions (n, 3) into parts by recursive coordinate bisection within its pieces."""
    nodes = Bisection(positions, _pieces(len(positions), edges))
    wanted = np.rint(PARTS * nodes.sizes / len(positions)).astype(np.int64)
    part_offsets = nodes.cut(np.maximum(np.minimum(wanted, nodes.sizes // NODES_A_PART), 1))
    sizes = nodes.sizes
    chunk_offsets = nodes.cut(np.minimum(CHUNKS_A_PART, sizes))
    aggregates, order = aggregated(nodes), nodes.order
    node_parts = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    modes = np.ones((len(order) + 1, 4))
    own = positions.take(order, axis=0)
    modes[:-1, :3] = own - (np.add.reduceat(own, part_offsets[:-1]) / sizes[:, None])[node_parts]
    x, y, z = np.abs(modes[:-1, :3]).T
    extents = np.maximum.reduceat(np.maximum(np.maximum(x, y), z), part_offsets[:-1])
    modes[:-1, :3] /= np.where(extents > 0.0, extents, 1.0)[node_parts, None]
    return Parts(
        order=order, part_offsets=part_offsets.astype(np.int32), chunk_offsets=chunk_offsets.astype(np.int32),
        chunk_parts=node_parts[chunk_offsets[:-1]], node_parts=node_parts, modes=modes.astype(np.float32).ravel(),
        aggregates=aggregates,
    )  # fmt: skip


def _pieces(count: int, edges: IntArray) -> NDArray[np.int64]:
    """The connected piece of each node (count,) in the order of first nodes; too many are joined to MOST_PIECES groups."""
    graph = coo_array((np.ones(len(edges), dtype=bool), (edges[:, 0], edges[:, 1])), shape=(count, count))
    pieces, labels = connected_components(graph, directed=False)
    if pieces == 1:
        return np.zeros(count, dtype=np.int64)
    _, first = np.unique(labels, return_index=True)
    rank = np.empty(pieces, dtype=np.int64)
    rank[np.argsort(first)] = np.arange(pieces)
    labels = rank[labels]
    if pieces > MOST_PIECES:
        sizes = np.bincount(labels)
        labels = ((np.cumsum(sizes) - sizes) * MOST_PIECES // count)[labels]
        labels = np.unique(labels, return_inverse=True)[1]
    return labels


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
    """g (k,) := (L L^T)^-1 g; the inner loops run along rows of `upper` and `lower`, four at a time, of which k is a
    multiple: where they begin or end between fours, they meet zeros."""
    size = np.uint64(len(g))
    for column in range(size):
        g[column] *= pivots[column]
        f = -g[column]
        for i in range(column - column % FOUR, size, FOUR):
            store(g, i, add_scaled(load(g, i), load(upper, size * column + i), f))
    for left in range(size):
        row = size - ONE - left
        g[row] *= pivots[row]
        f = -g[row]
        for i in range(np.uint64(0), row, FOUR):
            store(g, i, add_scaled(load(g, i), load(lower, size * row + i), f))
