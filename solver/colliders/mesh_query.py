"""The query of a mesh collider, in the frame of its stretched surface, stage by stage over arrays of points.

Each stage uses a kernel that meshing has compiled already, or a small one of its own, where one kernel for all would compile
for many seconds.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..geometry.pseudonormals import Pseudonormals
from ..geometry.triangle import CORNER_C, FACE
from ..geometry.triangle_tree import ClosestPoints, TriangleTree, closest_points
from ..geometry.winding import WindingTree, winding_numbers
from ..jit import kernel

Array = NDArray[np.float64]

# What is solid: the inside, told by pseudonormals or by the winding number; a sheet; a sheet with solid ground below.
SOLID, WOUND, SHEET, GROUND = 0, 1, 2, 3

GRID_CELLS = 32  # of the distance grid along the largest side


class MeshShape(NamedTuple):
    """A mesh collider's surface in its stretched frame.

    offset : thickness outwards [m]; depth: how far below a ground sheet is solid [m]
    radii  : (n,) the thickness at each vertex, where it is not the same everywhere and offset is the most; else empty
    thickest : (nodes,) the most of it under each node of the surface's tree; empty as well
    grid   : (gx, gy, gz) signed distance at cell centres [m], empty when the surface stretches
    cell   : edge of the grid's cells [m]
    """

    surface: TriangleTree
    winding: WindingTree
    normals: Pseudonormals
    kind: int
    offset: float
    radii: Array
    thickest: Array
    depth: float
    grid: Array
    cell: float


class Contacts(NamedTuple):
    """Points within reach: which of the query's `points` (c,) they are, and for each of them

    distance (c,) beyond the thickness, normal (c, 3), triangle (c,) and weights (c, 3) of the closest point.
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


def in_frame(points: Array, translation: Array, rotation: Array) -> Array:
    """Points (k, 3) as they are seen from a frame at a place (3,) that is turned (3, 3)."""
    seen = np.empty((len(points), 3))
    _turn_back(points, translation, rotation, seen)
    return seen


@kernel
def _turn_back(points, translation, rotation, seen):  # type: ignore[no-untyped-def]
    for k in range(len(points)):
        a, b, c = points[k, 0] - translation[0], points[k, 1] - translation[1], points[k, 2] - translation[2]
        for j in range(3):
            seen[k, j] = a * rotation[0, j] + b * rotation[1, j] + c * rotation[2, j]


@kernel
def give_back(found, rotation, distance, normal):  # type: ignore[no-untyped-def]
    """Fill distance (k,) and normal (k, 3), turned (3, 3), with the Contacts found; else inf and 0."""
    which, away, direction, _, _ = found
    for k in range(len(distance)):
        distance[k] = np.inf
        for j in range(3):
            normal[k, j] = 0.0
    for c in range(len(which)):
        k = which[c]
        distance[k] = away[c]
        for j in range(3):
            turned = rotation[j, 0] * direction[c, 0] + rotation[j, 1] * direction[c, 1]
            normal[k, j] = turned + rotation[j, 2] * direction[c, 2]


def contacts(shape: MeshShape, points: Array, margin: float) -> Contacts:
    """Return which of `points` (k, 3), in the stretched frame, come within the margin or lie inside, and how."""
    found = bare_contacts(shape, points, margin)
    if not len(shape.radii):
        return found._replace(distance=found.distance - shape.offset)
    from .uneven import beyond_balls

    # What a ground may hold from beneath is seen from above too, or it would count as come from beneath (contact/beneath.py)
    near = (found.distance <= shape.depth) if shape.kind == GROUND else np.zeros(len(found.points), dtype=bool)
    found = beyond_balls(shape, points, found)
    return _without(found, (found.distance > margin) & ~near)


def bare_contacts(shape: MeshShape, points: Array, margin: float) -> Contacts:
    """The same with distances from the surface without its thickness."""
    # A ground sheet has to be found from below as deep as it is solid.
    reach = margin + shape.offset
    reach = max(reach, shape.depth) if shape.kind == GROUND else reach
    index, deep = _candidates(shape, points, reach)
    closest = closest_points(shape.surface, points[index], reach)
    missed = closest.triangle < 0
    if missed.any():
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
    tree = shape.surface.tree
    index, deep = np.empty((2, len(points)), dtype=np.int64)
    near, inner = _reached(points, tree.lower[0], tree.upper[0], reach, shape.grid, shape.cell, index, deep)
    return index[:near], deep[:inner]


