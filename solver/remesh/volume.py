"""Giving a mesh's pieces the volume that they should have, by moving their boundary along its normals."""

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel
from ..tetmesh.mesh import TetMesh
from .guarding import guarded

Array = NDArray[np.float64]

ROUNDS = 6
EXACT = 1e-13  # share of the volume that is rounding
FARTHEST = 0.1  # element sizes by which a boundary may move


def with_volumes(mesh: TetMesh, piece: NDArray[np.int32], wanted: Array, element_size: float) -> TetMesh:
    """Return the mesh with the boundary of each piece (m,) moved evenly until it has the volume wanted (pieces,) [m^3].

    Not further than FARTHEST elements, nor than tets bear.
    """
    boundary = mesh.faces.boundary
    nodes = mesh.rim
    owner = np.zeros(len(mesh.positions), dtype=np.int64)
    if piece.any():
        owner[mesh.tets] = piece[:, None]
    owners = piece[mesh.faces.tet]
    positions, moved = mesh.positions, np.zeros(len(wanted))
    for _ in range(ROUNDS):
        volumes = np.zeros(len(wanted))
        _piece_volumes(positions, boundary, owners, volumes)
        missing = wanted - volumes
        if (np.abs(missing) <= EXACT * wanted).all():
            break
        normal, area = np.zeros_like(positions), np.zeros(len(positions))
        _node_normals(positions, boundary, nodes, normal, area)
        gained = np.bincount(owner[nodes], area[nodes], len(wanted))
        step = np.clip(moved + missing / gained, -FARTHEST * element_size, FARTHEST * element_size) - moved
        further = positions.copy()
        further[nodes] += step[owner[nodes], None] * normal[nodes]
        positions = guarded(positions, further, mesh.outer)
        moved += step
    return mesh.moved(positions)


@kernel
def _piece_volumes(positions, boundary, owners, volumes):  # type: ignore[no-untyped-def]
    """Add the tets that boundary triangles (b, 3) span with one of their nodes to the volumes of their pieces."""
    o = positions[boundary[0, 0]]
    for f in range(len(boundary)):
        p, q, r = positions[boundary[f, 0]], positions[boundary[f, 1]], positions[boundary[f, 2]]
        u0, u1, u2, v0, v1, v2 = p[0] - o[0], p[1] - o[1], p[2] - o[2], q[0] - o[0], q[1] - o[1], q[2] - o[2]
        w0, w1, w2 = r[0] - o[0], r[1] - o[1], r[2] - o[2]
        volumes[owners[f]] += (u0 * (v1 * w2 - v2 * w1) + u1 * (v2 * w0 - v0 * w2) + u2 * (v0 * w1 - v1 * w0)) / 6.0


@kernel
def _node_normals(positions, boundary, nodes, normals, areas):  # type: ignore[no-untyped-def]
    """Set unit normals (n, 3), which come as zeros, of the boundary's nodes (k,), and the area (n,) that each moves [m^2]."""
    for f in range(len(boundary)):
        p, q, r = positions[boundary[f, 0]], positions[boundary[f, 1]], positions[boundary[f, 2]]
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            sixth = ((q[b] - p[b]) * (r[c] - p[c]) - (q[c] - p[c]) * (r[b] - p[b])) / 6.0
            for n in range(3):
                normals[boundary[f, n], a] += sixth
    for node in nodes:
        x, y, z = normals[node, 0], normals[node, 1], normals[node, 2]
        areas[node] = np.sqrt(x * x + y * y + z * z)
        if areas[node] > 0.0:
            for a in range(3):
                normals[node, a] /= areas[node]
