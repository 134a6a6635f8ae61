"""Whether surfaces pass through each other or themselves: an edge through a triangle that it has no corner in common with."""

import numpy as np
from numpy.typing import NDArray

from ...geometry.triangle import segment_crossing
from ...jit import inline, kernel
from .candidates import SurfaceBoxes
from .overlap import overlapping

Array = NDArray[np.float64]

FLAT = 1e-9  # share of an edge's length by which it must rise along a triangle's normal to pass through: less is rounding


def surfaces_cross(first: SurfaceBoxes, second: SurfaceBoxes, positions: Array) -> bool:
    """Whether two surfaces, or one and itself, cross with nodes at positions (n, 3); to lie flat on each other is not to."""
    for side in {id(first): first, id(second): second}.values():
        side.fit(positions, positions)
    for one, other in ((first, second),) if first is second else ((first, second), (second, first)):
        found = overlapping(one.edges, other.triangles)
        if _any_crosses(positions, one.edges.items, other.triangles.items, found):
            return True
    return False


@inline
def _lies_flat(x, y, z, a, b, c):  # type: ignore[no-untyped-def]
    """Whether an edge (x, y, z) runs along the plane of triangle abc, as on the flat side of a mesh that others divided."""
    ux, uy, uz, vx, vy, vz = b[0] - a[0], b[1] - a[1], b[2] - a[2], c[0] - a[0], c[1] - a[1], c[2] - a[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    rise = x * nx + y * ny + z * nz
    return rise * rise <= FLAT * FLAT * (x * x + y * y + z * z) * (nx * nx + ny * ny + nz * nz)


@kernel
def _any_crosses(positions, edges, triangles, pairs):  # type: ignore[no-untyped-def]
    for k in range(len(pairs)):
        p, q = positions[edges[pairs[k, 0], 0]], positions[edges[pairs[k, 0], 1]]
        t = triangles[pairs[k, 1]]
        a, b, c = positions[t[0]], positions[t[1]], positions[t[2]]
        x, y, z = q[0] - p[0], q[1] - p[1], q[2] - p[2]
        if not _lies_flat(x, y, z, a, b, c) and segment_crossing(p[0], p[1], p[2], x, y, z, a, b, c) >= 0.0:
            return True
    return False
