"""A mesh collider whose thickness differs from place to place: all that lies in balls about the points of its surface.

Each ball is as large as the thickness at its middle, linear within a triangle. So the distance outside is that from the
nearest ball, and falls by no more than a point moves, however steep the thickness is; and its normal is the way on which it
falls, so that a slope of thickness is one that goo slides down. The thickness at the closest point of the surface, taken off
the distance from there, has neither: it jumps where the closest point does, and would lift for nothing what slides up on it.
"""

import numpy as np
from numpy.typing import NDArray

from ..geometry.chunks import in_chunks
from ..geometry.tree import STACK, box_distance2
from ..geometry.triangle_tree import TriangleTree
from ..jit import inline, inner_kernel, kernel
from .mesh_query import GRID_CELLS, SHEET, Contacts, MeshShape

Array = NDArray[np.float64]


def beyond_balls(shape: MeshShape, points: Array, found: Contacts) -> Contacts:
    """Contacts found of points (k, 3) without thickness, as they are with that of `shape.radii` (n,).

    Deeper than the surface itself, the thickness there is added to the depth.
    """
    surface = shape.surface
    distance, normal = found.distance.copy(), found.normal.copy()
    triangle, weights = found.triangle.copy(), found.weights.copy()
    inside = (found.distance < 0.0) & (shape.kind != SHEET)
    within = np.flatnonzero(inside)
    distance[within] -= (weights[within] * shape.radii[surface.triangles[triangle[within]]]).sum(axis=1)
    out = np.flatnonzero(~inside)
    places = points[found.points[out]]
    distance[out], triangle[out], weights[out] = nearest_balls(
        surface, shape.radii, shape.thickest, places, triangle[out]
    )
    arms = places - np.einsum("ki,kij->kj", weights[out], surface.positions[surface.triangles[triangle[out]]])
    length = np.sqrt((arms**2).sum(axis=1))
    clear = length > 1e-9 * shape.cell * GRID_CELLS  # on the surface the direction is noise
    normal[out[clear]] = arms[clear] / length[clear, None]
    return Contacts(found.points, distance, normal, triangle, weights)


def thickest_under(surface: TriangleTree, radii: Array) -> Array:
    """The most (nodes,) that there is of radii (n,) at vertices of the triangles under each node of a surface's tree [m]."""
    thickest = np.empty(len(surface.tree.start))
    _thicken(surface.tree, surface.triangles, radii, thickest)
    return thickest


@kernel
def _thicken(tree, triangles, radii, thickest):  # type: ignore[no-untyped-def]
    for node in range(len(thickest) - 1, -1, -1):
        most = -np.inf
        if node < tree.leaf:
            most = max(thickest[2 * node + 1], thickest[2 * node + 2])
        else:
            for m in range(tree.start[node], tree.stop[node]):
                for c in range(3):
                    most = max(most, radii[triangles[tree.order[m], c]])
        thickest[node] = most


def nearest_balls(
    surface: TriangleTree, radii: Array, thickest: Array, points: Array, near: NDArray[np.int32]
) -> tuple[Array, NDArray[np.int32], Array]:
    """Distances (k,) of points (k, 3) from balls of radii (n,) at vertices, linear between them, about a surface's points [m].

    Negative within; and of the nearest the triangle (k,) and weights (k, 3) of its middle. thickest (nodes,) as above; near
    (k,): triangles that say how far it is at most, the closest ones best.
    """
    count = len(points)
    distance, triangle, weights = np.empty(count), np.empty(count, np.int32), np.empty((count, 3))
    in_chunks(_nearest, count, surface, radii, thickest, points, near, distance, triangle, weights)
    return distance, triangle, weights


@kernel
def _nearest(first, last, surface, radii, thickest, points, near, distance, triangle, weights):  # type: ignore[no-untyped-def]
    tree = surface.tree
    stack, bound = np.empty(STACK, dtype=np.int32), np.empty(STACK)
    for k in range(first, last):
        x, y, z = points[k, 0], points[k, 1], points[k, 2]
        found = near[k]
        best, best_v, best_w = _of_triangle(surface, radii, found, x, y, z)
        stack[0], bound[0], size = 0, -np.inf, 1
        while size:
            size -= 1
            node = stack[size]
            if bound[size] > best:
                continue
            if node < tree.leaf:
                first_at, other = 2 * node + 1, 2 * node + 2
                at_first = np.sqrt(box_distance2(tree.lower, tree.upper, first_at, x, y, z)) - thickest[first_at]
                at_other = np.sqrt(box_distance2(tree.lower, tree.upper, other, x, y, z)) - thickest[other]
                if at_other < at_first:
                    first_at, other, at_first, at_other = other, first_at, at_other, at_first
                if at_other <= best:
                    stack[size], bound[size], size = other, at_other, size + 1
                if at_first <= best:
                    stack[size], bound[size], size = first_at, at_first, size + 1
                continue
            for m in range(tree.start[node], tree.stop[node]):
                t = tree.order[m]
                gap, v, w = _of_triangle(surface, radii, t, x, y, z)
                if gap < best or (gap == best and t < found):
                    best, found, best_v, best_w = gap, t, v, w
        distance[k], triangle[k] = best, found
        weights[k, 0], weights[k, 1], weights[k, 2] = 1.0 - best_v - best_w, best_v, best_w


