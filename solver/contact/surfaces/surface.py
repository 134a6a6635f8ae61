"""The surface with which a body touches others and itself: the artist's own, carried by the tets."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...geometry.edges import edges_of
from ...geometry.measures import area_vectors

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]


@dataclass(frozen=True)
class ContactSurface:
    """Vertices, edges and triangles of one body, by the numbers of its points among those of all bodies.

    vertices (v,), edges (e, 2), triangles (t, 3) : triangles counter-clockwise seen from outside
    vertex_areas (v,), edge_areas (e,)            : share of the surface at rest that each stands for [m^2]; both add up to it
    corner_shares (t, 3)                          : one over the number of triangles that share each corner
    element                                       : size of the tets that carry it [m]
    large_triangles (t,), large_edges (e,)        : of a surface as it is seen: which of them another has cut; None of others
    """

    vertices: IntArray
    edges: IntArray
    triangles: IntArray
    vertex_areas: Array
    edge_areas: Array
    corner_shares: Array
    element: float
    large_triangles: NDArray[np.bool_] | None = None
    large_edges: NDArray[np.bool_] | None = None


def contact_surface(
    triangles: IntArray, positions: Array, element: float, first: int = 0, longest: float | None = None
) -> ContactSurface:
    """The surface of triangles (t, 3) with points at positions (k, 3) at rest, over tets of a size [m].

    Its points come after so many others, as `first` says. Another one of the body has cut what is longer than `longest` [m].
    """
    areas = np.sqrt((area_vectors(positions, triangles) ** 2).sum(axis=1))
    edges = edges_of(triangles)
    vertices, corners = np.unique(triangles, return_inverse=True)
    third = np.repeat(areas / 3.0, 3)
    large_edges, large_triangles = None, None
    if longest is not None:
        ends = positions[edges.vertices]
        large_edges = np.sqrt(((ends[:, 1] - ends[:, 0]) ** 2).sum(axis=1)) > longest
        large_triangles = np.zeros(len(triangles), dtype=bool)
        large_triangles[edges.order[np.repeat(large_edges, edges.counts)] // 3] = True
    return ContactSurface(
        (vertices + first).astype(np.int32), edges.vertices + np.int32(first), (triangles + first).astype(np.int32),
        np.bincount(corners.ravel(), third, minlength=len(vertices)).astype(np.float64),
        np.add.reduceat(third[edges.order], edges.first[:-1]),
        1.0 / np.bincount(corners.ravel())[corners.ravel()].reshape(-1, 3), element,
        large_triangles, large_edges,
    )  # fmt: skip
