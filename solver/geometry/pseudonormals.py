"""Normals of faces, edges and vertices that tell inside from outside at the closest point. numpy only.

Source: Baerentzen & Aanaes 2005: the sign of (p - closest) . n is right for a closed surface if n is the face's normal,
the sum of the two faces' at an edge, and the angle-weighted sum at a vertex.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .edges import edges_of
from .measures import area_vectors


class Pseudonormals(NamedTuple):
    """Unit normals and open borders of a surface.

    faces (t, 3); edges (t, 3, 3) of the sides ab, bc, ca; corners (t, 3, 3)
    border_edges, border_corners : (t, 3) bool, on an open edge
    """

    faces: NDArray[np.float64]
    edges: NDArray[np.float64]
    corners: NDArray[np.float64]
    border_edges: NDArray[np.bool_]
    border_corners: NDArray[np.bool_]


def pseudonormals(
    positions: NDArray[np.float64], triangles: NDArray[np.int32], weld: NDArray[np.int32]
) -> Pseudonormals:
    """Return the normals of (t, 3) triangles; `weld` (t, 3) names coincident corners alike."""
    corners = positions[triangles]
    faces = _unit(area_vectors(positions, triangles))
    to_next = _unit(np.roll(corners, -1, axis=1) - corners)
    cosine = -(to_next * np.roll(to_next, 1, axis=1)).sum(axis=2)
    angles = np.arccos(np.clip(cosine, -1.0, 1.0))
    count = int(weld.max()) + 1
    at_vertex = _summed(weld.ravel(), (angles[:, :, None] * faces[:, None, :]).reshape(-1, 3), count)
    edges = edges_of(weld)
    group, at_edge = _edge_groups(edges.first, edges.order, faces)
    open_edges = edges.counts == 1
    open_vertices = np.zeros(count, dtype=bool)
    open_vertices[edges.vertices[open_edges].ravel()] = True
    return Pseudonormals(
        faces,
        _unit(at_edge[group]).reshape(-1, 3, 3),
        np.ascontiguousarray(_unit(at_vertex)[weld]),
        open_edges[group].reshape(-1, 3),
        open_vertices[weld],
    )


def with_faces_moved(
    normals: Pseudonormals, positions: NDArray[np.float64], triangles: NDArray[np.int32]
) -> Pseudonormals:  # fmt: skip
    """Return those of triangles (t, 3) whose vertices are at other positions, with their faces' at edges and vertices too.

    They do not tell inside from outside there, but need a tenth of the time.
    """
    faces = _unit(area_vectors(positions, triangles))
    sides = np.repeat(faces[:, None, :], 3, axis=1)
    return normals._replace(faces=faces, edges=sides, corners=sides)


def _edge_groups(
    first: NDArray[np.int64], order: NDArray[np.int64], faces: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the edge (3t,) that each side of each triangle belongs to, and the sum of face normals at each edge."""
    group = np.empty(len(order), dtype=np.int64)
    group[order] = np.repeat(np.arange(len(first) - 1), np.diff(first))
    return group, _summed(group, np.repeat(faces, 3, axis=0), len(first) - 1)


def _summed(index: NDArray[np.int64] | NDArray[np.int32], vectors: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    return np.stack([np.bincount(index, weights=vectors[:, a], minlength=count) for a in range(3)], axis=1)


def _unit(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    length = np.sqrt((vectors * vectors).sum(axis=-1, keepdims=True))
    unit: NDArray[np.float64] = vectors / np.where(length > 0.0, length, 1.0)
    return unit


def turned_over(normals: Pseudonormals) -> Pseudonormals:
    """Those of the same surface with its other side out."""
    return normals._replace(faces=-normals.faces, edges=-normals.edges, corners=-normals.corners)
