"""Where the artist's surface cuts a lattice edge, between an end inside and one outside."""

import numpy as np
from numpy.typing import NDArray

from ..geometry.chunks import in_chunks
from ..geometry.tree import STACK
from ..geometry.triangle import segment_crossing
from ..geometry.winding import WindingTree, winding_number
from ..jit import kernel

MOST_CROSSINGS = 64
BISECTIONS = 16
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
    hits = np.empty(MOST_CROSSINGS)
    for k in range(first, last):
        t = PAD
        if not padded[k]:
            count = _hits(tree.surface, inner[k], outer[k], hits)
            t = _through_hole(tree, inner[k], outer[k]) if count == 0 else _way_out(tree, inner[k], outer[k], hits[:count])
        for a in range(3):
            result[k, a] = inner[k, a] + t * (outer[k, a] - inner[k, a])


@kernel
def _inside(tree, p, q, t):  # type: ignore[no-untyped-def]
    x, y, z = p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]), p[2] + t * (q[2] - p[2])
    return abs(winding_number(tree, x, y, z)) > INSIDE


@kernel
def _through_hole(tree, p, q):  # type: ignore[no-untyped-def]
    """Bisection on the winding number."""
    low, high = 0.0, 1.0
    for _ in range(BISECTIONS):
        middle = 0.5 * (low + high)
        if _inside(tree, p, q, middle):
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


@kernel
def _way_out(tree, p, q, hits):  # type: ignore[no-untyped-def]
    """The hit between an inside and an outside stretch of the edge, by bisection over the hits."""
    for i in range(1, len(hits)):  # a handful: insertion compiles faster than a library sort
        hit, j = hits[i], i
        while j and hits[j - 1] > hit:
            hits[j] = hits[j - 1]
            j -= 1
        hits[j] = hit
    low, high = 0, len(hits)
    while high - low > 1:
        middle = (low + high) // 2
        if _inside(tree, p, q, 0.5 * (hits[middle - 1] + hits[middle])):
            low = middle
        else:
            high = middle
    return hits[low]


@kernel
def _hits(surface, p, q, hits):  # type: ignore[no-untyped-def]
    """Set the crossings of the segment from p to q with the triangles; return how many."""
    tree, positions, triangles = surface.tree, surface.positions, surface.triangles
    dx, dy, dz = q[0] - p[0], q[1] - p[1], q[2] - p[2]
    stack = np.empty(STACK, dtype=np.int32)
    stack[0] = 0
    size, count = 1, 0
    while size:
        size -= 1
        node = stack[size]
        apart = False
        for a in range(3):
            apart = apart or max(p[a], q[a]) < tree.lower[node, a] or min(p[a], q[a]) > tree.upper[node, a]
        if apart:
            continue
        if node < tree.leaf:
            stack[size], stack[size + 1] = 2 * node + 1, 2 * node + 2
            size += 2
            continue
        for k in range(tree.start[node], tree.stop[node]):
            t = tree.order[k]
            a, b, c = positions[triangles[t, 0]], positions[triangles[t, 1]], positions[triangles[t, 2]]
            hit = segment_crossing(p[0], p[1], p[2], dx, dy, dz, a, b, c)
            if hit >= 0.0 and count < MOST_CROSSINGS:
                hits[count] = hit
                count += 1
    return count
