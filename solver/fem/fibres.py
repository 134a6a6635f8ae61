"""Fibres over the lanes of a tile: what makes an element transversely isotropic, on top of any elastic law.

Irving 2004, section 6.1: the anisotropic stress is F times a symmetric matrix, which keeps angular momentum. With a the
fibre's unit direction and l = |F a| its stretch, the energy density is w(l) and P = F (w'(l)/l a a^T), where

    w(l) = k/2 max(l - 1, 0)^2  +  T l,     T = activation times tension,

a passive spring that bears no compression, and a pull that does not depend on the length. (The muscle of Teran et al.
2004 has measured curves of length in place of both.) Below a stretch of SHORTEST the pull fades linearly, T l^2 / (2
SHORTEST), so that force and stiffness stay bounded where the fibre's direction is lost. Nothing here depends on the
sign of det F; w is convex and rises with l, so that it is convex in F and its stiffness never negative.

F is the elastic one and flow is that of the isotropic part: the fibres share its flow, without a say in its yielding.
"""

import numpy as np

from ..constants import HALF, ONE, ZERO
from ..jit import TILE, inline, kernel
from ..slots import ACTIVATION, ENERGY, FIBRE, FIBRE_STIFFNESS, FIBRE_TENSION, MATERIAL, VOLUME, B, F, G, R

SHORTEST = np.float32(0.125)  # exact in binary
T = TILE
M = MATERIAL


@inline
def _stretched(w, i):  # type: ignore[no-untyped-def]
    """F a (3), its length, the pull T [Pa] and how far the passive spring is drawn."""
    a0, a1, a2 = w[FIBRE * T + i], w[(FIBRE + 1) * T + i], w[(FIBRE + 2) * T + i]
    y0 = w[F * T + i] * a0 + w[(F + 1) * T + i] * a1 + w[(F + 2) * T + i] * a2
    y1 = w[(F + 3) * T + i] * a0 + w[(F + 4) * T + i] * a1 + w[(F + 5) * T + i] * a2
    y2 = w[(F + 6) * T + i] * a0 + w[(F + 7) * T + i] * a1 + w[(F + 8) * T + i] * a2
    length = np.sqrt(y0 * y0 + y1 * y1 + y2 * y2)
    pull_ = w[ACTIVATION * T + i] * w[(M + FIBRE_TENSION) * T + i]
    return y0, y1, y2, length, pull_, max(length - ONE, ZERO)


@inline
def _along_gradients(w, i):  # type: ignore[no-untyped-def]
    """a . g of the shape gradients of nodes 1 to 3 [1/m]."""
    a0, a1, a2 = w[FIBRE * T + i], w[(FIBRE + 1) * T + i], w[(FIBRE + 2) * T + i]
    return (
        a0 * w[B * T + i] + a1 * w[(B + 1) * T + i] + a2 * w[(B + 2) * T + i],
        a0 * w[(B + 3) * T + i] + a1 * w[(B + 4) * T + i] + a2 * w[(B + 5) * T + i],
        a0 * w[(B + 6) * T + i] + a1 * w[(B + 7) * T + i] + a2 * w[(B + 8) * T + i],
    )


@kernel
def pull(w, forces):  # type: ignore[no-untyped-def]
    """Add the fibres' energy density to the tile and their forces on nodes 1 to 3, -volume w'/l F a (a . g), to (T, 9)."""
    for i in range(T):
        y0, y1, y2, length, tension, drawn = _stretched(w, i)
        h1, h2, h3 = _along_gradients(w, i)
        stiffness = w[(M + FIBRE_STIFFNESS) * T + i]
        full = length >= SHORTEST
        energy = tension * (length - HALF * SHORTEST if full else HALF * length * length / SHORTEST)
        w[ENERGY * T + i] += energy + HALF * stiffness * drawn * drawn
        c = -w[VOLUME * T + i] * (tension + stiffness * drawn) / max(length, SHORTEST)
        w[R * T + i], w[(R + 1) * T + i], w[(R + 2) * T + i] = c * h1 * y0, c * h1 * y1, c * h1 * y2
        w[(R + 3) * T + i], w[(R + 4) * T + i], w[(R + 5) * T + i] = c * h2 * y0, c * h2 * y1, c * h2 * y2
        w[(R + 6) * T + i], w[(R + 7) * T + i], w[(R + 8) * T + i] = c * h3 * y0, c * h3 * y1, c * h3 * y2
    for i in range(T):
        for k in range(9):
            forces[i, k] += w[(R + k) * T + i]


@kernel
def stiffen(w, pairs, out):  # type: ignore[no-untyped-def]
    """Add volume (a . g_i) (a . g_j) (w'/l I + (w'' - w'/l) d d^T), d = F a/l, to the blocks out (T, 6, 9) of node pairs."""
    for i in range(T):
        y0, y1, y2, length, tension, drawn = _stretched(w, i)
        h1, h2, h3 = _along_gradients(w, i)
        stiffness, volume = w[(M + FIBRE_STIFFNESS) * T + i], w[VOLUME * T + i]
        across = (tension + stiffness * drawn) / max(length, SHORTEST)
        along = (stiffness if drawn > ZERO else ZERO) - (across if length >= SHORTEST else ZERO)
        c = volume * along / max(length * length, SHORTEST * SHORTEST)
        across *= volume
        w[G * T + i], w[(G + 1) * T + i], w[(G + 2) * T + i] = across + c * y0 * y0, across + c * y1 * y1, across + c * y2 * y2
        w[(G + 3) * T + i], w[(G + 4) * T + i], w[(G + 5) * T + i] = c * y0 * y1, c * y0 * y2, c * y1 * y2
        w[(G + 6) * T + i], w[(G + 7) * T + i], w[(G + 8) * T + i], w[(G + 9) * T + i] = -(h1 + h2 + h3), h1, h2, h3
    for i in range(T):
        m00, m11, m22 = w[G * T + i], w[(G + 1) * T + i], w[(G + 2) * T + i]
        m01, m02, m12 = w[(G + 3) * T + i], w[(G + 4) * T + i], w[(G + 5) * T + i]
        for pair in range(6):
            h = w[(G + 6 + pairs[pair, 0]) * T + i] * w[(G + 6 + pairs[pair, 1]) * T + i]
            out[i, pair, 0] += h * m00
            out[i, pair, 1] += h * m01
            out[i, pair, 2] += h * m02
            out[i, pair, 3] += h * m01
            out[i, pair, 4] += h * m11
            out[i, pair, 5] += h * m12
            out[i, pair, 6] += h * m02
            out[i, pair, 7] += h * m12
            out[i, pair, 8] += h * m22
