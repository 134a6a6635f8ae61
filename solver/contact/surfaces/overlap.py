"""Which boxes of two trees overlap on a way: both trees walked down at once, in an order that only the trees decide.

Each box moves straight on, by some vector within bounds of its own. What lies together moves together, so these bounds are
narrow, and boxes need not be as large as the way is long: what counts is how two of them move against each other.
"""

import numpy as np
from numpy.typing import NDArray

from ...geometry.tree import STACK, Tree, build_tree, fit_boxes
from ...jit import inline, kernel

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]


class Boxes:
    """Boxes around items (k, m) of nodes, and the trees over them: built once, fitted to where nodes may be and how they move.

    The boxes lie in the tree's order, order[i] being the item of box i: what is compared with each other lies together.
    """

    def __init__(self, items: IntArray, positions: Array) -> None:
        self.items = np.ascontiguousarray(items.reshape(len(items), -1))
        self.lower, self.upper = np.empty((2, len(items), 3))
        _item_boxes(self.items, positions, positions, self.lower, self.upper)
        tree = build_tree(self.lower, self.upper)
        self.order = tree.order
        self.tree: Tree = tree._replace(order=np.arange(len(items), dtype=np.int32))
        self.ordered = np.ascontiguousarray(self.items[self.order])
        self.least, self.most = np.zeros((2, len(items), 3))  # of an item's moves
        self.moves: Tree = self.tree._replace(lower=np.zeros_like(tree.lower), upper=np.zeros_like(tree.upper))

    def fit(self, lower: Array, upper: Array, move: Array | None = None) -> None:
        """Take boxes (n, 3) of the nodes, and the way (n, 3) that each goes; None: they stay."""
        _item_boxes(self.ordered, lower, upper, self.lower, self.upper)
        fit_boxes(self.tree, self.lower, self.upper)
        if move is None:
            self.least[:] = self.most[:] = self.moves.lower[:] = self.moves.upper[:] = 0.0
            return
        _item_boxes(self.ordered, move, move, self.least, self.most)
        fit_boxes(self.moves, self.least, self.most)


def overlapping(first: Boxes, second: Boxes) -> IntArray:
    """Pairs (k, 2) of items, one of each, whose boxes overlap somewhere on their way and that have no node in common.

    With `second` the same as `first` each pair comes once, never an item with itself.
    """
    found = np.empty((4 * len(first.items) + 64, 2), dtype=np.int32)
    while True:
        count = _overlapping(
            first.tree, second.tree, first.moves, second.moves, first is second, first.ordered, second.ordered,
            (first.lower, first.upper, first.least, first.most), (second.lower, second.upper, second.least, second.most), found,
        )  # fmt: skip
        if count <= len(found):
            found = found[:count]
            return np.stack([first.order[found[:, 0]], second.order[found[:, 1]]], axis=1)
        found = np.empty((count, 2), dtype=np.int32)


@kernel
def _item_boxes(items, lower, upper, item_lower, item_upper):  # type: ignore[no-untyped-def]
    for k in range(len(items)):
        for axis in range(3):
            low, high = np.inf, -np.inf
            for m in range(items.shape[1]):
                low, high = min(low, lower[items[k, m], axis]), max(high, upper[items[k, m], axis])
            item_lower[k, axis], item_upper[k, axis] = low, high


@inline
def _apart(boxes, i, others, j):  # type: ignore[no-untyped-def]
    """Whether two boxes stay apart along an axis on all of their way; boxes: lower, upper, least and most move."""
    lower, upper, least, most = boxes
    other_lower, other_upper, other_least, other_most = others
    for axis in range(3):
        if lower[i, axis] + min(least[i, axis] - other_most[j, axis], 0.0) > other_upper[j, axis]:
            return True
        if other_lower[j, axis] + min(other_least[j, axis] - most[i, axis], 0.0) > upper[i, axis]:
            return True
    return False


@inline
def _joined(items, i, others, j):  # type: ignore[no-untyped-def]
    """Whether two items have a node in common."""
    for m in range(items.shape[1]):
        for n in range(others.shape[1]):
            if items[i, m] == others[j, n]:
                return True
    return False


@kernel
def _overlapping(  # type: ignore[no-untyped-def]
    first, second, first_moves, second_moves, same, items, others, boxes, other_boxes, found
):
    """Fill found with pairs in the order of the walk; return how many there are, even where found has no room."""
    stack = np.empty((4 * STACK, 2), dtype=np.int32)
    nodes = (first.lower, first.upper, first_moves.lower, first_moves.upper)
    other_nodes = (second.lower, second.upper, second_moves.lower, second_moves.upper)
    stack[0, 0], stack[0, 1] = 0, 0
    size, count = 1, 0
    while size:
        size -= 1
        a, b = stack[size, 0], stack[size, 1]
        if _apart(nodes, a, other_nodes, b):
            continue
        if a >= first.leaf and b >= second.leaf:
            for k in range(first.start[a], first.stop[a]):
                for m in range(second.start[b], second.stop[b]):
                    if same and a == b and m <= k:
                        continue
                    if _apart(boxes, k, other_boxes, m) or _joined(items, k, others, m):
                        continue
                    if count < len(found):
                        found[count, 0], found[count, 1] = k, m
                    count += 1
        elif same and a == b:
            left, right = 2 * a + 1, 2 * a + 2
            stack[size, 0], stack[size, 1] = right, right
            stack[size + 1, 0], stack[size + 1, 1] = left, right
            stack[size + 2, 0], stack[size + 2, 1] = left, left
            size += 3
        elif b >= second.leaf or (a < first.leaf and a <= b):
            stack[size, 0], stack[size, 1] = 2 * a + 2, b
            stack[size + 1, 0], stack[size + 1, 1] = 2 * a + 1, b
            size += 2
        else:
            stack[size, 0], stack[size, 1] = a, 2 * b + 2
            stack[size + 1, 0], stack[size + 1, 1] = a, 2 * b + 1
            size += 2
    return count
