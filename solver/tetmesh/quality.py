"""How large and how well shaped tets are."""

import numpy as np
from numpy.typing import NDArray

from ..geometry.chunks import evenly
from ..jit import kernel
from .mesh import TetMesh


def tet_volumes(positions: NDArray[np.float64], tets: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return (m,) signed volumes [m^3]."""
    volumes = np.empty(len(tets))
    evenly(_volumes, len(tets), np.ascontiguousarray(positions), np.ascontiguousarray(tets), volumes)
    return volumes


@kernel
def _volumes(first, last, positions, tets, volumes):  # type: ignore[no-untyped-def]
    for t in range(first, last):
        a, b, c, d = positions[tets[t, 0]], positions[tets[t, 1]], positions[tets[t, 2]], positions[tets[t, 3]]
        u0, u1, u2 = b[0] - a[0], b[1] - a[1], b[2] - a[2]
        v0, v1, v2 = c[0] - a[0], c[1] - a[1], c[2] - a[2]
        w0, w1, w2 = d[0] - a[0], d[1] - a[1], d[2] - a[2]
        volume = u0 * (v1 * w2 - v2 * w1) + u1 * (v2 * w0 - v0 * w2) + u2 * (v0 * w1 - v1 * w0)
        volumes[t] = volume / 6.0


@kernel
def mean_edge(positions, tets):  # type: ignore[no-untyped-def]
    """The mean length [m] of the edges of tets (m, 4), each once a tet."""
    total = 0.0
    for t in range(len(tets)):
        for i in range(4):
            for j in range(i):
                square = 0.0
                for a in range(3):
                    square += (positions[tets[t, i], a] - positions[tets[t, j], a]) ** 2
                total += np.sqrt(square)
    return total / (6 * len(tets))


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
