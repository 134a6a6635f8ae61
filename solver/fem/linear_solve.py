"""The linear system of one Newton iteration: element blocks summed into a sparse matrix, and its solution.

The matrix is elastic stiffness, whose rows sum to zero, plus a diagonal of inertia and contact. Nothing is carried from one
solve to the next, so a solve depends on its arguments alone, but for what is kept when asked for: the coarse level and what is
elastic of the aggregates, and all but the contacts (`touch`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from ..jit import CHUNKS
from ..jit.pace import Pace
from .aggregate_blocks import AggregateBlocks
from .assembly import Pattern
from .block_matrix import Layout, build_layout, split_diagonal, split_rows, sum_blocks
from .coarse_matrix import coarse_matrix
from .coarse_space import MODES, Parts, divide, factor
from .conjugate_gradient import conjugate_gradient
from .contact_coupling import ContactStiffness, put_in, take_out
from .pair_coupling import PairStiffness, add_pairs, no_stiffness
from .runs import BLOCKS, BLOCKS_ALONE
from .slab_product import multiply
from .slab_sums import eliminate, row_sums, weigh
from .spring_coupling import add_springs, no_springs
from .volume_coupling import Arrays, VolumeCoupling, add_coupling

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
IntArray = NDArray[np.int32]

MOST_ITERATIONS = 400
NOTHING = np.zeros((0, 9))  # of inertia and contact
NO_NODES = np.zeros(0, dtype=np.int64)
STIFF_SHARE = 0.1  # of the nodes that must be stiff (block_matrix.STIFF) for the coarse level to pay


Beside = tuple["FrozenStiffness", float]  # a matrix that is added so many times
# Writes the sum of element blocks into values, and `more`, values of another matrix, so many times, if that is not 0
Filling = Callable[[Floats, Floats, float], None]
NO_VALUES = np.zeros(0, np.float32)


@dataclass
class LinearSolve:
    """Matrix, preconditioner and solution, allocated once per mesh of n nodes; direction (n, 3) is the last solution.

    `pace`, where there is one, chooses the number of threads by how long solutions take.
    """

    layout: Layout
    parts: Parts
    direction: Array
    coarse: bool = False
    pace: Pace | None = None

    def __post_init__(self) -> None:
        nodes, modes = len(self.layout.order), MODES * (len(self.parts.part_offsets) - 1)
        self._values = self.layout.slabs.values()
        self._inertia, self._own = np.zeros(nodes, np.float32), np.zeros((nodes, 9))
        self._touched, self._inverse = np.zeros(nodes, bool), np.zeros(8 * nodes, np.float32)
        self._aggregates = AggregateBlocks(self.parts.aggregates, self.layout)
        self._pivots = np.zeros(modes, np.float32)
        self._volume: VolumeCoupling | None = None
        self._coupling: Arrays | None = None
        self._pairs, self._springs = no_stiffness(), no_springs()
        self._held, self._levels = NO_NODES, 1
        self._extra: Array | None = None  # diagonal blocks of what acts beside the matrix
        self._touching, self._places = NO_NODES, NO_NODES  # nodes in contact, places that it has changed,
        self._before = np.zeros((0, 9), np.float32)  # and what was there
        self.rank = self.layout.rank().astype(np.int32)
        self._lower, self._upper = np.zeros((modes, modes), np.float32), np.zeros((modes, modes), np.float32)
        self._coarse_vectors = np.zeros((2, modes), np.float32)
        self._work, self._stiff = np.zeros((4, 4 * nodes), np.float32), np.zeros(CHUNKS)
        self._sums, self._contact_sums = np.zeros((2, 2, 4 * nodes), np.float32)  # of the matrix's rows, and of contact's

    @classmethod
    def of(cls, pattern: Pattern, positions: Array, starts: IntArray | None = None) -> "LinearSolve":
        """Arrays for a mesh with nodes at rest at positions (n, 3), which decide its parts and numbering; starts as in
        `build_layout`."""
        parts = divide(positions, pattern.edges)
        layout = build_layout(pattern, parts.order, parts.part_offsets, starts, BLOCKS_ALONE if starts is None else BLOCKS)
        return cls(layout, parts, np.zeros((len(positions), 3)))

    def assemble(
        self, filling: Filling, diagonal: Array, levels: int = 3, volume: VolumeCoupling | None = None,
        beside: Beside | None = None, pairs: PairStiffness | None = None, renew: bool = True,
        held: NDArray[np.int64] = NO_NODES, contact: ContactStiffness | None = None,
    ) -> None:  # fmt: skip
        """Take element blocks from what fills in their sum, the diagonal (n, 9) of inertia and contact [N/m], and what acts
        beside them.

        `contact` is what contact adds off the diagonal, where that is not in the blocks.

        With one level the preconditioner is that of the diagonal blocks alone, whatever the stiffness, and with two that of
        aggregates too, which at three have the coarse level above them where that pays. Unless told to renew them the coarse
        level and what is elastic of the aggregates' blocks stay those of the call before: for a matrix much like that, nearly
        as good. Nodes held (h,) are no unknowns: their direction is zero, and what they hold the others by stays.
        """
        layout, parts = self.layout, self.parts
        more, rate = (NO_VALUES, 0.0) if beside is None else (beside[0].values, beside[1])
        filling(self._values, more, rate)
        row_sums(layout.slabs.arrays, self._values, self._sums)
        renew_aggregates, self._levels = levels > 1 and (renew or self._levels == 1), levels
        self._held = self.rank[held].astype(np.int64)
        if renew_aggregates:
            self._aggregates.hold(self._held)
            self._aggregates.take_elastic(self._values, self._sums, volume)
        take_out(NO_NODES, self._before[:0], layout.slabs.apart, self._values, self._touching, self._contact_sums)
        self._put_in(contact)
        self._volume, self._coupling = volume, None if volume is None else volume.arrays
        self._split(diagonal, pairs)
        self._invert_aggregates()
        if len(held):
            rows = np.zeros(len(self._inertia), bool)
            rows[self._held] = True
            eliminate(rows, layout.slabs.arrays, self._values, self._own, self._touched)
        if not renew:
            return
        stiff = volume is not None or bool(self._stiff.sum() > STIFF_SHARE * len(self._inertia))
        self.coarse = levels > 2 and stiff
        if self.coarse:
            matrix = coarse_matrix(parts, layout, self._values, self._inertia, self._own, self._touched)
            if volume is not None:
                volume.add_coarse(parts, matrix)
            self._pairs.add_coarse(parts, matrix)
            self._springs.add_coarse(parts, matrix)
            factor(matrix, self._lower, self._upper, self._pivots)

    def _split(self, diagonal: Array, pairs: PairStiffness | None) -> None:
        """Take the diagonal (n, 9) and pairs, with what acts beside the matrix."""
        self._pairs = no_stiffness() if pairs is None else pairs
        self._extra = None if self._volume is None else self._volume.diagonal()
        if len(self._pairs.rows):
            self._extra = np.zeros((len(diagonal), 9)) if self._extra is None else self._extra
            self._pairs.add_diagonal(self._extra)
        split_diagonal(
            self.layout.order, self._sums, self._contact_sums, diagonal, self._extra, self._inertia, self._own, self._touched,
            self._inverse, self._stiff,
        )  # fmt: skip

    @property
    def open(self) -> bool:
        """Whether the matrix holds no nodes, so that other contacts can be taken into it."""
        return not len(self._held)

    def touch(self, diagonal: Array, contact: ContactStiffness, pairs: PairStiffness | None = None) -> None:
        """Take other contacts, the diagonal (n, 9) with them, and other pairs into the matrix of the last `assemble`, which is
        `open`. The coarse level stays."""
        layout, rows = self.layout, self._touching
        take_out(self._places, self._before, layout.slabs.apart, self._values, rows, self._contact_sums)
        self._put_in(contact)
        if len(self._pairs.rows) or (pairs is not None and len(pairs.rows)):
            self._split(diagonal, pairs)
        else:
            if not np.array_equal(rows, self._touching):  # a row may be listed twice: it is split from what it has
                rows = np.concatenate([rows, self._touching])
            split_rows(
                rows, layout.order, self._sums, self._contact_sums, diagonal, self._extra, self._inertia, self._own,
                self._touched, self._inverse,
            )  # fmt: skip
        self._invert_aggregates()

    def _invert_aggregates(self) -> None:
        """Make the aggregates' blocks anew, with inertia and contact as they are and what acts beside the matrix."""
        if self._levels == 1:
            self._aggregates.leave_out()
            return
        self._aggregates.invert(self._inertia, self._own, self._touched, self._pairs, self._springs)

    def _put_in(self, contact: ContactStiffness | None) -> None:
        """Add contact to the values and beside them, and keep what is needed to take it out again."""
        self._springs = no_springs()
        if contact is None:
            self._touching = self._places = NO_NODES
            return
        if len(contact.beside.rows):
            contact.beside.take_diagonal(self._contact_sums)
            self._springs = contact.beside
        places, before = np.empty(12 * len(contact.nodes), np.int64), np.empty((12 * len(contact.nodes), 9), np.float32)
        layout = self.layout
        count = put_in(
            self.rank, layout.row_offsets, layout.columns, layout.addresses, layout.slabs.apart, contact.nodes, contact.blocks,
            self._values, self._contact_sums, places, before,
        )  # fmt: skip
        self._touching, self._places, self._before = self.rank[contact.touching], places[:count], before[:count]

    def solve(self, rhs: Array, tolerance: float, most: int = MOST_ITERATIONS) -> int:
        """Solve for rhs (n, 3) into `direction` to a relative tolerance, in at most so many iterations; return them.

        At nodes that are held rhs is to be zero. The tolerance is that of the preconditioned residual; float32 reaches about
        1e-5. Returns -1 - iterations, keeping the last good direction, where the matrix turns out not positive.
        """
        layout, parts = self.layout, self.parts
        self._coarse_vectors[:] = 0.0
        trial = self.pace is not None and self.pace.tried is not None
        if self.pace is not None and trial:
            self.pace.set(measured=True)
        started = perf_counter()
        spent: int = conjugate_gradient(
            layout.order, parts.chunk_offsets, parts.chunk_parts, parts.modes, self._aggregates.arrays, layout.slabs.arrays,
            self._values, self._inertia, self._own, self._touched, self._inverse, self.coarse, self._lower, self._upper,
            self._pivots, self._coupling, self._pairs.arrays, self._springs.arrays, self._held, self._coarse_vectors[0],
            self._coarse_vectors[1], rhs, tolerance, most, self._work, self.direction,
        )  # fmt: skip
        if self.pace is not None:
            self.pace.note(perf_counter() - started, abs(spent) + 1)
            if trial:  # else it is set: to ask numba for it takes 50 us
                self.pace.set()
        return spent

    def times(self, x: Array) -> Array:
        """The product with x (n, 3) of the whole matrix as it was assembled."""
        y, layout = np.empty_like(x), self.layout
        multiply(layout.order, layout.slabs.arrays, self._values, self._own, x, y)
        if self._coupling is not None or len(self._pairs.rows) or len(self._springs.rows):
            flat, product = np.zeros((2, len(x), 4), np.float32)
            flat[:, :3] = x[layout.order]
            if self._coupling is not None:
                add_coupling(self._coupling, flat.reshape(-1), product.reshape(-1))
            add_pairs(self._pairs.arrays, flat.reshape(-1), product.reshape(-1))
            add_springs(self._springs.arrays, flat.reshape(-1), product.reshape(-1))
            y[layout.order] += product[:, :3]
        return y

    def summed(self, filling: Filling, into: "FrozenStiffness | None" = None) -> "FrozenStiffness":
        """The sum of element blocks, elastic or like it, in a place of its own or in an earlier one's."""
        into = FrozenStiffness(self.layout, self.layout.slabs.values()) if into is None else into
        filling(into.values, NO_VALUES, 0.0)
        return into

    def filling(self, blocks: Floats) -> Filling:
        """That of element blocks which are all there, flat (lanes * 54 + SPARE,), for a layout that was made without runs."""
        layout = self.layout
        assert layout.runs.items is BLOCKS_ALONE, "blocks are summed as they are made"

        def fill(values: Floats, more: Floats, rate: float) -> None:
            sum_blocks(layout.item_offsets, layout.middles, layout.items, layout.places, blocks, more, np.float32(rate), values)

        return fill


@dataclass
class FrozenStiffness:
    """Elastic stiffness of one moment, for multiplying velocities with."""

    layout: Layout
    values: Floats = field(repr=False)

    def times(self, x: Array) -> Array:
        """The product with x (n, 3)."""
        y = np.empty_like(x)
        multiply(self.layout.order, self.layout.slabs.arrays, self.values, NOTHING, x, y)
        return y

    def weighed(self, weights: Array, into: "FrozenStiffness | None" = None) -> tuple["FrozenStiffness", Array]:
        """W K W for the stiffness K and weights W, one a node (n,): its off-diagonal blocks, in a place of their own or in an
        earlier one's, and the part (n, 9) of its diagonal ones that is not minus the sum of their row."""
        layout, own = self.layout, np.empty((len(weights), 9))
        scaled = FrozenStiffness(layout, layout.slabs.values()) if into is None else into
        weigh(layout.order, layout.slabs.arrays, self.values, weights, scaled.values, own)
        return scaled, own
