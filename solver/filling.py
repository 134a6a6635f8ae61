"""How far tets reach out of what is seen, and how much of them it fills."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .geometry.measures import area_vectors
from .geometry.triangle_tree import TriangleTree, closest_points, triangle_tree
from .surface import Surface
from .tetmesh.mesh import TetMesh

Array = NDArray[np.float64]

APART = 1e-6  # of the largest height: heights of corners are never nearer to each other


class Standing(NamedTuple):
    """Where nodes (k,) of a boundary are about what is seen: the closest points (k, 3) of that, how far they are, who is outside."""

    feet: Array
    distance: Array
    outside: NDArray[np.bool_]


def standing(positions: Array, boundary: NDArray[np.int32], nodes: NDArray[np.int32], seen: TriangleTree) -> Standing:
    """Return that of some nodes of a mesh at positions (n, 3). What is outwards the boundary (f, 3) says, not what is seen."""
    here = np.ascontiguousarray(positions[nodes])
    found = closest_points(seen, here)
    feet = np.einsum("ki,kid->kd", found.weights, seen.positions[seen.triangles[found.triangle]])
    vectors = area_vectors(positions, boundary)
    outward = [np.bincount(boundary.ravel(), np.repeat(axis, 3), len(positions))[nodes] for axis in vectors.T]
    return Standing(feet, found.distance, np.einsum("ki,ik->k", here - feet, np.array(outward)) > 0.0)


def heights_about(mesh: TetMesh, seen: Surface) -> Array:
    """Return how far outside of what is seen the nodes (n,) of a mesh lie, negative inside [m].

    Where no node around one is outside it is only said to be inside: -inf.
    """
    result, nodes = np.full(len(mesh.positions), -np.inf), np.unique(mesh.faces.boundary)
    if not len(seen.triangles):
        return result
    tree = triangle_tree(seen.positions, seen.triangles)
    where = standing(mesh.positions, mesh.faces.boundary, nodes, tree)
    result[nodes] = np.where(where.outside, where.distance, -where.distance)
    beside = np.unique(mesh.tets[(result[mesh.tets] > 0.0).any(axis=1)])
    beside = beside[np.isinf(result[beside])]
    result[beside] = -closest_points(tree, np.ascontiguousarray(mesh.positions[beside])).distance
    return result


def filled_shares(values: Array) -> Array:
    """Return the share (m,) of tets that lies where a linear function with values (m, 4) at their corners is negative.

    The sum over such corners of d^3 / prod (d - d_j) over the others.
    """
    shares = (values <= 0.0).any(axis=1).astype(np.float64)
    cut = np.flatnonzero((values < 0.0).any(axis=1) & (values > 0.0).any(axis=1))
    own = np.sort(values[cut], axis=1)
    own += APART * np.abs(own).max(axis=1, keepdims=True) * np.arange(4.0)
    total = np.zeros(len(cut))
    for i in range(4):
        others = np.delete(own, i, axis=1)
        total += np.where(own[:, i] < 0.0, own[:, i] ** 3 / (own[:, [i]] - others).prod(axis=1), 0.0)
    shares[cut] = np.clip(total, 0.0, 1.0)
    return shares