@kernel
def _reached(points, lower, upper, reach, grid, cell, index, deep):  # type: ignore[no-untyped-def]
    """Fill index and deep with the points of `_candidates`; return how many there are of each."""
    near, inner = 0, 0
    cells, sizes = np.empty(3, np.int64), grid.shape
    for k in range(len(points)):
        beyond, off = 0.0, 0.0
        for axis in range(3):
            x = points[k, axis]
            out = max(lower[axis] - x, x - upper[axis], 0.0) if np.isfinite(x) else np.inf
            beyond += out * out
        if not beyond <= reach * reach:
            continue
        if grid.size == 0:
            index[near], near = k, near + 1
            continue
        for axis in range(3):
            place = (points[k, axis] - lower[axis]) / cell
            cells[axis] = min(max(int(place), 0), sizes[axis] - 1)
            arm = place - cells[axis] - 0.5
            off += arm * arm
        level, away = grid[cells[0], cells[1], cells[2]], cell * np.sqrt(off)
        if level + away < -reach:
            deep[inner], inner = k, inner + 1
        elif level - away <= reach:
            index[near], near = k, near + 1
    return near, inner


def _signed(shape: MeshShape, points: Array, index: NDArray[np.int64], closest: ClosestPoints) -> Contacts:
    inside = np.zeros(len(index), dtype=bool)
    if shape.kind == WOUND:
        inside = _inside(shape.winding, points[index])
        if inside.any():
            closest = _exposed(shape, points[index], inside, closest)
    distance, normal = np.empty(len(index)), np.empty((len(index), 3))
    # On the surface the direction is noise
    clear = 1e-9 * shape.cell * GRID_CELLS
    _sign(shape.surface.positions, shape.surface.triangles, shape.normals, shape.kind, clear, points, index, *closest, inside,
          distance, normal)  # fmt: skip
    found = Contacts(index, distance, normal, closest.triangle, closest.weights)
    if shape.kind == GROUND:
        return _without(found, found.distance < -shape.depth)
    return found


@kernel
def _sign(  # type: ignore[no-untyped-def]
    positions, triangles, normals, kind, clear, points, index, away, triangle, weights, feature, inside, distance, normal
):
    """Fill distance (c,) and normal (c, 3) of points (k, 3) by their index (c,); ClosestPoints and inside (c,) are known."""
    faces, edges, corners, border_edges, border_corners = normals
    for k in range(len(index)):
        t, part, rim, along = triangle[k], feature[k], False, 0.0
        if part > FACE:
            rim = border_corners[t, part - 1] if part <= CORNER_C else border_edges[t, part - 1 - CORNER_C]
        # By axes: slices of arrays would take three times as long to compile
        for axis in range(3):
            facing = faces[t, axis]
            if part > CORNER_C:
                facing = edges[t, part - 1 - CORNER_C, axis]
            elif part > FACE:
                facing = corners[t, part - 1, axis]
            at = 0.0
            for m in range(3):
                at += weights[k, m] * positions[triangles[t, m], axis]
            direction = (points[index[k], axis] - at) / away[k] if away[k] > clear else facing
            along += direction * facing
            normal[k, axis] = direction
        within = inside[k]
        if kind in (SOLID, GROUND):
            within = along < 0.0 and not (kind == GROUND and rim)  # beside the rim there is no ground
        distance[k] = -away[k] if within else away[k]
        if within and away[k] > clear:
            for axis in range(3):
                normal[k, axis] = -normal[k, axis]


def _without(found: Contacts, which: NDArray[np.bool_]) -> Contacts:
    if not which.any():
        return found
    keep = ~which
    return Contacts(found.points[keep], found.distance[keep], found.normal[keep], found.triangle[keep], found.weights[keep])


def _exposed(shape: MeshShape, points: Array, inside: NDArray[np.bool_], closest: ClosestPoints) -> ClosestPoints:
    """For points inside parts that overlap, the closest point that is not buried in another part."""
    from .exposed import are_exposed, closest_exposed_points

    which = np.flatnonzero(inside)
    step = 1e-6 * shape.cell * GRID_CELLS
    which = which[~are_exposed(shape.winding, shape.normals.faces, _chosen(closest, which), step)]
    better = closest_exposed_points(shape.winding, shape.normals.faces, points[which], step)
    known = better.triangle >= 0
    which, better = which[known], _chosen(better, known)
    closest.distance[which], closest.triangle[which] = better.distance, better.triangle
    closest.weights[which], closest.feature[which] = better.weights, better.feature
    return closest


def _inside(winding: WindingTree, points: Array) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = np.abs(winding_numbers(winding, points)) > 0.5
    return inside


def _chosen(closest: ClosestPoints, which: NDArray[np.bool_] | NDArray[np.int64]) -> ClosestPoints:
    return ClosestPoints(closest.distance[which], closest.triangle[which], closest.weights[which], closest.feature[which])


def _joined(one: ClosestPoints, other: ClosestPoints) -> ClosestPoints:
    return ClosestPoints(
        np.concatenate([one.distance, other.distance]),
        np.concatenate([one.triangle, other.triangle]),
        np.concatenate([one.weights, other.weights]),
        np.concatenate([one.feature, other.feature]),
    )
