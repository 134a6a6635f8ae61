"""Loop's subdivision of a closed triangle surface, as weights of its vertices: what they carry is smooth however they move.

An old vertex of n neighbours goes to (1 - n b) x + b (x1 + ... + xn) with b = 3 / (8 n), or 3 / 16 where n = 3; a new one in an
edge lies at 3/8 of both ends and 1/8 of each of the two vertices across.
Source: Loop 1987, "Smooth subdivision surfaces based on triangles"; the weights of old vertices Warren 1995.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csr_matrix, diags, identity, vstack

from ..geometry.edges import edges_of

IntArray = NDArray[np.int32]


class Level(NamedTuple):
    """A surface with every triangle parted in four: v old vertices, and after them one for each of e edges.

    triangles : (4 t, 3) int32, triangle i lies in the old one i // 4
    ends      : (e, 2) int32, of the edges
    weights   : csr (v + e, v), each row summing to 1
    """

    triangles: IntArray
    ends: IntArray
    weights: csr_matrix


def subdivided(triangles: IntArray, count: int) -> Level:
    """Return a closed surface of so many vertices, and triangles (t, 3), subdivided once."""
    edges = edges_of(triangles)
    ends, faces = edges.vertices, np.diff(edges.first)
    number = np.empty(3 * len(triangles), dtype=np.int64)  # the edge of each side
    number[edges.order] = np.repeat(np.arange(len(ends)), faces)
    middle = (count + number).reshape(-1, 3)
    a, b, c = triangles.T
    ab, bc, ca = middle.T
    parts = np.stack([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]).transpose(2, 0, 1).reshape(-1, 3)
    across = triangles[edges.order // 3, (edges.order % 3 + 2) % 3]
    rows = np.arange(len(ends))
    new = coo_matrix(
        (
            np.concatenate([np.full(2 * len(ends), 0.375), np.repeat(0.25 / faces, faces)]),
            (np.concatenate([rows, rows, np.repeat(rows, faces)]), np.concatenate([ends[:, 0], ends[:, 1], across])),
        ),
        shape=(len(ends), count),
    ).tocsr()  # fmt: skip
    return Level(parts.astype(np.int32), ends, vstack([_old(ends, count), new], format="csr"))


def _old(ends: IntArray, count: int) -> csr_matrix:
    """The weights (v, v) of old vertices; edges join the ends (e, 2)."""
    joined = neighbours(ends, count)
    degree = np.asarray(joined.sum(axis=1)).ravel()
    share = np.where(degree == 3.0, 0.1875, 0.375 / np.maximum(degree, 1.0))
    return csr_matrix(diags(1.0 - share * degree) + diags(share) @ joined)


def neighbours(ends: IntArray, count: int) -> csr_matrix:
    """Return the matrix (v, v) that adds up what is given at the vertices that edges (e, 2) lead to."""
    one, other = ends.T
    both = np.concatenate([one, other]), np.concatenate([other, one])
    return coo_matrix((np.ones(2 * len(ends)), both), shape=(count, count)).tocsr()


class Refined(NamedTuple):
    """A tet mesh's boundary, subdivided: k vertices, n nodes.

    levels    : what has been done, one after another
    nodes     : (v,) int64, the nodes that the first v vertices are
    first     : (t, 3) int32, the boundary's triangles by these
    triangles : (t', 3) int32
    face      : (t',) int64, the triangle of the boundary that each lies in
    weights   : csr (k, n), from nodes to vertices
    """

    levels: list[Level]
    nodes: NDArray[np.int64]
    first: IntArray
    triangles: IntArray
    face: NDArray[np.int64]
    weights: csr_matrix


def refined(boundary: IntArray, nodes: int, times: int) -> Refined:
    """Return a boundary (b, 3) between so many nodes, subdivided so many times."""
    used, numbered = np.unique(boundary, return_inverse=True)
    first = numbered.reshape(-1, 3).astype(np.int32)
    weights = identity(nodes, format="csr")[used]
    triangles, face, levels = first, np.arange(len(boundary)), list[Level]()
    for _ in range(times):
        levels.append(subdivided(triangles, weights.shape[0]))
        triangles, face = levels[-1].triangles, np.repeat(face, 4)
        weights = levels[-1].weights @ weights
    return Refined(levels, used.astype(np.int64), first, triangles, face, csr_matrix(weights))
