"""What new nodes, tets or vertices come from: those that stay bit for bit, and of the others which old ones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

Array = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Parentage:
    """k' new elements and k old ones; only those that are new, f of them, take room beside a number each.

    count   : k
    same    : (k',) int64, the old element that each still is, where it was; -1: it is new
    start   : (f + 1,) int64; of those that are new, by rising number, number j comes from sources[start[j]:start[j + 1]]
    sources : (p,) int64, old elements
    weights : (p,) their shares, none negative, of each new element summing to 1
    """

    count: int
    same: IntArray
    start: IntArray
    sources: IntArray
    weights: Array

    @classmethod
    def staying(cls, count: int, which: NDArray[np.integer] | None = None) -> Self:
        """All new elements are old ones, `which` (k',) of so many, or just these in their order."""
        same = np.arange(count) if which is None else which.astype(np.int64)
        return cls(count, same, np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0))

    @classmethod
    def between(cls, count: int, sources: NDArray[np.integer], weights: Array, kept: NDArray[np.integer] | None = None) -> Self:
        """The first new elements are old ones, `kept` (l,), none if they are not told; each of the others is between as many of
        these, sources (f, w) by weights (f, w)."""
        new, width = sources.shape
        same = np.concatenate([np.zeros(0, np.int64) if kept is None else kept, np.full(new, -1)]).astype(np.int64)
        start = np.arange(new + 1, dtype=np.int64) * width
        return cls(count, same, start, sources.ravel().astype(np.int64), weights.ravel())

    @property
    def nothing(self) -> bool:
        """Whether all stay, in their order."""
        return len(self.same) == self.count and bool((self.same == np.arange(self.count)).all())

    @property
    def fresh(self) -> IntArray:
        """The numbers (f,) of those that are new, rising."""
        return np.flatnonzero(self.same < 0)

    def carried(self, values: NDArray[np.floating]) -> Array:
        """Values (k', c) of new elements from those of the old ones (k, c); of one that stays its own, bit for bit."""
        result = np.empty((len(self.same), values.shape[1]))
        own = self.same >= 0
        result[own] = values[self.same[own]]
        if len(self.start) > 1:
            result[~own] = self._means(values)
        return result

    def _means(self, values: NDArray[np.floating]) -> Array:
        """Weighted means (f, c) of values (k, c); rows of equal lengths sum in their order."""
        lengths = np.diff(self.start)
        if (lengths == lengths[0]).all():
            shape = len(lengths), int(lengths[0])
            means: Array = np.einsum("ni,nik->nk", self.weights.reshape(shape), values[self.sources.reshape(shape)])
            return means
        return np.asarray(self._rows() @ values)

    def main(self) -> IntArray:
        """The old element (k',) that each is, or has most of; of equals the first."""
        result, lengths = self.same.copy(), np.diff(self.start)
        if len(lengths) and (lengths == lengths[0]).all():
            most = self.weights.reshape(len(lengths), -1).argmax(axis=1)
            result[self.fresh] = self.sources[self.start[:-1] + most]
            return result
        order = np.lexsort((-self.weights, np.repeat(np.arange(len(lengths)), lengths)))
        result[self.fresh] = self.sources[order[self.start[:-1]]]
        return result

    def then(self, after: "Parentage") -> "Parentage":
        """This change and the one `after` it as one: what is carried by it is what both carry, to rounding.

        Where one of both only renumbers, nothing is rounded.
        """
        if self.nothing:
            return after
        same = np.where(after.same >= 0, self.same[after.same], -1)
        if len(self.start) == 1:
            return replace(after, count=self.count, same=same, sources=self.same[after.sources])
        if len(after.start) == 1:
            return self._chosen(same, after.same[same < 0])
        rows = csr_matrix(after._matrix()[np.flatnonzero(same < 0)] @ self._matrix())
        rows.sort_indices()
        return Parentage(self.count, same, rows.indptr.astype(np.int64), rows.indices.astype(np.int64), rows.data)

    def _chosen(self, same: IntArray, which: NDArray[np.integer]) -> "Parentage":
        """New elements of which those that are new are some of this one's, `which` by number; they keep their rows."""
        row = np.cumsum(self.same < 0)[which] - 1
        lengths = np.diff(self.start)[row]
        start = np.concatenate([[0], np.cumsum(lengths)])
        entries = np.arange(start[-1]) + np.repeat(self.start[row] - start[:-1], lengths)
        return Parentage(self.count, same, start, self.sources[entries], self.weights[entries])

    def _rows(self) -> csr_matrix:
        """Shares of those that are new (f, k)."""
        return csr_matrix((self.weights, self.sources, self.start), shape=(len(self.start) - 1, self.count))

    def _matrix(self) -> csr_matrix:
        """Shares of all of them (k', k)."""
        lengths, own = np.ones(len(self.same), dtype=np.int64), self.same >= 0
        lengths[~own] = np.diff(self.start)
        start = np.concatenate([[0], np.cumsum(lengths)])
        sources, weights = np.empty(start[-1], np.int64), np.ones(start[-1])
        staying = np.repeat(own, lengths)
        sources[staying], sources[~staying], weights[~staying] = self.same[own], self.sources, self.weights
        return csr_matrix((weights, sources, start), shape=(len(self.same), self.count))


def beside(parts: Sequence[Parentage], firsts: Sequence[IntArray], count: int) -> Parentage:
    """Return several as one: the new elements lie one after another, and old element i of part j is firsts[j][i] of `count`."""
    rows = np.cumsum([0, *(len(part.sources) for part in parts)]).tolist()
    starts = [part.start[:-1] + first for part, first in zip(parts, rows[:-1], strict=True)]
    numbered = list(zip(parts, firsts, strict=True))
    return Parentage(
        count,
        np.concatenate([np.where(part.same >= 0, place[part.same], -1) for part, place in numbered]),
        np.concatenate([*starts, [rows[-1]]]).astype(np.int64),
        np.concatenate([place[part.sources] for part, place in numbered]),
        np.concatenate([part.weights for part, _ in numbered]),
    )
