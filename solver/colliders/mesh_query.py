"""The query of a mesh collider, in the frame of its stretched surface, stage by stage over arrays of points.

Each stage uses a kernel that meshing has compiled already, where one kernel for all would compile for many seconds.
Sums go through einsum, never BLAS, so that the bytes do not hang on its threads.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..geometry.pseudonormals import Pseudonormals
from ..geometry.triangle import CORNER_C, FACE
from ..geometry.triangle_tree import ClosestPoints, TriangleTree, closest_points
from ..geometry.winding import WindingTree, winding_numbers

Array = NDArray[np.float64]

# What is solid: the inside, told by pseudonormals or by the winding number; a sheet; a sheet with solid ground below.
SOLID, WOUND, SHEET, GROUND = 0, 1, 2, 3

GRID_CELLS = 32  # of the distance grid along the largest side


class MeshShape(NamedTuple):
    """A mesh collider's surface in its stretched frame.

    offset : thickness outwards [m]; depth: how far below a ground sheet is solid [m]
    grid   : (gx, gy, gz) signed distance at cell centres [m], empty when the surface stretches
    cell   : edge of the grid's cells [m]
    """

    surface: TriangleTree
    winding: WindingTree
    normals: Pseudonormals
    kind: int
    offset: float
    depth: float
    grid: Array
    cell: float


class Contacts(NamedTuple):
    """Points within reach: which of the query's `points` (c,) they are, and for each of them

    distance (c,) without the offset, normal (c, 3), triangle (c,) and weights (c, 3) of the closest point.
    """

    points: NDArray[np.int64]
    distance: Array
    normal: Array
    triangle: NDArray[np.int32]
    weights: Array


def distance_grid(surface: TriangleTree, winding: WindingTree, kind: int, wanted: bool) -> tuple[Array, float]:
    """Return (grid, cell edge): distances at cell centres, negative inside a solid; empty unless wanted.

    It only serves to skip far points: the distance changes by no more than one moves.
    """
    lower, upper = surface.tree.lower[0], surface.tree.upper[0]
    cell = float((upper - lower).max()) / GRID_CELLS
    if not wanted:
        return np.empty((0, 0, 0)), cell
    shape = np.maximum(np.ceil((upper - lower) / cell - 1e-9).astype(int), 1)
    centres = np.stack(np.meshgrid(*(np.arange(n) + 0.5 for n in shape), indexing="ij"), axis=-1).reshape(-1, 3)
    centres = lower + cell * centres
    distance = closest_points(surface, centres).distance
    if kind in (SOLID, WOUND):
        distance[_inside(winding, centres)] *= -1.0
    return distance.reshape(tuple(shape)), cell


def contacts(shape: MeshShape, points: Array, margin: float) -> Contacts:
    """Return which of `points` (k, 3), in the stretched frame, come within the margin or lie inside, and how."""
    # A ground sheet has to be found from below as deep as it is solid.
    reach = margin + shape.offset
    reach = max(reach, shape.depth) if shape.kind == GROUND else reach
    index, deep = _candidates(shape, points, reach)
    closest = closest_points(shape.surface, points[index], reach)
    missed = closest.triangle < 0
    if shape.kind in (SOLID, WOUND):
        lost = index[missed]
        deep = np.concatenate([deep, lost[_inside(shape.winding, points[lost])]])
    index, closest = index[~missed], _chosen(closest, ~missed)
    if len(deep):
        index = np.concatenate([index, deep])
        closest = _joined(closest, closest_points(shape.surface, points[deep]))
    return _signed(shape, points, index, closest)


def _candidates(shape: MeshShape, points: Array, reach: float) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the points that may lie within reach, and those that certainly lie deeper inside."""
    lower, upper = shape.surface.tree.lower[0], shape.surface.tree.upper[0]
    beyond = np.maximum(np.maximum(lower - points, points - upper), 0.0)
    index = np.flatnonzero(np.einsum("ki,ki->k", beyond, beyond) <= reach * reach)
    if not shape.grid.size or not len(index):
        return index, index[:0]
    place = (points[index] - lower) / shape.cell
    cells = np.clip(place.astype(np.int64), 0, np.array(shape.grid.shape) - 1)
    arm = place - cells - 0.5
    away = shape.cell * np.sqrt(np.einsum("ki,ki->k", arm, arm))
    level = shape.grid[cells[:, 0], cells[:, 1], cells[:, 2]]
    deep = level + away < -reach
    return index[(level - away <= reach) & ~deep], index[deep]


