"""A bounding-volume tree over boxes, in heap order: node i has the children 2i + 1 and 2i + 2.

Every level is full, so the topology needs no pointers: a node is its range of items, halved on the way down.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import inline, kernel

LEAF_ITEMS = 4
STACK = 64  # twice the depth of any tree that fits in memory


class Tree(NamedTuple):
    """A tree over boxes.

    order   : (n,) int32, items in tree order
    start   : (nodes + 1,) int32, items order[start[i]:stop[i]] lie under node i
    lower, upper : (nodes, 3) float64, boxes
    leaf    : index of the first leaf node
    """

    order: NDArray[np.int32]
    start: NDArray[np.int32]
    stop: NDArray[np.int32]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    leaf: int


def build_tree(lower: NDArray[np.float64], upper: NDArray[np.float64]) -> Tree:
    """Return the tree over boxes `lower`, `upper` (n, 3), split at the median along the longest side."""
    count = len(lower)
    depth = 0
    while LEAF_ITEMS << depth < count:
        depth += 1
    leaf = (1 << depth) - 1
    nodes = 2 * leaf + 1
    tree = Tree(
        np.arange(count, dtype=np.int32),
        np.zeros(nodes, dtype=np.int32),
        np.zeros(nodes, dtype=np.int32),
        np.empty((nodes, 3)),
        np.empty((nodes, 3)),
        leaf,
    )
    _sort_items((lower + upper) * 0.5, tree.order, tree.start, tree.stop, leaf)
    fit_boxes(tree, lower, upper)
    return tree


def fit_boxes(tree: Tree, lower: NDArray[np.float64], upper: NDArray[np.float64]) -> None:
    """Set every node's box from the items' boxes; the order of the items stays (for surfaces that stretch)."""
    _fit(tree.order, tree.start, tree.stop, tree.leaf, lower, upper, tree.lower, tree.upper)


@kernel
def _sort_items(centres, order, start, stop, leaf):  # type: ignore[no-untyped-def]
    start[0], stop[0] = 0, len(order)
    for node in range(leaf):
        first, last = start[node], stop[node]
        middle = (first + last) // 2
        if last - first > 1:
            axis, widest = 0, -1.0
            for a in range(3):
                low, high = np.inf, -np.inf
                for k in range(first, last):
                    low = min(low, centres[order[k], a])
                    high = max(high, centres[order[k], a])
                if high - low > widest:
                    axis, widest = a, high - low
            _partition(centres, order, axis, first, last - 1, middle)
        start[2 * node + 1], stop[2 * node + 1] = first, middle
        start[2 * node + 2], stop[2 * node + 2] = middle, last


@inline
def _before(centres, axis, i, j):  # type: ignore[no-untyped-def]
    """Total order along an axis; ties by index, so that the tree does not depend on the input's order of ties."""
    return centres[i, axis] < centres[j, axis] or (centres[i, axis] == centres[j, axis] and i < j)


@kernel
def _partition(centres, order, axis, low, high, middle):  # type: ignore[no-untyped-def]
    """Hoare's quickselect: the items before `middle` do not come after it along `axis`."""
    while low < high:
        pivot = order[(low + high) // 2]
        i, j = low, high
        while i <= j:
            while _before(centres, axis, order[i], pivot):
                i += 1
            while _before(centres, axis, pivot, order[j]):
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@kernel
def _fit(order, start, stop, leaf, lower, upper, node_lower, node_upper):  # type: ignore[no-untyped-def]
    for node in range(len(start) - 1, -1, -1):
        for a in range(3):
            low, high = np.inf, -np.inf
            if node >= leaf:
                for k in range(start[node], stop[node]):
                    low = min(low, lower[order[k], a])
                    high = max(high, upper[order[k], a])
            else:
                low = min(node_lower[2 * node + 1, a], node_lower[2 * node + 2, a])
                high = max(node_upper[2 * node + 1, a], node_upper[2 * node + 2, a])
            node_lower[node, a] = low
            node_upper[node, a] = high


@inline
def box_distance2(lower, upper, node, x, y, z):  # type: ignore[no-untyped-def]
    """Squared distance from a point to a node's box; 0 inside."""
    dx = max(max(lower[node, 0] - x, x - upper[node, 0]), 0.0)
    dy = max(max(lower[node, 1] - y, y - upper[node, 1]), 0.0)
    dz = max(max(lower[node, 2] - z, z - upper[node, 2]), 0.0)
    return dx * dx + dy * dy + dz * dz
