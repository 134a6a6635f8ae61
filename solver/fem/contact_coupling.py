"""Stiffness of contact with colliders in the matrix: between the nodes of one tet, so at places that the matrix has.

It is put in after the elements are summed and taken out again with every byte as it was, so that a system that differs from the
last one by its contacts alone need not be summed anew.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..jit import inline, kernel


@dataclass(frozen=True)
class ContactStiffness:
    """What contact adds between nodes (k, 4) of k tets: blocks (k, 6, 9) in the order of lanes.PAIRS [N/m], each a number times
    one that is symmetric and not negative.

    touching (t,): the nodes that it moves, those with diagonal blocks of contact.
    """

    touching: NDArray[np.integer]
    nodes: NDArray[np.int32]
    blocks: NDArray[np.float32]


@inline
def _place(row_offsets, columns, row, column):  # type: ignore[no-untyped-def]
    """Where the block of a row and a column lies."""
    k = row_offsets[row]
    while columns[k] != column:
        k += 1
    return k


@kernel
def put_in(rank, row_offsets, columns, nodes, blocks, values, places, before):  # type: ignore[no-untyped-def]
    """Add blocks (k, 6, 9) between nodes (k, 4) to the matrix; return how many places that has changed.

    places (12k,) and before (12k, 9): these in turn, and what was there. rank (n,): the row of each node.
    """
    count = 0
    for t in range(len(nodes)):
        pair = 0
        for a in range(4):
            for b in range(a + 1, 4):
                block = blocks[t, pair]
                pair += 1
                if block[0] + block[4] + block[8] == 0.0:  # whose diagonal has one sign: so it is nothing
                    continue
                i, j = rank[nodes[t, a]], rank[nodes[t, b]]
                for turned in range(2):
                    k = _place(row_offsets, columns, j, i) if turned else _place(row_offsets, columns, i, j)
                    places[count] = k
                    for c in range(9):
                        before[count, c] = values[9 * k + c]
                        values[9 * k + c] += block[c]
                    count += 1
    return count


@kernel
def take_out(places, before, values):  # type: ignore[no-untyped-def]
    """Put back what was `before` (m, 9) at places (m,), the last change first."""
    for m in range(len(places) - 1, -1, -1):
        for c in range(9):
            values[9 * places[m] + c] = before[m, c]
