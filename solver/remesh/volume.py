"""Giving a mesh's pieces the volume that they should have, by moving their boundary along its normals. numpy only."""

import numpy as np
from numpy.typing import NDArray

from ..geometry.measures import area_vectors, signed_volumes
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
    nodes = np.unique(boundary)
    owner = np.zeros(len(mesh.positions), dtype=np.int64)
    owner[mesh.tets] = piece[:, None]
    owners = piece[mesh.faces.tet]
    positions, moved = mesh.positions, np.zeros(len(wanted))
    for _ in range(ROUNDS):
        missing = wanted - np.bincount(owners, signed_volumes(positions, boundary), len(wanted))
        if (np.abs(missing) <= EXACT * wanted).all():
            break
        normal, area = _node_normals(positions, boundary)
        gained = np.bincount(owner[nodes], area[nodes], len(wanted))
        step = np.clip(moved + missing / gained, -FARTHEST * element_size, FARTHEST * element_size) - moved
        further = positions.copy()
        further[nodes] += step[owner[nodes], None] * normal[nodes]
        positions = guarded(positions, further, mesh.outer)
        moved += step
    return mesh.moved(positions)


def _node_normals(positions: Array, boundary: NDArray[np.int32]) -> tuple[Array, Array]:
    """Return unit normals (n, 3) of the boundary's nodes, and the area (n,) that each moves [m^2]; zero inside."""
    faces = area_vectors(positions, boundary) / 3.0
    summed = np.stack(
        [np.bincount(boundary.ravel(), np.repeat(faces[:, axis], 3), len(positions)) for axis in range(3)], axis=1
    )
    area = np.sqrt((summed**2).sum(axis=1))
    return summed / np.where(area > 0.0, area, 1.0)[:, None], area
