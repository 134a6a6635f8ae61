"""Points looked up in a mesh once for all that is to be known of them: which tet holds each, what of the boundary is near."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .geometry.triangle_tree import ClosestPoints, closest_points
from .tetmesh.mesh import TetMesh

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Lookup:
    """Where points lie.

    mesh    : about the middle of its box, as everything here is
    points  : (k, 3) [m]
    tets    : (k,) int32, the tet that holds each, or -1
    weights : (k, 4) its weights there
    closest : what of the boundary is closest to each
    """

    mesh: TetMesh
    points: Array
    tets: NDArray[np.int32]
    weights: Array
    closest: ClosestPoints

    @classmethod
    def of(cls, mesh: TetMesh, points: Array) -> "Lookup":
        """That of points (k, 3) in the world."""
        return cls.about(mesh.centred, np.ascontiguousarray(points - mesh.middle))

    @classmethod
    def about(cls, here: TetMesh, points: Array) -> "Lookup":
        """That of points (k, 3) about the middle of a mesh that is itself moved there."""
        return cls(here, points, *here.located(points), closest_points(here.hull, points))

    def taken(self, which: NDArray[np.int64]) -> "Lookup":
        """That of some of the points, `which` (k,)."""
        near = self.closest
        closest = ClosestPoints(near.distance[which], near.triangle[which], near.weights[which], near.feature[which])
        return Lookup(self.mesh, self.points[which], self.tets[which], self.weights[which], closest)

    def joined(self, other: "Lookup") -> "Lookup":
        """That of these points and, after them, of others about the same mesh."""
        one, two = self.closest, other.closest
        closest = ClosestPoints(
            np.concatenate([one.distance, two.distance]), np.concatenate([one.triangle, two.triangle]),
            np.concatenate([one.weights, two.weights]), np.concatenate([one.feature, two.feature]),
        )  # fmt: skip
        return Lookup(
            self.mesh, np.concatenate([self.points, other.points]), np.concatenate([self.tets, other.tets]),
            np.concatenate([self.weights, other.weights]), closest,
        )  # fmt: skip
