"""The part of the nodal volumes' stiffness that ties nodes two edges apart: B^T D B, never summed into the matrix.

Row n of B is the gradient of the volume v_n about node n by all positions, D = kappa / V_n. As moving all nodes together
changes no volume, (B p)_n = sum_j b_nj (p_j - p_n) over the node's neighbours, so B lies in the places of the matrix's
off-diagonal blocks: at that of (i, j), `ahead` holds b_ij and `back` holds b_ji, and (B^T f)_i = sum_j (f_j b_ji - f_i b_ij).
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..jit import CHUNKS, inline, kernel, parallel
from .assembly import Pattern
from .block_matrix import Layout
from .coarse_space import MODES, Parts

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
IntArray = NDArray[np.int32]

# The other corners of a tet, so that (corner, others) is an even permutation.
OTHERS = np.array([[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]])
Arrays = tuple[Any, ...]  # row_offsets, columns, ahead, back, firmness, flux: what `add_coupling` takes


@dataclass
class VolumeCoupling:
    """B and D of a mesh, filled for the positions of one Newton iteration.

    rank (n,)             : the row of each node
    corner_slots (4m, 3)  : of each node's corners (Pattern.corners), the places of the blocks to the tet's other nodes
    ahead, back (2e, 3)   : see the module's text [m^2]
    firmness (n,)         : D by rows [Pa/m^3]
    """

    pattern: Pattern
    layout: Layout
    tets: IntArray
    rank: IntArray
    corner_slots: IntArray
    ahead: Floats = field(init=False)
    back: Floats = field(init=False)
    firmness: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.ahead, self.back = np.zeros((2, len(self.layout.columns), 3), np.float32)
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
        return self.layout.row_offsets, self.layout.columns, self.ahead, self.back, self.firmness, self._flux

    def fill(self, positions: Array, firmness: Array) -> "VolumeCoupling":
        """Take positions (n, 3) and D (n,) [Pa/m^3]."""
        pattern, layout = self.pattern, self.layout
        self.firmness[:] = firmness[layout.order]
        _fill(
            positions, self.tets, layout.order, layout.row_offsets, pattern.corner_offsets, pattern.corners,
            self.corner_slots, self.ahead, self.back,
        )  # fmt: skip
        return self

    def diagonal(self) -> Array:
        """The diagonal blocks (n, 9) of B^T D B by rows [N/m]."""
        diagonal = np.empty((len(self.rank), 9))
        _diagonal(self.layout.row_offsets, self.layout.columns, self.ahead, self.back, self.firmness, diagonal)
        return diagonal

    def add_blocks(self, owners: IntArray, blocks: Array) -> None:
        """Add what aggregates meet, each as one, to their blocks (m, 9); owners (n,): the aggregate of each row."""
        row_offsets, columns, ahead, _, firmness, _ = self.arrays
        _add_blocks(row_offsets, columns, ahead, firmness, owners, blocks)

    def add_coarse(self, parts: Parts, coarse: Array) -> None:
        """Add W^T B^T D B W to the coarse matrix (12a, 12a)."""
        row_offsets, columns, ahead, _, firmness, _ = self.arrays
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
    positions, tets, order, row_offsets, corner_offsets, corners, corner_slots, ahead, back
):
    """Quarters of the tets' volume gradients, summed by the row that they belong to."""
    for row in prange(len(order)):
        node = order[row]
        for s in range(row_offsets[row], row_offsets[row + 1]):
            for axis in range(3):
                ahead[s, axis], back[s, axis] = 0.0, 0.0
        for k in range(corner_offsets[node], corner_offsets[node + 1]):
            tet, corner = tets[corners[k] >> 2], corners[k] & 3
            h0, h1, h2 = corner_gradient(positions, tet, corner)
            for other in range(3):
                s = corner_slots[k, other]
                g0, g1, g2 = corner_gradient(positions, tet, OTHERS[corner, other])
                ahead[s, 0] += 0.25 * g0
                ahead[s, 1] += 0.25 * g1
                ahead[s, 2] += 0.25 * g2
                back[s, 0] += 0.25 * h0
                back[s, 1] += 0.25 * h1
                back[s, 2] += 0.25 * h2


@parallel
def _diagonal(row_offsets, columns, ahead, back, firmness, diagonal):  # type: ignore[no-untyped-def]
    """D_i b_ii b_ii^T + sum_j D_j b_ji b_ji^T with b_ii = -sum_j b_ij."""
    for i in prange(len(firmness)):
        own, total = np.zeros(3), diagonal[i]
        total[:] = 0.0
        for s in range(row_offsets[i], row_offsets[i + 1]):
            f = np.float64(firmness[columns[s]])
            for a in range(3):
                own[a] -= ahead[s, a]
                for b in range(3):
                    total[3 * a + b] += f * back[s, a] * back[s, b]
        for a in range(3):
            for b in range(3):
                total[3 * a + b] += firmness[i] * own[a] * own[b]


@parallel
def add_coupling(coupling, p, q):  # type: ignore[no-untyped-def]
    """q += B^T D B p for flat vectors p, q (4n,) by rows; return p . B^T D B p."""
    row_offsets, columns, ahead, back, firmness, flux = coupling
    n = len(firmness)
    parts = np.empty(CHUNKS)
    for chunk in prange(CHUNKS):
        total = 0.0
        for i in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
            p0, p1, p2 = p[4 * i], p[4 * i + 1], p[4 * i + 2]
            change = np.float32(0.0)
            for s in range(row_offsets[i], row_offsets[i + 1]):
                j = 4 * columns[s]
                change += ahead[s, 0] * (p[j] - p0) + ahead[s, 1] * (p[j + 1] - p1) + ahead[s, 2] * (p[j + 2] - p2)
            flux[i] = firmness[i] * change
            total += float(flux[i]) * float(change)
        parts[chunk] = total
    for i in prange(n):
        q0, q1, q2, own = np.float32(0.0), np.float32(0.0), np.float32(0.0), flux[i]
        for s in range(row_offsets[i], row_offsets[i + 1]):
            theirs = flux[columns[s]]
            q0 += theirs * back[s, 0] - own * ahead[s, 0]
            q1 += theirs * back[s, 1] - own * ahead[s, 1]
            q2 += theirs * back[s, 2] - own * ahead[s, 2]
        q[4 * i] += q0
        q[4 * i + 1] += q1
        q[4 * i + 2] += q2
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
