"""Stiffness of contact with colliders in the matrix: of points that hang on one tet, at places that the matrix has.

That of points that hang on more nodes acts beside it (spring_coupling.py). It is put in after the elements are summed and taken
out again with every byte as it was, so that a system that differs from the last one by its contacts alone need not be summed
anew.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..jit import inline, kernel
from ..jit.simd_rows import ROWS
from .spring_coupling import Springs, no_springs

ACROSS = (1, 2, 5)  # where a block has the numbers above its diagonal


@dataclass(frozen=True)
class ContactStiffness:
    """What contact adds between nodes (k, 4) of k tets: blocks (k, 6, 9) in the order of lanes.PAIRS [N/m], each a number times
    one that is symmetric and not negative.

    touching (t,): the nodes that it moves; beside: the stiffness of points that hang on more nodes, diagonal blocks and all.
    """

    touching: NDArray[np.integer]
    nodes: NDArray[np.int32]
    blocks: NDArray[np.float32]
    beside: Springs = field(default_factory=no_springs)


@inline
def _address(row_offsets, columns, addresses, row, column):  # type: ignore[no-untyped-def]
    """Where the block of a row and a column begins."""
    k = row_offsets[row]
    while columns[k] != column:
        k += 1
    return np.int64(addresses[k])


@kernel
def put_in(  # type: ignore[no-untyped-def]
    rank, row_offsets, columns, addresses, apart, nodes, blocks, values, sums, places, before
):
    """Add blocks (k, 6, 9) between nodes (k, 4) to the matrix, and to sums (2, 4n) of its rows; return how many places that
    has changed.

    places (12k,) and before (12k, 9): these in turn, and what was there. rank (n,): the row of each node; addresses as in
    block_matrix.py; blocks lie by themselves from `apart` on.
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
                for row, column in ((i, j), (j, i)):
                    at = _address(row_offsets, columns, addresses, row, column)
                    if at >= 0:
                        _add(block, at, apart, values, places, before, count)
                        count += 1
                    for c in range(3):
                        sums[0, 4 * row + c] += block[4 * c]
                        sums[1, 4 * row + c] += block[ACROSS[c]]
    return count


@inline
def _add(block, at, apart, values, places, before, count):  # type: ignore[no-untyped-def]
    """Add a block, which is symmetric, to that at `at`, and keep what was there."""
    step = 1 if at >= apart else ROWS
    places[count] = at
    for c in range(9):
        before[count, c] = values[at + step * c]
        values[at + step * c] += block[c]


@kernel
def take_out(places, before, apart, values, rows, sums):  # type: ignore[no-untyped-def]
    """Put back what was `before` (m, 9) at places (m,), the last change first, and nothing at rows (t,) of sums (2, 4n)."""
    for m in range(len(places) - 1, -1, -1):
        step = 1 if places[m] >= apart else ROWS
        for c in range(9):
            values[places[m] + step * c] = before[m, c]
    for row in rows:
        for c in range(4):
            sums[0, 4 * row + c] = sums[1, 4 * row + c] = np.float32(0.0)
