"""The points of contact surfaces, each carried by the nodes around it: what is seen is what touches.

x = W X: points move by fixed weights of their nodes. So a straight way of the nodes is one of the points, a force f on points
is W^T f on nodes, and momentum is kept, as weights add up to one and turn with the body.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ...fem.pair_coupling import PairStiffness
from ...fem.spring_coupling import Springs
from ...jit import kernel
from ..response import carry_spread

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

NOTHING = 1e-9  # weights below this are rounding


@dataclass
class Carried:
    """k points over n nodes: point p lies at the sum over nodes[start[p]:start[p + 1]] by weights.

    start (k + 1,), nodes (e,), weights (e,)
    """

    start: NDArray[np.int64]
    nodes: IntArray
    weights: Array

    @classmethod
    def by(cls, matrix: csr_matrix) -> "Carried":
        """By the rows of a matrix (k, n), each of which sums to one."""
        matrix = matrix.copy()
        matrix.data[np.abs(matrix.data) < NOTHING] = 0.0
        matrix.eliminate_zeros()
        weights = matrix.data / np.repeat(np.asarray(matrix.sum(axis=1)).ravel(), np.diff(matrix.indptr))
        return cls(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), weights)

    @classmethod
    def nothing(cls) -> "Carried":
        """No points."""
        return cls(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0))

    def __len__(self) -> int:
        return len(self.start) - 1

    def listed(self, points: NDArray[np.integer]) -> NDArray[np.int64]:
        """The numbers of points in ascending order, each once."""
        chosen = np.zeros(len(self), dtype=np.bool_)
        _choose(points.ravel(), chosen)
        return np.flatnonzero(chosen)

    def taken(self, points: NDArray[np.integer]) -> "Carried":
        """Some of the points by their numbers (w,)."""
        if not len(self):
            return self
        start, entries = self._entries(points)
        return Carried(start, self.nodes.take(entries), self.weights.take(entries))

    def joined(self, others: Sequence["Carried"]) -> "Carried":
        """These points and after them others."""
        every = (self, *others)
        start = np.concatenate([[0], np.cumsum(np.concatenate([np.diff(one.start) for one in every]))])
        return Carried(start, *(np.concatenate([getattr(one, name) for one in every]) for name in ("nodes", "weights")))

    def together(self, points: IntArray, weights: Array) -> "Carried":
        """The sums of points (c, m) by weights (c, m), such as the way from one side of a pair to the other."""
        count = points.shape[1]
        parts = self.taken(points.ravel())
        spread = np.repeat(weights.ravel(), np.diff(parts.start))
        return Carried(parts.start[::count].copy(), parts.nodes, parts.weights * spread)

    def _entries(self, points: NDArray[np.integer]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where rows of some points (w,) would start (w + 1,), one after the other, and their entries' numbers."""
        lengths = self.start[points + 1] - self.start[points]
        start = np.concatenate([[0], np.cumsum(lengths)])
        return start, np.arange(start[-1]) + np.repeat(self.start[points] - start[:-1], lengths)

    def places(self, nodes: Array, wanted: NDArray[np.integer] | None = None) -> Array:
        """Where nodes at (n, 3) carry the points (k, 3), or at least those of numbers wanted (w,); the same of directions."""
        points = np.empty((len(self), 3))
        if wanted is None:
            _carry(nodes, self.start, self.nodes, self.weights, points)
        else:
            carry_spread(nodes, wanted, wanted, self.start, self.nodes, self.weights, points)
        return points

    def add_forces(self, points: Array, nodes: Array) -> None:
        """Add forces, or gradients, on points (k, 3) to those on nodes (n, 3)."""
        _hand_down(self.start, self.nodes, self.weights, points, nodes)

    def nodes_of(self, points: NDArray[np.integer], count: int) -> NDArray[np.bool_]:
        """Which of so many nodes (n,) carry some of the points by their numbers."""
        carrying = np.zeros(count, dtype=np.bool_)
        _mark_nodes(points.ravel(), self.start, self.nodes, carrying)
        return carrying

    def stiffness(self, points: IntArray, weights: Array, blocks: Array, rank: IntArray) -> PairStiffness:
        """That of pairs of points (c, 4) by weights (c, 4) and blocks (c, 9), with node i at row rank[i] of the matrix."""
        used = self.listed(points)
        start, entries = self._entries(used)
        numbers = np.empty_like(points)
        _number(used, points, len(self), numbers)
        return PairStiffness(numbers, weights, blocks, start, rank[self.nodes[entries]], self.weights[entries])

    def springs(self, points: NDArray[np.integer], blocks: Array, rank: IntArray) -> Springs:
        """Springs by blocks (w, 9) that hold points by their numbers (w,), with node i at row rank[i] of the matrix."""
        start, entries = self._entries(points)
        return Springs(start, rank.take(self.nodes.take(entries)), self.weights.take(entries), blocks)


@kernel
def _mark_nodes(points, start, nodes, carrying):  # type: ignore[no-untyped-def]
    for p in points:
        for e in range(start[p], start[p + 1]):
            carrying[nodes[e]] = True


@kernel
def _carry(nodes, start, numbers, weights, points):  # type: ignore[no-untyped-def]
    """points (k, 3) = W nodes (n, 3). Of numbers without a sign numba need not ask whether they count from the end."""
    begin = np.uint64(0)
    for p in range(len(points)):
        end, x, y, z = np.uint64(start[p + 1]), 0.0, 0.0, 0.0
        for e in range(begin, end):
            i, w = np.uint64(numbers[e]), weights[e]
            x, y, z = x + w * nodes[i, 0], y + w * nodes[i, 1], z + w * nodes[i, 2]
        points[p, 0], points[p, 1], points[p, 2], begin = x, y, z, end


@kernel
def _choose(points, chosen):  # type: ignore[no-untyped-def]
    for p in points:
        chosen[p] = True


@kernel
def _number(used, points, count, numbers):  # type: ignore[no-untyped-def]
    """Fill numbers (c, 4) with the places of points (c, 4), of so many, among those that are used (w,)."""
    place = np.empty(count, np.int32)
    for k in range(len(used)):
        place[used[k]] = k
    for c in range(len(points)):
        for m in range(4):
            numbers[c, m] = place[points[c, m]]


@kernel
def _hand_down(start, nodes, weights, points, total):  # type: ignore[no-untyped-def]
    """total (n, 3) += W^T points (k, 3), in the points' order."""
    for p in range(len(points)):
        x, y, z = points[p, 0], points[p, 1], points[p, 2]
        if x == 0.0 and y == 0.0 and z == 0.0:
            continue
        for e in range(np.uint64(start[p]), np.uint64(start[p + 1])):
            i, w = np.uint64(nodes[e]), weights[e]
            total[i, 0] += w * x
            total[i, 1] += w * y
            total[i, 2] += w * z
