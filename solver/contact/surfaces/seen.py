"""The artist's surface made fit to carry contact: in one piece where it looks so, and about as fine as the tets."""

import numpy as np
from numpy.typing import NDArray

from ...embedding import mean_edge
from ...geometry.decimation import decimated
from ...geometry.edges import welded
from ...geometry.splitting import split
from ...geometry.tet_location import locate
from ...geometry.triangle_tree import closest_points, triangle_tree
from ...surface import Surface
from ...tetmesh.boundary import face_table
from ...tetmesh.mesh import TetMesh

LONGEST = 1.5  # edges, in sizes of the tets: a longer one is cut, so that it gives way where it is pressed,
MERGED = 1.0  # and vertices are merged up to edges of this length
ERROR = 0.005  # sizes of the tets that vertices which are merged may be away from what carries contact


def seen_surface(surface: Surface, mesh: TetMesh, element: float, error: float = ERROR) -> Surface:
    """The artist's surface over a mesh of tets of the size `element` [m], both at rest, as it carries contact.

    Vertices in one place are one; triangles without a surface, and those deeper inside the tets than an edge, are left out.
    What is finer than the tets can follow is merged, with an `error` in their sizes, and long edges are halved.
    """
    triangles = welded(surface.positions, surface.triangles)
    sides = triangles != np.roll(triangles, 1, axis=1)
    triangles = triangles[sides.all(axis=1)]
    shallow = _shallow(surface.positions, mesh)[triangles].any(axis=1)
    if shallow.any():
        triangles = triangles[shallow]
    if error > 0.0:
        triangles = decimated(surface.positions, triangles, error * element, MERGED * element)
    positions, triangles = split(surface.positions, triangles, LONGEST * element)
    used, numbered = np.unique(triangles, return_inverse=True)
    return Surface(np.ascontiguousarray(positions[used]), numbered.reshape(-1, 3).astype(np.int32))


def _shallow(points: NDArray[np.float64], mesh: TetMesh) -> NDArray[np.bool_]:
    """Which of points (n, 3) lie outside the tets, or less than an edge inside."""
    middle = 0.5 * (mesh.positions.min(axis=0) + mesh.positions.max(axis=0))
    positions, relative = mesh.positions - middle, np.ascontiguousarray(points - middle)
    outside = locate(positions, mesh.tets, relative)[0] < 0
    closest = closest_points(triangle_tree(positions, face_table(mesh.tets).boundary), relative)
    return np.asarray(outside | (closest.distance < mean_edge(mesh)))
