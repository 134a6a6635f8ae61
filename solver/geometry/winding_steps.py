"""By how much a surface's winding number changes between places close to each other: by one wherever it is crossed.

To count crossings among the few triangles around some places costs little beside their winding numbers. Where that is not
certain, as a place lies in the surface or the way to it meets an edge, it is said to be doubtful, and its winding number asked.
"""

import math

import numpy as np
from numpy.typing import NDArray

from ..jit import inline, inner_kernel, kernel
from .chunks import in_chunks
from .tree import STACK, items_near
from .triangle import cross
from .triangle_tree import TriangleTree

DOUBTFUL = 127
CLOSE = 1e-9  # of what a volume may be at most, from which on the way to a place is taken to meet an edge
FLAT = 1e-10  # times the square of its longest edge is the area of a triangle that nothing passes without meeting its edges


def winding_steps(surface: TriangleTree, places: NDArray[np.float64], near: float) -> NDArray[np.int8]:
    """Return by how much winding numbers change from the first to each of some places (k, p, 3), as (k, p).

    Exact where the surface is closed, and next to holes about right. DOUBTFUL are places within `near` [m] of the plane of a
    triangle whose box meets theirs, and those to which the way meets an edge.
    """
    result = np.zeros(places.shape[:2], dtype=np.int8)
    in_chunks(_steps, len(places), surface, places, near, result)
    return result


@kernel
def _steps(first, last, surface, places, near, steps):  # type: ignore[no-untyped-def]
    stack, found = np.empty(STACK, dtype=np.int32), np.empty(256, dtype=np.int32)
    lower, upper = np.empty(3), np.empty(3)
    for k in range(first, last):
        for a in range(3):
            lower[a], upper[a] = np.inf, -np.inf
            for p in range(places.shape[1]):
                lower[a], upper[a] = min(lower[a], places[k, p, a]), max(upper[a], places[k, p, a])
            lower[a], upper[a] = lower[a] - near, upper[a] + near
        count = items_near(surface.tree, lower, upper, stack, found)
        if count > len(found):
            found = np.empty(2 * count, dtype=np.int32)
            items_near(surface.tree, lower, upper, stack, found)
        for n in range(count):
            _pass(surface, found[n], places, k, lower, upper, near, steps)


@inner_kernel
def _pass(surface, t, places, own, lower, upper, near, steps):  # type: ignore[no-untyped-def]
    """Add to some places' own steps what passing through triangle t on straight ways from the first of them changes."""
    i, j, k = surface.triangles[t, 0], surface.triangles[t, 1], surface.triangles[t, 2]
    corners, x, y, z = surface.positions, places[own, 0, 0], places[own, 0, 1], places[own, 0, 2]
    for a in range(3):
        least = min(min(corners[i, a], corners[j, a]), corners[k, a])
        if least > upper[a] or max(max(corners[i, a], corners[j, a]), corners[k, a]) < lower[a]:
            return
    ax, ay, az = corners[i, 0] - x, corners[i, 1] - y, corners[i, 2] - z
    bx, by, bz = corners[j, 0] - x, corners[j, 1] - y, corners[j, 2] - z
    cx, cy, cz = corners[k, 0] - x, corners[k, 1] - y, corners[k, 2] - z
    nx, ny, nz = cross(bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az)
    area = math.sqrt(nx * nx + ny * ny + nz * nz)
    longest = max(_square(bx - ax, by - ay, bz - az), _square(cx - bx, cy - by, cz - bz))
    if area <= FLAT * max(longest, _square(ax - cx, ay - cy, az - cz)):
        return
    reach2 = max(max(_square(ax, ay, az), _square(bx, by, bz)), _square(cx, cy, cz))
    height, room = nx * ax + ny * ay + nz * az, near * area  # of the plane over the first place
    if abs(height) <= room:
        for p in range(steps.shape[1]):
            steps[own, p] = DOUBTFUL
        return
    abx, aby, abz = cross(ax, ay, az, bx, by, bz)
    bcx, bcy, bcz = cross(bx, by, bz, cx, cy, cz)
    cax, cay, caz = cross(cx, cy, cz, ax, ay, az)
    for p in range(1, steps.shape[1]):
        dx, dy, dz = places[own, p, 0] - x, places[own, p, 1] - y, places[own, p, 2] - z
        along = nx * dx + ny * dy + nz * dz
        if abs(along - height) <= room:
            steps[own, p] = DOUBTFUL
        elif steps[own, p] != DOUBTFUL and (along > height if height > 0.0 else along < height):
            # On which side of each edge the way passes: all of them say the same where it passes inside
            turn = 1.0 if along > 0.0 else -1.0
            one = turn * (abx * dx + aby * dy + abz * dz)
            two = turn * (bcx * dx + bcy * dy + bcz * dz)
            three = turn * (cax * dx + cay * dy + caz * dz)
            least, doubt = min(min(one, two), three), CLOSE * reach2 * math.sqrt(dx * dx + dy * dy + dz * dz)
            if least > doubt:
                steps[own, p] -= np.int8(turn)
            elif least >= -doubt:
                steps[own, p] = DOUBTFUL


@inline
def _square(x, y, z):  # type: ignore[no-untyped-def]
    return x * x + y * y + z * z
