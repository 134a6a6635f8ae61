"""Stiffness between nodes that share no tet, as contact of surfaces brings: (w w^T) times a 3x3 block, by four nodes each.

Kept as a list beside the matrix: which nodes are in contact changes with every Newton iteration, the matrix's places do not.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel
from .coarse_space import MODES, Parts

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]


@dataclass(frozen=True)
class PairStiffness:
    """c pairs: rows (c, 4) of the matrix, weights (c, 4) that sum to zero, blocks (c, 9) [N/m], symmetric and not negative."""

    rows: IntArray
    weights: Array
    blocks: Array

    @property
    def arrays(self) -> tuple[IntArray, Array, Array]:
        """What kernels take."""
        return self.rows, self.weights, self.blocks

    def add_diagonal(self, diagonal: Array) -> None:
        """Add the diagonal blocks to diagonal (n, 9), by rows [N/m]."""
        _add_diagonal(*self.arrays, diagonal)

    def add_coarse(self, parts: Parts, coarse: Array) -> None:
        """Add W^T K W to the coarse matrix (12a, 12a)."""
        _add_coarse(*self.arrays, parts.node_parts, parts.modes, coarse)


def no_stiffness() -> PairStiffness:
    """That of no pairs."""
    return PairStiffness(np.zeros((0, 4), np.int32), np.zeros((0, 4)), np.zeros((0, 9)))


@kernel
def add_pairs(pairs, p, q):  # type: ignore[no-untyped-def]
    """q += K p for flat float32 vectors (4n,) by rows, in float64 until the end; return p . K p."""
    rows, weights, blocks = pairs
    total = 0.0
    for k in range(len(rows)):
        w, h = weights[k], blocks[k]
        x, y, z = 0.0, 0.0, 0.0
        for m in range(4):
            i = 4 * rows[k, m]
            x, y, z = x + w[m] * p[i], y + w[m] * p[i + 1], z + w[m] * p[i + 2]
        fx = h[0] * x + h[1] * y + h[2] * z
        fy = h[3] * x + h[4] * y + h[5] * z
        fz = h[6] * x + h[7] * y + h[8] * z
        total += x * fx + y * fy + z * fz
        for m in range(4):
            i = 4 * rows[k, m]
            q[i] += np.float32(w[m] * fx)
            q[i + 1] += np.float32(w[m] * fy)
            q[i + 2] += np.float32(w[m] * fz)
    return total


@kernel
def _add_diagonal(rows, weights, blocks, diagonal):  # type: ignore[no-untyped-def]
    for k in range(len(rows)):
        for m in range(4):
            square = weights[k, m] * weights[k, m]
            for c in range(9):
                diagonal[rows[k, m], c] += square * blocks[k, c]


@kernel
def _add_coarse(rows, weights, blocks, node_parts, modes, coarse):  # type: ignore[no-untyped-def]
    """A part moved by its mode 3m + axis moves a pair's r along axis by shares[m]: its nodes' weights times modes[m]."""
    parts, shares = np.empty(4, np.int64), np.empty((4, 4))
    for k in range(len(rows)):
        count = 0
        for m in range(4):
            part, own = node_parts[rows[k, m]], 0
            while own < count and parts[own] != part:
                own += 1
            if own == count:
                parts[own], count = part, count + 1
                shares[own] = 0.0
            for s in range(4):
                shares[own, s] += weights[k, m] * modes[4 * rows[k, m] + s]
        for x in range(count):
            for y in range(count):
                a, b = MODES * parts[x], MODES * parts[y]
                for s in range(4):
                    for t in range(4):
                        share = shares[x, s] * shares[y, t]
                        for c in range(9):
                            coarse[a + 3 * s + c // 3, b + 3 * t + c % 3] += share * blocks[k, c]
