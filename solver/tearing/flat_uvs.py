"""UVs for faces that had none: each connected patch of them spread on its mean plane."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from ..geometry.measures import area_vectors

Array = NDArray[np.float64]


def flat_coordinates(positions: Array, triangles: NDArray[np.int32]) -> Array:
    """Return coordinates (3 t, 2) [m] of the corners of triangles (t, 3), about the middle of their patch."""
    result = np.empty((3 * len(triangles), 2))
    if not len(triangles):
        return result
    start, stop = triangles.ravel(), np.roll(triangles, -1, axis=1).ravel()
    graph = coo_matrix((np.ones(len(start)), (start, stop)), shape=(len(positions), len(positions)))
    patch = np.asarray(connected_components(graph, directed=False)[1])[triangles[:, 0]]
    vectors = area_vectors(positions, triangles)
    for one in np.unique(patch):
        own = patch == one
        normal = vectors[own].sum(axis=0)
        # Along the axes that the plane is closest to: equal patches get equal UVs, however they are triangulated
        along = np.cross(np.eye(3)[np.abs(normal).argmin()], normal)
        along /= max(float(np.linalg.norm(along)), 1e-300)
        across = np.cross(normal, along)
        across /= max(float(np.linalg.norm(across)), 1e-300)
        corners = positions[triangles[own]].reshape(-1, 3)
        arms = corners - corners.mean(axis=0)
        result[np.repeat(own, 3)] = np.stack([arms @ along, arms @ across], axis=1)
    return result


def scale_of(uvs: NDArray[np.float32], area: float) -> float:
    """Return how long a metre is in UVs (t, 3, 2) of triangles that have an area together [m^2]."""
    a, b = (uvs[:, k].astype(np.float64) - uvs[:, 0] for k in (1, 2))
    covered = 0.5 * float(np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum())
    return float(np.sqrt(covered / area)) if area > 0.0 else 0.0
