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
from ..jit.simd import add_wide, load, part_of, zero_sum
from .incidence import edges_of_nodes

IntArray = NDArray[np.int32]
SPARE = 8  # numbers that are read with the last ones of a flat array, and mean nothing


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


def room_for(lanes: int, width: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Zeros for so many numbers of so many tets: by tets (lanes, width), and the same memory flat, with SPARE at the end."""
    flat = np.zeros(width * lanes + SPARE, np.float32)
    return flat[:-SPARE].reshape(lanes, width), flat


def offsets_of(values: NDArray[np.integer], count: int) -> IntArray:
    """Where each of `count` groups starts in sorted `values`, and the end."""
    return np.concatenate([[0], np.cumsum(np.bincount(values, minlength=count))]).astype(np.int32)


@parallel
def spread_inertia(inertia, diagonal):  # type: ignore[no-untyped-def]
    """Fill diagonal (n, 9) with 3x3 blocks of nothing but inertia (n,) on their diagonals."""
    n = len(inertia)
    for chunk in prange(CHUNKS):
        for i in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
            for c in range(9):
                diagonal[i, c] = inertia[i] if c % 4 == 0 else 0.0


@parallel
def gather_gradient(corner_offsets, corners, forces, positions, targets, inertia, gradient, energies):  # type: ignore[no-untyped-def]
    """Gradient of inertia/2 |x - target|^2 + elastic energy (n, 3) [N]; the inertial energy in CHUNKS parts.

    forces, flat: twelve numbers a tet, the forces on its corners, and some to spare at the end (`room_for`).
    """
    n = len(positions)
    for chunk in prange(CHUNKS):
        total = 0.0
        for i in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
            force = zero_sum()
            for k in range(np.uint64(corner_offsets[i]), np.uint64(corner_offsets[i + 1])):
                force = add_wide(force, load(forces, np.uint64(3) * np.uint64(corners[k])))
            f0, f1, f2 = part_of(force, 0), part_of(force, 1), part_of(force, 2)
            d0, d1, d2 = positions[i, 0] - targets[i, 0], positions[i, 1] - targets[i, 1], positions[i, 2] - targets[i, 2]
            gradient[i, 0] = inertia[i] * d0 - f0
            gradient[i, 1] = inertia[i] * d1 - f1
            gradient[i, 2] = inertia[i] * d2 - f2
            total += 0.5 * inertia[i] * (d0 * d0 + d1 * d1 + d2 * d2)
        energies[chunk] = total
