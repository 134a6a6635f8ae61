"""The ball of the benchmark: its numbers, its tets, and what every run of it returns.

Both solvers and the reference get the same tets, masses and start. This file imports numpy alone, so that it loads in
the environment of either; only `make_mesh` needs Dollop.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RADIUS = 0.5  # [m]
YOUNG = 1e5  # [Pa]
POISSON = 0.45
DENSITY = 1000.0  # [kg/m^3]
SPEED = 2.0  # downwards at the start [m/s]
GRAVITY = 9.81  # [m/s^2]
FRAME_RATE = 24
HEIGHT = 0.02  # of the lowest node above the ground z = 0 at the start [m]
FRAMES = 24  # over which the error is taken: the first second

MU = YOUNG / (2.0 * (1.0 + POISSON))
LAMBDA = YOUNG * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON))

RESOLUTION = {"5k": 9, "50k": 20, "200k": 31}  # lattice cells across the ball; 4920, 52896 and 194136 tets


@dataclass(frozen=True)
class Ball:
    """positions (n, 3) [m] at the start, tets (m, 4), boundary (t, 3) faces; element: edge of an average tet's cube [m]."""

    positions: Array
    tets: NDArray[np.int32]
    boundary: NDArray[np.int32]
    element: float

    @property
    def volumes(self) -> Array:
        """Rest volumes (m,) [m^3]."""
        edges = self.positions[self.tets[:, 1:]] - self.positions[self.tets[:, :1]]
        volumes: Array = np.linalg.det(edges) / 6.0
        return volumes

    @property
    def masses(self) -> Array:
        """Lumped (n,) [kg], a quarter of each tet to each corner, as both solvers do."""
        shares = np.repeat(DENSITY * self.volumes / 4.0, 4)
        masses: Array = np.bincount(self.tets.ravel(), shares, minlength=len(self.positions)).astype(np.float64)
        return masses


def sphere(subdivisions: int) -> tuple[Array, NDArray[np.int32]]:
    """A unit sphere from a subdivided octahedron: positions (n, 3), triangles (t, 3)."""
    points = np.array([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], dtype=np.float64)
    faces = np.array([[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]])
    for _ in range(subdivisions):
        edges = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
        unique, where = np.unique(edges, axis=0, return_inverse=True)
        ab, bc, ca = len(points) + where.reshape(3, -1)
        a, b, c = faces.T
        points = np.concatenate([points, points[unique].mean(axis=1)])
        points /= np.sqrt((points**2).sum(axis=1, keepdims=True))
        faces = np.concatenate([np.stack(corner, axis=1) for corner in ((a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca))])
    return points, faces.astype(np.int32)


def make_mesh(size: str, path: Path) -> None:
    """Fill the ball with Dollop's cage and write it, resting HEIGHT above the ground."""
    from solver.scene import Surface
    from solver.tetmesh.cage import cage

    points, triangles = sphere(6)
    mesh = cage(Surface(RADIUS * points, triangles), 2.0 * RADIUS / RESOLUTION[size])
    positions = mesh.positions + np.array([0.0, 0.0, HEIGHT - mesh.positions[:, 2].min()])
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, positions=positions, tets=mesh.tets)


def load_mesh(path: Path) -> Ball:
    """Read what `make_mesh` wrote."""
    with np.load(path) as arrays:
        positions, tets = arrays["positions"], arrays["tets"]
    faces = tets[:, [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]]].reshape(-1, 3)
    _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
    volumes = np.linalg.det(positions[tets[:, 1:]] - positions[tets[:, :1]]) / 6.0
    element = float((volumes.mean() * 6.0 * np.sqrt(2.0)) ** (1.0 / 3.0))
    return Ball(positions, tets, faces[first[count == 1]], element)


def deviation(run: Array, reference: Array) -> float:
    """RMS distance [m] over nodes and frames 1 to FRAMES of two runs (frames + 1, nodes, 3)."""
    return float(np.sqrt(((run[1 : FRAMES + 1] - reference[1 : FRAMES + 1]) ** 2).sum(axis=2).mean()))
