"""Surface tension: the tets' boundary strives to be small.

The energy is sum_f gamma A_f over boundary faces of area A_f. With N the product of two of a face's edges, n = N / |N| and e_i
the edge against corner i,

    gradient by x_i    gamma/2 n x e_i
    by x_i and x_j     gamma/2 (-[e_i] (I - n n^T) [e_j] / |N| + s_ij [n]),    [v] w = v x w

with s_ij = 1 where j is the next corner but one to i, -1 where it is the next one.

As each area depends on no place but its corners', these sum up to nothing over a face. Areas never curve up by more than the
Dirichlet energy of a face with the metric that it has (Pinkall and Polthier 1993, "Computing discrete minimal surfaces and
their conjugates"), whose blocks gamma e_i . e_j / (2 |N|) I are never negative as a whole: they stand for them where the
stiffness is to be positive.
"""

from dataclasses import dataclass, field

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..geometry.incident import incident_corners
from ..jit import CHUNKS, inline, parallel
from ..jit.simd_rows import ROWS
from ..slots import SURFACE_TENSION
from ..state import State
from ..tetmesh.boundary import face_table
from .block_matrix import Layout

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
IntArray = NDArray[np.int32]

SLIVER = 0.02  # of a face: |N| over the sum of its squared edges, below which its stiffness grows no further; 0.58 at best


@dataclass
class SurfaceTension:
    """The energy of a mesh's boundary.

    triangles (f, 3), tets (f,): its faces, outward, and the tets that they belong to
    offsets (n + 1,), corners (3f,): of each node, 3 face + corner
    slots (3f, 2): from each corner to the next one and the one after it, the places of the blocks
    tension (f,): gamma [N/m]
    """

    layout: Layout
    triangles: IntArray
    tets: IntArray
    offsets: IntArray
    corners: IntArray
    slots: IntArray
    tension: Array = field(init=False)

    @classmethod
    def of(cls, state: State, layout: Layout) -> "SurfaceTension | None":
        """Tables for a state's mesh, or None where no tet has any."""
        if not state.material[SURFACE_TENSION].any():
            return None
        faces, rank = face_table(state.tets), layout.rank()
        rows, *others = (rank[np.roll(faces.boundary, -turn, axis=1)].ravel() for turn in range(3))
        slots = layout.slots(rows[:, None], np.stack(others, axis=1))
        offsets, corners = incident_corners(faces.boundary, len(layout.order))
        made = cls(layout, faces.boundary, faces.tet, offsets, corners, slots)
        made.refresh(state)
        return made

    def refresh(self, state: State) -> None:
        """Take over what the material's values are now."""
        self.tension = np.ascontiguousarray(state.material[SURFACE_TENSION, self.tets])

    def energies(self, positions: Array) -> Array:
        """The energy about each node (n,) [J] at positions (n, 3): a third of that of each of its faces."""
        a, b, c = positions[self.triangles.T]
        areas = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1)
        shares = np.repeat(self.tension * areas / 3.0, 3)
        return np.bincount(self.triangles.ravel(), shares, minlength=len(positions)).astype(np.float64)

    def add_gradient(self, positions: Array, gradient: Array) -> float:
        """Add the gradient at positions (n, 3) to gradient (n, 3) [N]; return the energy [J]."""
        energies = np.empty(CHUNKS)
        _add_gradient(positions, self.triangles, self.offsets, self.corners, self.tension, gradient, energies)
        return float(energies.sum())

    def add_curvature(self, positions: Array, values: Floats, true: bool) -> None:
        """Add the second derivatives at positions (n, 3) to the matrix's values; the Dirichlet energy's unless `true`."""
        layout = self.layout
        _add_curvature(
            positions, self.triangles, layout.order, self.offsets, self.corners, self.slots, layout.addresses,
            layout.slabs.apart, self.tension, true, values,
        )  # fmt: skip


@inline
def _crossed(u, v):  # type: ignore[no-untyped-def]
    return u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]


@inline
def _dot(u, v):  # type: ignore[no-untyped-def]
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2]


