"""How deep in a solid the places of a grid lie."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..geometry.tet_location import locate
from ..geometry.triangle_tree import closest_points, triangle_tree
from ..tetmesh.boundary import face_table
from ..tetmesh.mesh import TetMesh

Array = NDArray[np.float64]

SAMPLES = 3.0  # places looked at along the tear thickness, or along an element if that is shorter
MOST_PLACES = 3_000_000


class DepthGrid(NamedTuple):
    """The depth (x, y, z) of places [m], 0 outside, their spacing [m], and where the first one is."""

    depth: Array
    spacing: float
    lower: Array

    @classmethod
    def of(cls, mesh: TetMesh, thickness: float, element_size: float, most: float) -> "DepthGrid":
        """That of a mesh, fine enough for a tear thickness [m]; `most` [m] for all that lies deeper."""
        spacing = min(thickness, element_size) / SAMPLES
        lower, sides = mesh.positions.min(axis=0), np.ptp(mesh.positions, axis=0)
        spacing = max(spacing, float((sides.prod() / MOST_PLACES) ** (1.0 / 3.0)))
        shape = tuple(np.ceil(sides / spacing).astype(int) + 1)
        places = (np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1).reshape(-1, 3)) * spacing
        depth = _depths(TetMesh(mesh.positions - lower, mesh.tets), places, most)
        return cls(depth.reshape(shape), spacing, lower)

    def places(self, which: NDArray[np.int64]) -> Array:
        """Where places (k,) by number are (k, 3), from the first one on [m]."""
        return np.asarray(np.stack(np.unravel_index(which, self.depth.shape), axis=1) * self.spacing, np.float64)

    def at(self, points: Array, values: Array) -> Array:
        """Values (x, y, z) of the places nearest to points (k, 3), (k,)."""
        near = np.rint((points - self.lower) / self.spacing).astype(int)
        x, y, z = np.clip(near, 0, np.array(values.shape) - 1).T
        result: Array = values[x, y, z]
        return result


def _depths(mesh: TetMesh, places: Array, most: float) -> Array:
    """Return how deep in the mesh places (k, 3) lie [m], `most` for all that lie deeper, 0 outside."""
    depth = np.zeros(len(places))
    inside = np.flatnonzero(locate(mesh.positions, mesh.tets, places)[0] >= 0)
    tree = triangle_tree(mesh.positions, face_table(mesh.tets).boundary)
    depth[inside] = np.minimum(closest_points(tree, places[inside], most).distance, most)
    return depth
