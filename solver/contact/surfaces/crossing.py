"""Whether surfaces pass through each other or themselves: an edge through a triangle that it has no corner in common with."""

import numpy as np
from numpy.typing import NDArray

from ...geometry.triangle import segment_crossing
from ...jit import inline, kernel
from ...jit.box_lanes import BLOCK, LANES, close_lanes
from .clusters import ROUNDING, Clusters, near_clusters

Array = NDArray[np.float64]

FLAT = 1e-9  # share of an edge's length by which it must rise along a triangle's normal to pass through: less is rounding


def surfaces_cross(first: Clusters, second: Clusters, positions: Array) -> bool:
    """Whether two surfaces, or one and itself, cross with nodes at positions (n, 3); to lie flat on each other is not to."""
    positions = positions - positions[first.vertices.nodes[0, 0]]
    room = ROUNDING * float(np.abs(positions).max())
    still = np.zeros_like(positions)
    for side in (first, second):
        side.fit(positions, still)
    near = near_clusters(first, second, room)
    for side, mine in ((first, near[:, 0]), (second, near[:, 1])) if first is not second else ((first, near),):
        side.fit_items(positions, still, mine)
    return any(
        bool(_any_crosses(positions, one.edges, other.triangles, found, room))
        for one, other, found in ((first, second, near), (second, first, np.ascontiguousarray(near[:, ::-1])))
    )


@inline
def _lies_flat(x, y, z, a, b, c):  # type: ignore[no-untyped-def]
    """Whether an edge (x, y, z) runs along the plane of triangle abc, as on the flat side of a mesh that others divided."""
    ux, uy, uz, vx, vy, vz = b[0] - a[0], b[1] - a[1], b[2] - a[2], c[0] - a[0], c[1] - a[1], c[2] - a[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    rise = x * nx + y * ny + z * nz
    return rise * rise <= FLAT * FLAT * (x * x + y * y + z * z) * (nx * nx + ny * ny + nz * nz)


@kernel
def _any_crosses(positions, edges, triangles, near, room):  # type: ignore[no-untyped-def]
    for p in range(len(near)):
        a, b = near[p, 0], near[p, 1]
        for k in range(edges.first[a], edges.first[a + 1]):
            own = k - edges.first[a]
            place = BLOCK * (edges.first_block[a] + own // LANES) + own % LANES
            for block in range(triangles.first_block[b], triangles.first_block[b + 1]):
                close = close_lanes(edges.boxes, place, triangles.boxes, BLOCK * block, np.float32(room))
                start = triangles.first[b] + LANES * (block - triangles.first_block[b])
                for m in range(start, start + LANES if close else start):
                    if close >> (m - start) & 1 and _crosses(positions, edges.nodes[k], triangles.nodes[m]):
                        return True
    return False


@inline
def _crosses(positions, edge, triangle):  # type: ignore[no-untyped-def]
    """Whether an edge passes through a triangle with which it has no node in common."""
    for m in range(3):
        if edge[0] == triangle[m] or edge[1] == triangle[m]:
            return False
    p, q = positions[edge[0]], positions[edge[1]]
    a, b, c = positions[triangle[0]], positions[triangle[1]], positions[triangle[2]]
    x, y, z = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    return not _lies_flat(x, y, z, a, b, c) and segment_crossing(p[0], p[1], p[2], x, y, z, a, b, c) >= 0.0
