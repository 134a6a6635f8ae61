"""Points looked up in a mesh once, for all that is to be known of them: which tet holds each, and what of the boundary is near."""

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
        closest = ClosestPoints(*(values[which] for values in self.closest))
        return Lookup(self.mesh, self.points[which], self.tets[which], self.weights[which], closest)

    def joined(self, other: "Lookup") -> "Lookup":
        """That of these points and, after them, of others about the same mesh."""
        pairs = zip(self.closest, other.closest, strict=True)
        return Lookup(
            self.mesh, np.concatenate([self.points, other.points]), np.concatenate([self.tets, other.tets]),
            np.concatenate([self.weights, other.weights]), ClosestPoints(*(np.concatenate(pair) for pair in pairs)),
        )  # fmt: skip
