"""Sharp edges of a tet mesh's boundary, which a new boundary is to keep: creases and the corners where they end or bend."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ..geometry.edges import edges_of
from ..geometry.measures import area_vectors
from ..tetmesh.mesh import TetMesh

Array = NDArray[np.float64]

SHARP = 50.0  # angle between the normals of two faces from which their edge is sharp [deg]
BEND = 40.0  # angle by which a crease turns at a corner [deg]
SHORTEST = 2.0  # element sizes: of shorter creases none is kept, for a rough boundary has some by chance


class Features(NamedTuple):
    """corners (c, 3) [m], and the straight parts of creases from starts (k, 3) to ends (k, 3) [m].

    chains (k,) numbers the creases; the parts of one follow each other, and lead from corner to corner or around.
    """

    corners: Array
    starts: Array
    ends: Array
    chains: NDArray[np.int64]


def features(mesh: TetMesh, element_size: float) -> Features:
    """Return the corners and creases of a mesh's boundary."""
    edges = _long_enough(mesh.positions, _sharp_edges(mesh), element_size)
    corners = _corners(mesh.positions, edges)
    paths = _paths(edges, set(corners.tolist()))
    starts = [mesh.positions[path[:-1]] for path in paths]
    ends = [mesh.positions[path[1:]] for path in paths]
    empty = np.empty((0, 3))
    chains = np.repeat(np.arange(len(paths)), [len(path) - 1 for path in paths])
    return Features(mesh.positions[corners], np.concatenate([empty, *starts]), np.concatenate([empty, *ends]), chains)


def _sharp_edges(mesh: TetMesh) -> NDArray[np.int32]:
    """The ends (k, 2) of edges of the boundary where it bends by more than SHARP."""
    faces = mesh.faces.boundary
    edges = edges_of(faces)
    normals = area_vectors(mesh.positions, faces)
    normals /= np.maximum(np.sqrt((normals**2).sum(axis=1, keepdims=True)), 1e-300)
    pairs = np.flatnonzero(edges.counts == 2)
    one, other = (normals[edges.triangle[edges.first[pairs] + k]] for k in (0, 1))
    return edges.vertices[pairs[(one * other).sum(axis=1) < np.cos(np.radians(SHARP))]]


def _long_enough(positions: Array, edges: NDArray[np.int32], element_size: float) -> NDArray[np.int32]:
    """Those of edges (k, 2) that hang together over SHORTEST or more."""
    count = len(positions)
    graph = coo_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(count, count))
    group = connected_components(graph, directed=False)[1][edges[:, 0]]
    lengths = np.sqrt(((positions[edges[:, 1]] - positions[edges[:, 0]]) ** 2).sum(axis=1))
    kept: NDArray[np.int32] = edges[np.bincount(group, lengths, count)[group] >= SHORTEST * element_size]
    return kept


def _corners(positions: Array, edges: NDArray[np.int32]) -> NDArray[np.int64]:
    """The nodes where creases end, meet or bend."""
    ways = positions[edges[:, 1]] - positions[edges[:, 0]]
    ways /= np.maximum(np.sqrt((ways**2).sum(axis=1, keepdims=True)), 1e-300)
    sums, degree = np.zeros_like(positions), np.bincount(edges.ravel(), minlength=len(positions))
    np.add.at(sums, edges[:, 0], ways)
    np.add.at(sums, edges[:, 1], -ways)
    bent = (sums**2).sum(axis=1) > 2.0 - 2.0 * np.cos(np.radians(BEND))  # two unit ways out, opposite where it is straight
    return np.flatnonzero((degree > 0) & ((degree != 2) | bent))


def _paths(edges: NDArray[np.int32], corners: set[int]) -> list[list[int]]:
    """Creases as nodes in order, from corner to corner, or around to their first node."""
    around: dict[int, list[int]] = {}
    for a, b in edges.tolist():
        around.setdefault(a, []).append(b)
        around.setdefault(b, []).append(a)
    left = {(a, b) for a in around for b in around[a]}
    paths = []
    for start in sorted(around, key=lambda node: (node not in corners, node)):
        for following in sorted(around[start]):
            path, here = [start], following
            while (path[-1], here) in left:
                left -= {(path[-1], here), (here, path[-1])}
                path.append(here)
                if here not in corners and here != start:
                    here = next((node for node in around[here] if (here, node) in left), here)
            if len(path) > 1:
                paths.append(path)
    return paths
