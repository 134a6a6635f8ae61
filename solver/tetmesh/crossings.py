"""Where the artist's surface cuts a lattice edge, between an end inside and one outside."""

import numpy as np
from numpy.typing import NDArray

from ..geometry.chunks import in_chunks
from ..geometry.tree import STACK, items_near
from ..geometry.triangle import segment_crossing
from ..geometry.winding import WindingTree, winding_number
from ..jit import inner_kernel, kernel

MOST_CROSSINGS = 64  # of one edge that are looked at; more pass only where surfaces lie many deep in one cell
HOLE_DIVISIONS = 1 << 16
INSIDE = 0.5  # of the absolute winding number: a part that is turned inside out counts as inside
PAD = 0.6


def crossings(
    tree: WindingTree, inner: NDArray[np.float64], outer: NDArray[np.float64], padded: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Return the points (c, 3) where the surface passes between inner and outer ends (c, 3).

    A point on a triangle where the edge crosses one, so that the cage touches the artist's surface; across a hole,
    where the winding number passes 1/2. Edges from a `padded` end (c,), which only pads a thin part, are cut at PAD.
    """
    result = np.empty_like(inner)
    in_chunks(_crossings, len(inner), tree, inner, outer, padded, result)
    return result


@kernel
def _crossings(first, last, tree, inner, outer, padded, result):  # type: ignore[no-untyped-def]
    hits, stack, near = np.empty(MOST_CROSSINGS), np.empty(STACK, dtype=np.int32), np.empty(1024, dtype=np.int32)
    for k in range(first, last):
        t = PAD
        if not padded[k]:
            count = _hits(tree.surface, inner[k], outer[k], stack, near, hits)
            t = _way_out(tree, inner[k], outer[k], hits, count)
        for a in range(3):
            result[k, a] = inner[k, a] + t * (outer[k, a] - inner[k, a])


@inner_kernel
def _way_out(tree, p, q, hits, count):  # type: ignore[no-untyped-def]
    """Where an edge from an inside to an outside point leaves: the hit between an inside and an outside stretch.

    By bisection over the hits; without any, where the edge passes through a hole, over a fine division of the edge.
    """
    for i in range(1, count):  # a handful: insertion compiles faster than a library sort
        hit, j = hits[i], i
        while j and hits[j - 1] > hit:
            hits[j] = hits[j - 1]
            j -= 1
        hits[j] = hit
    low, high = 0, count if count else HOLE_DIVISIONS
    while high - low > 1:
        middle = (low + high) // 2
        t = 0.5 * (hits[middle - 1] + hits[middle]) if count else middle / HOLE_DIVISIONS
        x, y, z = p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]), p[2] + t * (q[2] - p[2])
        if abs(winding_number(tree, x, y, z)) > INSIDE:
            low = middle
        else:
            high = middle
    return hits[low] if count else (low + 0.5) / HOLE_DIVISIONS


@inner_kernel
def _hits(surface, p, q, stack, near, hits):  # type: ignore[no-untyped-def]
    """Set the crossings of the segment from p to q with the triangles; return how many."""
    positions, triangles, count = surface.positions, surface.triangles, 0
    there = items_near(surface.tree, np.minimum(p, q), np.maximum(p, q), stack, near)
    if there > len(near):
        near = np.empty(there, dtype=np.int32)
        items_near(surface.tree, np.minimum(p, q), np.maximum(p, q), stack, near)
    for n in range(there):
        a, b, c = positions[triangles[near[n], 0]], positions[triangles[near[n], 1]], positions[triangles[near[n], 2]]
        hit = segment_crossing(p[0], p[1], p[2], q[0] - p[0], q[1] - p[1], q[2] - p[2], a, b, c)
        if hit >= 0.0 and count < MOST_CROSSINGS:
            hits[count] = hit
            count += 1
    return count
