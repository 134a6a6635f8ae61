"""The closed solid by which an artist's surface is cut where its body has torn.

It lies between the pieces of the new mesh, half-way, wherever old tets led from one to the other; it ends in the air. Where a
piece has burst it is what a ball takes of all that is outside the new mesh.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from ..surface import Surface
from ..tetmesh.manifold import components
from ..tetmesh.mesh import TetMesh
from .isosurface import isosurface
from .pieces import Pieces

Array = NDArray[np.float64]

NO_HOLES = np.zeros((0, 4))
SPACING = 0.4  # of the grid, in elements
WIDTH = 0.8  # elements by which the cut is nearer to one piece than to the other
REACH = 2.0  # elements that it goes on beyond the tets that have torn
BEYOND = 0.6  # elements by which tets stood out of the hole that they went with
RIM = 0.35  # elements by which what is seen may stay outside the new mesh around a hole


def cutter(old: TetMesh, new: TetMesh, element_size: float, holes: Array = NO_HOLES) -> Surface | None:
    """Return the solid for a body's change from an old mesh to a new one; None where nothing has torn.

    Lengths in m; holes (h, 4) are the middles and radii of what has burst; the surface is closed and counter-clockwise seen
    from outside.
    """
    if not components(new.tets).any() and not len(holes):
        return None
    pieces = Pieces(new)
    nearest = pieces.distances(old.positions).argmin(axis=1)[old.tets]
    torn = {
        pair: old.positions[np.unique(old.tets[across])]
        for pair in _pairs(nearest)
        if (across := np.isin(nearest, pair).all(axis=1) & (nearest != nearest[:, :1]).any(axis=1)).any()
    }
    return _between(pieces, torn, holes, element_size) if torn or len(holes) else None


def _pairs(nearest: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return the pairs of pieces between which tets lie, given the piece nearest to each of their corners (m, 4)."""
    low, high = nearest.min(axis=1), nearest.max(axis=1)
    return [(int(a), int(b)) for a, b in np.unique(np.stack([low, high], axis=1)[low < high], axis=0)]


def _between(pieces: Pieces, torn: dict[tuple[int, int], Array], holes: Array, element_size: float) -> Surface:
    """Return the solid half-way between pairs of pieces, around the places (k, 3) at which each pair was one, and in holes."""
    spacing, reach = SPACING * element_size, REACH * element_size
    balls = [holes[:, :3] + sign * holes[:, 3:] for sign in (-1.0, 1.0)]
    every = np.concatenate([*torn.values(), *balls])
    origin = every.min(axis=0) - reach - 2.0 * spacing
    shape = tuple(np.ceil((np.ptp(every, axis=0) + 2.0 * reach) / spacing).astype(int) + 5)
    grid = origin + spacing * np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1).reshape(-1, 3)
    field = np.full(len(grid), -1.0)
    for (a, b), seeds in torn.items():
        away = cKDTree(seeds).query(grid, distance_upper_bound=reach + spacing)[0]
        near = np.flatnonzero(np.isfinite(away))
        apart = pieces.distances(grid[near])
        between = WIDTH * element_size - np.abs(apart[:, a] - apart[:, b])
        field[near] = np.maximum(field[near], np.minimum(between, reach - away[near]) / element_size)
    for hole in holes:
        away = np.sqrt(((grid - hole[:3]) ** 2).sum(axis=1))
        near = np.flatnonzero(away < hole[3] + 2.0 * reach)
        outside = pieces.distances(grid[near]).min(axis=1) - RIM * element_size
        ball = hole[3] + BEYOND * element_size - away[near]
        field[near] = np.maximum(field[near], np.minimum(outside, ball) / element_size)
    vertices, triangles = isosurface(field.reshape(shape))
    return Surface(origin + spacing * vertices, triangles)
