"""Which tets and corners meet at each node, by counting."""

import numpy as np
from numpy.typing import NDArray

from ..jit import kernel


def incident_corners(tets: NDArray[np.int32], nodes: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return offsets (nodes + 1,) and corners (4m,), tet * 4 + corner: node i has those of offsets[i]:offsets[i + 1]."""
    offsets, corners = np.zeros(nodes + 1, np.int32), np.empty(tets.size, np.int32)
    _group(tets.ravel(), offsets, corners)
    return offsets, corners


@kernel
def _group(nodes, offsets, corners):  # type: ignore[no-untyped-def]
    """corners (4m,) := the corners of each node, rising, from the node of each (4m,); offsets (n + 1,) come as zeros."""
    for k in range(len(nodes)):
        offsets[nodes[k] + 1] += 1
    for i in range(1, len(offsets)):
        offsets[i] += offsets[i - 1]
    fill = offsets[:-1].copy()
    for k in range(len(nodes)):
        corners[fill[nodes[k]]] = k
        fill[nodes[k]] += 1
