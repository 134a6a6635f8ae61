"""Forces of all tets, tile by tile: deformation, decomposition, elastic law, flow, nodal forces.

Each phase is a loop over the lanes of one tile; `evaluate` runs the phases for every tile in parallel.
"""

import numpy as np
from numba import prange

from ..constants import HALF, THREE, THREE_HALVES, ZERO
from ..jit import TILE, kernel, parallel
from ..slots import (
    ACTIVATION,
    DIRECT,
    ENERGY,
    FLOW,
    FULL_NORM,
    MATERIAL,
    MEASURE,
    MISES,
    NORM,
    SIZE,
    VOLUME,
    B,
    E,
    F,
    G,
    P,
    Q,
    S,
    U,
    V,
)
from ..svd import decompose_tile
from .direct import STRESS, stress_without_decomposition
from .fibres import pull
from .flow import flow, respond
from .lanes import corner_forces

T = TILE


@kernel
def deform(w, positions, tets):  # type: ignore[no-untyped-def]
    """F = [x1 - x0, x2 - x0, x3 - x0] B (Bargteil eq 1); differences are taken before they are rounded to the tile's type."""
    for i in range(len(tets)):
        a, b, c, d = np.uint64(tets[i, 0]), np.uint64(tets[i, 1]), np.uint64(tets[i, 2]), np.uint64(tets[i, 3])
        for k in range(3):
            origin = positions[a, k]
            w[(F + 3 * k) * T + i] = positions[b, k] - origin
            w[(F + 3 * k + 1) * T + i] = positions[c, k] - origin
            w[(F + 3 * k + 2) * T + i] = positions[d, k] - origin
    for row in range(3):
        for i in range(T):
            e0, e1, e2 = w[(F + 3 * row) * T + i], w[(F + 3 * row + 1) * T + i], w[(F + 3 * row + 2) * T + i]
            w[(F + 3 * row) * T + i] = e0 * w[B * T + i] + e1 * w[(B + 3) * T + i] + e2 * w[(B + 6) * T + i]
            w[(F + 3 * row + 1) * T + i] = e0 * w[(B + 1) * T + i] + e1 * w[(B + 4) * T + i] + e2 * w[(B + 7) * T + i]
            w[(F + 3 * row + 2) * T + i] = e0 * w[(B + 2) * T + i] + e1 * w[(B + 5) * T + i] + e2 * w[(B + 8) * T + i]


@kernel
def _decompose(w):  # type: ignore[no-untyped-def]
    """F = U diag(s) V^T (slots F, U, S, V lie as `decompose_tile` wants them); before flow the elastic stretches are s."""
    decompose_tile(w)
    for k in range(3):
        for i in range(T):
            w[(E + k) * T + i] = w[(S + k) * T + i]


@kernel
def _take_stress(w):  # type: ignore[no-untyped-def]
    """The law's stresses as those of the tet, and its yield measure, as if nothing flowed."""
    for i in range(T):
        p0, p1, p2 = w[Q * T + i], w[(Q + 1) * T + i], w[(Q + 2) * T + i]
        t0, t1, t2 = w[S * T + i] * p0, w[(S + 1) * T + i] * p1, w[(S + 2) * T + i] * p2
        average = (t0 + t1 + t2) / THREE
        d0, d1, d2 = t0 - average, t1 - average, t2 - average
        mises = np.sqrt(THREE_HALVES * (d0 * d0 + d1 * d1 + d2 * d2))
        norm = np.sqrt(p0 * p0 + p1 * p1 + p2 * p2)
        w[P * T + i], w[(P + 1) * T + i], w[(P + 2) * T + i] = p0, p1, p2
        w[FLOW * T + i] = ZERO
        w[SIZE * T + i] = ZERO
        w[MISES * T + i], w[NORM * T + i] = mises, norm
        w[MEASURE * T + i] = norm if w[(MATERIAL + FULL_NORM) * T + i] > HALF else mises


@kernel
def _stress_tensor(w):  # type: ignore[no-untyped-def]
    """P = U diag(P) V^T into G, which only stiffness needs otherwise."""
    for row in range(3):
        for i in range(T):
            u0 = w[(U + 3 * row) * T + i] * w[P * T + i]
            u1 = w[(U + 3 * row + 1) * T + i] * w[(P + 1) * T + i]
            u2 = w[(U + 3 * row + 2) * T + i] * w[(P + 2) * T + i]
            w[(G + 3 * row) * T + i] = u0 * w[V * T + i] + u1 * w[(V + 1) * T + i] + u2 * w[(V + 2) * T + i]
            w[(G + 3 * row + 1) * T + i] = u0 * w[(V + 3) * T + i] + u1 * w[(V + 4) * T + i] + u2 * w[(V + 5) * T + i]
            w[(G + 3 * row + 2) * T + i] = u0 * w[(V + 6) * T + i] + u1 * w[(V + 7) * T + i] + u2 * w[(V + 8) * T + i]


@parallel
def evaluate(positions, tets, tiles, programs, offsets, dt, decompose, forces, energies):  # type: ignore[no-untyped-def]
    """Fill tiles up to stress and flow, forces (tiles * TILE, 9) on nodes 1-3 [N], energies (tiles,) [J].

    tiles, programs, offsets are the arrays of `Tiles`. `decompose` has every tile decomposed, as the projected stiffness
    wants it; else tiles that do not yield do without where their law allows.
    """
    count = len(tets)
    for k in prange(len(tiles)):
        w = tiles[k]
        first = k * T
        deform(w, positions, tets[first : min(count, first + T)])
        own = forces[first : first + T]
        if not decompose and stress_without_decomposition(w, programs, offsets[k], offsets[k + 1]):
            corner_forces(w, STRESS, own)
        else:
            w[DIRECT * T] = ZERO
            _decompose(w)
            respond(w, programs, offsets[k], offsets[k + 1])
            _take_stress(w)
            flow(w, dt, programs, offsets[k], offsets[k + 1])
            _stress_tensor(w)
            corner_forces(w, G, own)
        if w[ACTIVATION * T] >= ZERO:
            pull(w, own)
        total = 0.0
        for j in range(min(count - first, T)):  # padding lanes may hold what is no number
            total += w[ENERGY * T + j] * w[VOLUME * T + j]
        energies[k] = total
