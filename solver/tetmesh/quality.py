"""How well shaped tets are. numpy only."""

import numpy as np
from numpy.typing import NDArray

from .mesh import TetMesh


def tet_volumes(positions: NDArray[np.float64], tets: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return (m,) signed volumes [m^3]."""
    corners = [[axis[corner] for axis in np.ascontiguousarray(positions.T)] for corner in np.ascontiguousarray(tets.T)]
    u, v, w = ([b - a for a, b in zip(corners[0], corners[i], strict=True)] for i in (1, 2, 3))
    volumes: NDArray[np.float64] = u[0] * (v[1] * w[2] - v[2] * w[1])
    volumes += u[1] * (v[2] * w[0] - v[0] * w[2])
    volumes += u[2] * (v[0] * w[1] - v[1] * w[0])
    volumes /= 6.0
    return volumes


def dihedral_angles(mesh: TetMesh) -> NDArray[np.float64]:
    """Return (m, 6) dihedral angles [deg]; 0 or 180 where a tet is flat."""
    x = mesh.positions[mesh.tets]
    faces = ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1))
    normals = np.stack([np.cross(x[:, b] - x[:, a], x[:, c] - x[:, a]) for a, b, c in faces], axis=1)
    length = np.sqrt((normals * normals).sum(axis=2))
    pairs = [(i, j) for i in range(4) for j in range(i + 1, 4)]
    cosine = np.stack([-(normals[:, i] * normals[:, j]).sum(axis=1) for i, j in pairs], axis=1)
    scale = np.stack([length[:, i] * length[:, j] for i, j in pairs], axis=1)
    safe = np.where(scale > 0.0, scale, 1.0)
    return np.degrees(np.arccos(np.clip(np.where(scale > 0.0, cosine / safe, 1.0), -1.0, 1.0)))


def minimum_dihedrals(mesh: TetMesh) -> NDArray[np.float64]:
    """Return (m,) the smallest dihedral angle of each tet [deg]."""
    return dihedral_angles(mesh).min(axis=1)
