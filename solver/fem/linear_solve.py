"""The linear system of one Newton iteration: element blocks summed into a sparse matrix, and its solution.

The matrix is elastic stiffness, whose rows sum to zero, plus a diagonal of inertia and contact.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .assembly import Pattern, gather_matrix, multiply
from .conjugate_gradient import conjugate_gradient

Array = NDArray[np.float64]

MOST_ITERATIONS = 400


@dataclass
class LinearSolve:
    """Matrix, preconditioner and solution, allocated once per mesh of n nodes.

    direction (n, 3) is the last solution. Element blocks are float32, half the bytes to write and gather; their sums are
    float64, since turning each into one in every product of conjugate gradients costs more than it saves.
    """

    pattern: Pattern
    values: Array
    diagonal: Array
    inverse: Array
    direction: Array
    work: Array

    @classmethod
    def of(cls, pattern: Pattern, positions: Array) -> "LinearSolve":
        """Arrays for a mesh with nodes at positions (n, 3)."""
        nodes = len(positions)
        return cls(
            pattern=pattern, values=np.zeros((len(pattern.columns), 9)), diagonal=np.zeros((nodes, 9)),
            inverse=np.zeros((nodes, 9)), direction=np.zeros((nodes, 3)), work=np.zeros((4, nodes, 3)),
        )  # fmt: skip

    def assemble(self, blocks: NDArray[np.float32], diagonal: Array) -> None:
        """Take element blocks (lanes, 6, 9) and the diagonal (n, 9) of inertia and contact [N/m]."""
        pattern = self.pattern
        self.diagonal[:] = diagonal
        gather_matrix(
            pattern.edge_offsets, pattern.edge_items, pattern.edge_slots, blocks, pattern.row_offsets, self.values,
            self.diagonal, self.inverse,
        )  # fmt: skip

    def solve(self, rhs: Array, tolerance: float) -> int:
        """Solve for rhs (n, 3) into `direction` to a relative tolerance; return iterations.

        Returns -1 - iterations, keeping the last good direction, where the matrix turns out not positive.
        """
        pattern = self.pattern
        spent: int = conjugate_gradient(
            pattern.row_offsets, pattern.columns, self.values, self.diagonal, self.inverse, rhs,
            tolerance, MOST_ITERATIONS, self.direction, self.work,
        )  # fmt: skip
        return spent

    def stiffness(self) -> "FrozenStiffness":
        """A copy of the elastic part of the matrix as it is now."""
        return FrozenStiffness(self.pattern, self.values.copy())


@dataclass
class FrozenStiffness:
    """Elastic stiffness of one moment, for multiplying velocities with."""

    pattern: Pattern
    values: Array

    def scale_rows(self, factors: Array) -> None:
        """Multiply the rows of node i by factors[i]; factors (n,) may differ only between bodies."""
        self.values *= np.repeat(factors, np.diff(self.pattern.row_offsets))[:, None]

    def times(self, x: Array) -> Array:
        """The product with x (n, 3)."""
        y = np.empty_like(x)
        multiply(self.pattern.row_offsets, self.pattern.columns, self.values, x, y)
        return y
