"""The compiled query of a mesh collider, in the frame of its stretched surface."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..geometry.pseudonormals import Pseudonormals
from ..geometry.tree import box_distance2
from ..geometry.triangle import CORNER_C, FACE
from ..geometry.triangle_tree import TriangleTree, closest_in_tree, closest_points
from ..geometry.winding import WindingTree, winding_number, winding_numbers
from ..jit import inline, kernel
from .exposed import closest_exposed

# What is solid: the inside, told by pseudonormals or by the winding number; a sheet; a sheet with solid ground below.
SOLID, WOUND, SHEET, GROUND = 0, 1, 2, 3

GRID_CELLS = 32  # of the distance grid along the largest side


class MeshShape(NamedTuple):
    """A mesh collider's surface in its stretched frame.

    local     : (n, 3) positions before the stretch [m]
    offset    : thickness outwards [m]; depth: how far below a ground sheet is solid [m]
    grid      : (gx, gy, gz) signed distance at cell centres [m], empty when the surface stretches
    grid_lower (3,), cell : corner and edge of the grid's cells [m]
    """

    surface: TriangleTree
    winding: WindingTree
    normals: Pseudonormals
    local: NDArray[np.float64]
    kind: int
    offset: float
    depth: float
    grid: NDArray[np.float64]
    grid_lower: NDArray[np.float64]
    cell: float


def distance_grid(
    surface: TriangleTree, winding: WindingTree, kind: int, wanted: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Return (grid, lower corner, cell edge): distances at cell centres, negative inside a solid.

    It only serves to skip far points in time: the distance changes by no more than one moves.
    """
    lower, upper = surface.tree.lower[0], surface.tree.upper[0]
    cell = float((upper - lower).max()) / GRID_CELLS
    if not wanted:
        return np.empty((0, 0, 0)), lower.copy(), cell
    shape = np.maximum(np.ceil((upper - lower) / cell - 1e-9).astype(int), 1)
    centres = np.stack(np.meshgrid(*(np.arange(n) + 0.5 for n in shape), indexing="ij"), axis=-1).reshape(-1, 3)
    centres = lower + cell * centres
    distance = closest_points(surface, centres).distance
    if kind in (SOLID, WOUND):
        distance[np.abs(winding_numbers(winding, centres)) > 0.5] *= -1.0
    return distance.reshape(tuple(shape)), lower.copy(), cell


@kernel
def query_mesh(  # type: ignore[no-untyped-def]
    first, last, shape, points, margin, rotation, translation, moves, spin, stretch_rate, drift, distance, normal, velocity
):
    """Set distance, normal and velocity at the world points first..last; see colliders.Field."""
    for k in range(first, last):
        px, py, pz = points[k, 0] - translation[0], points[k, 1] - translation[1], points[k, 2] - translation[2]
        x = rotation[0, 0] * px + rotation[1, 0] * py + rotation[2, 0] * pz
        y = rotation[0, 1] * px + rotation[1, 1] * py + rotation[2, 1] * pz
        z = rotation[0, 2] * px + rotation[1, 2] * py + rotation[2, 2] * pz
        d, nx, ny, nz, t, v, w = _signed_distance(shape, x, y, z, margin + shape.offset)
        distance[k] = d - shape.offset
        for i in range(3):
            normal[k, i] = rotation[i, 0] * nx + rotation[i, 1] * ny + rotation[i, 2] * nz
            velocity[k, i] = 0.0
        if moves and t >= 0:
            _set_velocity(shape.surface, shape.local, t, v, w, rotation, spin, stretch_rate, drift, velocity[k])


@inline
def _bounded_away(grid, lower, cell, x, y, z, reach):  # type: ignore[no-untyped-def]
    """1 if certainly further outside than `reach`, -1 if certainly deeper inside, 0 if unknown."""
    inverse = 1.0 / cell
    i = min(max(int((x - lower[0]) * inverse), 0), grid.shape[0] - 1)
    j = min(max(int((y - lower[1]) * inverse), 0), grid.shape[1] - 1)
    k = min(max(int((z - lower[2]) * inverse), 0), grid.shape[2] - 1)
    dx, dy, dz = x - lower[0] - (i + 0.5) * cell, y - lower[1] - (j + 0.5) * cell, z - lower[2] - (k + 0.5) * cell
    away = math.sqrt(dx * dx + dy * dy + dz * dz)
    if grid[i, j, k] - away > reach:
        return 1
    return -1 if grid[i, j, k] + away < -reach else 0


