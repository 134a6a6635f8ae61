"""Whether surfaces pass through each other or themselves: an edge through a triangle that it has no corner in common with."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...geometry.triangle import segment_crossing
from ...jit import inline, kernel
from ...jit.box_lanes import BLOCK, LANES, close_lanes
from .clusters import ROUNDING, Clusters, near_clusters

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

ALL = 2**62
FLAT = 1e-9  # share of an edge's length by which it must rise along a triangle's normal to pass through: less is rounding


class Crossings(NamedTuple):
    """Edges of one surface that pass through triangles of another: numbers (k,) in their surfaces, share of the edge (k,)."""

    edges: IntArray
    triangles: IntArray
    shares: Array


def surfaces_cross(first: Clusters, second: Clusters, positions: Array) -> bool:
    """Whether two surfaces, or one and itself, cross with nodes at positions (n, 3); to lie flat on each other is not to."""
    return any(len(found.edges) > 0 for found in _found(first, second, positions, 1))


def crossings(first: Clusters, second: Clusters, positions: Array) -> tuple[Crossings, Crossings]:
    """All edges of the first that pass through the second, and the other way round, with nodes at positions (n, 3)."""
    return _found(first, second, positions, ALL)


def own_crossings(surface: Clusters, near: IntArray, positions: Array) -> int:
    """How many pairs of an edge and a triangle of a surface cross, with nodes at positions (n, 3).

    near (c, 2) are the clusters of it among which any may (candidates.py: Neighbourhood.near).
    """
    positions = positions - positions[surface.vertices.nodes[0, 0]]
    still = np.zeros_like(positions)
    surface.fit(positions, still)
    surface.fit_items(positions, still, near)
    room = ROUNDING * float(np.abs(positions).max())
    ways = [_of(positions, surface, surface, way, room, ALL) for way in (near, np.ascontiguousarray(near[:, ::-1]))]
    return len({pair for found in ways for pair in zip(found.edges.tolist(), found.triangles.tolist(), strict=True)})


def _found(first: Clusters, second: Clusters, positions: Array, most: int) -> tuple[Crossings, Crossings]:
    """The first `most` of either way; none of the second way where the first way has as many."""
    positions = positions - positions[first.vertices.nodes[0, 0]]
    room = ROUNDING * float(np.abs(positions).max())
    still = np.zeros_like(positions)
    for side in (first, second):
        side.fit(positions, still)
    near = near_clusters(first, second, room)
    for side, mine in ((first, near[:, 0]), (second, near[:, 1])) if first is not second else ((first, near),):
        side.fit_items(positions, still, mine)
    there = _of(positions, first, second, near, room, most)
    left = max(most - len(there.edges), 0)
    return there, _of(positions, second, first, np.ascontiguousarray(near[:, ::-1]), room, left)


def _of(positions: Array, one: Clusters, other: Clusters, near: IntArray, room: float, most: int) -> Crossings:
    """Edges of one surface through triangles of the other, at most so many."""
    size = min(most, 256)
    while True:
        found, shares = np.empty((size, 2), np.int32), np.empty(size)
        count = _crossings(positions, one.edges, other.triangles, near, room, most, found, shares)
        if count <= size:
            return Crossings(one.edges.order[found[:count, 0]], other.triangles.order[found[:count, 1]], shares[:count])
        size = count


@inline
def _lies_flat(x, y, z, a, b, c):  # type: ignore[no-untyped-def]
    """Whether an edge (x, y, z) runs along the plane of triangle abc, as on the flat side of a mesh that others divided."""
    ux, uy, uz, vx, vy, vz = b[0] - a[0], b[1] - a[1], b[2] - a[2], c[0] - a[0], c[1] - a[1], c[2] - a[2]
    nx, ny, nz = uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx
    rise = x * nx + y * ny + z * nz
    return rise * rise <= FLAT * FLAT * (x * x + y * y + z * z) * (nx * nx + ny * ny + nz * nz)


@kernel
def _crossings(positions, edges, triangles, near, room, most, found, shares):  # type: ignore[no-untyped-def]
    """Fill found (k, 2) with items that cross and shares (k,) of the edges; return how many there are, looking for `most`."""
    count, small = 0, np.float32(room)
    for p in range(len(near) if most > 0 else 0):
        a, b = near[p, 0], near[p, 1]
        for k in range(edges.first[a], edges.first[a + 1]):
            own = k - edges.first[a]
            place = BLOCK * (edges.first_block[a] + own // LANES) + own % LANES
            for block in range(triangles.first_block[b], triangles.first_block[b + 1]):
                close = close_lanes(edges.boxes, place, triangles.boxes, BLOCK * block, (small, small, small))
                start = triangles.first[b] + LANES * (block - triangles.first_block[b])
                for m in range(start, start + LANES if close else start):
                    share = _crossing(positions, edges.nodes[k], triangles.nodes[m]) if close >> (m - start) & 1 else -1.0
                    if share < 0.0:
                        continue
                    if count < len(found):
                        found[count, 0], found[count, 1], shares[count] = k, m, share
                    count += 1
                    if count >= most:
                        return count
    return count


@inline
def _crossing(positions, edge, triangle):  # type: ignore[no-untyped-def]
    """At which share of it an edge passes through a triangle with which it has no node in common, or -1."""
    for m in range(3):
        if edge[0] == triangle[m] or edge[1] == triangle[m]:
            return -1.0
    p, q = positions[edge[0]], positions[edge[1]]
    a, b, c = positions[triangle[0]], positions[triangle[1]], positions[triangle[2]]
    x, y, z = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    if _lies_flat(x, y, z, a, b, c):
        return -1.0
    return segment_crossing(p[0], p[1], p[2], x, y, z, a, b, c)
