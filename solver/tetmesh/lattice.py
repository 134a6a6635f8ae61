"""The body-centred cubic lattice: cube corners and cube centres, 12 tets a cube, each with dihedral angles 60 and 90.

Points are numbered corners first, then centres, x slowest. Long edges join neighbours of one kind (length 1 cell),
short ones a centre with the 8 corners of its cube (sqrt(3)/2).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import inline, kernel

LONG_DIRECTIONS = 6  # directions 0..5 of a point are long edges, 6..13 short ones
DIRECTIONS = 14


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
    cubes = np.ceil((upper - lower) / size - 1e-9).astype(int) + 2
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


@inline
def corner(lattice, i, j, k):  # type: ignore[no-untyped-def]
    """Number of a cube corner."""
    return (i * (lattice.ny + 1) + j) * (lattice.nz + 1) + k


@inline
def centre(lattice, i, j, k):  # type: ignore[no-untyped-def]
    """Number of a cube centre."""
    corners = (lattice.nx + 1) * (lattice.ny + 1) * (lattice.nz + 1)
    return corners + (i * lattice.ny + j) * lattice.nz + k


@kernel
def coordinates(lattice, point):  # type: ignore[no-untyped-def]
    """Return (i, j, k, is_centre) of a point."""
    corners = (lattice.nx + 1) * (lattice.ny + 1) * (lattice.nz + 1)
    if point < corners:
        row, k = divmod(point, lattice.nz + 1)
        i, j = divmod(row, lattice.ny + 1)
        return i, j, k, 0
    row, k = divmod(point - corners, lattice.nz)
    i, j = divmod(row, lattice.ny)
    return i, j, k, 1


@kernel
def neighbour(lattice, point, direction):  # type: ignore[no-untyped-def]
    """Return the point at the other end of an edge, or -1 outside the block."""
    i, j, k, is_centre = coordinates(lattice, point)
    if direction < 6:
        step = 1 if direction % 2 else -1
        axis = direction // 2
        i, j, k = i + step * (axis == 0), j + step * (axis == 1), k + step * (axis == 2)
        kind = is_centre
    else:
        bits = direction - 6
        # Centre (i, j, k) has the corners i..i+1; corner (i, j, k) the centres i-1..i.
        shift = 0 if is_centre else -1
        i, j, k = i + shift + (bits & 1), j + shift + ((bits >> 1) & 1), k + shift + ((bits >> 2) & 1)
        kind = 1 - is_centre
    inside = i >= 0 and j >= 0 and k >= 0
    if kind:
        inside = inside and i < lattice.nx and j < lattice.ny and k < lattice.nz
        return centre(lattice, i, j, k) if inside else -1
    inside = inside and i <= lattice.nx and j <= lattice.ny and k <= lattice.nz
    return corner(lattice, i, j, k) if inside else -1
