"""A surface in clusters: a few vertices that lie together with the triangles and edges there, and a tree over all of them.

Each box moves straight on, by some vector within bounds of its own. What lies together moves together, so these bounds are
narrow, and boxes need not be as large as the way is long: what counts is how two of them move against each other.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...geometry.tree import STACK, build_tree
from ...jit import inline, inner_kernel, kernel
from ...jit.box_lanes import BLOCK, LANES, close_lanes
from .surface import ContactSurface

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

ROUNDING = 1e-6  # share of the nodes' largest coordinate by which boxes in single precision may be off
NO_ORIGIN = np.zeros((2, 3))
TOGETHER = 192  # coordinates at once, a multiple of three
PER_CLUSTER = 16  # others near it: the room at first for what a walk finds


class Items(NamedTuple):
    """Items of one kind in the order of their clusters, and their boxes in blocks of LANES, each of one cluster.

    nodes (k, m)             : of each
    order (k,)               : its number in the surface
    first (c + 1,)           : those of cluster i are first[i] to first[i + 1],
    first_block (c + 1,)     : and their blocks; what is left of a block's lanes is apart from everything
    boxes (blocks * BLOCK,)  : as jit/box_lanes.py has them
    """

    nodes: IntArray
    order: IntArray
    first: IntArray
    first_block: IntArray
    boxes: NDArray[np.float32]


class Clusters:
    """The clusters of one body's surface: built once, fitted to where its nodes are and how they move.

    own and first_own (c + 1,) say which nodes a cluster's items have, by their places in `vertices.nodes`; own_nodes which they
    are.
    """

    def __init__(self, surface: ContactSurface, rest: Array) -> None:
        """rest (n, 3): the nodes' places at rest."""
        self.surface = surface
        places = rest[surface.vertices]
        tree = build_tree(places, places)
        self.leaf = tree.leaf
        # Of the tree's nodes, its leaves the clusters: lower and upper corner, least and most way
        self.boxes = np.empty((2 * tree.leaf + 1, 4, 3))
        # The clusters' alone, as jit/box_lanes.py has them, and beside them what is apart from everything
        self.whole = np.empty(BLOCK * (tree.leaf // LANES + 1), np.float32)
        self.whole.reshape(-1, 4, 3 * LANES)[:] = np.array([np.inf, -np.inf, 0.0, 0.0])[:, None]
        first = np.append(tree.start[tree.leaf :], np.int32(len(places)))
        rank = np.zeros(int(surface.vertices.max(initial=0)) + 1, dtype=np.int32)
        rank[surface.vertices[tree.order]] = np.arange(len(places))
        self.vertices = _items(surface.vertices[:, None], tree.order, first)
        self.triangles = _gathered(surface.triangles, rank, first)
        self.edges = _gathered(surface.edges, rank, first)
        self.first_own, self.own = _own_nodes((self.vertices, self.triangles, self.edges), rank)
        self.own_nodes = self.vertices.nodes[self.own, 0]
        own = self.own_nodes  # their numbers lie from span[0] to before span[1]
        self.span = (int(own.min()), int(own.max()) + 1) if len(own) else (0, 0)
        ends = rest[surface.edges]
        self.edge_squares = ((ends[:, 1] - ends[:, 0]) ** 2).sum(axis=1)  # (e,) at rest [m^2]
        self.edge_length = float(np.sqrt(self.edge_squares).sum() / max(len(ends), 1))

    @property
    def kinds(self) -> tuple[Items, Items, Items]:
        """Vertices, triangles, edges."""
        return self.vertices, self.triangles, self.edges

    def fit(self, positions: Array, way: Array, origin: Array = NO_ORIGIN) -> None:
        """Take the nodes to go from positions (n, 3) along a way (n, 3): the clusters, not yet their items.

        All is seen from an origin (2, 3), a place and its way, so that no digits are lost.
        """
        _fit_tree(self.own_nodes, self.first_own, positions, way, origin, self.leaf, self.boxes, self.whole)

    def fit_items(self, positions: Array, way: Array, wanted: IntArray, origin: Array = NO_ORIGIN) -> None:
        """The same for the items of the clusters of some numbers (k,)."""
        chosen = np.zeros(self.leaf + 1, dtype=bool)
        chosen[wanted] = True
        clusters = np.flatnonzero(chosen)
        for items in self.kinds:
            _fit_items(items, positions, way, origin, clusters)

    @property
    def farthest(self) -> float:
        """The largest coordinate and the largest way along an axis, added up [m]."""
        return float(np.abs(self.boxes[0, :2]).max() + np.abs(self.boxes[0, 2:]).max())

    def around(self, before: Array, after: Array) -> tuple[Array, Array]:
        """Lower and upper corner (3,) of the box around the body at two places (n, 3)."""
        corners = np.empty((2, 3))
        own = slice(*self.span)
        box_around(before[own], after[own], corners[0], corners[1])
        return corners[0], corners[1]


def near_clusters(first: Clusters, second: Clusters, room: float, known: IntArray | None = None) -> IntArray:
    """Pairs (k, 2) of clusters, one of each, that come closer than a room [m] along each axis somewhere on their way.

    With `second` the same as `first` each pair comes once, and each cluster with itself. The order is the trees' alone.
    known : a number for each of the tree's nodes: clusters of those with the same are not wanted with each other; or -1
    """
    found = np.empty((PER_CLUSTER * (first.leaf + 1) + 64, 2), dtype=np.int32)
    if known is None:
        known = np.full(2 * first.leaf + 1, -1, dtype=np.int32)
    while True:
        boxes = first.boxes, second.boxes, first.leaf, second.leaf, first.whole, second.whole
        count = _near(*boxes, first is second, room, known, found)
        if count <= len(found):
            return found[:count]
        found = np.empty((count, 2), dtype=np.int32)


def _gathered(nodes: IntArray, rank: IntArray, first: IntArray) -> Items:
    """Items (k, m) with the clusters of their first nodes, of a rank among the vertices."""
    cluster = np.searchsorted(first, rank[nodes[:, 0]], side="right") - 1
    order = np.argsort(cluster, kind="stable").astype(np.int32)
    starts = np.searchsorted(cluster[order], np.arange(len(first))).astype(np.int32)
    return _items(nodes, order, starts)


def _items(nodes: IntArray, order: IntArray, first: IntArray) -> Items:
    """Items of nodes (k, m) in an order (k,), those of cluster i being first[i] to first[i + 1]."""
    first_block = np.append(0, np.cumsum(-(np.diff(first) // -LANES))).astype(np.int32)
    return Items(
        np.ascontiguousarray(nodes[order]), order, first, first_block, np.empty(BLOCK * int(first_block[-1]), np.float32)
    )


def _own_nodes(kinds: tuple[Items, ...], rank: IntArray) -> tuple[IntArray, IntArray]:
    """Where the nodes of each cluster's items begin (c + 1,), and their ranks."""
    count, size = len(kinds[0].first) - 1, max(len(rank), 1)
    starts = size * np.arange(count + 1)  # one number a pair: pairs themselves take ten times as long to sort
    pairs = np.unique(np.concatenate([
        (np.repeat(starts[:-1], np.diff(items.first))[:, None] + rank[items.nodes]).ravel() for items in kinds
    ]))  # fmt: skip
    return np.searchsorted(pairs, starts).astype(np.int32), (pairs % size).astype(np.int32)


@kernel
def _fit_items(items, positions, way, origin, clusters):  # type: ignore[no-untyped-def]
    for c in clusters:
        for block in range(items.first_block[c], items.first_block[c + 1]):
            for lane in range(LANES):
                k = items.first[c] + LANES * (block - items.first_block[c]) + lane
                for axis in range(3):
                    low, high, least, most = np.inf, -np.inf, 0.0, 0.0
                    if k < items.first[c + 1]:
                        least, most = np.inf, -np.inf
                        for m in range(items.nodes.shape[1]):
                            i = np.uint64(items.nodes[k, m])
                            x, d = positions[i, axis] - origin[0, axis], way[i, axis] - origin[1, axis]
                            low, high, least, most = min(low, x), max(high, x), min(least, d), max(most, d)
                    at = BLOCK * block + LANES * axis + lane
                    items.boxes[at], items.boxes[at + 3 * LANES] = low, high
                    items.boxes[at + 6 * LANES], items.boxes[at + 9 * LANES] = least, most


@inline
def lane_place(k):  # type: ignore[no-untyped-def]
    """Where the box of number k begins in blocks without gaps."""
    return BLOCK * (k // LANES) + k % LANES


@kernel
def _fit_tree(own, first_own, positions, way, origin, leaf, boxes, whole):  # type: ignore[no-untyped-def]
    (ox, oy, oz), (ou, ov, ow) = origin
    for c in range(leaf + 1):
        x0, y0, z0, u0, v0, w0 = np.inf, np.inf, np.inf, np.inf, np.inf, np.inf
        x1, y1, z1, u1, v1, w1 = -np.inf, -np.inf, -np.inf, -np.inf, -np.inf, -np.inf
        for k in range(first_own[c], first_own[c + 1]):
            i = np.uint64(own[k])
            x, y, z = positions[i, 0] - ox, positions[i, 1] - oy, positions[i, 2] - oz
            u, v, w = way[i, 0] - ou, way[i, 1] - ov, way[i, 2] - ow
            x0, y0, z0, x1, y1, z1 = min(x0, x), min(y0, y), min(z0, z), max(x1, x), max(y1, y), max(z1, z)
            u0, v0, w0, u1, v1, w1 = min(u0, u), min(v0, v), min(w0, w), max(u1, u), max(v1, v), max(w1, w)
        box = boxes[leaf + c]
        box[0, 0], box[0, 1], box[0, 2], box[1, 0], box[1, 1], box[1, 2] = x0, y0, z0, x1, y1, z1
        box[2, 0], box[2, 1], box[2, 2], box[3, 0], box[3, 1], box[3, 2] = u0, v0, w0, u1, v1, w1
        for what in range(4):
            for axis in range(3):
                whole[lane_place(c) + LANES * (3 * what + axis)] = box[what, axis]
    for node in range(leaf - 1, -1, -1):
        left, right = boxes[2 * node + 1], boxes[2 * node + 2]
        for axis in range(3):
            boxes[node, 0, axis], boxes[node, 1, axis] = min(left[0, axis], right[0, axis]), max(left[1, axis], right[1, axis])
            boxes[node, 2, axis], boxes[node, 3, axis] = min(left[2, axis], right[2, axis]), max(left[3, axis], right[3, axis])


@kernel
def box_around(before, after, lower, upper):  # type: ignore[no-untyped-def]
    """Fill in lower and upper corner (3,) of the box around points (n, 3) at two places."""
    low, high = np.full(TOGETHER, np.inf), np.full(TOGETHER, -np.inf)
    for places in (before.ravel(), after.ravel()):
        for first in range(0, len(places), TOGETHER):
            _widen(places[first : first + TOGETHER], low, high)
    for axis in range(3):
        lower[axis], upper[axis] = low[axis::3].min(), high[axis::3].max()


@inner_kernel
def _widen(coordinates, low, high):  # type: ignore[no-untyped-def]
    for n in range(len(coordinates)):  # no branch, for vectors
        low[n], high[n] = min(low[n], coordinates[n]), max(high[n], coordinates[n])


@inline
def apart(boxes, i, others, j, rooms):  # type: ignore[no-untyped-def]
    """Whether two boxes stay further apart than the room (3,) along an axis on all of their way."""
    for axis in range(3):
        if boxes[i, 0, axis] + min(boxes[i, 2, axis] - others[j, 3, axis], 0.0) > others[j, 1, axis] + rooms[axis]:
            return True
        if others[j, 0, axis] + min(others[j, 2, axis] - boxes[i, 3, axis], 0.0) > boxes[i, 1, axis] + rooms[axis]:
            return True
    return False


@kernel
def still_near(near, boxes, others, rooms):  # type: ignore[no-untyped-def]
    """Of pairs (k, 2) of clusters those whose boxes come within rooms (3,) [m] along each axis."""
    kept, count = np.empty_like(near), 0
    for p in range(len(near)):
        if not apart(boxes, near[p, 0], others, near[p, 1], rooms):
            kept[count, 0], kept[count, 1], count = near[p, 0], near[p, 1], count + 1
    return kept[:count]


@kernel
def _near(boxes, others, leaf, other_leaf, whole, other_whole, same, room, known, found):  # type: ignore[no-untyped-def]
    """Fill found with pairs in the order of the walk; return how many there are, even where found has no room.

    Nodes that LANES clusters lie under are not walked on from: of two of them each cluster is held against all others at once.
    """
    stack, small, along = np.empty((4 * STACK, 2), dtype=np.int32), np.float32(room), np.full(3, room)
    first, other_first = max((leaf + 1) // LANES - 1, 0), max((other_leaf + 1) // LANES - 1, 0)
    stack[0, 0], stack[0, 1] = 0, 0
    size, count = 1, 0
    while size:
        size -= 1
        a, b = stack[size, 0], stack[size, 1]
        if (same and known[a] >= 0 and known[a] == known[b]) or apart(boxes, a, others, b, along):
            continue
        if a >= first and b >= other_first:
            for lane in range(min(LANES, leaf + 1)):
                c, d = LANES * (a - first) + lane, LANES * (b - other_first)
                close = close_lanes(whole, lane_place(c), other_whole, BLOCK * (b - other_first), (small, small, small))
                if same and a == b:
                    close &= -1 << lane
                for n in range(LANES if close else 0):
                    if not close >> n & 1 or (same and known[leaf + c] >= 0 and known[leaf + c] == known[leaf + d + n]):
                        continue
                    if count < len(found):
                        found[count, 0], found[count, 1] = c, d + n
                    count += 1
        elif same and a == b:
            left, right = 2 * a + 1, 2 * a + 2
            stack[size, 0], stack[size, 1] = right, right
            stack[size + 1, 0], stack[size + 1, 1] = left, right
            stack[size + 2, 0], stack[size + 2, 1] = left, left
            size += 3
        elif b >= other_first or (a < first and a <= b):
            stack[size, 0], stack[size, 1] = 2 * a + 2, b
            stack[size + 1, 0], stack[size + 1, 1] = 2 * a + 1, b
            size += 2
        else:
            stack[size, 0], stack[size, 1] = a, 2 * b + 2
            stack[size + 1, 0], stack[size + 1, 1] = a, 2 * b + 1
            size += 2
    return count
