"""A triangle surface with fewer of its vertices, where these are closer to each other than they have to be.

A vertex goes by being drawn along an edge onto another, its triangles following (half-edge collapse). What is left are vertices
of the surface itself, and every one that has gone lies within a given distance of what is left: those that have gone are kept
with the triangle that is nearest to them, and measured against what a collapse would make of it.
"""

import numpy as np
from numpy.typing import NDArray

from ..jit import inline, kernel
from .edges import edges_of
from .triangle import closest_on_triangle

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

LEAST_GONE = 0.02  # share of the vertices that a round has to take away for another one to be worth it
TURNED = 0.7  # least cosine of the angle by which a collapse may turn a triangle
GROWN = 1.1  # times the longest edge that a vertex has at first, which its edges may come to even where that is too long
SLENDER = 0.15  # least doubled area over the square of the longest side, unless it was more slender before:
KEEPS = 0.8  # then it keeps such a share of that, as strips of long faces do that become wider one by one
MOST_AROUND = 64  # triangles at a vertex, from which on it stays


def decimated(
    positions: Array, triangles: IntArray, error: float, longest: float, stays: NDArray[np.bool_] | None = None
) -> IntArray:  # fmt: skip
    """Triangles (t, 3) of fewer of the positions (n, 3): none that has gone is further than `error` [m] from what is left.

    No edge becomes longer than `longest` [m], but where both its ends have longer ones: there by no more than a tenth. Borders,
    edges of more than two triangles, and what `stays` (n,), stay.
    """
    bounds = np.maximum(longest, GROWN * _longest_edges(positions, triangles))
    owner = np.full(len(positions), -1, dtype=np.int64)  # of each that has gone, the triangle that is nearest to it
    while True:
        edges = edges_of(triangles)
        frozen = np.zeros(len(positions), dtype=bool) if stays is None else stays.copy()
        frozen[edges.vertices[edges.counts != 2]] = True
        ends = positions[edges.vertices]
        lengths = np.sqrt(((ends[:, 1] - ends[:, 0]) ** 2).sum(axis=1))
        shortest = np.full(len(positions), np.inf)
        np.minimum.at(shortest, edges.vertices, lengths[:, None])
        candidates = np.flatnonzero(~frozen & (shortest < longest))
        order = candidates[np.lexsort((candidates, shortest[candidates]))]
        triangles, gone = collapsed(positions, triangles, owner, order, frozen, bounds, error, KEEPS)
        kept = triangles[:, 0] >= 0
        numbered = np.cumsum(kept) - 1
        owner[owner >= 0] = numbered[owner[owner >= 0]]
        triangles = triangles[kept]
        if gone <= LEAST_GONE * len(np.unique(triangles)):
            return triangles


def _longest_edges(positions: Array, triangles: IntArray) -> Array:
    """How long the longest edge of each vertex (n,) is [m]; 0 where there is none."""
    sides = positions[triangles] - positions[np.roll(triangles, -1, axis=1)]
    lengths, result = np.sqrt(np.einsum("tsi,tsi->ts", sides, sides)), np.zeros(len(positions))
    for ends in (triangles, np.roll(triangles, -1, axis=1)):
        np.maximum.at(result, ends, lengths)
    return result


def collapsed(
    positions: Array, triangles: IntArray, owner: NDArray[np.int64], order: NDArray[np.int64], frozen: NDArray[np.bool_],
    longest: Array | float, error: float, keeps: float = 1.0, reach: float = np.inf,
) -> tuple[IntArray, int]:  # fmt: skip
    """Return triangles (t, 3) after one round in which vertices go, in their order (k,), and how many have gone.

    Those that go are -1; what is left of one begins with the vertex that another was drawn onto. owner (n,) holds for each
    vertex that has gone the triangle that is nearest to it, else -1; what has changed becomes frozen (n,) as well. No new edge
    is longer than the `longest` of either of its ends, (n,) or the same for all [m]. A triangle that is slender keeps such a
    share of its height over its longest side. None is drawn further than `reach` [m].
    """
    start, incident = _grouped(triangles.ravel(), len(positions))
    frozen |= np.diff(start) > MOST_AROUND
    held, held_points = _grouped(owner, len(triangles))
    result, bounds2 = triangles.copy(), np.full(len(positions), longest) ** 2
    gone = _collapse(
        positions, result, start, incident // 3, held, held_points, owner, order, frozen, bounds2, error**2, keeps, reach**2
    )
    return result, gone


