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
    table = face_table(mesh.tets)
    centroids = positions[faces.triangles].mean(axis=1)
    nearest = closest_points(triangle_tree(mesh.positions, table.boundary), centroids).triangle
    held = np.unique(np.stack([faces.shell, piece[table.tet[nearest]]], axis=1), axis=0)
    keep = volumes >= CRUMB * volumes.max()
    for shell in np.unique(held[:, 0]):
        mine = held[held[:, 0] == shell, 1]
        keep[mine[np.argmax(volumes[mine])]] = True
    return compacted(mesh.positions, mesh.tets[keep[piece]])
