"""Where the points of the cage's lattice lie. numpy only, so that preflight can ask.

Cube corners first, then cube centres, x slowest (tetmesh.lattice joins them to tets).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Lattice(NamedTuple):
    """A block of nx x ny x nz cubes.

    origin : (3,) float64 position of corner (0, 0, 0) [m]; size: edge of a cube [m]
    """

    origin: NDArray[np.float64]
    size: float
    nx: int
    ny: int
    nz: int


def point_count(lattice: Lattice) -> int:
    """Corners and centres together."""
    return (lattice.nx + 1) * (lattice.ny + 1) * (lattice.nz + 1) + lattice.nx * lattice.ny * lattice.nz


def lattice_around(lower: NDArray[np.float64], upper: NDArray[np.float64], size: float) -> Lattice:
    """Return the lattice of cubes of `size` that covers a box with one cube to spare, centred on it.

    Centred, so that a symmetric body gets a symmetric cage.
    """
    cubes = np.ceil((upper - lower) / size - 1e-3).astype(int) + 2  # a body is a whole number of elements long
    cubes = np.maximum(cubes, 3)
    return Lattice(0.5 * (lower + upper) - 0.5 * size * cubes, float(size), int(cubes[0]), int(cubes[1]), int(cubes[2]))


def lattice_points(lattice: Lattice) -> NDArray[np.float64]:
    """Return the positions (n, 3) of all lattice points [m]."""
    cubes = (lattice.nx, lattice.ny, lattice.nz)
    corners = np.stack(np.meshgrid(*(np.arange(n + 1.0) for n in cubes), indexing="ij"), axis=-1).reshape(-1, 3)
    centres = np.stack(np.meshgrid(*(np.arange(n) + 0.5 for n in cubes), indexing="ij"), axis=-1).reshape(-1, 3)
    points: NDArray[np.float64] = lattice.origin + lattice.size * np.concatenate([corners, centres])
    return points


def nearest_lattice_points(lattice: Lattice, points: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the number of the lattice point nearest to each of `points` (k, 3), which lie in the block."""
    place = (points - lattice.origin) / lattice.size
    counts = np.array([lattice.nx, lattice.ny, lattice.nz])
    corners = np.clip(np.round(place), 0, counts).astype(np.int64)
    centres = np.clip(np.floor(place), 0, counts - 1).astype(np.int64)
    to_corner = ((place - corners) ** 2).sum(axis=1)
    to_centre = ((place - centres - 0.5) ** 2).sum(axis=1)
    corner_numbers = (corners[:, 0] * (counts[1] + 1) + corners[:, 1]) * (counts[2] + 1) + corners[:, 2]
    centre_numbers = (centres[:, 0] * counts[1] + centres[:, 1]) * counts[2] + centres[:, 2] + int((counts + 1).prod())
    return np.where(to_corner <= to_centre, corner_numbers, centre_numbers)
