"""Where a finely meshed surface bends narrowly, seen at the scale of a body's tets. numpy and scipy only."""

import numpy as np
from numpy.typing import NDArray

from ..geometry.measures import vertex_area_vectors

Array = NDArray[np.float64]

REACHED = 2.5  # cells between two places that are compared
LEAST = 0.1  # [rad] between their normals, which is more than noise of a mesh leaves of a mean
FACING = -0.1  # cosine between two normals: what faces away is another side


def one_a_cell(places: Array, size: float) -> NDArray[np.bool_]:
    """Which of places (k, 3) are the first in their cell of a size [m]."""
    chosen = np.zeros(len(places), dtype=bool)
    if len(places):
        chosen[np.unique(np.floor(places / size), axis=0, return_index=True)[1]] = True
    return chosen


def bumps(
    positions: Array, triangles: NDArray[np.int32], asked: NDArray[np.bool_], radius: float, cell: float, apart: float,
    sheet: bool,
) -> NDArray[np.int64]:  # fmt: skip
    """Of vertices (v,) that are asked for, where the surface bends outwards on less than a radius [m], some apart [m] a side.

    positions (v, 3), triangles (t, 3) turned outwards; of a sheet where it bends to either side. Normals are means over a cell
    [m], so that what is rough but flat does not count.
    """
    normals = vertex_area_vectors(positions, triangles)
    areas = np.sqrt((normals**2).sum(axis=1))
    vertices = np.flatnonzero(areas > 0.0)
    places, normals, areas = positions[vertices], normals[vertices], areas[vertices]
    rows = np.concatenate([np.floor(places / cell), normals > 0.0], axis=1)
    _, group = np.unique(rows, axis=0, return_inverse=True)
    group, count = group.ravel(), int(group.max()) + 1
    middle = _sums(group, areas[:, None] * places, count) / np.bincount(group, areas, count)[:, None]
    facing = _sums(group, normals, count)
    facing /= np.maximum(np.sqrt((facing**2).sum(axis=1)), 1e-300)[:, None]
    bent = np.zeros(count, dtype=bool)
    bent[_bent_pairs(middle, facing, radius, REACHED * cell, sheet)] = True
    chosen = np.flatnonzero(asked[vertices] & bent[group])
    height = ((places[chosen] - middle[group[chosen]]) * facing[group[chosen]]).sum(axis=1)
    _, part = np.unique(np.column_stack([group[chosen], np.floor(places[chosen] / apart)]), axis=0, return_inverse=True)
    order = np.lexsort((vertices[chosen], -height, part.ravel()))  # of each part that which stands out most
    highest = np.unique(part.ravel()[order], return_index=True)[1]
    return np.sort(vertices[chosen[order[highest]]])


def _sums(group: NDArray[np.int64], values: Array, count: int) -> Array:
    return np.stack([np.bincount(group, axis, count) for axis in values.T], axis=1)


def _bent_pairs(middle: Array, facing: Array, radius: float, reach: float, sheet: bool) -> NDArray[np.int64]:
    """The places of (m, 3) with normals (m, 3) that lie with another within reach [m] on less than a radius [m], flattened."""
    from scipy.spatial import cKDTree  # preflight builds colliders in Blender, and asks for no bumps

    pairs = cKDTree(middle).query_pairs(reach, output_type="ndarray")
    one, other = pairs.T
    way, turn = middle[other] - middle[one], facing[other] - facing[one]
    cosine = (facing[one] * facing[other]).sum(axis=1)
    bend = (turn * way).sum(axis=1)
    bend = np.abs(bend) if sheet else bend
    narrow = bend * radius > (way**2).sum(axis=1)
    return np.asarray(pairs[narrow & (cosine > FACING) & (cosine < np.cos(LEAST))].ravel(), dtype=np.int64)
