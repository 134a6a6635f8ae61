"""Volume kept at the nodes instead of in each tet, so that nearly incompressible bodies do not lock.

A mesh of linear tets none of which may change its volume can hardly bend; the volumes about its nodes leave it room.
With v_n a quarter of the volumes of the tets at node n, and V_n that at rest, the energy is

    sum_n kappa/2 V_n (v_n/V_n - 1)^2,    its pressure p_n = kappa (v_n/V_n - 1),

and the force on a node sum_t p_t grad vol_t, p_t the mean pressure of a tet's four nodes (Bonet and Burton 1998, "A simple
average nodal pressure tetrahedral element"). It is a polynomial of the positions, so inversion is nothing special, and
flow, which keeps volumes, does not feel it. Each tet's own law keeps a small share of the volume term, which holds
what the nodes' volumes do not see (Puso and Solberg 2006, "A stabilized nodally integrated tetrahedral").
"""

from dataclasses import dataclass, field

import numpy as np
from numba import prange
from numpy.typing import NDArray

from ..jit import CHUNKS, parallel
from ..jit.simd import add, load, store, three, zero
from ..jit.simd_rows import ROWS
from ..slots import NODAL_BULK
from ..state import State
from .assembly import Pattern
from .block_matrix import Layout
from .volume_coupling import FOUR, OTHERS, VolumeCoupling, corner_gradient

Array = NDArray[np.float64]
Floats = NDArray[np.float32]


@dataclass
class NodalVolume:
    """The volume energy of a mesh's nodes.

    rest     : (n,) V_n [m^3]; firmness : (n,) kappa / V_n [Pa/m^3], zero where no tet has the option
    """

    pattern: Pattern
    tets: NDArray[np.int32]
    coupling: VolumeCoupling
    rest: Array = field(init=False)
    firmness: Array = field(init=False)

    @classmethod
    def of(cls, state: State, pattern: Pattern, layout: Layout) -> "NodalVolume | None":
        """Tables for a state's mesh, or None where every tet keeps its volume by itself."""
        if not state.material[NODAL_BULK].any():
            return None
        made = cls(pattern, state.tets, VolumeCoupling.of(pattern, layout, state.tets))
        made.refresh(state)
        return made

    def refresh(self, state: State) -> None:
        """Take over the tets' rest volumes, which a goal shape changes."""
        corners, count = state.tets.ravel(), len(state.positions)
        quarters = 0.25 * state.volumes
        self.rest = np.bincount(corners, np.repeat(quarters, 4), minlength=count).astype(np.float64)
        bulk = np.bincount(corners, np.repeat(quarters * state.material[NODAL_BULK], 4), minlength=count)
        self.firmness = bulk / np.maximum(self.rest, 1e-300) ** 2
        self._volumes, self._pressures = np.empty(len(state.tets)), np.empty(count)
        self._energies, self._turns = np.empty(CHUNKS), np.empty((len(self.coupling.layout.columns), 4), np.float32)

    def pressures(self, positions: Array) -> tuple[float, Array]:
        """The energy [J] and minus the pressure, kappa (v/V - 1), at the nodes (n,) [Pa], at positions (n, 3)."""
        pattern = self.pattern
        _pressures(
            positions, self.tets, pattern.corner_offsets, pattern.corners, self.rest, self.firmness, self._volumes,
            self._pressures, self._energies,
        )  # fmt: skip
        return float(self._energies.sum()), self._pressures

    def energies(self, positions: Array) -> Array:
        """The energy about each node (n,) [J] at positions (n, 3)."""
        _, pressures = self.pressures(positions)
        return 0.5 * pressures**2 / np.where(self.firmness > 0.0, self.firmness, np.inf)

    def add_gradient(self, positions: Array, gradient: Array) -> float:
        """Add the gradient at positions (n, 3) to gradient (n, 3) [N]; return the energy [J]."""
        energy, pressures = self.pressures(positions)
        _add_gradient(positions, self.tets, self.pattern.corner_offsets, self.pattern.corners, pressures, gradient)
        return energy

    def add_curvature(self, positions: Array, values: Floats) -> None:
        """Add what the pressures do to the matrix's values: sum_t p_t d2 vol_t / dx dx."""
        _, pressures = self.pressures(positions)
        layout, slots = self.coupling.layout, self.coupling.corner_slots
        _add_curvature(
            positions, self.tets, layout.order, layout.row_offsets, self.pattern.corner_offsets, self.pattern.corners, slots,
            layout.addresses, layout.slabs.apart, pressures, self._turns, values,
        )  # fmt: skip

    def coupled(self, positions: Array) -> VolumeCoupling:
        """The rest of the second derivative, sum_n kappa/V_n grad v_n grad v_n^T, for the linear solve."""
        return self.coupling.fill(positions, self.firmness)


