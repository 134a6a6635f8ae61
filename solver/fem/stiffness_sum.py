"""The stiffness of all tets summed into a matrix as it is made, while its blocks are still in cache."""

from dataclasses import dataclass, field

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..jit import CHUNKS, TILE, inner_kernel, parallel
from ..jit.simd_blocks import load_block, put_block
from ..slots import SLOTS
from .block_matrix import Layout, sum_edges
from .calls import run_damping, run_stiffness
from .elements import in_fours, put_material
from .phase_table import BLOCKS as TILE_BLOCKS
from .phases import damping_address
from .runs import BLOCKS
from .tile import Tiles

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
IntArray = NDArray[np.int32]

T = TILE
WIDTH = BLOCKS.width
BLOCKS_OF_TILE = BLOCKS.width * TILE
EVERYWHERE = np.zeros(0, np.float32)


@dataclass
class StiffnessSum:
    """What makes a mesh's stiffness and sums it; tets (m, 4)."""

    tets: IntArray
    layout: Layout
    rings: Floats = field(init=False, repr=False)
    aside: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.rings, self.aside = self.layout.runs.rings(), self.layout.runs.aside()

    def fill(
        self, positions: Array, tiles: Tiles, values: Floats, inertia: float, more: Floats, rate: float,
        shares: Floats = EVERYWHERE, times: Floats = EVERYWHERE,
    ) -> None:  # fmt: skip
        """Sum the stiffness at positions (n, 3), where the tiles were evaluated, into values, as `sum_edges` does; inertia as
        in `stiffness`.

        shares (m,): how many times each tet's is taken; times (m,): what each has of Irving's damping [s] beside it
        (rotated_damping.py); empty ones stand for all of it, and for none.
        """
        layout, runs = self.layout, self.layout.runs
        damping = damping_address(tiles.data.dtype) if len(times) else 0
        _sum_stiffness(
            positions, self.tets, *tiles.arrays, inertia, shares, times, damping, runs.starts, runs.kept, runs.ready,
            runs.late_offsets, runs.late, layout.item_offsets, layout.middles, layout.items, layout.places, self.rings,
            self.aside, more, np.float32(rate), values,
        )  # fmt: skip


@inner_kernel
def _share(shares, out):  # type: ignore[no-untyped-def]
    """Take each tet's blocks so many times; of those without a share nothing, whatever they are."""
    for i in range(len(shares)):
        for c in range(WIDTH):
            out[WIDTH * i + c] = out[WIDTH * i + c] * shares[i] if shares[i] != 0.0 else np.float32(0.0)


@parallel
def _sum_stiffness(  # type: ignore[no-untyped-def]
    positions, tets, tiles, materials, kinds, programs, offsets, phases, inertia, shares, times, damping, starts, kept, ready,
    late_offsets, late, item_offsets, middles, items, places, rings, aside, more, rate, values,
):
    flat, slot_count = in_fours(positions), tiles.shape[1] // T
    decompose = inertia >= 0.0 or len(shares) > 0
    for run in prange(len(starts) - 1):
        ring, s, kind = rings[run], np.empty(SLOTS * T, tiles.dtype), -1
        for k in range(starts[run], starts[run + 1]):
            if kinds[k] != kind:
                kind = kinds[k]
                put_material(materials[kind], s)
            corners, at = tets[k * T : min(len(tets), (k + 1) * T)], (k % kept) * BLOCKS_OF_TILE
            first, last, out = offsets[k], offsets[k + 1], ring[at : at + BLOCKS_OF_TILE]
            run_stiffness(
                phases[TILE_BLOCKS], tiles[k], s, flat, corners, len(corners), slot_count, programs, first, last, phases,
                inertia, decompose, out,
            )  # fmt: skip
            if len(shares) > 0:
                _share(shares[k * T : (k + 1) * T], out)
                if len(times) > 0:
                    run_damping(damping, s, times[k * T : (k + 1) * T], len(corners), out)
            for item in range(np.uint64(late_offsets[k]), np.uint64(late_offsets[k + 1])):
                put_block(aside, np.uint64(9) * item, load_block(ring, np.uint64(late[item])))
            first, last = np.int64(ready[k]), np.int64(ready[k + 1])  # as below, so that it is compiled once
            sum_edges(first, last, item_offsets, middles, items, places, ring, more, rate, values)
    early, edges = ready[-1], len(places)
    for chunk in prange(CHUNKS):
        first, last = (edges - early) * chunk // CHUNKS, (edges - early) * (chunk + 1) // CHUNKS
        sum_edges(early + first, early + last, item_offsets, middles, items, places, aside, more, rate, values)
