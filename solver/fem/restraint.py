"""What holds nodes during one step, besides elasticity and contact: some go where they are told, some are on springs."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass
class Restraint:
    """That of one step, of n nodes.

    held    : (h,) nodes that are at `places` (h, 3) [m] when the step ends, whatever that takes: no unknowns of its solve
    springs : their stiffness (n,) [N/m] and where they pull the nodes to (n, 3) [m]; None where there are none
    """

    held: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    places: Array = field(default_factory=lambda: np.zeros((0, 3)))
    springs: tuple[Array, Array] | None = None

    def put(self, positions: Array) -> None:
        """Move the nodes that are held, of positions (n, 3), to their places."""
        positions[self.held] = self.places

    def forces(self, positions: Array) -> Array:
        """What the springs do to nodes at positions (n, 3) [N]."""
        if self.springs is None:
            return np.zeros_like(positions)
        stiffness, centers = self.springs
        return stiffness[:, None] * (centers - positions)

    def joined(self, inertia: Array, targets: Array) -> tuple[Array, Array]:
        """Inertia (n,) [N/m] about targets (n, 3) and the springs as one: two springs on a node are one between them."""
        if self.springs is None:
            return inertia, targets
        stiffness, centers = self.springs
        both = inertia + stiffness
        return both, targets + (stiffness / both)[:, None] * (centers - targets)
