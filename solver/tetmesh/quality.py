"""How large and how well shaped tets are. What is compiled is loaded when it is called."""

import numpy as np
from numpy.typing import NDArray

from .mesh import TetMesh


def tet_volumes(positions: NDArray[np.float64], tets: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return (m,) signed volumes [m^3]."""
    from ..geometry.chunks import evenly
    from .sizes import fill_volumes

    volumes = np.empty(len(tets))
    evenly(fill_volumes, len(tets), np.ascontiguousarray(positions), np.ascontiguousarray(tets), volumes)
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