def _signed(shape: MeshShape, points: Array, index: NDArray[np.int64], closest: ClosestPoints) -> Contacts:
    inside = np.zeros(len(index), dtype=bool)
    if shape.kind == WOUND:
        inside = _inside(shape.winding, points[index])
        if inside.any():
            closest = _exposed(shape, points[index], inside, closest)
    facing = _pseudonormals(shape.normals, closest)
    direction = points[index] - _positions(shape.surface, closest)
    # On the surface the direction is noise.
    clear = closest.distance > 1e-9 * shape.cell * GRID_CELLS
    direction = np.where(clear[:, None], direction / np.where(clear, closest.distance, 1.0)[:, None], facing)
    if shape.kind in (SOLID, GROUND):
        inside = np.einsum("ki,ki->k", direction, facing) < 0.0
    if shape.kind == GROUND:
        inside &= ~_at_rim(shape.normals, closest)  # beside the rim there is no ground
    sign = np.where(inside, -1.0, 1.0)
    found = Contacts(index, sign * closest.distance, sign[:, None] * direction, closest.triangle, closest.weights)
    if shape.kind == GROUND:
        return _without(found, found.distance < -shape.depth)
    return found


def _without(found: Contacts, which: NDArray[np.bool_]) -> Contacts:
    keep = ~which
    return Contacts(found.points[keep], found.distance[keep], found.normal[keep], found.triangle[keep], found.weights[keep])


def _exposed(shape: MeshShape, points: Array, inside: NDArray[np.bool_], closest: ClosestPoints) -> ClosestPoints:
    """For points inside parts that overlap, the closest point that is not buried in another part."""
    from .exposed import closest_exposed_points

    which = np.flatnonzero(inside)
    step = 1e-6 * shape.cell * GRID_CELLS
    better = closest_exposed_points(shape.winding, shape.normals.faces, points[which], step)
    known = better.triangle >= 0
    which, better = which[known], _chosen(better, known)
    closest.distance[which], closest.triangle[which] = better.distance, better.triangle
    closest.weights[which], closest.feature[which] = better.weights, better.feature
    return closest


def _inside(winding: WindingTree, points: Array) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = np.abs(winding_numbers(winding, points)) > 0.5
    return inside


def _positions(surface: TriangleTree, closest: ClosestPoints) -> Array:
    positions: Array = np.einsum("ki,kid->kd", closest.weights, surface.positions[surface.triangles[closest.triangle]])
    return positions


def _pseudonormals(normals: Pseudonormals, closest: ClosestPoints) -> Array:
    part, t = closest.feature.astype(np.int64), closest.triangle
    at_corner, at_edge = (part > FACE) & (part <= CORNER_C), part > CORNER_C
    result = normals.faces[t]
    result[at_corner] = normals.corners[t[at_corner], part[at_corner] - 1]
    result[at_edge] = normals.edges[t[at_edge], part[at_edge] - 1 - CORNER_C]
    return result


def _at_rim(normals: Pseudonormals, closest: ClosestPoints) -> NDArray[np.bool_]:
    part, t = closest.feature.astype(np.int64), closest.triangle
    at_corner, at_edge = (part > FACE) & (part <= CORNER_C), part > CORNER_C
    result = np.zeros(len(t), dtype=bool)
    result[at_corner] = normals.border_corners[t[at_corner], part[at_corner] - 1]
    result[at_edge] = normals.border_edges[t[at_edge], part[at_edge] - 1 - CORNER_C]
    return result


def _chosen(closest: ClosestPoints, which: NDArray[np.bool_]) -> ClosestPoints:
    return ClosestPoints(closest.distance[which], closest.triangle[which], closest.weights[which], closest.feature[which])


def _joined(one: ClosestPoints, other: ClosestPoints) -> ClosestPoints:
    return ClosestPoints(
        np.concatenate([one.distance, other.distance]),
        np.concatenate([one.triangle, other.triangle]),
        np.concatenate([one.weights, other.weights]),
        np.concatenate([one.feature, other.feature]),
    )
