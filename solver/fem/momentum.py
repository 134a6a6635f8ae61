"""What an unconverged balance leaves over of momentum is given back as a rigid motion.

Internal forces sum to zero, so for a body that touches nothing the six sums of a step's gradient concern inertia alone
and one small solve makes them vanish: flight and spin are as exact as the time step, whatever Newton's tolerance.
A rigid motion changes no stretch, so stress and flow stay valid.
"""

import numpy as np
from numpy.typing import NDArray

from ..state import Ranges

Array = NDArray[np.float64]


def balance_momentum(
    positions: Array, gradient: Array, inertia: Array, ranges: Ranges, touched: NDArray[np.bool_]
) -> None:
    """Move each body none of whose nodes is touched (n,) so that its net force and torque vanish; positions in place.

    gradient (n, 3) [N] and inertia (n,) [N/m] of the step's energy at positions (n, 3).
    """
    for a, b in zip(ranges.nodes[:-1], ranges.nodes[1:], strict=True):
        if touched[a:b].any():
            continue
        weights, force = inertia[a:b], gradient[a:b]
        # Sums, not matrix products: a BLAS adds in an order that depends on its threads.
        arms = positions[a:b] - (weights[:, None] * positions[a:b]).sum(axis=0) / weights.sum()
        products = np.einsum("n,ni,nj->ij", weights, arms, arms)
        turn = np.linalg.solve(np.trace(products) * np.eye(3) - products, -np.cross(arms, force).sum(axis=0))
        positions[a:b] += np.cross(turn, arms) - force.sum(axis=0) / weights.sum()
