"""Which part of the bodies' boundary belongs to which contact point: what a stress acts on. numpy and scipy only."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..geometry.measures import area_vectors

Array = NDArray[np.float64]

CUTS = 3  # along a side of a boundary face, whose parts go to the contact points next to them


@dataclass(frozen=True)
class Patches:
    """Shares of boundary faces (f, 3): share s of face[s] belongs to point owner[s], all parts being alike."""

    faces: NDArray[np.int32]
    face: NDArray[np.int64]
    owner: NDArray[np.int64]

    @classmethod
    def of(cls, positions: Array, faces: NDArray[np.int32], points: Array, numbers: NDArray[np.int64]) -> "Patches":
        """Those of points (k, 3) by their numbers (k,), on the boundary faces (f, 3) of node positions (n, 3)."""
        weights = _centres()
        parts = np.einsum("si,fid->fsd", weights, positions[faces]).reshape(-1, 3)
        _, nearest = cKDTree(points).query(parts)
        return cls(faces, np.repeat(np.arange(len(faces)), len(weights)), numbers[nearest])

    def facing(self, positions: Array, normal: Array, points: NDArray[np.int64]) -> Array:
        """Area (c,) [m^2] of the patches of `points` (c,) that faces the way from which unit normals (c, 3) come.

        At an edge of the body only the side that faces a collider counts.
        """
        vectors = area_vectors(positions, self.faces)[self.face] / CUTS**2
        count = max(int(self.owner.max(initial=-1)), int(points.max(initial=-1))) + 1
        total = np.stack([np.bincount(self.owner, vectors[:, axis], count) for axis in range(3)], axis=1)
        area: Array = np.maximum(-np.einsum("ci,ci->c", total[points], normal), 0.0)
        return area


def _centres() -> Array:
    """Barycentric weights (CUTS^2, 3) of the middles of the parts of a triangle, all of one size."""
    upright = [(i + 1 / 3, j + 1 / 3) for i in range(CUTS) for j in range(CUTS - i)]
    turned = [(i + 2 / 3, j + 2 / 3) for i in range(CUTS - 1) for j in range(CUTS - 1 - i)]
    u, v = np.array(upright + turned).T / CUTS
    return np.stack([1.0 - u - v, u, v], axis=1)
