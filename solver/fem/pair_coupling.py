"""Stiffness between nodes that share no tet, as contact of surfaces brings: (w w^T) times a 3x3 block, by four points each.

Points are carried by nodes, each by as many as its place in the mesh takes. Kept as a list beside the matrix: which points are
in contact changes with every Newton iteration, the matrix's places do not.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel
from .coarse_space import MODES, Parts

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]


@dataclass(frozen=True)
class PairStiffness:
    """c pairs of a points: points (c, 4), weights (c, 4) that sum to zero, blocks (c, 9) [N/m], symmetric and not negative.

    start (a + 1,), rows (e,), shares (e,) : a point moves with the matrix's rows from start[k] to start[k + 1], by shares
    """

    points: IntArray
    weights: Array
    blocks: Array
    start: NDArray[np.int64]
    rows: IntArray
    shares: Array

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """What kernels take: the fields, and room for a vector a point, twice."""
        room = np.empty((2, len(self.start) - 1, 3))
        return self.points, self.weights, self.blocks, self.start, self.rows, self.shares, room

    def joined(self, other: "PairStiffness") -> "PairStiffness":
        """These pairs and others, whose points are none of these."""
        count, entries = len(self.start) - 1, len(self.rows)
        return PairStiffness(
            np.concatenate([self.points, other.points + np.int32(count)]), np.concatenate([self.weights, other.weights]),
            np.concatenate([self.blocks, other.blocks]), np.concatenate([self.start, other.start[1:] + entries]),
            np.concatenate([self.rows, other.rows]), np.concatenate([self.shares, other.shares]),
        )  # fmt: skip

    def add_diagonal(self, diagonal: Array) -> None:
        """Add the diagonal blocks to diagonal (n, 9), by rows [N/m]."""
        _add_diagonal(self.points, self.weights, self.blocks, self.start, self.rows, self.shares, diagonal)

    def add_blocks(self, owners: IntArray, blocks: Array) -> None:
        """Add what aggregates meet, each as one, to their blocks (m, 9); owners (n,): the aggregate of each row."""
        start, own, shares = np.empty_like(self.start), np.empty_like(self.rows), np.empty_like(self.shares)
        _add_up(self.start, self.rows, self.shares, owners, start, own, shares)
        _add_diagonal(self.points, self.weights, self.blocks, start, own, shares, blocks)

    def add_coarse(self, parts: Parts, coarse: Array) -> None:
        """Add W^T K W to the coarse matrix (12a, 12a)."""
        if not len(self.points):
            return
        _add_coarse(
            self.points, self.weights, self.blocks, self.start, self.rows, self.shares, parts.node_parts, parts.modes, coarse
        )


@cache
def no_stiffness() -> PairStiffness:
    """That of no pairs."""
    none = np.zeros(0, np.int32)
    return PairStiffness(none.reshape(0, 4), np.zeros((0, 4)), np.zeros((0, 9)), np.zeros(1, np.int64), none, np.zeros(0))


@kernel
def add_pairs(pairs, p, q):  # type: ignore[no-untyped-def]
    """q += K p for flat float32 vectors (4n,) by rows, in float64 until the end; return p . K p."""
    points, weights, blocks, start, rows, shares, room = pairs
    moved, force = room[0], room[1]
    for a in range(len(moved)):
        x, y, z = 0.0, 0.0, 0.0
        for e in range(start[a], start[a + 1]):
            i, share = 4 * rows[e], shares[e]
            x, y, z = x + share * p[i], y + share * p[i + 1], z + share * p[i + 2]
        moved[a, 0], moved[a, 1], moved[a, 2] = x, y, z
        force[a, 0], force[a, 1], force[a, 2] = 0.0, 0.0, 0.0
    total = 0.0
    for k in range(len(points)):
        w, h = weights[k], blocks[k]
        x, y, z = 0.0, 0.0, 0.0
        for m in range(4):
            a = points[k, m]
            x, y, z = x + w[m] * moved[a, 0], y + w[m] * moved[a, 1], z + w[m] * moved[a, 2]
        fx = h[0] * x + h[1] * y + h[2] * z
        fy = h[3] * x + h[4] * y + h[5] * z
        fz = h[6] * x + h[7] * y + h[8] * z
        total += x * fx + y * fy + z * fz
        for m in range(4):
            a = points[k, m]
            force[a, 0] += w[m] * fx
            force[a, 1] += w[m] * fy
            force[a, 2] += w[m] * fz
    for a in range(len(moved)):
        for e in range(start[a], start[a + 1]):
            i, share = 4 * rows[e], shares[e]
            q[i] += np.float32(share * force[a, 0])
            q[i + 1] += np.float32(share * force[a, 1])
            q[i + 2] += np.float32(share * force[a, 2])
    return total


@kernel
def _add_diagonal(points, weights, blocks, start, rows, shares, diagonal):  # type: ignore[no-untyped-def]
    """A pair's r moves with a row by the sum over its points, which may have rows in common."""
    own, listed = np.zeros(len(diagonal)), np.empty(4 * len(rows) + 1, np.int32)
    for k in range(len(points)):
        count, h = 0, blocks[k]
        for m in range(4):
            a, weight = points[k, m], weights[k, m]
            for e in range(start[a], start[a + 1]):
                row = rows[e]
                before = own[row]
                listed[count], count = row, count + (before == 0.0)  # no branch
                own[row] = before + weight * shares[e]
        h0, h1, h2, h3, h4, h5, h6, h7, h8 = h[0], h[1], h[2], h[3], h[4], h[5], h[6], h[7], h[8]
        for n in range(count):
            block, square = diagonal[listed[n]], own[listed[n]] * own[listed[n]]
            own[listed[n]] = 0.0
            block[0], block[1], block[2] = block[0] + square * h0, block[1] + square * h1, block[2] + square * h2
            block[3], block[4], block[5] = block[3] + square * h3, block[4] + square * h4, block[5] + square * h5
            block[6], block[7], block[8] = block[6] + square * h6, block[7] + square * h7, block[8] + square * h8


