"""From tets to nodes: who touches whom, and forces summed by the receiver in a fixed order.

Every node gets the sum of the forces of its tets, so no two threads write one number and the order of additions never
depends on the thread count; block_matrix.py does the same with the tets' blocks.
"""

from dataclasses import dataclass

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..geometry.chunks import in_chunks
from ..geometry.incident import incident_corners
from ..jit import CHUNKS, inline, parallel
from ..jit.simd import add_wide, load, part_of, zero_sum
from .incidence import edges_of_nodes
from .runs import SPARE

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


@inline
def sum_corners(first, last, nodes, offsets, items, corners, forces):  # type: ignore[no-untyped-def]
    """Sum what the tets' corners get, flat, three numbers each, into forces (n, 3) on nodes[first] .. nodes[last - 1] [N].

    offsets (n + 1,), items (4m,): where those of a node begin, in the order of `nodes`.
    """
    for k in range(first, last):
        force = zero_sum()
        for item in range(np.uint64(offsets[k]), np.uint64(offsets[k + 1])):
            force = add_wide(force, load(corners, np.uint64(items[item])))
        i = nodes[k]
        forces[i, 0], forces[i, 1], forces[i, 2] = part_of(force, 0), part_of(force, 1), part_of(force, 2)


@parallel
def sum_forces(offsets, items, corners, forces):  # type: ignore[no-untyped-def]
    """The same where all are there, flat (`room_for`), for all nodes in their own order."""
    n, nodes = len(forces), np.arange(len(forces))
    for chunk in prange(CHUNKS):
        sum_corners(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS, nodes, offsets, items, corners, forces)


@parallel
def inertial_gradient(forces, positions, targets, inertia, gradient, energies):  # type: ignore[no-untyped-def]
    """Gradient of inertia/2 |x - target|^2 + elastic energy (n, 3) [N], of forces (n, 3), and the inertial energy in CHUNKS
    parts."""
    n = len(positions)
    for chunk in prange(CHUNKS):
        total = 0.0
        for i in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
            d0, d1, d2 = positions[i, 0] - targets[i, 0], positions[i, 1] - targets[i, 1], positions[i, 2] - targets[i, 2]
            gradient[i, 0] = inertia[i] * d0 - forces[i, 0]
            gradient[i, 1] = inertia[i] * d1 - forces[i, 1]
            gradient[i, 2] = inertia[i] * d2 - forces[i, 2]
            total += 0.5 * inertia[i] * (d0 * d0 + d1 * d1 + d2 * d2)
        energies[chunk] = total
