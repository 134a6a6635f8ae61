"""From the artist's vertices to tet nodes: which nodes a pin holds, and where it wants them.

A node goes with the vertices around it as with a rigid piece: the rotation and the shift that fit their way best, those close
to it counting most (moving least squares with rotations; Schaefer, McPhail and Warren 2006, section 2.3, in space with the
rotation of Kabsch 1976). So what bones turn stays unstrained, at any depth and outside the surface too.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..embedding import Binding, bind
from ..fem.extension import carrying_matrix, extended_inside
from ..geometry.sampling import interpolated_points
from ..scene import Surface
from ..svd import signed_svd
from ..tetmesh.mesh import TetMesh
from .bearing import Bearing

Array = NDArray[np.float64]
Nodes = NDArray[np.int64]

NEIGHBOURS = 16  # vertices that a node goes with
NEAR = 0.5  # element sizes within which they count about alike
UNTURNED = 1e-9  # pull to no rotation at all, which decides only where vertices leave a turn open
CARRIED = 1e-6  # least share of a point that a node carries for it to be held with that point
SLIGHT = 1e-3  # weight from which on a spring counts


def held_nodes(weights: Array, spacing: float, bearing: Bearing, surface: Binding) -> tuple[Nodes, Array]:
    """The nodes (h,) that carry the pinned part of a surface, and the largest weight (h,) that each of them carries.

    weights (k,) are those of the surface's vertices, `surface` their binding. The nodes hold them exactly. Of large faces whose
    corners are all pinned the inside counts too, looked at every `spacing` [m].
    """
    mesh, largest = bearing.mesh, np.zeros(len(bearing.nodes))
    _raise(largest, surface, mesh, weights)
    faces = bearing.triangles[(weights[bearing.triangles] > 0.0).all(axis=1)]
    given = np.column_stack([bearing.positions, weights])
    inner = interpolated_points(Surface(bearing.positions, faces), given, spacing)[len(np.unique(faces)) :]
    if len(inner):
        _raise(largest, bind(mesh, np.ascontiguousarray(inner[:, :3])), mesh, inner[:, 3])
    nodes = np.flatnonzero(largest > 0.0)
    return nodes, largest[nodes]


def _raise(largest: Array, binding: Binding, mesh: TetMesh, weights: Array) -> None:
    """Raise the nodes' weights (n,) to those of the bound points (k,) that they carry."""
    carry = carrying_matrix(binding, mesh.tets, len(mesh.positions)).tocoo()
    counts = np.abs(carry.data) > CARRIED
    np.maximum.at(largest, carry.col[counts], weights[carry.row[counts]])


def sprung_nodes(weights: Array, bearing: Bearing, surface: Binding) -> tuple[Nodes, Array]:
    """The nodes (h,) inside and their weights (h,), those of the surface's vertices (k,) carried on as smoothly as can be.

    So a spring acts on a depth of goo that does not depend on how fine its tets are.
    """
    inside = np.clip(extended_inside(bearing.nodes, bearing.tets, surface, weights[:, None]).ravel(), 0.0, 1.0)
    nodes = np.flatnonzero(inside > SLIGHT)
    return nodes, inside[nodes]


class MovingLeastSquares:
    """Nodes (h, 3) at rest that go with the pinned vertices (p, 3) at rest, wherever these are."""

    def __init__(self, nodes: Array, vertices: Array, size: float) -> None:
        """size: of an element [m]."""
        count = min(NEIGHBOURS, len(vertices))
        distance, near = cKDTree(vertices).query(nodes, k=np.arange(1, count + 1))
        weights = 1.0 / (distance**2 + (NEAR * size) ** 2) ** 2
        self.near, self.weights = near, weights / weights.sum(axis=1, keepdims=True)
        self.center = np.einsum("hk,hki->hi", self.weights, vertices[near])
        self.around = self.weights[:, :, None] * (vertices[near] - self.center[:, None])
        self.arms = nodes - self.center

    def places(self, vertices: Array) -> Array:
        """Where the nodes go (h, 3) when the vertices are at (p, 3)."""
        there = vertices[self.near]
        center = np.einsum("hk,hki->hi", self.weights, there)
        moments = np.einsum("hki,hkj->hij", there - center[:, None], self.around)
        size = np.sqrt(np.einsum("hij,hij->h", moments, moments))
        moments += (UNTURNED * size[:, None, None] + 1e-300) * np.eye(3)
        left, _, right = signed_svd(moments)
        return center + np.einsum("hik,hjk,hj->hi", left, right, self.arms)
