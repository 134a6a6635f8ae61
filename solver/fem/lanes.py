"""What tile kernels share: shape gradients, the node pairs of a tet, and forces on their way out of a tile."""

import numpy as np

from ..jit import TILE
from ..jit.tile_code import put_rows
from ..slots import VOLUME, B, F

# Node pairs of a tet in the order of its stiffness blocks.
PAIRS = np.array([[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]])
T = TILE


def read(w, i, slot, count):  # type: ignore[no-untyped-def]
    """`count` slots of a lane."""
    return tuple(w[(slot + k) * T + i] for k in range(count))


def dot(a, b):  # type: ignore[no-untyped-def]
    """a . b, of the first three."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def squared(values):  # type: ignore[no-untyped-def]
    """The sum of squares."""
    total = values[0] * values[0]
    for value in values[1:]:
        total = total + value * value
    return total


def cross(a, b):  # type: ignore[no-untyped-def]
    """a x b of two triples."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def deformed(w, i):  # type: ignore[no-untyped-def]
    """F = [x1 - x0, x2 - x0, x3 - x0] B (9), row-major (Bargteil eq 1), of the edges in F's own place."""
    edges, b = read(w, i, F, 9), read(w, i, B, 9)
    return tuple(dot(edges[3 * row : 3 * row + 3], b[column::3]) for row in range(3) for column in range(3))


def shape_gradients(w, i):  # type: ignore[no-untyped-def]
    """Those of the four nodes in the rest shape (3 each) [1/m]: rows of B for nodes 1 to 3, minus their sum for node 0."""
    b = read(w, i, B, 9)
    return (-(b[0] + b[3] + b[6]), -(b[1] + b[4] + b[7]), -(b[2] + b[5] + b[8])), b[0:3], b[3:6], b[6:9]


def corner_forces(w, i, stress):  # type: ignore[no-untyped-def]
    """Forces (12) on the four nodes, -volume P B^T of P (9), row-major, on nodes 1 to 3, and minus their sum on node 0.

    Irving 2004, section 3: the area-weighted normals are rows of B.
    """
    volume, normals = w[VOLUME * T + i], shape_gradients(w, i)[1:]
    rows = [tuple(-volume * p for p in stress[3 * k : 3 * k + 3]) for k in range(3)]
    return with_first([dot(row, normal) for normal in normals for row in rows])


def with_first(others):  # type: ignore[no-untyped-def]
    """Forces (12) on four nodes, of those on nodes 1 to 3 (9): together they are none."""
    return [-(others[k] + others[3 + k] + others[6 + k]) for k in range(3)] + others


def put_forces(w, i, stress, forces):  # type: ignore[no-untyped-def]
    """The same into forces (TILE, 12)."""
    put_rows(forces, 12, i, 0, corner_forces(w, i, stress))
