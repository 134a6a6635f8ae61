"""Small tet meshes whose surfaces meet."""

import numpy as np
from scipy.sparse import identity

from solver.contact.surfaces.carried import Carried
from solver.contact.surfaces.surface import contact_surface
from solver.geometry.edges import edges_of
from solver.tetmesh.boundary import face_table

FIVE = np.array([[0, 1, 3, 5], [0, 3, 2, 6], [0, 5, 4, 6], [3, 5, 6, 7], [0, 3, 5, 6]])


def block(cells, size=1.0, corner=(0.0, 0.0, 0.0)):
    """Positions (n, 3) and tets (m, 4) of a block of cells (3,) of five tets each, mirrored from cell to cell."""
    counts = np.array(cells) + 1
    grid = np.stack(np.meshgrid(*(np.arange(c) for c in counts), indexing="ij"), axis=-1).reshape(-1, 3)
    number = np.arange(counts.prod()).reshape(counts)
    tets = []
    for i, j, k in np.ndindex(*cells):
        cell = np.array([number[i + (b & 1), j + (b >> 1 & 1), k + (b >> 2 & 1)] for b in range(8)])
        if (i + j + k) % 2:
            cell = cell[np.arange(8) ^ 1]
        tets.append(cell[FIVE])
    tets = np.concatenate(tets)
    positions = grid * size + np.asarray(corner, dtype=float)
    edges = positions[tets[:, 1:]] - positions[tets[:, :1]]
    turned = np.linalg.det(edges) < 0.0
    tets[turned] = tets[turned][:, [0, 2, 1, 3]]
    return positions, tets.astype(np.int32)


def surfaces_of(*meshes):
    """All positions (n, 3), and the surface of each mesh's tets in the numbers of all nodes, as points that carry contact."""
    first = np.cumsum([0, *(len(positions) for positions, _ in meshes)])
    places, surfaces = np.concatenate([positions for positions, _ in meshes]), []
    for (_, tets), shift in zip(meshes, first, strict=False):
        triangles = face_table((tets + shift).astype(np.int32)).boundary
        ends = places[edges_of(triangles).vertices]
        surfaces.append(contact_surface(triangles, places, float(np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).mean())))
    return places, surfaces


def themselves(places):
    """Points that are the nodes at places (n, 3)."""
    return Carried.by(identity(len(places), format="csr"))


def crumpled(positions, amount, seed=3):
    """Positions (n, 3) bent by a smooth random field, so that a thin block folds towards itself."""
    rng = np.random.default_rng(seed)
    waves, phases = rng.normal(size=(6, 3)) * 2.0, rng.uniform(0.0, 2.0 * np.pi, 6)
    return positions + amount * np.sin(positions @ waves.T + phases) @ rng.normal(size=(6, 3))
