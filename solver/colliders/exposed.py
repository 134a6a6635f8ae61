"""The closest point on the outside of a mesh whose parts overlap, for a point within."""

import numpy as np
from numpy.typing import NDArray

from ..geometry.chunks import in_chunks
from ..geometry.tree import STACK, box_distance2
from ..geometry.triangle import closest_on_triangle
from ..geometry.triangle_tree import ClosestPoints
from ..geometry.winding import WindingTree, winding_number, winding_numbers
from ..jit import kernel


def are_exposed(
    winding: WindingTree, face_normals: NDArray[np.float64], closest: ClosestPoints, step: float
) -> NDArray[np.bool_]:
    """Return which of the closest points (k,) of all are on the outside: those of the search below, which need none then."""
    surface = winding.surface
    corners = surface.positions[surface.triangles[closest.triangle]]
    w = closest.weights
    at = corners[:, 0] + w[:, 1:2] * (corners[:, 1] - corners[:, 0]) + w[:, 2:] * (corners[:, 2] - corners[:, 0])
    exposed = np.zeros(len(at), dtype=bool)
    for side in (step, -step):
        exposed |= np.abs(winding_numbers(winding, at + side * face_normals[closest.triangle])) <= 0.5
    return exposed


def closest_exposed_points(
    winding: WindingTree, face_normals: NDArray[np.float64], points: NDArray[np.float64], step: float
) -> ClosestPoints:
    """Return the closest points on the outside for `points` (k, 3); triangle -1 where everything near is buried."""
    count = len(points)
    found = ClosestPoints(
        np.empty(count), np.empty(count, dtype=np.int32), np.empty((count, 3)), np.empty(count, dtype=np.int8)
    )
    in_chunks(_closest_exposed, count, winding, face_normals, points, step, *found)
    return found


@kernel
def _closest_exposed(  # type: ignore[no-untyped-def]
    first, last, winding, face_normals, points, step, distance, triangle, weights, feature
):
    for k in range(first, last):
        d2, t, v, w, part = closest_exposed(winding, face_normals, points[k, 0], points[k, 1], points[k, 2], step)
        distance[k] = np.sqrt(d2)
        triangle[k] = t
        weights[k, 0], weights[k, 1], weights[k, 2] = 1.0 - v - w, v, w
        feature[k] = part


@kernel
def closest_exposed(winding, face_normals, x, y, z, step):  # type: ignore[no-untyped-def]
    """Return (squared distance, triangle or -1, weight of b, weight of c, feature), leaving out what lies buried.

    Where the boxes of a stair run into each other, the nearest face may be a wall inside, which would push a point
    deeper in. A closest point counts only if the winding number says outside on one of its sides, `step` away.
    """
    surface = winding.surface
    tree, positions, triangles = surface.tree, surface.positions, surface.triangles
    stack = np.empty(STACK, dtype=np.int32)
    best, found, best_v, best_w, best_part = np.inf, -1, 0.0, 0.0, 0
    stack[0] = 0
    size = 1
    while size:
        size -= 1
        node = stack[size]
        if box_distance2(tree.lower, tree.upper, node, x, y, z) > best:
            continue
        if node < tree.leaf:
            near, far = 2 * node + 1, 2 * node + 2
            d_near = box_distance2(tree.lower, tree.upper, near, x, y, z)
            if box_distance2(tree.lower, tree.upper, far, x, y, z) < d_near:
                near, far = far, near
            stack[size], stack[size + 1] = far, near
            size += 2
            continue
        for k in range(tree.start[node], tree.stop[node]):
            t = tree.order[k]
            a, b, c = positions[triangles[t, 0]], positions[triangles[t, 1]], positions[triangles[t, 2]]
            d2, v, w, part = closest_on_triangle(x, y, z, a, b, c)
            if d2 > best or (d2 == best and t > found):
                continue
            exposed = False
            for side in range(2):
                s = step if side == 0 else -step
                qx = a[0] + v * (b[0] - a[0]) + w * (c[0] - a[0]) + s * face_normals[t, 0]
                qy = a[1] + v * (b[1] - a[1]) + w * (c[1] - a[1]) + s * face_normals[t, 1]
                qz = a[2] + v * (b[2] - a[2]) + w * (c[2] - a[2]) + s * face_normals[t, 2]
                exposed = exposed or abs(winding_number(winding, qx, qy, qz)) <= 0.5
            if exposed:
                best, found, best_v, best_w, best_part = d2, t, v, w, part
    return best, found, best_v, best_w, best_part
