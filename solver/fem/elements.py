"""Forces of tets, tile by tile: deformation, decomposition, elastic law, flow, nodal forces.

Each phase is a loop over the lanes of one tile; `tile_forces` runs the phases. It is compiled once, and called by its address
(phases.py) by all that loop over tiles.
"""

import numpy as np
from numba import prange

from ..constants import HALF, ONE, THREE, THREE_HALVES, TWO, ZERO
from ..jit import CHUNKS, TILE, inline, kernel, parallel
from ..jit.simd import add_eight_products, apart, load_doubles, store_turned, sum_of_eight, zero_sums
from ..jit.tile_code import tile_loop
from ..jit.tile_copy import copy_slots, fetch_ahead
from ..slots import (
    ACTIVATION,
    ENERGY,
    FIBRE,
    FLOW,
    FULL_NORM,
    KEPT,
    KEPT_WITH_EXTRAS,
    LED,
    MATERIAL,
    MEASURE,
    MISES,
    NORM,
    REMADE,
    SIZE,
    SLOTS,
    VOLUME,
    B,
    E,
    F,
    N,
    P,
    Q,
    S,
    U,
    V,
)
from .calls import run_direct, run_flow, run_forces, run_on_rows, run_on_tile
from .direct import yielded
from .flow import respond, yielding
from .lanes import deformed, dot, put_forces
from .phase_table import DECOMPOSE, DIRECT, FLOWING, FORCES, PROGRAM, PULL

T = TILE
FORCES_OF_TILE = 12 * TILE
FETCHED = 4 * (P - B)  # numbers of the next tile, for four tets of one
THREE_SLOTS = 3 * TILE


@kernel
def in_fours(positions):  # type: ignore[no-untyped-def]
    """Positions (n, 3) as a flat array with four numbers a node, which can be read at once; the last means nothing."""
    flat = np.empty(4 * len(positions))
    for i in range(len(positions)):
        for k in range(3):
            flat[4 * i + k] = positions[i, k]
        flat[4 * i + 3] = 0.0
    return flat


@inline
def _edges(flat, corners, i):  # type: ignore[no-untyped-def]
    """x1 - x0, x2 - x0, x3 - x0 of a tet."""
    four, at = np.uint64(4), np.uint64(4) * i
    origin = load_doubles(flat, four * np.uint64(corners[at]))
    return (
        apart(load_doubles(flat, four * np.uint64(corners[at + np.uint64(1)])), origin),
        apart(load_doubles(flat, four * np.uint64(corners[at + np.uint64(2)])), origin),
        apart(load_doubles(flat, four * np.uint64(corners[at + np.uint64(3)])), origin),
    )


