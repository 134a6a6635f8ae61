"""Aggregates of the preconditioner: a few neighbouring nodes that move as one, and a few such aggregates that do.

What block-Jacobi hands from neighbour to neighbour only, they carry further at once: on top of it each aggregate, of two sizes,
moves by its sum of the residual times the inverse of the 3x3 block that its translations meet in the matrix,

    M^-1 = J^-1 + SHARE sum_l W_l diag(W_l^T A W_l)^-1 W_l^T,

an additive multilevel preconditioner (Bramble, Pasciak and Xu 1990, "Parallel multilevel preconditioners"), with aggregates for
levels (Bulgakov 1993, "Multi-level iterative technique and aggregation concept with semi-analytical preconditioning for solving
boundary-value problems"). The coarse level (coarse_space.py) is added to it where there is one.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .bisection import Bisection

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
IntArray = NDArray[np.int32]

FINE = 8  # rows of a fine aggregate, about
WIDE = 64  # of a wide one
SHARE = 0.7  # of their corrections that is added: those of several levels overlap


@dataclass(frozen=True)
class Aggregates:
    """f fine aggregates of n rows and w wide ones, each a range of those below it.

    chunk_wides (c + 1,) : the wide ones of each chunk of a part (coarse_space.py)
    wide_fines (w + 1,)  : the fine ones of each wide one
    fine_rows (f + 1,)   : the rows of each fine one
    """

    chunk_wides: IntArray
    wide_fines: IntArray
    fine_rows: IntArray


class AggregateArrays(NamedTuple):
    """What conjugate gradients take: the aggregates, their inverted blocks, flat (8f,) and (8w,), as those of rows
    (block_matrix.py), and room for how each fine one moves, flat (4f,)."""

    chunk_wides: IntArray
    wide_fines: IntArray
    fine_rows: IntArray
    fine_inverse: Floats
    wide_inverse: Floats
    moved: Floats


def aggregated(nodes: Bisection) -> Aggregates:
    """Put the nodes of each chunk, which are ranges of them, into aggregates, and so in order."""
    chunks = nodes.offsets
    wides = nodes.cut(np.maximum(np.rint(nodes.sizes / WIDE).astype(np.int64), 1))
    fines = nodes.cut(np.maximum(np.rint(nodes.sizes / FINE).astype(np.int64), 1))
    return Aggregates(
        chunk_wides=np.searchsorted(wides, chunks).astype(np.int32), wide_fines=np.searchsorted(fines, wides).astype(np.int32),
        fine_rows=fines.astype(np.int32),
    )  # fmt: skip
