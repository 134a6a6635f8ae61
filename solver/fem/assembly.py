"""From tets to nodes: who touches whom, and forces summed by the receiver in a fixed order.

Every node gathers the forces of its tets, so no two threads write one number and the order of additions never depends on
the thread count; block_matrix.py does the same with the tets' blocks.
"""

from dataclasses import dataclass

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..geometry.chunks import in_chunks
from ..geometry.incident import incident_corners
from ..jit import CHUNKS, parallel
from .incidence import edges_of_nodes

IntArray = NDArray[np.int32]


@dataclass(frozen=True)
class Pattern:
    """Incidence of a tet mesh with n nodes, m tets and e edges.

    corner_offsets (n + 1,), corners (4m,)  : a node's corners, tet * 4 + corner
    edges (e, 2)                            : their nodes, i < j
    """

    corner_offsets: IntArray
    corners: IntArray
    edges: IntArray


def build_pattern(tets: IntArray, node_count: int) -> Pattern:
    """The incidence tables of tets (m, 4)."""
    corner_offsets, corners = incident_corners(tets, node_count)
    edges = np.concatenate(in_chunks(edges_of_nodes, node_count, tets, corner_offsets, corners))
    return Pattern(corner_offsets=corner_offsets, corners=corners, edges=edges)


def offsets_of(values: NDArray[np.integer], count: int) -> IntArray:
    """Where each of `count` groups starts in sorted `values`, and the end."""
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