def _grouped(group: NDArray[np.integer], count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Offsets (count + 1,) and the places in `group` of each group's items, one after another; negative groups have none."""
    order = np.argsort(group, kind="stable")
    order = order[group[order] >= 0]
    return np.searchsorted(group[order], np.arange(count + 1)), order


@inline
def _squared(x, a, b):  # type: ignore[no-untyped-def]
    return (x[a, 0] - x[b, 0]) ** 2 + (x[a, 1] - x[b, 1]) ** 2 + (x[a, 2] - x[b, 2]) ** 2


@inline
def _normal(x, a, b, c):  # type: ignore[no-untyped-def]
    ux, uy, uz = x[b, 0] - x[a, 0], x[b, 1] - x[a, 1], x[b, 2] - x[a, 2]
    vx, vy, vz = x[c, 0] - x[a, 0], x[c, 1] - x[a, 1], x[c, 2] - x[a, 2]
    return uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx


@inline
def _others(triangle, v):  # type: ignore[no-untyped-def]
    """The two corners after v of a triangle, in its turn."""
    if triangle[0] == v:
        return triangle[1], triangle[2]
    if triangle[1] == v:
        return triangle[2], triangle[0]
    return triangle[0], triangle[1]


@inline
def _common(triangles, start, incident, v, u):  # type: ignore[no-untyped-def]
    """How many neighbours of v, which has no border, are neighbours of u as well."""
    count = 0
    for i in range(start[v], start[v + 1]):
        w, _ = _others(triangles[incident[i]], v)
        for j in range(start[u], start[u + 1]):
            t = triangles[incident[j]]
            if w != u and (t[0] == w or t[1] == w or t[2] == w):
                count += 1
                break
    return count


@inline
def _longest_after(x, triangles, start, incident, v, u, bounds2, keeps):  # type: ignore[no-untyped-def]
    """The squared length of the longest new edge if v is drawn onto u; inf where one is too long, or a triangle turns or is too
    slender."""
    most = 0.0
    for i in range(start[v], start[v + 1]):
        b, c = _others(triangles[incident[i]], v)
        if b == u or c == u:
            continue
        ub, uc, bc = _squared(x, u, b), _squared(x, u, c), _squared(x, b, c)
        most = max(most, ub, uc)
        x0, y0, z0 = _normal(x, v, b, c)
        x1, y1, z1 = _normal(x, u, b, c)
        before, after = np.sqrt(x0 * x0 + y0 * y0 + z0 * z0), np.sqrt(x1 * x1 + y1 * y1 + z1 * z1)
        slender = keeps * min(SLENDER, before / max(_squared(x, v, b), _squared(x, v, c), bc))
        turned = x0 * x1 + y0 * y1 + z0 * z1 < TURNED * before * after
        long = ub > min(bounds2[u], bounds2[b]) or uc > min(bounds2[u], bounds2[c])
        if long or turned or after <= slender * max(ub, uc, bc):
            return np.inf
    return most


@inline
def _nearest_after(x, p, triangles, start, incident, v, u):  # type: ignore[no-untyped-def]
    """The triangle nearest to point p once v is drawn onto u, and its squared distance."""
    nearest, least = np.int64(-1), np.inf
    for i in range(start[v], start[v + 1]):
        b, c = _others(triangles[incident[i]], v)
        if b != u and c != u:
            d2, _, _, _ = closest_on_triangle(x[p, 0], x[p, 1], x[p, 2], x[u], x[b], x[c])
            if d2 < least:
                nearest, least = incident[i], d2
    return nearest, least


@inline
def _stays_close(x, triangles, start, incident, held, held_points, v, u, error2):  # type: ignore[no-untyped-def]
    """Whether v, and all that has gone to its triangles, stay close enough if v is drawn onto u."""
    _, d2 = _nearest_after(x, v, triangles, start, incident, v, u)
    if d2 > error2:
        return False
    for i in range(start[v], start[v + 1]):
        for k in range(held[incident[i]], held[incident[i] + 1]):
            _, d2 = _nearest_after(x, held_points[k], triangles, start, incident, v, u)
            if d2 > error2:
                return False
    return True


@inline
def _target(  # type: ignore[no-untyped-def]
    x, triangles, start, incident, held, held_points, v, frozen, bounds2, error2, keeps, reach2
):
    """The neighbour onto which v is best drawn, that whose longest new edge is shortest; -1 where there is none."""
    best, least = np.int64(-1), np.inf
    for i in range(start[v], start[v + 1]):
        u, _ = _others(triangles[incident[i]], v)
        if frozen[u] or _squared(x, v, u) > reach2:
            continue
        most = _longest_after(x, triangles, start, incident, v, u, bounds2, keeps)
        if not most < least or _common(triangles, start, incident, v, u) != 2:
            continue
        if _stays_close(x, triangles, start, incident, held, held_points, v, u, error2):
            best, least = np.int64(u), most
    return best


@kernel
def _collapse(  # type: ignore[no-untyped-def]
    x, triangles, start, incident, held, held_points, owner, order, frozen, bounds2, error2, keeps, reach2
):
    """One round: vertices in their order, each leaving those around it as they are; returns how many have gone.

    Triangles that go become -1. What has changed is frozen, so that the tables hold for the rest.
    """
    gone = 0
    for n in range(len(order)):
        v = order[n]
        if frozen[v]:
            continue
        u = _target(x, triangles, start, incident, held, held_points, v, frozen, bounds2, error2, keeps, reach2)
        if u < 0:
            continue
        gone += 1
        frozen[v] = True
        owner[v], _ = _nearest_after(x, v, triangles, start, incident, v, u)
        for i in range(start[v], start[v + 1]):
            for k in range(held[incident[i]], held[incident[i] + 1]):
                owner[held_points[k]], _ = _nearest_after(x, held_points[k], triangles, start, incident, v, u)
        for i in range(start[v], start[v + 1]):
            t = incident[i]
            b, c = _others(triangles[t], v)
            frozen[b] = frozen[c] = True
            if b == u or c == u:
                triangles[t, 0] = triangles[t, 1] = triangles[t, 2] = -1
            else:
                triangles[t, 0], triangles[t, 1], triangles[t, 2] = u, b, c
    return gone
