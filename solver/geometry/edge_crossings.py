"""Where a surface passes through itself: edges through triangles with which they have no vertex in common."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..jit import inline, inner_kernel, kernel
from .chunks import in_chunks
from .edges import connected
from .self_crossing import cross_deeply, pierces, rounding
from .tree import STACK, items_near
from .triangle import segment_crossing
from .triangle_tree import TriangleTree, triangle_tree


def crossing_vertices(surface: TriangleTree) -> NDArray[np.int64]:
    """Return the vertices, rising, of the triangles that another one passes through, and of those that pass."""
    return np.unique(surface.triangles[crossing_pairs(surface)])


def crossing_pairs(surface: TriangleTree) -> NDArray[np.int64]:
    """Return pairs (k, 2) of triangles of which an edge of the first passes through the second; some of them twice."""
    leaves = len(surface.tree.start) - surface.tree.leaf
    pairs = np.concatenate(in_chunks(_crossings, leaves, surface)).reshape(-1, 2)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def passes_through_itself(positions: NDArray[np.float64], triangles: NDArray[np.int32]) -> bool:
    """Whether an edge of a closed surface passes through a triangle of it, by what self_crossing.py calls so; however dense
    it is."""
    return bool(len(piercing_pairs(positions, triangles)))


def piercing_pairs(positions: NDArray[np.float64], triangles: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return those of the `crossing_pairs` that self_crossing.py calls so: faces of one plane only touch, and what crosses by
    no more than rounding does not count."""
    pairs = crossing_pairs(triangle_tree(positions, triangles))
    first, second = (positions[triangles[pairs[:, k]]] for k in range(2))
    through = np.zeros(len(pairs), dtype=bool)
    for side in range(3):
        through |= pierces(first[:, side], first[:, (side + 1) % 3], second)
    return pairs[through & cross_deeply(first, second, rounding(positions))]


def pairs_of_shells(positions: NDArray[np.float64], triangles: NDArray[np.int32]) -> NDArray[np.int64]:
    """Return pairs (k, 2) of triangles (t, 3) of one connected shell that pass through each other by more than rounding; some
    of them twice."""
    return pairs_within(triangle_tree(positions, triangles))


def pairs_within(surface: TriangleTree, parts: Callable[[], NDArray[np.integer]] | None = None) -> NDArray[np.int64]:
    """The same of a surface whose tree is at hand; where there are `parts` (n,) of its vertices, also of shells of one part."""
    positions, triangles, pairs = surface.positions, surface.triangles, crossing_pairs(surface)
    pairs = pairs[cross_deeply(positions[triangles[pairs[:, 0]]], positions[triangles[pairs[:, 1]]], rounding(positions))]
    if not len(pairs):
        return pairs
    ends = np.stack([triangles, np.roll(triangles, -1, axis=1)]).reshape(2, -1)
    shell = connected(ends, len(positions))[triangles[pairs, 0]]
    together = shell[:, 0] == shell[:, 1]
    if parts is not None and not together.all():
        part = parts()[triangles[pairs, 0]]
        together |= part[:, 0] == part[:, 1]
    return pairs[together]


