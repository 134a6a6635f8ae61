"""The connected pieces of a cage: which carry a part of the artist's surface and which are crumbs."""

import numpy as np
from numpy.typing import NDArray

from ..geometry.orientation import Oriented
from ..geometry.triangle_tree import closest_points, triangle_tree
from .boundary import face_table
from .compaction import compacted
from .manifold import components
from .mesh import TetMesh
from .quality import tet_volumes

CRUMB = 0.02  # of the largest piece's volume


def without_crumbs(mesh: TetMesh, positions: NDArray[np.float64], faces: Oriented) -> TetMesh:
    """Return the mesh without the small pieces that a thin part of a larger one leaves behind.

    A piece stays if it is the largest that some shell of the artist's lies in, or not small. What hung on a crumb is
    carried by the nearest piece instead of falling off on its own.
    """
    piece = components(mesh.tets)
    count = int(piece.max()) + 1
    if count == 1:
        return mesh
    volumes = np.bincount(piece, weights=tet_volumes(mesh.positions, mesh.tets), minlength=count)
    held = _held(mesh, piece, positions, faces)
    keep = volumes >= CRUMB * volumes.max()
    for shell in np.unique(held[:, 0]):
        mine = held[held[:, 0] == shell, 1]
        keep[mine[np.argmax(volumes[mine])]] = True
    return compacted(mesh.positions, mesh.tets[keep[piece]])


def splits_a_shell(mesh: TetMesh, positions: NDArray[np.float64], faces: Oriented) -> bool:
    """Whether a connected part of the artist's surface lies in more than one piece of the mesh, and would fall apart."""
    if not len(mesh.tets):
        return False
    piece = components(mesh.tets)
    if not piece.any():
        return False
    held = _held(mesh, piece, positions, faces)
    return len(np.unique(held[:, 0])) < len(held)


def _held(
    mesh: TetMesh, piece: NDArray[np.int32], positions: NDArray[np.float64], faces: Oriented
) -> NDArray[np.int32]:
    """Return the (shell, piece) pairs that occur: each triangle lies in the piece that is nearest to it."""
    table = face_table(mesh.tets)
    centroids = positions[faces.triangles].mean(axis=1)
    nearest = closest_points(triangle_tree(mesh.positions, table.boundary), centroids).triangle
    return np.unique(np.stack([faces.shell, piece[table.tet[nearest]]], axis=1), axis=0)
