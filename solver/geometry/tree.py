"""A bounding-volume tree over boxes, in heap order: node i has the children 2i + 1 and 2i + 2.

Every level is full, so the topology needs no pointers: a node is its range of items, halved on the way down.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..jit import inline, inner_kernel, kernel
from .chunks import in_parts

LEAF_ITEMS = 4
APART, MANY = 3, 4096  # level of whose nodes what lies under each is sorted on any thread, where there are many items
FEW, BINS = 64, 256  # from more items than that on, they are first sorted into so many bins
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
    _sort((lower + upper) * 0.5, tree)
    fit_boxes(tree, lower, upper)
    return tree


def refitted(tree: Tree, lower: NDArray[np.float64], upper: NDArray[np.float64]) -> Tree:
    """Return a tree with the same items under each node over other boxes `lower`, `upper` (n, 3)."""
    other = tree._replace(lower=np.empty_like(tree.lower), upper=np.empty_like(tree.upper))
    fit_boxes(other, lower, upper)
    return other


def fit_boxes(tree: Tree, lower: NDArray[np.float64], upper: NDArray[np.float64]) -> None:
    """Set every node's box from the items' boxes; the order of the items stays (for surfaces that stretch)."""
    _fit(tree.order, tree.start, tree.stop, tree.leaf, lower, upper, tree.lower, tree.upper)


def _sort(centres: NDArray[np.float64], tree: Tree) -> None:
    """Put items with these centres (n, 3), which are overwritten, in tree order."""
    tree.stop[0] = len(tree.order)
    under = (1 << APART) - 1
    arguments = centres, tree.order, tree.start, tree.stop
    _sort_items(0, 1, min(under, tree.leaf), *arguments)
    step = 1 if len(centres) > MANY else under + 1
    if under < tree.leaf:
        in_parts(_sort_items, [(k, k + step) for k in range(under, 2 * under + 1, step)], tree.leaf, *arguments)


@kernel
def _sort_items(first, last, end, centres, order, start, stop):  # type: ignore[no-untyped-def]
    """Halve the items of nodes first .. last - 1 of one level, and of all under them, down to the level of node `end`.

    centres lie in the order of the items, and move with them.
    """
    most = 0
    for node in range(first, last):
        most = max(most, stop[node] - start[node])
    counts, bins = np.empty(BINS + 1, dtype=np.int32), np.empty(most, dtype=np.uint8)
    places, items = np.empty((most, 3)), np.empty(most, dtype=np.int32)
    above, below = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32)
    while first < end:
        for node in range(first, last):
            low, high = start[node], stop[node]
            middle, begin, past = (low + high) // 2, low, high
            if high - low > 1:
                axis, at, width = _widest(centres, low, high)
                if high - low > FEW and width > 0.0:
                    begin, past = _narrow(centres, order, axis, at, width, low, high, middle, counts, bins, places, items)
                _partition(centres, order, axis, begin, past - 1, middle, above, below)
            start[2 * node + 1], stop[2 * node + 1] = low, middle
            start[2 * node + 2], stop[2 * node + 2] = middle, high
        first, last = 2 * first + 1, 2 * last + 1


@inner_kernel
def _widest(centres, first, last):  # type: ignore[no-untyped-def]
    """The axis along which some items lie furthest apart, where they begin there, and how far they reach."""
    x0, y0, z0 = centres[first, 0], centres[first, 1], centres[first, 2]
    x1, y1, z1 = x0, y0, z0
    for k in range(first + 1, last):
        x, y, z = centres[k, 0], centres[k, 1], centres[k, 2]
        x0, y0, z0, x1, y1, z1 = min(x0, x), min(y0, y), min(z0, z), max(x1, x), max(y1, y), max(z1, z)
    x, y, z = x1 - x0, y1 - y0, z1 - z0
    if y > x:
        return (1, y0, y) if y >= z else (2, z0, z)
    return (0, x0, x) if x >= z else (2, z0, z)


@inner_kernel
def _narrow(centres, order, axis, at, width, low, high, middle, counts, bins, places, items):  # type: ignore[no-untyped-def]
    """Sort items low .. high - 1 into BINS along an axis; return where those of the bin of `middle` begin and end.

    Two passes without branches, which nothing could foretell.
    """
    scale, count = (BINS - 0.5) / width, np.uint64(high - low)
    for k in range(BINS + 1):
        counts[k] = 0
    for n in range(count):
        here = np.uint64(low) + n
        for a in range(np.uint64(3)):
            places[n, a] = centres[here, a]
        items[n] = order[here]
        bins[n] = np.uint8((centres[here, axis] - at) * scale)
        counts[np.uint64(bins[n]) + np.uint64(1)] += 1
    begin, past = low, high
    for k in range(BINS):
        counts[k + 1] += counts[k]
        if low + counts[k] <= middle:
            begin, past = low + counts[k], low + counts[k + 1]
    for n in range(count):
        there = np.uint64(low + counts[np.uint64(bins[n])])
        counts[np.uint64(bins[n])] += 1
        for a in range(np.uint64(3)):
            centres[there, a] = places[n, a]
        order[there] = items[n]
    return begin, past


@inner_kernel
def _partition(centres, order, axis, low, high, middle, above, below):  # type: ignore[no-untyped-def]
    """Hoare's quickselect: the items before `middle` do not come after it along `axis`.

    Ties go by index, so that the tree does not depend on the input's order of ties. What changes places is listed first,
    without branches, which nothing could foretell.
    """
    while low < high:
        at, item = centres[(low + high) // 2, axis], order[(low + high) // 2]
        over, under = np.uint64(0), np.uint64(0)
        for k in range(np.uint64(low), np.uint64(high + 1)):
            here = centres[k, axis]
            above[over], below[under] = k, k
            over += np.uint64(not ((here < at) | ((here == at) & (order[k] < item))))
            under += np.uint64(not ((at < here) | ((here == at) & (item < order[k]))))
        swaps, last = 0, np.int64(under) - 1
        while swaps < np.int64(over) and swaps <= last and above[swaps] <= below[last - swaps]:
            one, other = np.uint64(above[swaps]), np.uint64(below[last - swaps])
            order[one], order[other] = order[other], order[one]
            for a in range(np.uint64(3)):
                centres[one, a], centres[other, a] = centres[other, a], centres[one, a]
            swaps += 1
        i, j = np.int64(above[swaps - 1]), np.int64(below[last - swaps + 1])
        if i == j:
            i, j = i + 1, j - 1
        else:
            after = np.int64(above[swaps]) if swaps < np.int64(over) else j
            before = np.int64(below[last - swaps]) if swaps <= last else i
            i, j = min(after, j), max(before, i)
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


@kernel
def items_near(tree, lower, upper, stack, found):  # type: ignore[no-untyped-def]
    """List the items under leaves whose boxes meet a box, as far as there is room; return how many there are."""
    stack[0], size, count = 0, 1, 0
    while size:
        size -= 1
        node = stack[size]
        apart = (upper[0] < tree.lower[node, 0]) | (lower[0] > tree.upper[node, 0]) | (upper[1] < tree.lower[node, 1])
        apart |= (lower[1] > tree.upper[node, 1]) | (upper[2] < tree.lower[node, 2]) | (lower[2] > tree.upper[node, 2])
        if apart:
            continue
        if node < tree.leaf:
            stack[size], stack[size + 1] = 2 * node + 1, 2 * node + 2
            size += 2
            continue
        for k in range(tree.start[node], tree.stop[node]):
            if count < len(found):
                found[count] = tree.order[k]
            count += 1
    return count


@inline
def box_distance2(lower, upper, node, x, y, z):  # type: ignore[no-untyped-def]
    """Squared distance from a point to a node's box; 0 inside."""
    dx = max(max(lower[node, 0] - x, x - upper[node, 0]), 0.0)
    dy = max(max(lower[node, 1] - y, y - upper[node, 1]), 0.0)
    dz = max(max(lower[node, 2] - z, z - upper[node, 2]), 0.0)
    return dx * dx + dy * dy + dz * dz