@kernel
def place_edges(w, flat, corners, count, kept, ahead):  # type: ignore[no-untyped-def]
    """[x1 - x0, x2 - x0, x3 - x0] into F, four tets at a time; differences are taken before they are rounded to the tile's
    type. Lanes up to a multiple of four are those of the last tet again. corners: four of each tet, flat.

    Meanwhile what the next tile begins with is on its way from memory, from number `ahead` of the tile kept there on: tiles are
    read in pieces too short for the processor to foresee.
    """
    last = np.uint64(count - 1)
    for first in range(np.uint64((count + 3) // 4)):
        i = np.uint64(4) * np.uint64(first)
        fetch_ahead(kept, np.uint64(ahead) + np.uint64(FETCHED) * np.uint64(first), FETCHED)
        a1, a2, a3 = _edges(flat, corners, i)
        b1, b2, b3 = _edges(flat, corners, min(i + np.uint64(1), last))
        c1, c2, c3 = _edges(flat, corners, min(i + np.uint64(2), last))
        d1, d2, d3 = _edges(flat, corners, min(i + np.uint64(3), last))
        store_turned(w, np.uint64(F * T) + i, THREE_SLOTS, a1, b1, c1, d1)
        store_turned(w, np.uint64((F + 1) * T) + i, THREE_SLOTS, a2, b2, c2, d2)
        store_turned(w, np.uint64((F + 2) * T) + i, THREE_SLOTS, a3, b3, c3, d3)


@tile_loop
def refer_to_rest(w):  # type: ignore[no-untyped-def]
    """F of the edges in its place."""
    for i in range(T):
        for k, x in enumerate(deformed(w, i)):
            w[(F + k) * T + i] = x


@kernel
def deform(w, flat, corners, count, kept, ahead):  # type: ignore[no-untyped-def]
    """F of a tile's tets at positions that `in_fours` has made flat; the others as in `place_edges`."""
    place_edges(w, flat, corners, count, kept, ahead)
    refer_to_rest(w)


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
def keep_stress(w):  # type: ignore[no-untyped-def]
    """The law's stresses as those of the tet."""
    for i in range(T):
        for k in range(3):
            w[(P + k) * T + i] = w[(Q + k) * T + i]


@tile_loop
def _forces(w, forces):  # type: ignore[no-untyped-def]
    """Forces (TILE, 12) on the nodes of P = U diag(P) V^T [N]."""
    for i in range(T):
        stress = []
        for row in range(3):
            u = [w[(U + 3 * row + k) * T + i] * w[(P + k) * T + i] for k in range(3)]
            stress += [dot(u, [w[(V + 3 * c + k) * T + i] for k in range(3)]) for c in range(3)]
        put_forces(w, i, stress, forces)


@inline
def _put_back(s, w):  # type: ignore[no-untyped-def]
    """Keep what stiffness, damping and the end of a step will ask for. Where nothing flows that is what says so: a
    decomposition is made again in less time than it takes to write it down and read it (stiffness.py)."""
    w[REMADE * T] = s[REMADE * T]
    if s[REMADE * T] > ZERO:
        copy_slots(s, SIZE, N, w)
        copy_slots(s, MEASURE, REMADE, w)
        return
    if s[ACTIVATION * T] >= ZERO:
        copy_slots(s, F, U, w)
    copy_slots(s, U, B, w)
    copy_slots(s, P, REMADE, w)


@kernel
def _stored(s, count):  # type: ignore[no-untyped-def]
    """Energy of the first tets of a tile [J], eight sums side by side; padding lanes may hold what is no number."""
    eights, total = np.uint64(count - count % 8), zero_sums()
    for i in range(np.uint64(0), eights, np.uint64(8)):
        total = add_eight_products(total, s, np.uint64(ENERGY * T) + i, np.uint64(VOLUME * T) + i)
    energy = sum_of_eight(total)
    for i in range(eights, np.uint64(count)):
        energy += np.float64(s[np.uint64(ENERGY * T) + i]) * np.float64(s[np.uint64(VOLUME * T) + i])
    return energy


@kernel
def respond_elastically(s, flat, corners, count, kept, ahead, programs, first, last, phases):  # type: ignore[no-untyped-def]
    """Decompose a tile and let its laws answer, as if nothing flowed."""
    deform(s, flat, corners, count, kept, ahead)
    run_on_tile(phases[DECOMPOSE], s)
    _begin_elastic(s)
    respond(s, programs, first, last)


@kernel
def without_extras(s):  # type: ignore[no-untyped-def]
    """Let a tile with all slots be one of a mesh without extras."""
    s[LED * T : (LED + 1) * T], s[ACTIVATION * T] = ZERO, -ONE


@kernel
def put_material(material, tile):  # type: ignore[no-untyped-def]
    """Write a tile's material where it is worked with."""
    for c in range(np.uint64(len(material))):
        tile[np.uint64(MATERIAL * TILE) + c] = material[c]


def tile_forces(  # type: ignore[no-untyped-def]
    w, s, flat, corners, count, slots, programs, first, last, phases, dt, decompose, forces
):
    """Fill a tile w up to stress and flow, and forces (TILE, 12) on the corners of its tets [N]; its energy [J].

    s: a tile with all slots, which holds the material and is, at first, one `without_extras`; flat: positions (`in_fours`);
    corners: four of each of the tile's `count` tets; slots: how many w has; programs first .. last - 1 are the tile's.
    """
    copy_slots(w, B, P, s)
    if slots > KEPT:
        copy_slots(w, FIBRE, KEPT_WITH_EXTRAS, s)
    s[REMADE * T] = ZERO
    direct = programs[PROGRAM * first + DIRECT]
    if decompose == 0 and last == first + 1 and direct != 0 and not yielded(s):
        place_edges(s, flat, corners, count, w, (slots + B) * T)
        s[REMADE * T] = ZERO if run_direct(direct, s, forces) else TWO
    if s[REMADE * T] == ZERO:
        respond_elastically(s, flat, corners, count, w, (slots + B) * T, programs, first, last, phases)
        _take_stress(s)
        flows = yielding(s)
        if flows:
            run_flow(phases[FLOWING], s, dt, programs, first, last)
        s[REMADE * T] = ZERO if flows else ONE
        _forces(s, forces)
    if s[ACTIVATION * T] >= ZERO:
        run_on_rows(phases[PULL], s, forces)
    _put_back(s, w)
    return _stored(s, count)


@parallel
def evaluate(  # type: ignore[no-untyped-def]
    positions, tets, tiles, materials, kinds, programs, offsets, phases, dt, decompose, forces, energies
):
    """Fill tiles up to stress and flow, forces (tiles * TILE, 12) on the nodes of each tet [N], energies (tiles,) [J].

    tiles, materials, kinds, programs, offsets, phases are the arrays of `Tiles`. `decompose` has every tile decomposed; else
    tiles that do not yield do without where their law allows. For whoever asks for the forces of tets: a bake has them summed
    at once (force_sum.py).
    """
    flat, slots = in_fours(positions), tiles.shape[1] // T
    for chunk in prange(CHUNKS):
        s, kind = np.empty(SLOTS * T, tiles.dtype), -1
        without_extras(s)
        for k in range(len(tiles) * chunk // CHUNKS, len(tiles) * (chunk + 1) // CHUNKS):
            if kinds[k] != kind:
                kind = kinds[k]
                put_material(materials[kind], s)
            corners = tets[k * T : min(len(tets), (k + 1) * T)]
            energies[k] = run_forces(
                phases[FORCES], tiles[k], s, flat, corners, len(corners), slots, programs, offsets[k], offsets[k + 1], phases,
                dt, decompose, forces[k * T : (k + 1) * T],
            )  # fmt: skip
