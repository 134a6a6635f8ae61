"""The frame that a body is remeshed in: its middle is the origin, and the new lattice lies along the axes."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..tetmesh.mesh import TetMesh

Array = NDArray[np.float64]


@dataclass(frozen=True)
class LatticeFrame:
    """turn (3, 3) rotates the lattice in the world, about the middle (3,) of a body [m].

    All that is searched is searched here: far from the world's origin digits are lost, and boxes around the tets of a lattice
    are smallest along its axes.
    """

    turn: Array
    middle: Array

    def points(self, points: Array) -> Array:
        """Points (k, 3) of the world [m] in this frame."""
        return np.ascontiguousarray((points - self.middle) @ self.turn)

    def mesh(self, mesh: TetMesh) -> TetMesh:
        """A mesh of the world in this frame."""
        return mesh.moved(self.points(mesh.positions))

    def in_world(self, mesh: TetMesh) -> TetMesh:
        """A mesh of this frame in the world."""
        return mesh.moved(mesh.positions @ self.turn.T + self.middle)