@kernel
def _signed_distance(shape, x, y, z, reach):  # type: ignore[no-untyped-def]
    """Return (distance, normal, triangle, weights of b and c); inf and triangle -1 further outside than reach."""
    # A ground sheet has to be found from below as deep as it is solid.
    if shape.kind == GROUND:
        reach = max(reach, shape.depth)
    tree = shape.surface.tree
    where = 1 if box_distance2(tree.lower, tree.upper, 0, x, y, z) > reach * reach else 0
    if where == 0 and shape.grid.size:
        where = _bounded_away(shape.grid, shape.grid_lower, shape.cell, x, y, z, reach)
    if where > 0:
        return np.inf, 0.0, 0.0, 0.0, -1, 0.0, 0.0
    t, d2, v, w, part = -1, np.inf, 0.0, 0.0, 0
    if where == 0:
        d2, t, v, w, part = closest_in_tree(shape.surface, x, y, z, reach * reach)
    if t < 0:
        deep = where < 0 or (shape.kind <= WOUND and abs(winding_number(shape.winding, x, y, z)) > 0.5)
        if not deep:
            return np.inf, 0.0, 0.0, 0.0, -1, 0.0, 0.0
        d2, t, v, w, part = closest_in_tree(shape.surface, x, y, z, np.inf)
    inside = shape.kind == WOUND and abs(winding_number(shape.winding, x, y, z)) > 0.5
    if inside:
        e2, s, q, r, other = closest_exposed(shape.winding, shape.normals.faces, x, y, z, 1e-6 * shape.cell * GRID_CELLS)
        if s >= 0:
            d2, t, v, w, part = e2, s, q, r, other
    d, mx, my, mz, sx, sy, sz = _direction(
        shape.surface.positions, shape.surface.triangles[t], shape.normals, shape.cell, x, y, z, d2, t, v, w, part
    )
    if shape.kind == WOUND:
        sign = -1.0 if inside else 1.0
    else:
        sign = _sign(shape.kind, shape.normals, mx * sx + my * sy + mz * sz, t, part)
    if shape.kind == GROUND and -sign * d > shape.depth:
        return np.inf, 0.0, 0.0, 0.0, -1, 0.0, 0.0
    return sign * d, sign * mx, sign * my, sign * mz, t, v, w


@inline
def _direction(positions, triangle, normals, cell, x, y, z, d2, t, v, w, part):  # type: ignore[no-untyped-def]
    """Return (distance, unit vector from the closest point to (x, y, z), pseudonormal at the closest point)."""
    if part == FACE:
        n = normals.faces[t]
    elif part <= CORNER_C:
        n = normals.corners[t, part - 1]
    else:
        n = normals.edges[t, part - 4]
    d = math.sqrt(d2)
    if d <= 1e-9 * cell * GRID_CELLS:  # on the surface the direction is noise
        return d, n[0], n[1], n[2], n[0], n[1], n[2]
    a, b, c = positions[triangle[0]], positions[triangle[1]], positions[triangle[2]]
    u = 1.0 - v - w
    mx = x - (u * a[0] + v * b[0] + w * c[0])
    my = y - (u * a[1] + v * b[1] + w * c[1])
    mz = z - (u * a[2] + v * b[2] + w * c[2])
    inverse = 1.0 / d
    return d, mx * inverse, my * inverse, mz * inverse, n[0], n[1], n[2]


@inline
def _sign(kind, normals, facing, t, part):  # type: ignore[no-untyped-def]
    """-1 inside, 1 outside, by the pseudonormal that the point faces."""
    if kind == SHEET or facing >= 0.0:
        return 1.0
    if kind == GROUND and part != FACE:
        # Beside the rim there is no ground.
        border = normals.border_corners[t, part - 1] if part <= CORNER_C else normals.border_edges[t, part - 4]
        return 1.0 if border else -1.0
    return -1.0


@inline
def _set_velocity(surface, local, t, v, w, rotation, spin, stretch_rate, drift, velocity):  # type: ignore[no-untyped-def]
    """Velocity of the material point of the surface that is closest: drift + spin x R y + R S' x."""
    triangle = surface.triangles[t]
    for i in range(3):
        rate, arm1, arm2 = 0.0, 0.0, 0.0
        for j in range(3):
            p, q = _at(surface.positions, triangle, j, v, w), 0.0
            arm1 += rotation[(i + 1) % 3, j] * p
            arm2 += rotation[(i + 2) % 3, j] * p
            for m in range(3):
                q += stretch_rate[j, m] * _at(local, triangle, m, v, w)
            rate += rotation[i, j] * q
        velocity[i] = drift[i] + spin[(i + 1) % 3] * arm2 - spin[(i + 2) % 3] * arm1 + rate


@inline
def _at(positions, triangle, axis, v, w):  # type: ignore[no-untyped-def]
    a, b, c = positions[triangle[0], axis], positions[triangle[1], axis], positions[triangle[2], axis]
    return a + v * (b - a) + w * (c - a)