@kernel
def _crossings(first, last, surface):  # type: ignore[no-untyped-def]
    """Both triangles (2k,) of each crossing of an edge of the triangles in leaves first .. last - 1 of the tree.

    What is near is looked for once for all edges of a leaf.
    """
    positions, triangles, tree = surface.positions, surface.triangles, surface.tree
    stack, near = np.empty(STACK, dtype=np.int32), np.empty(256, dtype=np.int32)
    boxes, met = np.empty((6, len(near))), np.empty(len(near), dtype=np.int32)
    found, count = np.empty(64, dtype=np.int64), 0
    for leaf in range(tree.leaf + first, tree.leaf + last):
        lower, upper = tree.lower[leaf], tree.upper[leaf]
        there = items_near(tree, lower, upper, stack, near)
        if there > len(near):
            near, met = np.empty(2 * there, dtype=np.int32), np.empty(2 * there, dtype=np.int32)
            boxes = np.empty((6, len(near)))
            items_near(tree, lower, upper, stack, near)
        _fill_boxes(positions, triangles, near, there, boxes)
        for m in range(tree.start[leaf], tree.stop[leaf]):
            t = tree.order[m]
            for side in range(3):
                i, j = triangles[t, side], triangles[t, (side + 1) % 3]
                if i > j:  # its other triangle looks at it
                    continue
                for n in range(_meeting(positions, triangles, np.uint64(i), np.uint64(j), near, there, boxes, met)):
                    if _pierces(positions, triangles, np.uint64(i), np.uint64(j), np.uint64(met[n])):
                        if count + 2 > len(found):
                            found = np.concatenate((found, np.empty(count, dtype=np.int64)))
                        found[count], found[count + 1] = t, met[n]
                        count += 2
    return found[:count].copy()


@inner_kernel
def _fill_boxes(positions, triangles, some, count, boxes):  # type: ignore[no-untyped-def]
    """Fill in the boxes (6, n), lower corners before upper ones, of the first so many of some triangles."""
    for n in range(np.uint64(count)):
        t = np.uint64(some[n])
        a, b, c = np.uint64(triangles[t, 0]), np.uint64(triangles[t, 1]), np.uint64(triangles[t, 2])
        for axis in range(np.uint64(3)):
            x, y, z = positions[a, axis], positions[b, axis], positions[c, axis]
            boxes[axis, n], boxes[axis + np.uint64(3), n] = min(min(x, y), z), max(max(x, y), z)


@inner_kernel
def _meeting(positions, triangles, i, j, some, count, boxes, met):  # type: ignore[no-untyped-def]
    """List those of the first so many of some triangles whose boxes meet that of an edge from node i to node j, and that have
    neither as a corner; return how many. Without branches, which nothing could foretell."""
    x0, x1 = min(positions[i, 0], positions[j, 0]), max(positions[i, 0], positions[j, 0])
    y0, y1 = min(positions[i, 1], positions[j, 1]), max(positions[i, 1], positions[j, 1])
    z0, z1 = min(positions[i, 2], positions[j, 2]), max(positions[i, 2], positions[j, 2])
    close = np.uint64(0)
    for n in range(np.uint64(count)):
        meets = (x1 >= boxes[0, n]) & (y1 >= boxes[1, n]) & (z1 >= boxes[2, n])
        meets &= (x0 <= boxes[3, n]) & (y0 <= boxes[4, n]) & (z0 <= boxes[5, n])
        met[close] = some[n]
        close += np.uint64(meets)
    kept = np.uint64(0)
    for n in range(close):
        t = np.uint64(met[n])
        a, b, c = np.uint64(triangles[t, 0]), np.uint64(triangles[t, 1]), np.uint64(triangles[t, 2])
        met[kept] = met[n]
        kept += np.uint64((a != i) & (a != j) & (b != i) & (b != j) & (c != i) & (c != j))
    return kept


@inline
def _pierces(positions, triangles, i, j, t):  # type: ignore[no-untyped-def]
    """Whether the edge from node i to node j passes through triangle t."""
    a, b, c = np.uint64(triangles[t, 0]), np.uint64(triangles[t, 1]), np.uint64(triangles[t, 2])
    px, py, pz = positions[i, 0], positions[i, 1], positions[i, 2]
    dx, dy, dz = positions[j, 0] - px, positions[j, 1] - py, positions[j, 2] - pz
    one = positions[a, 0], positions[a, 1], positions[a, 2]
    two = positions[b, 0], positions[b, 1], positions[b, 2]
    three = positions[c, 0], positions[c, 1], positions[c, 2]
    return segment_crossing(px, py, pz, dx, dy, dz, one, two, three) >= 0.0
