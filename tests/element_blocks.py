"""Element blocks that are all there, as a test makes them, for the linear solve."""

import numpy as np

from solver.fem.runs import SPARE


def filling(linear, blocks):
    """What fills a matrix with the sum of blocks (lanes, 6, 9)."""
    return linear.filling(np.concatenate([blocks.ravel(), np.zeros(SPARE)]).astype(np.float32))