@inner_kernel
def _of_triangle(surface, radii, t, x, y, z):  # type: ignore[no-untyped-def]
    """Distance, weight of b and weight of c of the nearest ball of one triangle."""
    a, b, c = surface.triangles[t, 0], surface.triangles[t, 1], surface.triangles[t, 2]
    positions = surface.positions
    return _nearest_ball(x, y, z, positions[a], positions[b], positions[c], radii[a], radii[b], radii[c])


@inline
def _nearest_ball(x, y, z, a, b, c, ra, rb, rc):  # type: ignore[no-untyped-def]
    """Return (distance from the ball, weight of b, weight of c) of the ball of triangle abc nearest to a point.

    |p - y| - r(y) is convex in y, r being linear. Where h is the height over the plane and s the slope of r in it, it is least
    at s h / sqrt(1 - s^2) from the foot; if that is not in the triangle, or s >= 1, then on one of its edges.
    """
    ux, uy, uz = b[0] - a[0], b[1] - a[1], b[2] - a[2]
    vx, vy, vz = c[0] - a[0], c[1] - a[1], c[2] - a[2]
    px, py, pz = x - a[0], y - a[1], z - a[2]
    uu, uv, vv = ux * ux + uy * uy + uz * uz, ux * vx + uy * vy + uz * vz, vx * vx + vy * vy + vz * vz
    pu, pv = px * ux + py * uy + pz * uz, px * vx + py * vy + pz * vz
    square = uu * vv - uv * uv
    if square > 0.0:
        rise_u, rise_v = rb - ra, rc - ra
        slope_u, slope_v = (rise_u * vv - rise_v * uv) / square, (rise_v * uu - rise_u * uv) / square
        steep = slope_u * rise_u + slope_v * rise_v
        if steep < 1.0:
            v, w = (pu * vv - pv * uv) / square, (pv * uu - pu * uv) / square
            hx, hy, hz = px - v * ux - w * vx, py - v * uy - w * vy, pz - v * uz - w * vz
            away = np.sqrt((hx * hx + hy * hy + hz * hz) / (1.0 - steep))
            v, w = v + away * slope_u, w + away * slope_v
            if v >= 0.0 and w >= 0.0 and v + w <= 1.0:
                dx, dy, dz = px - v * ux - w * vx, py - v * uy - w * vy, pz - v * uz - w * vz
                return np.sqrt(dx * dx + dy * dy + dz * dz) - ra - v * rise_u - w * rise_v, v, w
    best, share = _on_edge(px, py, pz, ux, uy, uz, ra, rb)
    best_v, best_w = share, 0.0
    gap, share = _on_edge(px, py, pz, vx, vy, vz, ra, rc)
    if gap < best:
        best, best_v, best_w = gap, 0.0, share
    gap, share = _on_edge(px - ux, py - uy, pz - uz, vx - ux, vy - uy, vz - uz, rb, rc)
    if gap < best:
        best, best_v, best_w = gap, 1.0 - share, share
    return best, best_v, best_w


@inline
def _on_edge(px, py, pz, ex, ey, ez, ra, rb):  # type: ignore[no-untyped-def]
    """The same of balls along an edge e from a place that p is measured from: (distance, share of its end)."""
    ee, rise = ex * ex + ey * ey + ez * ez, rb - ra
    share = 1.0 if rise > 0.0 else 0.0
    if rise * rise < ee:
        foot = (px * ex + py * ey + pz * ez) / ee
        hx, hy, hz = px - foot * ex, py - foot * ey, pz - foot * ez
        away = np.sqrt((hx * hx + hy * hy + hz * hz) / (ee - rise * rise))
        share = min(max(foot + away * rise / np.sqrt(ee), 0.0), 1.0)
    dx, dy, dz = px - share * ex, py - share * ey, pz - share * ez
    return np.sqrt(dx * dx + dy * dy + dz * dz) - ra - share * rise, share
