"""What carries contact points, and takes the force on them: four nodes, or as many as it takes to say where they are seen.

A force on a point goes to the nodes by the weights that the point is seen by, so its work is that force times the way seen:
what stands still gets none. Points in tets hang on the four nodes of one; those outside, on all that are blended there
(embedding.Spread), and so do places on faces that edges of colliders touch.

Kernels are written for four nodes a point. Of the others they are given the points' own places in place of nodes', each with
weight one, and what they return is handed down by the rows: one kernel, compiled once, and no loop of unknown length in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..fem.spring_coupling import Springs, no_springs
from .response import add_forces, busy, carry, contact_stiffness, touched
from .surfaces.carried import Carried

Array = NDArray[np.float64]
IntArray = NDArray[np.int32]
# normal (c, 3), level, reach, stiffness (c,), anchor (c, 3), grip, slip (c,), as in contact/response.py
Laws = tuple[Array, Array, Array, Array, Array, Array, Array]

ALONE = np.array([1.0, 0.0, 0.0, 0.0])  # weights of a point that stands for itself


@dataclass(frozen=True)
class Part:
    """Some contacts, one after the other, as kernels take them: nodes (k, 4) and weights (k, 4) of vectors that `seen` gives.

    rows: what carries them, where these vectors are the points' own
    """

    own: slice
    nodes: IntArray
    weights: Array
    rows: Carried | None = None

    def seen(self, vectors: Array) -> Array:
        """Positions, or directions, of nodes (n, 3) as kernels take them."""
        return vectors if self.rows is None else self.rows.places(vectors)

    def taken(self, laws: Laws) -> Laws:
        """Laws of these contacts."""
        return tuple(column[self.own] for column in laws)  # type: ignore[return-value]


@dataclass
class Carriers:
    """Those of c contact points: the first f hang on nodes (f, 4) by weights (f, 4), the others on rows."""

    nodes: IntArray
    weights: Array
    rows: Carried

    @classmethod
    def by(cls, rows: Carried) -> "Carriers":
        """Those of points that all hang on rows."""
        return cls(np.zeros((0, 4), np.int32), np.zeros((0, 4)), rows)

    def __len__(self) -> int:
        return len(self.nodes) + len(self.rows)

    @cached_property
    def parts(self) -> list[Part]:
        """What kernels are called with, one after the other."""
        few, others = len(self.nodes), len(self.rows)
        found = [Part(slice(None) if not others else slice(few), self.nodes, self.weights)] if few or not others else []
        if others:
            themselves = np.repeat(np.arange(others, dtype=np.int32), 4).reshape(-1, 4)
            found.append(Part(slice(few, None), themselves, np.tile(ALONE, (others, 1)), self.rows))
        return found

    def as_rows(self) -> Carried:
        """All of them as points over nodes."""
        return Carried(4 * np.arange(len(self.nodes) + 1), self.nodes.ravel(), self.weights.ravel()).joined([self.rows])

    def places(self, vectors: Array) -> Array:
        """Where nodes at (n, 3) carry the points (c, 3); the same of directions."""
        points, few = np.empty((len(self), 3)), len(self.nodes)
        carry(vectors, self.nodes, self.weights, points)
        if len(self.rows):
            points[few:] = self.rows.places(vectors)
        return points

    def add_forces(self, force: Array, gradient: Array) -> None:
        """Subtract from gradient (n, 3) the forces (c, 3) [N] on the points."""
        few = len(self.nodes)
        add_forces(self.nodes, self.weights, force[:few], gradient)
        if len(self.rows):
            self.rows.add_forces(-force[few:], gradient)

    def taken(self, which: NDArray[np.bool_]) -> "Carriers":
        """Those of some of the points, which of all (c,)."""
        few = len(self.nodes)
        rows = self.rows.taken(np.flatnonzero(which[few:]))
        return Carriers(self.nodes[which[:few]], self.weights[which[:few]], rows)

    def joined(self, others: Sequence["Carriers"]) -> "Carriers":
        """These and after them others, which all hang on rows."""
        assert all(not len(other.nodes) for other in others)
        return Carriers(self.nodes, self.weights, self.rows.joined([other.rows for other in others]))

    def some_nodes(self) -> IntArray:
        """One node (c,) of each point."""
        return np.concatenate([self.nodes[:, 0], self.rows.nodes[self.rows.start[:-1]]])

    def touching(self, reach: Array) -> tuple[NDArray[np.int64], Array]:
        """The nodes (t,) that carry points, rising, and of each the least of their numbers reach (c,)."""
        nodes, least = touched(self.nodes, self.weights, reach[: len(self.nodes)])
        if not len(self.rows):
            return nodes, least
        own, of_rows = self.rows.nodes, np.repeat(reach[len(self.nodes) :], np.diff(self.rows.start))
        every = np.full(int(max(own.max(initial=-1), nodes.max(initial=-1))) + 1, np.inf)
        np.minimum.at(every, own, of_rows)
        every[nodes] = np.minimum(every[nodes], least)
        nodes = np.flatnonzero(every < np.inf)
        return nodes, every[nodes]

    def mark(self, which: NDArray[np.bool_], marked: NDArray[np.bool_]) -> None:
        """Set marked (n,) at the nodes that carry some points, which of all (c,)."""
        few = len(self.nodes)
        marked[self.nodes[which[:few]][self.weights[which[:few]] != 0.0]] = True
        if len(self.rows):
            marked[self.rows.nodes[np.repeat(which[few:], np.diff(self.rows.start))]] = True

    def stiffness(
        self, positions: Array, laws: Laws, exact: float, diagonal: Array, rank: IntArray
    ) -> tuple[IntArray, NDArray[np.float32], Springs]:
        """What contacts of such laws add to the matrix with nodes at positions (n, 3), node i being its row rank[i].

        Of four nodes: into the diagonal (n, 9), and between nodes (k, 4) of tets blocks (k, 6, 9). Of rows: the whole of it.
        """
        nodes, blocks, beside = self.nodes[:0], np.zeros((0, 6, 9), np.float32), no_springs()
        for part in self.parts:
            own, here, numbers = part.taken(laws), part.seen(positions), np.empty(len(part.nodes), np.int32)
            normal, level, reach, _, _, grip, _ = own
            which = busy(here, part.nodes, part.weights, normal, level, reach, grip, numbers)
            into = diagonal if part.rows is None else np.zeros((len(numbers), 9))
            between = np.zeros((len(which), 6, 9), np.float32)
            contact_stiffness(here, numbers, part.nodes, part.weights, *own, exact, between, into)
            if part.rows is None:
                nodes, blocks = part.nodes.take(which, axis=0), between
            elif len(which):
                beside = part.rows.springs(which, into[which], rank)
        return nodes, blocks, beside
