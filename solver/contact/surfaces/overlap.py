"""Which items of near clusters may come close on a way: by their boxes first, then as each pair is seen itself."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit import inline, inner_kernel, kernel
from ...jit.box_lanes import BLOCK, LANES, close_lanes
from .clusters import Clusters, Items, apart, lane_place
from .measuring import may_come_close

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

LANE = (-1, 0, 1, -1, 2, 4, -1, 7, 3, 6, 5)  # whose bit leaves so much over when it is divided by 11
SOME = 1024  # pairs that are looked at together
ALL, HALF, NONE = 0, 1, 2  # of the pairs within a cluster: all, each but once (others come once anyway), or none


class Found(NamedTuple):
    """Pairs: their nodes (k, 4) as in distance.py, and the numbers (k, 2) of both items in their surfaces."""

    nodes: IntArray
    items: IntArray

    def taken(self, which: NDArray[np.bool_]) -> "Found":
        """Some of them (k,)."""
        return Found(self.nodes[which], self.items[which])


class Way(NamedTuple):
    """Nodes at positions (n, 3) that go a way (n, 3), off it against each other by what a box holds."""

    positions: Array
    way: Array
    reach: float  # [m]
    rooms: Array  # (3, 3) [m], half edges of that box
    along: Array  # (3,) [m] that boxes of items leave along each axis, the reach included


def corners_near(first: Clusters, second: Clusters, near: IntArray, way: Way) -> tuple[Found, Found]:
    """Of near clusters (k, 2): vertices of the first with triangles of the second, and the other way round.

    All that may come close and have no node in common; of one surface with itself each pair comes once.
    """
    back = NONE if first is second else ALL
    return (
        _found(first.vertices, second.triangles, (first, second), near, ALL, way),
        _found(second.vertices, first.triangles, (second, first), np.ascontiguousarray(near[:, ::-1]), back, way),
    )


def edges_near(first: Clusters, second: Clusters, near: IntArray, way: Way) -> Found:
    """Of near clusters (k, 2): edges with edges."""
    return _found(first.edges, second.edges, (first, second), near, HALF if first is second else ALL, way)


def _found(items: Items, others: Items, sides: tuple[Clusters, Clusters], near: IntArray, within: int, way: Way) -> Found:
    boxes, wholes = [side.boxes[side.leaf :] for side in sides], [side.whole for side in sides]
    most = 2 * len(items.nodes) + 64
    while True:
        nodes, numbers = np.empty((most, 4), dtype=np.int32), np.empty((most, 2), dtype=np.int32)
        count = _close_items(items, others, *boxes, *wholes, near, within, way, nodes, numbers)
        if count <= most:
            return Found(nodes[:count], numbers[:count])
        most = count


@inline
def _pair_of(pair, corners, k, other_corners, m):  # type: ignore[no-untyped-def]
    """Fill pair (4,) with the nodes of two items; whether all are different."""
    first, own, other = corners.shape[1], corners[np.uint64(k)], other_corners[np.uint64(m)]
    for i in range(first):
        pair[i] = own[i]
    for i in range(4 - first):
        pair[first + i] = other[i]
    apart = pair[0] != pair[2] and pair[0] != pair[3] and pair[1] != pair[2] and pair[1] != pair[3]
    return apart and (first == 2 or (pair[0] != pair[1]))


@kernel
def _close_items(items, others, boxes, other_boxes, whole, other_whole, near, within, way, nodes, numbers):  # type: ignore[no-untyped-def]
    """Fill nodes and numbers in the order of near; return how many pairs there are, even where these have no room."""
    corners, order, begin, begin_block, blocks = items
    other_corners, other_order, other_begin, other_begin_block, other_blocks = others
    positions, direction, reach, rooms, along = way
    count, some, edges = 0, 0, corners.shape[1] == 2
    small = np.float32(along[0]), np.float32(along[1]), np.float32(along[2])
    pairs, items_of, close = np.empty((SOME, 4), np.int32), np.empty((SOME, 2), np.int32), np.empty(SOME, np.bool_)
    for p in range(len(near)):
        a, b = near[p, 0], near[p, 1]
        if (a == b and within == NONE) or apart(boxes, a, other_boxes, b, along):
            continue
        for block in range(begin_block[a], begin_block[a + 1]):
            here = close_lanes(other_whole, lane_place(b), blocks, BLOCK * block, small)
            for other in range(other_begin_block[b], other_begin_block[b + 1] if here else other_begin_block[b]):
                there = close_lanes(whole, lane_place(a), other_blocks, BLOCK * other, small)
                start = other_begin[b] + LANES * (other - other_begin_block[b])
                for lane in range(LANES if there else 0):
                    if not here >> lane & 1:
                        continue
                    k = begin[a] + LANES * (block - begin_block[a]) + lane
                    found = close_lanes(blocks, BLOCK * block + lane, other_blocks, BLOCK * other, small) & there
                    if some > SOME - LANES:
                        may_come_close(positions, direction, pairs[:some], edges, reach, rooms, close[:some])
                        count, some = _take(pairs[:some], items_of, close, nodes, numbers, count), 0
                    while found:
                        n = LANE[(found & -found) % 11]  # of the lowest bit that is left
                        m, found = start + n, found & (found - 1)
                        if within == HALF and m <= k:
                            continue
                        if _pair_of(pairs[some], corners, k, other_corners, m):
                            items_of[some, 0], items_of[some, 1], some = order[k], other_order[m], some + 1
    may_come_close(positions, direction, pairs[:some], edges, reach, rooms, close[:some])
    return _take(pairs[:some], items_of, close, nodes, numbers, count)


@inner_kernel
def _take(pairs, items, close, nodes, numbers, count):  # type: ignore[no-untyped-def]
    """Append those of pairs (c, 4) that are close to nodes and numbers, which have `count`; return how many they then have."""
    for n in range(len(pairs)):
        if not close[n]:
            continue
        if count < len(nodes):
            for i in range(4):
                nodes[count, i] = pairs[n, i]
            numbers[count, 0], numbers[count, 1] = items[n, 0], items[n, 1]
        count += 1
    return count
