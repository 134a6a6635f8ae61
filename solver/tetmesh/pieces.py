"""The connected pieces of a cage: which carry a part of the artist's surface and which are crumbs."""

import numpy as np
from numpy.typing import NDArray

from ..geometry.orientation import Oriented
from ..geometry.sampling import interpolated_points
from ..geometry.triangle_tree import closest_points, triangle_tree
from ..scene import Surface
from .boundary import face_table
from .compaction import compacted
from .manifold import components
from .mesh import TetMesh
from .quality import tet_volumes

CRUMB = 0.02  # of the largest piece's volume: what so little lies in by no middle of a face may do without it
LOST = 0.1  # what may go, rather than to fall off on its own


def without_crumbs(mesh: TetMesh, positions: NDArray[np.float64], faces: Oriented, spacing: float) -> TetMesh:
    """Return the mesh without the small pieces that a thin part of a larger one leaves behind.

    A piece stays if it is the largest that some shell of the artist's lies in, or not small. What hung on one that goes is
    carried by the nearest piece instead of falling off on its own. The surface is looked at some `spacing` [m] apart.
    """
    piece = components(mesh.tets)
    if not piece.any():
        return mesh
    volumes = _volumes(mesh, piece)
    held = _held(mesh, piece, volumes, positions, faces, spacing)
    keep = volumes >= LOST * volumes.max()
    for shell in np.unique(held[:, 0]):
        mine = held[held[:, 0] == shell, 1]
        keep[mine[np.argmax(volumes[mine])]] = True
    return compacted(mesh.positions, mesh.tets[keep[piece]])


def splits_a_shell(mesh: TetMesh, positions: NDArray[np.float64], faces: Oriented, spacing: float) -> bool:
    """Whether a connected part of the artist's surface lies in more than one piece of the mesh, and would fall apart."""
    if not len(mesh.tets):
        return False
    piece = components(mesh.tets)
    if not piece.any():
        return False
    held = _held(mesh, piece, _volumes(mesh, piece), positions, faces, spacing)
    return len(np.unique(held[:, 0])) < len(held)


def _volumes(mesh: TetMesh, piece: NDArray[np.int32]) -> NDArray[np.float64]:
    """That of each piece [m^3]."""
    volumes = np.zeros(int(piece.max()) + 1)
    np.add.at(volumes, piece, tet_volumes(mesh.positions, mesh.tets))
    return volumes


def _held(
    mesh: TetMesh, piece: NDArray[np.int32], volumes: NDArray[np.float64], positions: NDArray[np.float64], faces: Oriented,
    spacing: float,
) -> NDArray[np.int32]:  # fmt: skip
    """Return the (shell, piece) pairs that occur: a point of the surface lies in the piece that is nearest to it.

    Asked are the middles of faces, and points some `spacing` [m] apart, for pieces as that about a corner of a cube: no crumbs,
    and not what others lie in, which may be nearest where two come close.
    """
    table = face_table(mesh.tets)
    boundary = triangle_tree(mesh.positions, table.boundary)
    shells = np.zeros(len(positions))
    shells[faces.triangles] = faces.shell[:, None]
    values = np.column_stack([positions, shells])
    asked = np.concatenate(
        [values[faces.triangles].mean(axis=1), interpolated_points(Surface(positions, faces.triangles), values, spacing)]
    )
    nearest = piece[table.tet[closest_points(boundary, np.ascontiguousarray(asked[:, :3])).triangle]]
    held, middles = np.stack([np.rint(asked[:, 3]).astype(np.int32), nearest], axis=1), len(faces.triangles)
    free = volumes >= CRUMB * volumes.max()
    free[nearest[:middles]] = False
    return np.unique(np.concatenate([held[:middles], held[middles:][free[nearest[middles:]]]]), axis=0)
