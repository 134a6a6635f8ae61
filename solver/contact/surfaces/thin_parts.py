"""Parts of a smoothed surface so thin, or so nearly closed, that the tets which carry both sides keep them apart, not contact.

What is seen of goo is finer than its tets: an ear, a lip, a nostril may be a small share of one across. Both sides then go by
the same nodes, and nothing of these can part them or bring them together but what turns a tet inside out. A barrier between
them only sets its spring, as stiff as their gap is small, against the weights by which these nodes carry them.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ...geometry.measures import vertex_area_vectors
from ...jit import kernel
from .carried import Carried
from .distance import closest_points

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

ALIKE = 0.5  # half the sum by which weights of two sides differ, below which they go by the same nodes; 1: none are common


@dataclass(frozen=True)
class ThinParts:
    """What is known of one body's surface.

    rest, normals (k, 3) : places at rest and outward unit normals of all points
    carrying             : csr (k, n), by which nodes carry them
    most                 : distance at rest of two sides up to which they are of a thin part [m]
    """

    rest: Array
    normals: Array
    carrying: csr_matrix
    most: float

    @classmethod
    def of(cls, triangles: IntArray, rest: Array, carried: Carried, most: float) -> "ThinParts":
        """Those of a surface of triangles (t, 3)."""
        vectors = vertex_area_vectors(rest, triangles)
        normals = vectors / np.maximum(np.sqrt((vectors**2).sum(axis=1, keepdims=True)), 1e-300)
        return cls(rest, normals, csr_matrix((carried.weights, carried.nodes, carried.start)), most)

    def held(self, nodes: IntArray, points: int) -> NDArray[np.bool_]:
        """Return which pairs (k, 4), the first `points` of a vertex and a triangle, tets keep apart.

        Those that are near each other at rest with goo between them, or by the same nodes with air between them.
        """
        weights, along = np.empty((len(nodes), 4)), np.empty(len(nodes))
        _seen_at_rest(self.rest, self.normals, nodes, points, self.most, weights, along)
        held: NDArray[np.bool_] = along > 0.0
        left = np.flatnonzero(along < 0.0)
        if len(left):
            start = np.arange(0, 4 * len(left) + 1, 4)
            shape = len(left), len(self.rest)
            between = csr_matrix((weights[left].ravel(), nodes[left].ravel(), start), shape=shape) @ self.carrying
            held[left] = 0.5 * np.asarray(abs(between).sum(axis=1)).ravel() < ALIKE
        return held


@kernel
def _seen_at_rest(rest, normals, nodes, points, most, weights, along):  # type: ignore[no-untyped-def]
    """Fill weights (k, 4) of where pairs are nearest, and along (k,): above 0 through goo, below through air, 0 where far."""
    for k in range(len(nodes)):
        w0, w1, w2, w3, x, y, z = closest_points(rest, nodes[k], k >= points)
        weights[k, 0], weights[k, 1], weights[k, 2], weights[k, 3] = w0, w1, w2, w3
        along[k] = 0.0
        if x * x + y * y + z * z < most * most:
            for m in range(4):  # outwards on the first side less outwards on the second, along the way from this to that
                normal = normals[nodes[k, m]]
                along[k] += weights[k, m] * (normal[0] * x + normal[1] * y + normal[2] * z)
