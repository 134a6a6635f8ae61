"""Where a solid thinner than its tear thickness bursts without falling apart: films across an opening, threads of a ring.

Thick is what lies in a ball as wide as the tear thickness about a place of a lump (thin.py). What hangs on that by one side
only, as corners and fins do, stays; what is left when they are gone (collapse.py) opens where it is thinnest.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt, maximum_filter
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from ..tetmesh.mesh import TetMesh
from .collapse import Left, collapsed
from .depth_grid import DepthGrid

Array = NDArray[np.float64]

WIDER = 0.75  # elements by which a hole's radius is more than the solid is deep there, so that it leads through


def holes(
    mesh: TetMesh, grid: DepthGrid, lumps: NDArray[np.bool_], thickness: float, element_size: float
) -> tuple[Array, NDArray[np.bool_]]:
    """Where a connected mesh bursts: middles and radii (k, 4) [m] of holes, and the tets (m,) in them; lumps (x, y, z) of the
    grid's places, tear thickness and element size in m."""
    away = distance_transform_edt(~lumps) * grid.spacing
    middles = mesh.positions[mesh.tets].mean(axis=1)
    held = grid.at(middles, away) <= 0.5 * thickness + grid.spacing
    if held.all() or not held.any():
        return np.zeros((0, 4)), np.zeros(len(held), dtype=bool)
    left = collapsed(mesh.tets, held, grid.at(middles, grid.depth))
    reach = max(round(0.5 * thickness / grid.spacing), 1)
    deepest = maximum_filter(grid.depth, 2 * reach + 1)
    found = []
    for cells in _films_and_threads(left, len(mesh.positions)):
        places = np.array([mesh.positions[cell].mean(axis=0) for cell in cells])
        depth = grid.at(places, deepest)
        thinnest = np.flatnonzero(depth <= depth.min() + 0.5 * grid.spacing)
        place = thinnest[grid.at(places[thinnest], away).argmax()]
        found.append((*places[place], depth[place] + WIDER * element_size))
    gone = np.zeros(len(held), dtype=bool)
    for *middle, radius in found:
        gone |= ((middles - middle) ** 2).sum(axis=1) < radius**2
    return np.array(found).reshape(-1, 4), gone & ~held


def _films_and_threads(left: Left, nodes: int) -> list[list[NDArray[np.int32]]]:
    """The cells of each connected film and thread, by nodes."""
    cells = [*left.triangles, *left.edges]
    if not cells:
        return []
    ends = np.concatenate([left.triangles[:, [0, 1]], left.triangles[:, [1, 2]], left.edges])
    graph = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(nodes, nodes))
    labels = connected_components(graph, directed=False)[1][[cell[0] for cell in cells]]
    return [[cells[k] for k in np.flatnonzero(labels == label)] for label in np.unique(labels)]
