"""Forces of all tets, tile by tile: deformation, decomposition, elastic law, flow, nodal forces.

Each phase is a loop over the lanes of one tile; `evaluate` runs the phases for every tile in parallel.
"""

import numpy as np
from numba import prange

from ..constants import HALF, THREE, THREE_HALVES, TWO, ZERO
from ..jit import TILE, kernel, parallel
from ..jit.tile_code import tile_loop
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
    E,
    F,
    P,
    Q,
    S,
    U,
    V,
)
from ..svd import decompose_tile
from .direct import yielded
from .fibres import pull
from .flow import flow, respond
from .lanes import deformed, dot, put_forces
from .laws import run_direct

T = TILE


@kernel
def _place_edges(w, positions, tets):  # type: ignore[no-untyped-def]
    """[x1 - x0, x2 - x0, x3 - x0] into F; differences are taken before they are rounded to the tile's type."""
    for i in range(len(tets)):
        a, b, c, d = np.uint64(tets[i, 0]), np.uint64(tets[i, 1]), np.uint64(tets[i, 2]), np.uint64(tets[i, 3])
        for k in range(3):
            origin = positions[a, k]
            w[(F + 3 * k) * T + i] = positions[b, k] - origin
            w[(F + 3 * k + 1) * T + i] = positions[c, k] - origin
            w[(F + 3 * k + 2) * T + i] = positions[d, k] - origin


@tile_loop
def _refer_to_rest(w):  # type: ignore[no-untyped-def]
    """F of the edges in its place."""
    for i in range(T):
        for k, x in enumerate(deformed(w, i)):
            w[(F + k) * T + i] = x


@kernel
def deform(w, positions, tets):  # type: ignore[no-untyped-def]
    """F of a tile's tets at positions (n, 3)."""
    _place_edges(w, positions, tets)
    _refer_to_rest(w)


@tile_loop
def _begin_elastic(w):  # type: ignore[no-untyped-def]
    """Before flow the elastic stretches are s."""
    for i in range(T):
        for k in range(3):
            w[(E + k) * T + i] = w[(S + k) * T + i]


@tile_loop
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


@tile_loop
def _forces(w, forces):  # type: ignore[no-untyped-def]
    """Forces (TILE, 9) on nodes 1 to 3 of P = U diag(P) V^T [N]."""
    for i in range(T):
        stress = []
        for row in range(3):
            u = [w[(U + 3 * row + k) * T + i] * w[(P + k) * T + i] for k in range(3)]
            stress += [dot(u, [w[(V + 3 * c + k) * T + i] for k in range(3)]) for c in range(3)]
        put_forces(w, i, stress, forces)


@parallel
def evaluate(positions, tets, tiles, programs, offsets, dt, decompose, forces, energies):  # type: ignore[no-untyped-def]
    """Fill tiles up to stress and flow, forces (tiles * TILE, 9) on nodes 1-3 [N], energies (tiles,) [J].

    tiles, programs, offsets are the arrays of `Tiles`. `decompose` has every tile decomposed, as the projected stiffness
    wants it; else tiles that do not yield do without where their law allows.
    """
    count = len(tets)
    for k in prange(len(tiles)):
        w = tiles[k]
        own, corners = forces[k * T : (k + 1) * T], tets[k * T : min(count, (k + 1) * T)]
        w[DIRECT * T] = ZERO
        if not decompose and offsets[k + 1] == offsets[k] + 1 and programs[offsets[k], 3] != 0 and not yielded(w):
            _place_edges(w, positions, corners)
            w[DIRECT * T] = ZERO if run_direct(programs[offsets[k], 3], w, own) else TWO
        if w[DIRECT * T] == ZERO:
            deform(w, positions, corners)
            decompose_tile(w)
            _begin_elastic(w)
            respond(w, programs, offsets[k], offsets[k + 1])
            _take_stress(w)
            flow(w, dt, programs, offsets[k], offsets[k + 1])
            _forces(w, own)
        if w[ACTIVATION * T] >= ZERO:
            pull(w, own)
        total = 0.0
        for j in range(len(corners)):  # padding lanes may hold what is no number
            total += w[ENERGY * T + j] * w[VOLUME * T + j]
        energies[k] = total
