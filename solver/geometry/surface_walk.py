"""The closest point of a surface that has moved a little, found from where it was: downhill from triangle to triangle.

What it ends at is closest among all triangles around it, which need not be closest of all: where two parts of a surface lie
next to each other a point stays with its own. For a seventh of what a tree takes.
"""

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel
from .chunks import in_chunks
from .incident import incident_corners
from .triangle import CORNER_A, EDGE_AB, FACE, closest_on_triangle
from .triangle_tree import ClosestPoints, TriangleTree, closest_points

MOST_TURNS = 16  # triangles on the way; what has not come to rest by then is looked for in the tree


def near_points(
    surface: TriangleTree, points: NDArray[np.float64], limit: float, before: ClosestPoints | None
) -> ClosestPoints:
    """Return the point of the surface that is close to each of `points` (k, 3), within `limit` [m].

    before: what was found for the same points when the same triangles lay a little elsewhere; None where nothing was, and then
    the closest of all is returned (triangle_tree.closest_points). So it is for those that nothing was near to.
    """
    if before is None:
        return closest_points(surface, points, limit)
    start, around = incident_corners(surface.triangles, len(surface.positions))
    found = ClosestPoints(*(values.copy() for values in before))
    in_chunks(_walk, len(points), surface.positions, surface.triangles, start, around, points, limit, *found)
    lost = np.flatnonzero(found.triangle < 0)
    if len(lost):
        again = closest_points(surface, np.ascontiguousarray(points[lost]), limit)
        for own, new in zip(found, again, strict=True):
            own[lost] = new
    return found


@kernel
def _walk(first, last, positions, triangles, start, around, points, limit, distance, triangle, weights, feature):  # type: ignore[no-untyped-def]
    """Set what is closest from the triangles on that are given; -1 where the walk has not come to an end, or too far away."""
    for k in range(first, last):
        t = np.int64(triangle[k])
        if t < 0:
            continue
        x, y, z = points[k, 0], points[k, 1], points[k, 2]
        a, b, c = positions[triangles[t, 0]], positions[triangles[t, 1]], positions[triangles[t, 2]]
        best, v, w, part = closest_on_triangle(x, y, z, a, b, c)
        turns, on = 0, part != FACE
        while on and turns < MOST_TURNS:
            # What is beside a corner, or across an edge, is among the triangles at it, or at the edge's first end
            node, end = triangles[t, (part - CORNER_A) % 3], triangles[t, (part - CORNER_A + 1) % 3]
            here, across, turns, on = t, part >= EDGE_AB, turns + 1, False
            for n in range(start[node], start[node + 1]):
                other = np.int64(around[n]) // 3
                p, q, r = triangles[other, 0], triangles[other, 1], triangles[other, 2]
                if other == here or (across and p != end and q != end and r != end):
                    continue
                a, b, c = positions[p], positions[q], positions[r]
                d2, s, u, its = closest_on_triangle(x, y, z, a, b, c)
                if d2 < best:
                    best, v, w, part, t, on = d2, s, u, its, other, its != FACE
        triangle[k] = t if not on and best <= limit * limit else -1
        distance[k], feature[k] = np.sqrt(best), part
        weights[k, 0], weights[k, 1], weights[k, 2] = 1.0 - v - w, v, w
