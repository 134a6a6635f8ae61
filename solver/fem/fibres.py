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
from ..jit import TILE
from ..jit.tile_code import add_rows, tile_loop
from ..slots import ACTIVATION, ENERGY, FIBRE, FIBRE_STIFFNESS, FIBRE_TENSION, MATERIAL, VOLUME, F
from .lanes import PAIRS, dot, read, shape_gradients
from .runs import BLOCKS

SHORTEST = np.float32(0.125)  # exact in binary
T = TILE
WIDTH = BLOCKS.width
M = MATERIAL


def _stretched(w, i):  # type: ignore[no-untyped-def]
    """F a (3), its length, the pull T [Pa] and how far the passive spring is drawn."""
    a, f = read(w, i, FIBRE, 3), read(w, i, F, 9)
    y = [dot(f[3 * k : 3 * k + 3], a) for k in range(3)]
    length = np.sqrt(dot(y, y))
    return y, length, w[ACTIVATION * T + i] * w[(M + FIBRE_TENSION) * T + i], max(length - ONE, ZERO)


def _along_gradients(w, i):  # type: ignore[no-untyped-def]
    """a . g of the shape gradients of the four nodes [1/m]."""
    a = read(w, i, FIBRE, 3)
    return [dot(a, g) for g in shape_gradients(w, i)]


@tile_loop
def pull(w, forces):  # type: ignore[no-untyped-def]
    """Add the fibres' energy density to the tile and their forces on its nodes, -volume w'/l F a (a . g), to (T, 12)."""
    for i in range(T):
        y, length, tension, drawn = _stretched(w, i)
        stiffness = w[(M + FIBRE_STIFFNESS) * T + i]
        energy = tension * (length - HALF * SHORTEST if length >= SHORTEST else HALF * length * length / SHORTEST)
        w[ENERGY * T + i] += energy + HALF * stiffness * drawn * drawn
        c = -w[VOLUME * T + i] * (tension + stiffness * drawn) / max(length, SHORTEST)
        add_rows(forces, 12, i, 0, [c * h * y[k] for h in _along_gradients(w, i) for k in range(3)])


@tile_loop
def stiffen(w, out):  # type: ignore[no-untyped-def]
    """Add volume (a . g_i) (a . g_j) (w'/l I + (w'' - w'/l) d d^T), d = F a/l, to the blocks out (T, WIDTH) of node pairs."""
    for i in range(T):
        y, length, tension, drawn = _stretched(w, i)
        h = _along_gradients(w, i)
        stiffness, volume = w[(M + FIBRE_STIFFNESS) * T + i], w[VOLUME * T + i]
        across = (tension + stiffness * drawn) / max(length, SHORTEST)
        along = (stiffness if drawn > ZERO else ZERO) - (across if length >= SHORTEST else ZERO)
        c = volume * along / max(length * length, SHORTEST * SHORTEST)
        own = [c * y[k] * y[m] + (volume * across if k == m else ZERO) for k in range(3) for m in range(3)]
        for pair, (a, b) in enumerate(PAIRS):
            add_rows(out, WIDTH, i, 9 * pair, [h[a] * h[b] * m for m in own])