@parallel
def _pressures(  # type: ignore[no-untyped-def]
    positions, tets, corner_offsets, corners, rest, firmness, volumes, pressures, energies
):
    """Tet volumes, kappa (v_n / V_n - 1), and the energy in CHUNKS parts."""
    for t in prange(len(tets)):
        g0, g1, g2 = corner_gradient(positions, tets[t], 3)
        a, b = tets[t, 0], tets[t, 3]
        volumes[t] = (
            g0 * (positions[b, 0] - positions[a, 0])
            + g1 * (positions[b, 1] - positions[a, 1])
            + g2 * (positions[b, 2] - positions[a, 2])
        )
    n = len(rest)
    for chunk in prange(CHUNKS):
        total = 0.0
        for i in range(n * chunk // CHUNKS, n * (chunk + 1) // CHUNKS):
            volume = 0.0
            for k in range(corner_offsets[i], corner_offsets[i + 1]):
                volume += volumes[corners[k] >> 2]
            excess = 0.25 * volume - rest[i]
            pressures[i] = firmness[i] * excess
            total += 0.5 * firmness[i] * excess * excess
        energies[chunk] = total


@parallel
def _add_gradient(positions, tets, corner_offsets, corners, pressures, gradient):  # type: ignore[no-untyped-def]
    for i in prange(len(gradient)):
        f0, f1, f2 = 0.0, 0.0, 0.0
        for k in range(corner_offsets[i], corner_offsets[i + 1]):
            tet = tets[corners[k] >> 2]
            p = 0.25 * (pressures[tet[0]] + pressures[tet[1]] + pressures[tet[2]] + pressures[tet[3]])
            g0, g1, g2 = corner_gradient(positions, tet, corners[k] & 3)
            f0, f1, f2 = f0 + p * g0, f1 + p * g1, f2 + p * g2
        gradient[i, 0] += f0
        gradient[i, 1] += f1
        gradient[i, 2] += f2


@parallel
def _add_curvature(  # type: ignore[no-untyped-def]
    positions, tets, order, row_offsets, corner_offsets, corners, corner_slots, addresses, apart, pressures, turns, values
):
    """Row by row: of a node's corner to another of the tet the block is p [end - start]_x / 6 of the edge of the other two.

    turns (2e, 4): room for the sums of p (end - start) / 6; addresses (2e,): where each block begins, -1 where only the other
    row has it; by themselves from `apart` on.
    """
    for row in prange(len(order)):
        node = order[row]
        for s in range(np.uint64(row_offsets[row]), np.uint64(row_offsets[row + 1])):
            store(turns, FOUR * s, zero())
        for k in range(np.uint64(corner_offsets[node]), np.uint64(corner_offsets[node + 1])):
            tet, others = tets[corners[k] >> 2], OTHERS[corners[k] & 3]
            p = (pressures[tet[0]] + pressures[tet[1]] + pressures[tet[2]] + pressures[tet[3]]) / 24.0
            for other in range(3):
                slot = corner_slots[k, other]
                if addresses[slot] < 0:
                    continue
                a, b = tet[others[(other + 1) % 3]], tet[others[(other + 2) % 3]]
                turn = three(
                    np.float32(p * (positions[b, 0] - positions[a, 0])), np.float32(p * (positions[b, 1] - positions[a, 1])),
                    np.float32(p * (positions[b, 2] - positions[a, 2])),
                )  # fmt: skip
                at = FOUR * np.uint64(slot)
                store(turns, at, add(load(turns, at), turn))
        for s in range(np.uint64(row_offsets[row]), np.uint64(row_offsets[row + 1])):
            v = addresses[s]
            if v < 0:
                continue
            w0, w1, w2, step = turns[s, 0], turns[s, 1], turns[s, 2], 1 if v >= apart else ROWS
            values[v + step] -= w2
            values[v + 2 * step] += w1
            values[v + 3 * step] += w2
            values[v + 5 * step] -= w0
            values[v + 6 * step] -= w1
            values[v + 7 * step] += w0
