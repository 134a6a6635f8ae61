"""A bounding-volume tree over triangles: closest point, winding number, crossings of a segment."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import inner_kernel, kernel
from .chunks import evenly, in_chunks
from .packets import BEST, MOST, PACKET, PLACE, SLOTS, gathered, room, walk
from .tree import STACK, Tree, box_distance2, build_tree, fit_boxes
from .triangle import closest_on_triangle


class TriangleTree(NamedTuple):
    """Triangles (t, 3) of positions (n, 3) and the tree over their boxes."""

    positions: NDArray[np.float64]
    triangles: NDArray[np.int32]
    tree: Tree


class ClosestPoints(NamedTuple):
    """The points of a surface closest to some points.

    distance : (k,) float64 [m]; inf where nothing lies within the limit
    triangle : (k,) int32; -1 there
    weights  : (k, 3) float64, barycentric in the triangle
    feature  : (k,) int8, which part of the triangle (geometry.triangle)
    """

    distance: NDArray[np.float64]
    triangle: NDArray[np.int32]
    weights: NDArray[np.float64]
    feature: NDArray[np.int8]


def triangle_tree(positions: NDArray[np.float64], triangles: NDArray[np.int32]) -> TriangleTree:
    """Return the tree over a surface's triangles; those without area should have been dropped."""
    return TriangleTree(positions, triangles, build_tree(*_triangle_boxes(positions, triangles)))


def refit(surface: TriangleTree, positions: NDArray[np.float64]) -> TriangleTree:
    """Return the tree for moved positions, sharing (and overwriting) the boxes of the old one."""
    fit_boxes(surface.tree, *_triangle_boxes(positions, surface.triangles))
    return surface._replace(positions=positions)


def _triangle_boxes(
    positions: NDArray[np.float64], triangles: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lower and the upper corner (t, 3) of each triangle's box."""
    lower, upper = np.empty((len(triangles), 3)), np.empty((len(triangles), 3))
    evenly(_boxes, len(triangles), positions, triangles, lower, upper)
    return lower, upper


@kernel
def _boxes(first, last, positions, triangles, lower, upper):  # type: ignore[no-untyped-def]
    for t in range(first, last):
        for a in range(3):
            p, q, r = positions[triangles[t, 0], a], positions[triangles[t, 1], a], positions[triangles[t, 2], a]
            lower[t, a], upper[t, a] = min(min(p, q), r), max(max(p, q), r)


def closest_points(surface: TriangleTree, points: NDArray[np.float64], limit: float = np.inf) -> ClosestPoints:
    """Return the closest point on the surface for each of `points` (k, 3), within `limit` [m]."""
    count = len(points)
    found = ClosestPoints(
        np.empty(count), np.empty(count, dtype=np.int32), np.empty((count, 3)), np.empty(count, dtype=np.int8)
    )
    # Where triangles are the denser, a packet of points meets too many of them
    order = gathered(points) if count > max(PACKET, len(surface.triangles)) else np.zeros(0, dtype=np.int32)
    in_chunks(_closest, count, surface, points, order, limit, found.distance, found.triangle, found.weights, found.feature)
    return found


@kernel
def _closest(first, last, surface, points, order, limit, distance, triangle, weights, feature):  # type: ignore[no-untyped-def]
    stack, bound, w = np.empty(STACK, dtype=np.int32), np.empty(STACK), np.empty(SLOTS * PACKET)
    which, squares, size = np.empty(MOST, dtype=np.int32), np.empty(MOST * PACKET), 0.0
    for a in range(3):
        size = max(size, max(abs(surface.tree.lower[0, a]), abs(surface.tree.upper[0, a])))
    for begin in range(first, last, PACKET):
        end, count = min(begin + PACKET, last), -1
        if len(order) and end - begin == PACKET:
            most = size
            for n in range(PACKET):
                for a in range(3):
                    w[(PLACE + a) * PACKET + n] = points[order[begin + n], a]
                    most = max(most, abs(points[order[begin + n], a]))
                w[BEST * PACKET + n] = room(limit * limit, most * most)
            count = walk(surface, w, most * most, stack, which, squares)
        for place in range(begin, end):
            k = order[place] if len(order) else place
            x, y, z = points[k, 0], points[k, 1], points[k, 2]
            if count < 0:
                d2, t, v, u, part = _closest_in_tree(surface, x, y, z, limit * limit, stack, bound)
            else:
                d2, t, v, u, part = _closest_of(surface, x, y, z, limit * limit, w, place - begin, count, which, squares)
            distance[k] = np.sqrt(d2) if t >= 0 else np.inf
            triangle[k] = t
            weights[k, 0], weights[k, 1], weights[k, 2] = 1.0 - v - u, v, u
            feature[k] = part


@inner_kernel
def _closest_of(surface, x, y, z, limit2, w, lane, count, which, squares):  # type: ignore[no-untyped-def]
    """The same as _closest_in_tree of a packet's point, of the first so many triangles that may be closest (packets.py)."""
    positions, triangles = surface.positions, surface.triangles
    best, found, best_v, best_w, best_part = limit2, -1, 0.0, 0.0, 0
    most = w[BEST * PACKET + lane]
    for n in range(count):
        if squares[n * PACKET + lane] <= most:
            t = which[n]
            a, b, c = positions[triangles[t, 0]], positions[triangles[t, 1]], positions[triangles[t, 2]]
            d2, v, u, part = closest_on_triangle(x, y, z, a, b, c)
            if d2 < best or (d2 == best and (found < 0 or t < found)):
                best, found, best_v, best_w, best_part = d2, t, v, u, part
    return best, found, best_v, best_w, best_part


@inner_kernel
def _closest_in_tree(surface, x, y, z, limit2, stack, bound):  # type: ignore[no-untyped-def]
    """Return (squared distance, triangle or -1, weight of b, weight of c, feature) closest to (x, y, z)."""
    tree, positions, triangles = surface.tree, surface.positions, surface.triangles
    best, found, best_v, best_w, best_part = limit2, -1, 0.0, 0.0, 0
    stack[0], bound[0] = 0, 0.0
    size = 1
    while size:
        size -= 1
        node = stack[size]
        if bound[size] > best:
            continue
        if node >= tree.leaf:
            for k in range(tree.start[node], tree.stop[node]):
                t = tree.order[k]
                a, b, c = positions[triangles[t, 0]], positions[triangles[t, 1]], positions[triangles[t, 2]]
                d2, v, w, part = closest_on_triangle(x, y, z, a, b, c)
                # Ties go to the smallest index, so that the answer does not hang on the order of the walk.
                if d2 < best or (d2 == best and (found < 0 or t < found)):
                    best, found, best_v, best_w, best_part = d2, t, v, w, part
            continue
        near, far = 2 * node + 1, 2 * node + 2
        d_near = box_distance2(tree.lower, tree.upper, near, x, y, z)
        d_far = box_distance2(tree.lower, tree.upper, far, x, y, z)
        if d_far < d_near:
            near, far, d_near, d_far = far, near, d_far, d_near
        if d_far <= best:
            stack[size], bound[size] = far, d_far
            size += 1
        if d_near <= best:
            stack[size], bound[size] = near, d_near
            size += 1
    return best, found, best_v, best_w, best_part