@inline
def _edge(positions, start, end):  # type: ignore[no-untyped-def]
    return (
        positions[end, 0] - positions[start, 0],
        positions[end, 1] - positions[start, 1],
        positions[end, 2] - positions[start, 2],
    )


@parallel
def _add_gradient(positions, triangles, offsets, corners, tension, gradient, energies):  # type: ignore[no-untyped-def]
    """Node by node, from its faces; a face's energy counts at its first corner."""
    n = len(positions)
    for chunk in prange(CHUNKS):
        total = 0.0
        for i in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
            for k in range(offsets[i], offsets[i + 1]):
                face, corner = corners[k] // 3, corners[k] % 3
                a, b = triangles[face, (corner + 1) % 3], triangles[face, (corner + 2) % 3]
                opposite = _edge(positions, a, b)
                normal = _crossed(_edge(positions, i, a), _edge(positions, i, b))
                size = np.sqrt(_dot(normal, normal))
                if size == 0.0:
                    continue
                turned, half = _crossed(normal, opposite), 0.5 * tension[face]
                for axis in range(3):
                    gradient[i, axis] += half / size * turned[axis]
                if corner == 0:
                    total += half * size
        energies[chunk] = total


@inline
def _put(values, v, step, block):  # type: ignore[no-untyped-def]
    for c in range(9):
        values[v + c * step] += np.float32(block[c])


@inline
def _true_block(own, other, normal, size, sign, factor):  # type: ignore[no-untyped-def]
    """factor (-[own] (I - n n^T) [other] / size + sign [n]), with [own] v = own x v, n the unit of `normal`; by columns (9)."""
    length = max(np.sqrt(_dot(normal, normal)), 1e-300)
    n = (normal[0] / length, normal[1] / length, normal[2] / length)
    # [own] [other] = other own^T - (own . other) I;  [own] n (n^T [other]) = (own x n) (n x other)^T
    along, left, right = _dot(own, other), _crossed(own, n), _crossed(n, other)
    f, g = factor / size, factor * sign
    return (
        f * (along - own[0] * other[0] + right[0] * left[0]),
        f * (-own[0] * other[1] + right[0] * left[1]) + g * n[2],
        f * (-own[0] * other[2] + right[0] * left[2]) - g * n[1],
        f * (-own[1] * other[0] + right[1] * left[0]) - g * n[2],
        f * (along - own[1] * other[1] + right[1] * left[1]),
        f * (-own[1] * other[2] + right[1] * left[2]) + g * n[0],
        f * (-own[2] * other[0] + right[2] * left[0]) + g * n[1],
        f * (-own[2] * other[1] + right[2] * left[1]) - g * n[0],
        f * (along - own[2] * other[2] + right[2] * left[2]),
    )


@parallel
def _add_curvature(  # type: ignore[no-untyped-def]
    positions, triangles, order, offsets, corners, slots, addresses, apart, tension, true, values
):
    """Row by row.

    addresses (2e,): where each block begins, -1 where only the other row has it; by themselves from `apart` on.
    """
    for row in prange(len(order)):
        i = order[row]
        for k in range(offsets[i], offsets[i + 1]):
            face, corner = corners[k] // 3, corners[k] % 3
            a, b = triangles[face, (corner + 1) % 3], triangles[face, (corner + 2) % 3]
            to_a, to_b, own = _edge(positions, i, a), _edge(positions, i, b), _edge(positions, a, b)
            normal = _crossed(to_a, to_b)
            least = SLIVER * (_dot(to_a, to_a) + _dot(to_b, to_b) + _dot(own, own))
            size = max(np.sqrt(_dot(normal, normal)), least, 1e-300)
            for turn in range(2):
                v = addresses[slots[corners[k], turn]]
                if v < 0:
                    continue
                other = _edge(positions, b, i) if turn == 0 else to_a  # against a, and against b
                step, half = 1 if v >= apart else ROWS, 0.5 * tension[face]
                if true:
                    _put(values, v, step, _true_block(own, other, normal, size, 2.0 * turn - 1.0, half))
                else:
                    block = np.float32(half / size * _dot(own, other))
                    for c in (0, 4, 8):
                        values[v + c * step] += block
