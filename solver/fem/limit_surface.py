"""How far a tet may be deformed for good: to the limit surface (Irving 2004, section 6.3), or to its goal (section 7).

With L = log V_p, V_p the left stretch of F_p (rotations of F_p mean nothing), the surface is |L| = limit. A step's flow p
along N = V n V^T takes L to about L + p N, so the room that is left along it is the positive root p of |L + p N| = limit;
flow stops there, inside the step, and what deforms the tet further is elastic (flow.py). Going back is free. Where F_p and
N do not share their axes F_p ends a little beyond the surface, and is cut back to it once the step is accepted.

Where the tet has a goal G the room is what leads there: the p of [0, a] for which L + p N is nearest to G, that is N . (G - L).
Steering (steering.py) makes exactly that much permanent, so what a collider forces off the way to the goal meets an elastic
body, and springs back.
"""

import numpy as np
from numba import prange

from ..constants import TWO, ZERO
from ..jit import TILE, kernel, parallel
from ..jit.tile_code import some_lane, tile_loop, tile_question
from ..slots import GONE, LED, MATERIAL, PLASTIC_LIMIT, ROOM, SIZE, B, N, V
from ..state import State
from .steering import log_stretch, symmetric_function

T = TILE
BEYOND = 1.0 + 1e-9  # times the limit: what is less is rounding


@tile_question
def has_limit(w):  # type: ignore[no-untyped-def]
    """Whether some lane has a limit or a goal; room for all of the deviator in any case."""
    for i in range(T):
        w[ROOM * T + i] = w[SIZE * T + i]
        some_lane((w[(MATERIAL + PLASTIC_LIMIT) * T + i] > ZERO) | (w[LED * T + i] > ZERO))


@tile_loop
def find_room(w):  # type: ignore[no-untyped-def]
    """The room along each lane's direction of flow, where it has a limit or a goal."""
    for i in range(T):
        limit = w[(MATERIAL + PLASTIC_LIMIT) * T + i]
        l00, l11, l22 = w[GONE * T + i], w[(GONE + 1) * T + i], w[(GONE + 2) * T + i]
        l01, l02, l12 = w[(GONE + 3) * T + i], w[(GONE + 4) * T + i], w[(GONE + 5) * T + i]
        along = ZERO * limit
        for k in range(3):
            v0, v1, v2 = w[(V + k) * T + i], w[(V + 3 + k) * T + i], w[(V + 6 + k) * T + i]
            twice = v0 * (v1 * l01 + v2 * l02) + v1 * v2 * l12
            along += w[(N + k) * T + i] * (v0 * v0 * l00 + v1 * v1 * l11 + v2 * v2 * l22 + TWO * twice)
        size = l00 * l00 + l11 * l11 + l22 * l22 + TWO * (l01 * l01 + l02 * l02 + l12 * l12)
        left = max(limit * limit - size, ZERO)
        root = np.sqrt(along * along + left)
        room = left / max(along + root, limit * 1e-6) if along > ZERO else root - along
        a = w[SIZE * T + i]
        room = min(room, a) if limit > ZERO else a
        w[ROOM * T + i] = min(max(along, ZERO), a) if w[LED * T + i] > ZERO else room


def keep_limits(tiles, state: State) -> bool:  # type: ignore[no-untyped-def]
    """Cut F_p back to the limit surface where it is beyond, beta with it, and tell the tiles how far each tet has gone,
    or how far from its goal it is. Return whether there are limits."""
    limit, plastic = state.material[PLASTIC_LIMIT], state.plastic_deformation.reshape(-1, 9)
    limited = bool((limit > 0.0).any())
    if limited:
        _keep_limits(tiles, limit, state.rest_shape_inverse.reshape(-1, 9), plastic)
    if (state.goal_rate >= 0.0).any():
        _look_at_goals(tiles, state.goal_rate, state.goal, plastic)
    return limited


@parallel
def _keep_limits(tiles, limit, inverse, plastic):  # type: ignore[no-untyped-def]
    for t in prange(len(limit)):
        if limit[t] > 0.0:
            gone, turned = np.empty(6), np.empty(9)
            size = _log_left_stretch(plastic[t], turned, gone)
            if size > limit[t] * BEYOND:
                _cut_back(limit[t] / size, gone, inverse[t], plastic[t])
                _log_left_stretch(plastic[t], turned, gone)
            w, i = tiles[t // TILE], t % TILE
            for k in range(6):
                w[(GONE + k) * TILE + i] = gone[k]
            for c in range(9):
                w[(B + c) * TILE + i] = inverse[t, c]


@parallel
def _look_at_goals(tiles, goal_rate, goal, plastic):  # type: ignore[no-untyped-def]
    """What is left to the goal; the F_p of tets that have one is symmetric (steering.py), so its axes are those of V."""
    for t in prange(len(goal)):
        if goal_rate[t] >= 0.0:
            gone = np.empty(6)
            log_stretch(plastic[t], gone)
            w, i = tiles[t // TILE], t % TILE
            w[LED * TILE + i] = 1.0
            for k in range(6):
                w[(GONE + k) * TILE + i] = goal[t, k] - gone[k]


@kernel
def _log_left_stretch(f, turned, out):  # type: ignore[no-untyped-def]
    """out (6) := the deviator of log sqrt(f f^T); return its Frobenius norm."""
    for c in range(9):
        turned[c] = f[3 * (c % 3) + c // 3]
    log_stretch(turned, out)
    mean, size = (out[0] + out[1] + out[2]) / 3.0, 0.0
    for k in range(6):
        out[k] -= mean if k < 3 else 0.0
        size += (1.0 if k < 3 else 2.0) * out[k] * out[k]
    return np.sqrt(size)


@kernel
def _cut_back(share, gone, inverse, plastic):  # type: ignore[no-untyped-def]
    """F_p := exp((share - 1) L) F_p and beta := beta exp((1 - share) L)."""
    power, product = np.empty(9), np.empty(9)
    symmetric_exponential(share - 1.0, gone, power)
    times(power, plastic, product)
    symmetric_exponential(1.0 - share, gone, power)
    for c in range(9):
        plastic[c] = product[c]
    times(inverse, power, product)
    for c in range(9):
        inverse[c] = product[c]


@kernel
def symmetric_exponential(factor, m, out):  # type: ignore[no-untyped-def]
    """out (9) := exp(factor m) of a symmetric m (6)."""
    scaled = np.empty(6)
    for k in range(6):
        scaled[k] = factor * m[k]
    symmetric_function(scaled, False, scaled)
    out[0], out[4], out[8] = scaled[0], scaled[1], scaled[2]
    out[1] = out[3] = scaled[3]
    out[2] = out[6] = scaled[4]
    out[5] = out[7] = scaled[5]


@kernel
def times(a, b, out):  # type: ignore[no-untyped-def]
    """out := a b, row-major 3x3."""
    for i in range(3):
        for j in range(3):
            out[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j]
