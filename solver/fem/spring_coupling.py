"""Stiffness of springs that hold points to what stands still in a solve, as contact with colliders does.

A point moves with as many rows of the matrix as carry it, which need not have a tet in common. So its spring is kept beside the
matrix, and multiplied in float32, as that is: against what stands still no two large numbers are to be told apart.
"""

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel
from ..jit.simd import add_scaled, lane, load, store, three, zero
from .coarse_space import Parts
from .pair_coupling import PairStiffness

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]

FOUR = np.uint64(4)
ACROSS = (1, 2, 5)  # where a block has the numbers above its diagonal


@dataclass(frozen=True)
class Springs:
    """Those of k points: point a moves with the matrix's rows (e,) from start[a] to start[a + 1], by shares (e,).

    blocks (k, 9) [N/m], symmetric and not negative
    """

    start: NDArray[np.int64]
    rows: IntArray
    shares: Array
    blocks: Array

    @cached_property
    def arrays(self) -> tuple[Any, ...]:
        """What `add_springs` takes."""
        return self.start, self.rows, self.shares.astype(np.float32), self.blocks.astype(np.float32)

    def joined(self, other: "Springs") -> "Springs":
        """These and others."""
        start = np.concatenate([self.start, other.start[1:] + len(self.rows)])
        every = (np.concatenate([getattr(self, name), getattr(other, name)]) for name in ("rows", "shares", "blocks"))
        return Springs(start, *every)

    def take_diagonal(self, sums: NDArray[np.float32]) -> None:
        """Take the diagonal blocks from sums (2, 4n) of the matrix's rows: what these leave is a row's diagonal block."""
        _take_diagonal(self.start, self.rows, self.shares, self.blocks, sums)

    def add_coarse(self, parts: Parts, coarse: Array) -> None:
        """Add W^T K W to the coarse matrix (12a, 12a)."""
        if len(self.blocks):
            self._as_pairs().add_coarse(parts, coarse)

    def add_blocks(self, owners: IntArray, blocks: Array) -> None:
        """Add what aggregates meet, each as one, to their blocks (m, 9); owners (n,): the aggregate of each row."""
        if len(self.blocks):
            self._as_pairs().add_blocks(owners, blocks)

    def _as_pairs(self) -> PairStiffness:
        """These as pairs of a point and nothing."""
        count = len(self.blocks)
        themselves = np.repeat(np.arange(count, dtype=np.int32), 4).reshape(-1, 4)
        alone = np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))
        return PairStiffness(themselves, alone, self.blocks, self.start, self.rows, self.shares)


@cache
def no_springs() -> Springs:
    """Those of no points."""
    return Springs(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0), np.zeros((0, 9)))


@kernel
def add_springs(springs, p, q):  # type: ignore[no-untyped-def]
    """q += K p for flat float32 vectors (4n,) by rows; return p . K p."""
    start, rows, shares, blocks = springs
    total = 0.0
    for a in range(len(blocks)):
        moved, h = zero(), blocks[a]
        for e in range(start[a], start[a + 1]):
            moved = add_scaled(moved, load(p, FOUR * np.uint64(rows[e])), shares[e])
        x, y, z = lane(moved, 0), lane(moved, 1), lane(moved, 2)
        fx = h[0] * x + h[1] * y + h[2] * z
        fy = h[3] * x + h[4] * y + h[5] * z
        fz = h[6] * x + h[7] * y + h[8] * z
        total += np.float64(x) * fx + np.float64(y) * fy + np.float64(z) * fz
        force = three(fx, fy, fz)
        for e in range(start[a], start[a + 1]):
            at = FOUR * np.uint64(rows[e])
            store(q, at, add_scaled(load(q, at), force, shares[e]))
    return total


@kernel
def _take_diagonal(start, rows, shares, blocks, sums):  # type: ignore[no-untyped-def]
    for a in range(len(blocks)):
        for e in range(start[a], start[a + 1]):
            at, square = 4 * rows[e], shares[e] * shares[e]
            for c in range(3):
                sums[0, at + c] -= np.float32(square * blocks[a, 4 * c])
                sums[1, at + c] -= np.float32(square * blocks[a, ACROSS[c]])