@kernel
def _add_up(start, rows, shares, owners, first, own, sums):  # type: ignore[no-untyped-def]
    """Fill own (e,) with the owners that each point moves with, from first[a] to first[a + 1] (a + 1,), and their shares."""
    count = 0
    for a in range(len(start) - 1):
        first[a] = count
        for e in range(start[a], start[a + 1]):
            owner, at = owners[rows[e]], first[a]
            while at < count and own[at] != owner:
                at += 1
            if at == count:
                own[at], sums[at], count = owner, 0.0, count + 1
            sums[at] += shares[e]
    first[len(start) - 1] = count


@kernel
def _add_coarse(points, weights, blocks, start, rows, shares, node_parts, modes, coarse):  # type: ignore[no-untyped-def]
    """A part moved by its mode 3m + axis moves a pair's r along axis by own[m]: its rows' shares times modes[m]."""
    most = len(coarse) // MODES
    parts, own = np.empty(most, np.int64), np.empty((most, 4))
    for k in range(len(points)):
        count = 0
        for m in range(4):
            a = points[k, m]
            for e in range(start[a], start[a + 1] if weights[k, m] != 0.0 else start[a]):
                part, at = node_parts[rows[e]], 0
                while at < count and parts[at] != part:
                    at += 1
                if at == count:
                    parts[at], count = part, count + 1
                    own[at] = 0.0
                for s in range(4):
                    own[at, s] += weights[k, m] * shares[e] * modes[4 * rows[e] + s]
        for x in range(count):
            for y in range(count):
                a, b = MODES * parts[x], MODES * parts[y]
                for s in range(4):
                    for t in range(4):
                        share = own[x, s] * own[y, t]
                        for c in range(9):
                            coarse[a + 3 * s + c // 3, b + 3 * t + c % 3] += share * blocks[k, c]
