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


def aggregated(order: NDArray[np.int64], chunk_offsets: NDArray[np.int64], axes: Array) -> tuple[IntArray, Aggregates]:
    """Put the nodes (n,) of each chunk, rows chunk_offsets (c + 1,) of `order`, into aggregates; their order, and these.

    axes (3, n): where all nodes lie, axis by axis.
    """
    order, wides = _bisected_ranges(order, chunk_offsets, axes, WIDE)
    order, fines = _bisected_ranges(order, wides, axes, FINE)
    return order.astype(np.int32), Aggregates(
        chunk_wides=np.searchsorted(wides, chunk_offsets).astype(np.int32),
        wide_fines=np.searchsorted(fines, wides).astype(np.int32), fine_rows=fines.astype(np.int32),
    )  # fmt: skip


def _bisected_ranges(
    order: NDArray[np.int64], offsets: NDArray[np.int64], axes: Array, size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Cut ranges of nodes in `order`, all of them at a time, across their longest sides into such of about `size`; ties stay in
    their order. The new order and the new offsets."""
    counts = np.maximum(np.rint(np.diff(offsets) / size).astype(np.int64), 1)
    while (counts > 1).any():
        own, lengths = axes.take(order, axis=1), np.diff(offsets)
        low, high = np.minimum.reduceat(own, offsets[:-1], axis=1), np.maximum.reduceat(own, offsets[:-1], axis=1)
        longest, ranges = np.argmax(high - low, axis=0), np.arange(len(lengths))
        start, extent = low[longest, ranges], (high - low)[longest, ranges]
        owner = np.repeat(ranges, lengths)
        along = own[longest[owner], np.arange(len(order))] - start[owner]
        along *= (0.5 / np.where(extent > 0.0, extent, 1.0))[owner]
        order = order[np.argsort(owner + along, kind="stable")]
        first, cut = counts // 2, counts > 1
        middles = (offsets[:-1] + lengths * first // counts)[cut]
        at = np.flatnonzero(cut) + 1
        offsets = np.insert(offsets, at, middles)
        halved = np.where(cut, counts - first, counts)
        counts = np.insert(halved, at - 1, first[cut])
    return order, offsets
