"""Element blocks that are all there, as a test makes them, for the linear solve; and the blocks that it makes of them."""

import numpy as np

from solver.fem.runs import SPARE
from solver.jit.simd_rows import ROWS


def filling(linear, blocks):
    """What fills a matrix with the sum of blocks (lanes, 6, 9)."""
    return linear.filling(np.concatenate([blocks.ravel(), np.zeros(SPARE)]).astype(np.float32))


def blocks_of(layout, values):
    """Rows (2e,), columns (2e,) and blocks (2e, 3, 3) of a matrix, those that it has once also turned."""
    rows = np.repeat(np.arange(len(layout.order)), np.diff(layout.row_offsets))
    here = layout.addresses >= 0
    starts = layout.addresses[here].astype(np.int64)
    steps = np.where(starts < layout.slabs.apart, ROWS, 1)
    blocks = np.swapaxes(values[starts[:, None] + steps[:, None] * np.arange(9)].reshape(-1, 3, 3), 1, 2)
    once = steps == ROWS
    ends = np.stack([rows[here], layout.columns[here]])
    both = np.concatenate([ends, ends[::-1, once]], axis=1), np.concatenate([blocks, np.swapaxes(blocks[once], 1, 2)])
    assert both[0].shape[1] == len(rows) == len({(i, j) for i, j in both[0].T.tolist()})
    return *both[0], both[1].astype(float)
