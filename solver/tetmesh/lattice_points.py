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


def corners_around(lattice: Lattice, points: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the corners (k, 4) of the lattice tets that hold points; of points in the outermost cubes and beyond, none.

    Of a point (x, y, z) about the centre of its cube, |x| >= |y| >= |z|, these are that centre, the next one along x, and two
    corners of the face between: the ends of its side towards y.
    """
    counts = np.array([lattice.nx, lattice.ny, lattice.nz])
    place = (points - lattice.origin) / lattice.size
    place = place[((place > 1.0) & (place < counts - 1.0)).all(axis=1)]
    cube = np.floor(place).astype(np.int64)
    way = place - cube - 0.5
    rows, order = np.arange(len(place)), np.argsort(-np.abs(way), axis=1, kind="stable")
    first, second, third = order.T
    beyond, edge = cube.copy(), cube.copy()
    beyond[rows, first] += np.where(way[rows, first] > 0.0, 1, -1)
    for axis in (first, second):
        edge[rows, axis] += (way[rows, axis] > 0.0).astype(np.int64)
    other = edge.copy()
    other[rows, third] += 1
    centres = [(at[:, 0] * counts[1] + at[:, 1]) * counts[2] + at[:, 2] + int((counts + 1).prod()) for at in (cube, beyond)]
    corners = [(at[:, 0] * (counts[1] + 1) + at[:, 1]) * (counts[2] + 1) + at[:, 2] for at in (edge, other)]
    return np.stack([*centres, *corners], axis=1)
