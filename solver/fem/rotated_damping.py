"""Irving's damping (2004, section 6.2): the velocity gradient in the frame of F = U S V^T answers with a stress.

With D = U^T Fdot V the damping stress is, in that frame,

    P = W (2 mu t sym(W D) + lam t tr(W D)),    W = diag(w),

t a time [s]. With w = S this is F times the answer to the rate of Green strain, which keeps angular momentum and leaves
rigid motion alone; it dies out as the tet becomes flat. With w = 1 it is the paper's own, which damps the flat and the
inverted as well, but keeps angular momentum only near rest. As the paper proposes, tets of moderate deformation take the
first and flat ones the second, with a passage between by the smallest stretch.

With Q = U W V^T and shape gradients g, node b's velocity puts on node a the force -volume t times

    mu ((g_a . g_b) Q Q^T + (Q g_b)(Q g_a)^T) + lam (Q g_a)(Q g_b)^T.
"""

import numpy as np

from ..jit import TILE, kernel
from ..slots import LAMBDA, MATERIAL, MU, VOLUME, B, S, U, V
from .lanes import PAIRS
from .runs import BLOCKS

T = TILE
WIDTH = BLOCKS.width
MODERATE, FLAT = 0.5, 0.25  # smallest stretches from which on a tet keeps angular momentum, and below which it is flat


@kernel
def _frame(w, i, q):  # type: ignore[no-untyped-def]
    """q (3, 3) := U W V^T of one lane."""
    least = float(w[(S + 2) * T + i])
    flat = min(max((MODERATE - least) / (MODERATE - FLAT), 0.0), 1.0)
    for r in range(3):
        for c in range(3):
            q[r, c] = 0.0
            for k in range(3):
                stretch = float(w[(S + k) * T + i])
                weight = stretch + flat * (1.0 - stretch)
                q[r, c] += float(w[(U + 3 * r + k) * T + i]) * weight * float(w[(V + 3 * c + k) * T + i])


@kernel
def _turned_gradients(w, i, q, g, h):  # type: ignore[no-untyped-def]
    """g (4, 3) := shape gradients of one lane's nodes [1/m]; h (4, 3) := Q g."""
    for c in range(3):
        g[0, c] = 0.0
        for a in range(3):
            g[a + 1, c] = float(w[(B + 3 * a + c) * T + i])
            g[0, c] -= g[a + 1, c]
    for a in range(4):
        for r in range(3):
            h[a, r] = q[r, 0] * g[a, 0] + q[r, 1] * g[a, 1] + q[r, 2] * g[a, 2]


def add_rotated_damping(w, times, count, blocks):  # type: ignore[no-untyped-def]
    """Add the damping of a tile's `count` tets with times [s] to blocks (TILE * WIDTH,), in the order of PAIRS [N s/m].

    The tile w, with all slots, must have been decomposed. Only off-diagonal blocks, whose rows sum to zero with the diagonal
    one.
    """
    q, g, h = np.empty((3, 3)), np.empty((4, 3)), np.empty((4, 3))
    for i in range(count):
        time = times[i]
        if time == 0.0:
            continue
        _frame(w, i, q)
        _turned_gradients(w, i, q, g, h)
        shear = time * float(w[VOLUME * T + i]) * float(w[(MATERIAL + MU) * T + i])
        bulk = time * float(w[VOLUME * T + i]) * float(w[(MATERIAL + LAMBDA) * T + i])
        for pair in range(6):
            a, b = PAIRS[pair, 0], PAIRS[pair, 1]
            along = shear * (g[a, 0] * g[b, 0] + g[a, 1] * g[b, 1] + g[a, 2] * g[b, 2])
            for r in range(3):
                for c in range(3):
                    square = q[r, 0] * q[c, 0] + q[r, 1] * q[c, 1] + q[r, 2] * q[c, 2]
                    value = along * square + shear * h[b, r] * h[a, c] + bulk * h[a, r] * h[b, c]
                    blocks[WIDTH * i + 9 * pair + 3 * r + c] += value
