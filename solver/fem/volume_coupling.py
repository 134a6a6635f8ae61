"""The part of the nodal volumes' stiffness that ties nodes two edges apart: B^T D B, never summed into the matrix.

Row n of B is the gradient of the volume v_n about node n by all positions, D = kappa / V_n. As moving all nodes together
changes no volume, (B p)_n = sum_j b_nj (p_j - p_n) over the node's neighbours, so B lies in the places of the matrix's
off-diagonal blocks: at that of (i, j), `ahead` holds b_ij and `back` holds b_ji, and (B^T f)_i = sum_j f_j b_ji + f_i b_ii.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..jit import CHUNKS, inline, kernel, parallel
from ..jit.simd import add, add_each, add_scaled, lane, load, store, subtract, zero
from .assembly import Pattern
from .block_matrix import Layout
from .coarse_space import MODES, Parts

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
IntArray = NDArray[np.int32]

# The other corners of a tet, so that (corner, others) is an even permutation.
OTHERS = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])
ONE, TWO, THREE, FOUR, SIXTEEN = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4), np.uint64(16)
Arrays = tuple[Any, ...]  # row_offsets, columns, ahead, back, own, firmness, flux: what `add_coupling` takes


@dataclass
class VolumeCoupling:
    """B and D of a mesh, filled for the positions of one Newton iteration.

    rank (n,)             : the row of each node
    corner_slots (4m, 3)  : of each node's corners (Pattern.corners), the places of the blocks to the tet's other nodes
    ahead, back (2e, 4)   : see the module's text [m^2]; the fourth is 0, as in all vectors of the linear solve
    own (n, 4)            : b_ii, minus the sum of a row's `ahead`
    firmness (n,)         : D by rows [Pa/m^3]
    """

    pattern: Pattern
    layout: Layout
    tets: IntArray
    rank: IntArray
    corner_slots: IntArray
    ahead: Floats = field(init=False)
    back: Floats = field(init=False)
    own: Floats = field(init=False)
    firmness: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.ahead, self.back = np.zeros((2, len(self.layout.columns), 4), np.float32)
        self.own, self._gradients = np.zeros((len(self.rank), 4), np.float32), np.zeros((len(self.tets), 16), np.float32)
        self.firmness, self._flux = np.zeros((2, len(self.rank)), np.float32)

    @classmethod
    def of(cls, pattern: Pattern, layout: Layout, tets: IntArray) -> "VolumeCoupling":
        """Tables for tets (m, 4)."""
        rank, tet, corner = layout.rank(), pattern.corners >> 2, pattern.corners & 3
        slots = layout.slots(rank[tets[tet, corner]][:, None], rank[tets[tet[:, None], OTHERS[corner]]])
        return cls(pattern, layout, tets, rank.astype(np.int32), slots)

    @property
    def arrays(self) -> Arrays:
        """What kernels take."""
        return self.layout.row_offsets, self.layout.columns, self.ahead, self.back, self.own, self.firmness, self._flux

    def fill(self, positions: Array, firmness: Array) -> "VolumeCoupling":
        """Take positions (n, 3) and D (n,) [Pa/m^3]."""
        pattern, layout = self.pattern, self.layout
        self.firmness[:] = firmness[layout.order]
        _fill(
            positions, self.tets, layout.order, layout.row_offsets, pattern.corner_offsets, pattern.corners,
            self.corner_slots, self._gradients, self.ahead, self.back, self.own,
        )  # fmt: skip
        return self

    def diagonal(self) -> Array:
        """The diagonal blocks (n, 9) of B^T D B by rows [N/m]."""
        diagonal = np.empty((len(self.rank), 9))
        _diagonal(self.layout.row_offsets, self.layout.columns, self.back, self.own, self.firmness, diagonal)
        return diagonal

    def add_blocks(self, owners: IntArray, blocks: Array) -> None:
        """Add what aggregates meet, each as one, to their blocks (m, 9); owners (n,): the aggregate of each row."""
        row_offsets, columns, ahead, _, _, firmness, _ = self.arrays
        _add_blocks(row_offsets, columns, ahead, firmness, owners, blocks)

    def add_coarse(self, parts: Parts, coarse: Array) -> None:
        """Add W^T B^T D B W to the coarse matrix (12a, 12a)."""
        row_offsets, columns, ahead, _, _, firmness, _ = self.arrays
        _add_coarse(row_offsets, columns, ahead, firmness, parts.node_parts, parts.modes, coarse)


@inline
def corner_gradient(positions, tet, corner):  # type: ignore[no-untyped-def]
    """The gradient of a tet's volume by one of its corners [m^2]."""
    a, b, c = tet[OTHERS[corner, 0]], tet[OTHERS[corner, 1]], tet[OTHERS[corner, 2]]
    x0, x1, x2 = positions[b, 0] - positions[a, 0], positions[b, 1] - positions[a, 1], positions[b, 2] - positions[a, 2]
    y0, y1, y2 = positions[c, 0] - positions[a, 0], positions[c, 1] - positions[a, 1], positions[c, 2] - positions[a, 2]
    sixth = -1.0 / 6.0
    return sixth * (x1 * y2 - x2 * y1), sixth * (x2 * y0 - x0 * y2), sixth * (x0 * y1 - x1 * y0)


