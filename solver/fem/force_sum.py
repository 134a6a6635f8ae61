"""The forces of all tets summed at the nodes as they are made, while they are still in cache."""

from dataclasses import dataclass, field

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..jit import CHUNKS, TILE, kernel, parallel
from ..jit.simd import load, store_three
from ..slots import SLOTS
from .assembly import Pattern, sum_corners
from .calls import run_forces
from .elements import FORCES_OF_TILE, in_fours, put_material, without_extras
from .phase_table import FORCES as TILE_FORCES
from .runs import FORCES, Runs
from .tile import Tiles

Array = NDArray[np.float64]
Floats = NDArray[np.float32]
IntArray = NDArray[np.int32]

T = TILE


@dataclass
class ForceSum:
    """What evaluates a mesh's tiles and sums their forces.

    tets (m, 4); nodes (n,): in the order in which they are summed; offsets (n + 1,), items (4m,): as `sum_corners` takes them
    """

    tets: IntArray
    runs: Runs
    nodes: IntArray
    offsets: IntArray
    items: IntArray
    rings: Floats = field(init=False, repr=False)
    aside: Floats = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.rings, self.aside = self.runs.rings(), self.runs.aside()

    @classmethod
    def of(cls, tets: IntArray, pattern: Pattern, starts: IntArray | None) -> "ForceSum":
        """Tables for a mesh and its runs of tiles."""
        count = len(pattern.corner_offsets) - 1
        runs, found = Runs.of(tets.reshape(-1), count, FORCES, starts)
        nodes, offsets = np.empty(count, np.int32), np.zeros(count + 1, np.int32)
        nodes[runs.place] = np.arange(count)
        np.cumsum(np.diff(pattern.corner_offsets)[nodes], out=offsets[1:])
        return cls(tets, runs, nodes, offsets, found[_in_order(nodes, pattern.corner_offsets, pattern.corners)])

    def evaluate(self, positions: Array, tiles: Tiles, step: float, forces: Array, energies: Array) -> None:
        """Fill tiles up to stress and flow over a step [s], forces (n, 3) on the nodes [N] and energies (tiles,) [J] at
        positions (n, 3)."""
        runs = self.runs
        _evaluate(
            positions, self.tets, *tiles.arrays, step, runs.starts, runs.kept, runs.ready, runs.late_offsets,
            runs.late, self.nodes, self.offsets, self.items, self.rings, self.aside, forces, energies,
        )  # fmt: skip


@kernel
def _in_order(nodes, offsets, corners):  # type: ignore[no-untyped-def]
    """The corners of nodes (n,), one node after the other."""
    items, count = np.empty_like(corners), 0
    for node in nodes:
        for k in range(offsets[node], offsets[node + 1]):
            items[count] = corners[k]
            count += 1
    return items


@parallel
def _evaluate(  # type: ignore[no-untyped-def]
    positions, tets, tiles, materials, kinds, programs, bounds, phases, dt, starts, kept, ready, late_offsets, late, nodes,
    offsets, items, rings, aside, forces, energies,
):
    flat, slots = in_fours(positions), tiles.shape[1] // T
    for run in prange(len(starts) - 1):
        ring, s, kind = rings[run], np.empty(SLOTS * T, tiles.dtype), -1
        without_extras(s)
        for k in range(starts[run], starts[run + 1]):
            if kinds[k] != kind:
                kind = kinds[k]
                put_material(materials[kind], s)
            corners, at = tets[k * T : min(len(tets), (k + 1) * T)], (k % kept) * FORCES_OF_TILE
            energies[k] = run_forces(
                phases[TILE_FORCES], tiles[k], s, flat, corners, len(corners), slots, programs, bounds[k], bounds[k + 1],
                phases, dt, False, ring[at : at + FORCES_OF_TILE],
            )  # fmt: skip
            for item in range(np.uint64(late_offsets[k]), np.uint64(late_offsets[k + 1])):
                store_three(aside, np.uint64(3) * item, load(ring, np.uint64(late[item])))
            first, last = np.int64(ready[k]), np.int64(ready[k + 1])  # as below, so that it is compiled once
            sum_corners(first, last, nodes, offsets, items, ring, forces)
    early, count = ready[-1], len(nodes)
    for chunk in prange(CHUNKS):
        first, last = (count - early) * chunk // CHUNKS, (count - early) * (chunk + 1) // CHUNKS
        sum_corners(early + first, early + last, nodes, offsets, items, aside, forces)
