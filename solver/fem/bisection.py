"""Recursive coordinate bisection of nodes that are sorted along each axis once.

Halves of a range that is sorted along all axes are sorted without comparing anything again: nodes of one half keep their order.
So all cuts of a mesh take a few passes over its nodes each (Bentley 1975, "Multidimensional binary search trees", with sorted
lists in place of medians).
"""

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]


class Bisection:
    """Ranges of n nodes that are cut further and further, in place.

    ranked (3, n): the nodes of each range, sorted along each axis; ties by number
    offsets (r + 1,): where the ranges begin
    """

    def __init__(self, positions: Array, labels: Numbers) -> None:
        """Begin with the nodes at positions (n, 3) of each label (n,), of which there are 0 .. r - 1."""
        self.axes = np.ascontiguousarray(positions.T)
        counts = np.bincount(labels)
        by_place = [np.argsort(axis, kind="stable") for axis in self.axes]
        if len(counts) > 1:
            by_place = [order[np.argsort(labels[order], kind="stable")] for order in by_place]
        self.ranked = np.array(by_place, dtype=np.int32)
        self.offsets = np.concatenate([[0], np.cumsum(counts)])

    @property
    def sizes(self) -> Numbers:
        """Nodes in each range (r,)."""
        sizes: Numbers = np.diff(self.offsets)
        return sizes

    @property
    def order(self) -> NDArray[np.int32]:
        """All nodes (n,), range after range."""
        order: NDArray[np.int32] = self.ranked[0]
        return order

    def cut(self, counts: Numbers) -> Numbers:
        """Cut each range (r,) into so many of nearly equal size, at least one node each, across their longest sides again and
        again. Return the new offsets."""
        self.offsets = _cut(self.axes, self.ranked, self.offsets, counts)
        return self.offsets


@kernel
def _cut(axes, ranked, offsets, counts):  # type: ignore[no-untyped-def]
    """As `Bisection.cut`; axes (3, n): where nodes are, axis by axis."""
    size = len(axes[0])
    behind, moved = np.empty(size, np.bool_), np.empty(size, ranked.dtype)
    result, found = np.empty(counts.sum() + 1, np.int64), 1
    result[0] = 0
    stack = np.empty((64, 3), np.int64)  # of ranges: two wait for each halving at most
    for r in range(len(counts)):
        stack[0, 0], stack[0, 1], stack[0, 2] = offsets[r], offsets[r + 1], counts[r]
        waiting = 1
        while waiting:
            waiting -= 1
            begin, end, count = stack[waiting, 0], stack[waiting, 1], stack[waiting, 2]
            if count == 1:
                result[found] = end
                found += 1
                continue
            longest, most = 0, -1.0
            for k in range(3):
                extent = axes[k, ranked[k, end - 1]] - axes[k, ranked[k, begin]]
                if extent > most:
                    longest, most = k, extent
            first = count // 2
            middle = begin + (end - begin) * first // count
            for i in range(begin, end):
                behind[ranked[longest, i]] = i >= middle
            for k in range(3):
                if k != longest:
                    front, back = begin, 0
                    for i in range(begin, end):
                        node = ranked[k, i]
                        if behind[node]:
                            moved[back] = node
                            back += 1
                        else:
                            ranked[k, front] = node
                            front += 1
                    ranked[k, middle:end] = moved[:back]
            stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = middle, end, count - first
            stack[waiting + 1, 0], stack[waiting + 1, 1], stack[waiting + 1, 2] = begin, middle, first
            waiting += 2
    return result
