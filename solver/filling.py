"""How far tets reach out of what is seen, and how much of them what is seen fills."""

import numpy as np
from numpy.typing import NDArray

from .geometry.measures import area_vectors
from .geometry.triangle_tree import closest_points, triangle_tree
from .surface import Surface
from .tetmesh.mesh import TetMesh

Array = NDArray[np.float64]

APART = 1e-6  # of the largest height: heights of corners are never nearer to each other


def heights(mesh: TetMesh, seen: Surface) -> Array:
    """Return how far outside of what is seen the nodes (n,) of a mesh lie, negative inside [m].

    Where all nodes around one are inside it is only said to be so: -inf. Of nodes of the boundary the way outwards is the
    boundary's own.
    """
    result, faces = np.full(len(mesh.positions), -np.inf), mesh.faces.boundary
    if not len(seen.triangles):
        return result
    tree, nodes = triangle_tree(seen.positions, seen.triangles), np.unique(faces)
    found = closest_points(tree, np.ascontiguousarray(mesh.positions[nodes]))
    feet = np.einsum("ki,kid->kd", found.weights, seen.positions[seen.triangles[found.triangle]])
    vectors = area_vectors(mesh.positions, faces)
    outward = np.stack([np.bincount(faces.ravel(), np.repeat(axis, 3), len(result)) for axis in vectors.T], axis=1)[nodes]
    outside = ((mesh.positions[nodes] - feet) * outward).sum(axis=1) > 0.0
    result[nodes] = np.where(outside, found.distance, -found.distance)
    beside = np.unique(mesh.tets[(result[mesh.tets] > 0.0).any(axis=1)])
    beside = beside[np.isinf(result[beside])]
    result[beside] = -closest_points(tree, np.ascontiguousarray(mesh.positions[beside])).distance
    return result


def filled(own: Array) -> Array:
    """Return the share (m,) of tets that lies where a linear function with values (m, 4) at their corners is negative.

    The sum over such corners of d^3 / prod (d - d_j) over the others.
    """
    share = (own <= 0.0).any(axis=1).astype(np.float64)
    cut = np.flatnonzero((own < 0.0).any(axis=1) & (own > 0.0).any(axis=1))
    values = np.sort(own[cut], axis=1)
    values += APART * np.abs(values).max(axis=1, keepdims=True) * np.arange(4.0)
    total = np.zeros(len(cut))
    for i in range(4):
        others = np.delete(values, i, axis=1)
        total += np.where(values[:, i] < 0.0, values[:, i] ** 3 / (values[:, [i]] - others).prod(axis=1), 0.0)
    share[cut] = np.clip(total, 0.0, 1.0)
    return share