@parallel
def _fill(  # type: ignore[no-untyped-def]
    positions, tets, order, row_offsets, corner_offsets, corners, corner_slots, gradients, ahead, back, own
):
    """Quarters of the tets' volume gradients (m, 16), four numbers a corner, summed by the row that they belong to."""
    for t in prange(len(tets)):
        last0, last1, last2 = 0.0, 0.0, 0.0
        for corner in range(3):
            g0, g1, g2 = corner_gradient(positions, tets[t], corner)
            last0, last1, last2 = last0 - g0, last1 - g1, last2 - g2
            for axis, g in enumerate((g0, g1, g2)):
                gradients[t, 4 * corner + axis] = 0.25 * g
        for axis, g in enumerate((last0, last1, last2)):
            gradients[t, 12 + axis] = 0.25 * g
    for row in prange(len(order)):
        node, total = order[row], zero()
        for s in range(np.uint64(row_offsets[row]), np.uint64(row_offsets[row + 1])):
            store(ahead, FOUR * s, zero())
            store(back, FOUR * s, zero())
        for k in range(np.uint64(corner_offsets[node]), np.uint64(corner_offsets[node + 1])):
            each = np.uint64(corners[k])
            tet, here = SIXTEEN * (each >> TWO), each & THREE
            h = load(gradients, tet + FOUR * here)
            total = add(total, h)
            for other in range(3):
                at = FOUR * np.uint64(corner_slots[k, other])
                store(ahead, at, add(load(ahead, at), load(gradients, tet + FOUR * np.uint64(OTHERS[here, other]))))
                store(back, at, add(load(back, at), h))
        store(own, FOUR * np.uint64(row), total)


@parallel
def _diagonal(row_offsets, columns, back, own, firmness, diagonal):  # type: ignore[no-untyped-def]
    """D_i b_ii b_ii^T + sum_j D_j b_ji b_ji^T."""
    for i in prange(len(firmness)):
        total = diagonal[i]
        for a in range(3):
            for b in range(3):
                total[3 * a + b] = firmness[i] * own[i, a] * own[i, b]
        for s in range(row_offsets[i], row_offsets[i + 1]):
            f = np.float64(firmness[columns[s]])
            for a in range(3):
                for b in range(3):
                    total[3 * a + b] += f * back[s, a] * back[s, b]


@parallel
def add_coupling(coupling, p, q):  # type: ignore[no-untyped-def]
    """q += B^T D B p for flat vectors p, q (4n,) by rows, the fourth of p 0; return p . B^T D B p."""
    row_offsets, columns, ahead, back, own, firmness, flux = coupling
    n = len(firmness)
    parts = np.empty(CHUNKS)
    for chunk in prange(CHUNKS):
        total = 0.0
        for row in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
            i = np.uint64(row)
            here, changes = load(p, FOUR * i), zero()
            for s in range(np.uint64(row_offsets[i]), np.uint64(row_offsets[i + ONE])):
                away = subtract(load(p, FOUR * np.uint64(columns[s])), here)
                changes = add_each(changes, load(ahead, FOUR * s), away)
            change = lane(changes, 0) + lane(changes, 1) + lane(changes, 2)
            flux[i] = firmness[i] * change
            total += float(flux[i]) * float(change)
        parts[chunk] = total
    for row in prange(n):
        i = np.uint64(row)
        total = zero()
        for s in range(np.uint64(row_offsets[i]), np.uint64(row_offsets[i + ONE])):
            total = add_scaled(total, load(back, FOUR * s), flux[columns[s]])
        total = add_scaled(total, load(own, FOUR * i), flux[i])
        store(q, FOUR * i, add(load(q, FOUR * i), total))
    energy = 0.0
    for chunk in range(CHUNKS):
        energy += parts[chunk]
    return energy


@kernel
def _add_blocks(row_offsets, columns, ahead, firmness, owners, blocks):  # type: ignore[no-untyped-def]
    """Row by row of B, which few aggregates have a share in; serial, as rows of several meet in one block."""
    near, shares = np.empty(len(owners), np.int32), np.zeros((len(owners), 3))
    for i in range(len(firmness)):
        near[0], count = owners[i], 1
        for s in range(row_offsets[i], row_offsets[i + 1]):
            owner, at = owners[columns[s]], 0
            while at < count and near[at] != owner:
                at += 1
            if at == count:
                near[at], count = owner, count + 1
            for axis in range(3):
                shares[at, axis] += ahead[s, axis]
                shares[0, axis] -= ahead[s, axis]
        for x in range(count):
            for a in range(3):
                for b in range(3):
                    blocks[near[x], 3 * a + b] += firmness[i] * shares[x, a] * shares[x, b]
            shares[x] = 0.0


@kernel
def _add_coarse(row_offsets, columns, ahead, firmness, node_parts, modes, coarse):  # type: ignore[no-untyped-def]
    """Row by row of B W, which few parts have a share in; serial, as rows of all parts meet in one matrix."""
    row, touched, mark = np.zeros(len(coarse)), np.empty(len(coarse), np.int32), np.full(len(coarse), -1, np.int32)
    for i in range(len(firmness)):
        own, count = node_parts[i], 0
        if firmness[i] == 0.0:
            continue
        for s in range(row_offsets[i] - 1, row_offsets[i + 1]):
            j = i if s < row_offsets[i] else columns[s]
            part = node_parts[j]
            if mark[part] != i:
                mark[part], touched[count] = i, part
                count += 1
                row[MODES * part : MODES * (part + 1)] = 0.0
            if j == i:
                continue
            for m in range(4):
                here, there = modes[4 * i + m], modes[4 * j + m]
                for axis in range(3):
                    b = ahead[s, axis]
                    row[MODES * part + 3 * m + axis] += b * there
                    row[MODES * own + 3 * m + axis] -= b * here
        for x in range(count):
            for a in range(MODES * touched[x], MODES * (touched[x] + 1)):
                f = firmness[i] * row[a]
                for y in range(count):
                    for b in range(MODES * touched[y], MODES * (touched[y] + 1)):
                        coarse[a, b] += f * row[b]
