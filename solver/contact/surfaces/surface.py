"""The surface with which a body touches others and itself: the boundary of its tetrahedra."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ...geometry.edges import edges_of
from ...geometry.measures import area_vectors
from ...state import Ranges
from ...tetmesh.boundary import face_table

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]


@dataclass(frozen=True)
class ContactSurface:
    """Vertices, edges and triangles of one body, by the numbers of its nodes among those of all bodies.

    vertices (v,), edges (e, 2), triangles (t, 3) : triangles counter-clockwise seen from outside
    vertex_areas (v,), edge_areas (e,)            : share of the surface at rest that each stands for [m^2]; both add up to it
    corner_shares (t, 3)                          : one over the number of triangles that share each corner
    """

    vertices: IntArray
    edges: IntArray
    triangles: IntArray
    vertex_areas: Array
    edge_areas: Array
    corner_shares: Array


def contact_surface(tets: IntArray, positions: Array) -> ContactSurface:
    """The surface of one body's tets (m, 4), its areas from positions (n, 3) at rest."""
    triangles = face_table(tets).boundary
    areas = np.sqrt((area_vectors(positions, triangles) ** 2).sum(axis=1))
    edges = edges_of(triangles)
    vertices, corners = np.unique(triangles, return_inverse=True)
    third = np.repeat(areas / 3.0, 3)
    return ContactSurface(
        vertices.astype(np.int32), edges.vertices, triangles,
        np.bincount(corners.ravel(), third, minlength=len(vertices)).astype(np.float64),
        np.add.reduceat(third[edges.order], edges.first[:-1]),
        1.0 / np.bincount(corners.ravel())[corners.ravel()].reshape(-1, 3),
    )  # fmt: skip


def contact_surfaces(tets: IntArray, positions: Array, ranges: Ranges) -> list[ContactSurface]:
    """The surfaces of all bodies, whose tets (m, 4) lie in `ranges`."""
    return [contact_surface(tets[a:b], positions) for a, b in pairwise(ranges.tets.tolist())]
