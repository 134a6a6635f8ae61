"""Element data in tiles of TILE tets, one flat row a tile, component after component.

Component c of lane i is tile[c * TILE + i]; a slot is the first component of a group. The simulation's tiles are
float32, twice the lanes and half the bytes of float64; every kernel takes either.

A tile in memory holds what is kept of its tets (slots.py) and no more: kernels fetch it into a tile that has all slots and
stays in cache, work there, and put back what is to be kept. Materials, nearly always the same all over a body, are kept once.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..jit import TILE
from ..slots import (
    ACTIVATION,
    DENSITY,
    ELASTIC_LAW,
    FIBRE,
    FIBRE_STIFFNESS,
    FIBRE_TENSION,
    FLOW_RATE,
    FLOW_STRESS,
    KEPT,
    KEPT_WITH_EXTRAS,
    PLASTIC_LIMIT,
    REMADE,
    VOLUME,
    YIELD,
    B,
)
from ..state import State
from .laws import phase_addresses
from .limit_surface import keep_limits
from .phase_table import PROGRAM
from .phases import phase_table

Numbers = NDArray[np.floating]
PATIENCE = 0.25  # seconds inside out that no blow takes
RISE = 5.0  # by what rate the weight of a tet rises from then on [1/s]
LONGEST = PATIENCE + float(np.log(100.0)) / RISE  # that counts: no tet is over a hundred times as stiff;
SMALLEST, SHRINKING = 0.4, 0.25  # times as large it is to be, after so many seconds more


def righted_size(flattened: NDArray[np.float64]) -> NDArray[np.float64]:
    """How many times (m,) as large as they are tets are to be that have been inside out for times (m,) [s]."""
    share = np.clip((flattened - LONGEST) / SHRINKING, 0.0, 1.0)
    size: NDArray[np.float64] = 1.0 - (1.0 - SMALLEST) * share
    return size


@dataclass
class Tiles:
    """The tiles of a mesh and the elastic laws that they run.

    data     : (tiles, KEPT * TILE) float32 or float64, KEPT_WITH_EXTRAS in meshes with fibres, limits of flow or goals
    materials: (different ones, MATERIAL_ROWS * TILE) of a whole tile each
    kinds    : (tiles,) int32, which of them each tile has
    programs : (PROGRAM * p,) int64, address of an elastic law's phase, the lanes first .. last - 1 that it is for, and the
               addresses of its forces and its stiffness by invariants or 0
    offsets  : (tiles + 1,) int64, where each tile's programs lie
    fibred   : (tiles,) bool, which of them hold fibres
    phases   : (PHASES,) int64, addresses of what all laws share (phases.py)
    reshaped : how often rest shapes may have changed, but for their size
    """

    data: Numbers
    materials: Numbers
    kinds: NDArray[np.int32]
    programs: NDArray[np.int64]
    offsets: NDArray[np.int64]
    fibred: NDArray[np.bool_]
    phases: NDArray[np.int64]
    reshaped: int = 0

    @classmethod
    def of(cls, state: State, precision: type[np.floating] = np.float32) -> "Tiles":
        """Tiles of a state, rest shapes and materials filled in."""
        count = tile_count(state.tets)
        programs, offsets = _programs(state.material[ELASTIC_LAW], count, precision)
        fibred = np.zeros(count, dtype=bool)
        fibred[np.flatnonzero(state.material[[FIBRE_STIFFNESS, FIBRE_TENSION]].any(axis=0)) // TILE] = True
        data = np.zeros((count, KEPT * TILE), precision)
        phases = _phases(precision, state.material, fibred)
        tiles = cls(data, *_materials(state.material, precision), programs, offsets, fibred, phases)
        tiles.refresh(state)
        return tiles

    @property
    def arrays(self) -> tuple[Numbers, Numbers, NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """What kernels take: data, materials, kinds, programs, offsets, phases."""
        return self.data, self.materials, self.kinds, self.programs, self.offsets, self.phases

    @property
    def flowing(self) -> bool:
        """Whether anything flows, as far as the last evaluation knows."""
        return bool((self.data[:, REMADE * TILE] == 0.0).any())

    @property
    def limitless(self) -> bool:
        """Whether there is no room for limits of flow or goals, since no tet has one."""
        return self.data.shape[1] == KEPT * TILE

    @property
    def lanes(self) -> int:
        """How many tets they have room for."""
        return len(self.data) * TILE

    def refresh(self, state: State) -> None:
        """Take over what flow has changed."""
        self.reshaped += 1
        if self.fibred.any() or (state.goal_rate >= 0.0).any() or state.material[PLASTIC_LIMIT].any():
            self.keep_extras()
        self.weigh(state)
        self.pack(DENSITY, state.density)
        self.pack(YIELD, state.yield_stress)
        self.pack(FLOW_STRESS, state.flow_stress)
        keep_limits(self.data, state)
        self.turn_fibres(state)

    def weigh(self, state: State) -> None:
        """Take over rest shapes, and volumes times what the energy of tets counts for: both are others where tets are righted
        (righting.py)."""
        volumes, inverse = state.volumes, state.rest_shape_inverse
        if state.flattened.any():
            volumes = volumes * np.exp(RISE * (np.clip(state.flattened, PATIENCE, LONGEST) - PATIENCE))
            inverse = inverse / righted_size(state.flattened)[:, None, None]
        self.pack(VOLUME, volumes)
        self.pack(B, inverse.reshape(-1, 9))

    def set_materials(self, material: Numbers) -> None:
        """Take over parameters (MATERIAL_ROWS, m)."""
        precision = self.data.dtype.type
        self.materials, self.kinds = _materials(material, precision)
        self.phases = _phases(precision, material, self.fibred)
        if material[PLASTIC_LIMIT].any():
            self.keep_extras()

    def keep_extras(self) -> None:
        """Make room for what fibres, limits of flow and goals need, if there is none yet."""
        if self.limitless:
            self.data = np.pad(self.data, ((0, 0), (0, (KEPT_WITH_EXTRAS - KEPT) * TILE)))
            self.data[~self.fibred, ACTIVATION * TILE : (ACTIVATION + 1) * TILE] = -1.0

    def activate(self, activation: Numbers) -> None:
        """Set how far the fibres of each tet (m,) are activated, in a mesh that has some."""
        self.pack(ACTIVATION, activation)
        self.data[~self.fibred, ACTIVATION * TILE : (ACTIVATION + 1) * TILE] = -1.0

    def turn_fibres(self, state: State) -> None:
        """Let the fibres follow the material's lines through flow: F_p a, unit length, whatever rotation F_p holds."""
        if self.fibred.any():
            turned = (state.plastic_deformation @ state.fibres[:, :, None])[:, :, 0]
            length = np.sqrt((turned**2).sum(axis=1, keepdims=True))
            self.pack(FIBRE, turned / np.where(length > 0.0, length, 1.0))

    def pack(self, slot: int, values: Numbers) -> None:
        """Write values (m,) or (m, k) into k slots from `slot` on; padding lanes get zero."""
        pack(self.data, slot, values)

    def unpack(self, slot: int, width: int, count: int) -> NDArray[np.float64]:
        """Read `width` slots of the first `count` tets as (count, width)."""
        return unpack(self.data, slot, width, count)


def tile_count(tets: NDArray[np.integer]) -> int:
    """How many tiles tets (m, 4) take."""
    return -(-len(tets) // TILE)


def pack(data: Numbers, slot: int, values: Numbers) -> None:
    """Write values (m,) or (m, k) into k slots of tiles from `slot` on; padding lanes get zero."""
    flat, whole = values.reshape(len(values), -1), len(values) // TILE
    width, rest = flat.shape[1], len(values) - whole * TILE
    slots = data.reshape(len(data), data.shape[1] // TILE, TILE)[:, slot : slot + width]
    slots[:whole] = flat[: whole * TILE].reshape(whole, TILE, width).transpose(0, 2, 1)
    slots[whole:] = 0.0
    if rest:
        slots[whole, :, :rest] = flat[whole * TILE :].T


def unpack(data: Numbers, slot: int, width: int, count: int) -> NDArray[np.float64]:
    """Read `width` slots of the first `count` tets as (count, width)."""
    block = data[:, slot * TILE : (slot + width) * TILE].reshape(len(data), width, TILE)
    return np.ascontiguousarray(block.transpose(0, 2, 1).reshape(-1, width)[:count], dtype=np.float64)


def _materials(material: Numbers, precision: type[np.floating]) -> tuple[Numbers, NDArray[np.int32]]:
    """Materials (MATERIAL_ROWS, m) a tile at a time, those of tiles of one material once, and the one that each tile has."""
    rows, tets = material.shape
    count = (tets + TILE - 1) // TILE
    runs = np.concatenate([[0], np.cumsum((material[:, 1:] != material[:, :-1]).any(axis=0))])  # of equal tets
    ends = runs[np.minimum(np.arange(1, count + 1) * TILE, tets) - 1]
    own = runs[::TILE] != ends
    own[tets // TILE :] = True  # padding lanes have none
    names, kinds = np.unique(np.where(own, -1 - np.arange(count), ends), return_inverse=True)
    table = np.zeros((len(names), rows, TILE), precision)
    for kind, tile in enumerate(np.unique(kinds, return_index=True)[1]):
        part = material[:, tile * TILE : (tile + 1) * TILE]
        table[kind, :, : part.shape[1]] = part
    return table.reshape(len(names), -1), kinds.astype(np.int32).ravel()


def _phases(precision: type[np.floating], material: Numbers, fibred: NDArray[np.bool_]) -> NDArray[np.int64]:
    return phase_table(np.dtype(precision), bool(material[FLOW_RATE].any()), bool(fibred.any()))


def _programs(
    laws: NDArray[np.float64], count: int, precision: type[np.floating]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each tile's laws with their lanes (PROGRAM * p,), and where they begin; a tile where two bodies meet has one for each."""
    programs, offsets = [], [0]
    if not (laws != laws[0]).any():
        only: Any = precision
        phase, *direct = phase_addresses(int(laws[0]), only)
        return np.tile(np.array([phase, 0, TILE, *direct], dtype=np.int64), count), np.arange(count + 1)
    for tile in range(count):
        own = laws[tile * TILE : (tile + 1) * TILE]
        starts = [0, *(np.flatnonzero(np.diff(own)) + 1).tolist(), TILE]
        kind: Any = precision
        for a, b in pairwise(starts):
            phase, *direct = phase_addresses(int(own[a]), kind)
            programs += [phase, a, b, *direct]
        offsets.append(len(programs) // PROGRAM)
    return np.array(programs, dtype=np.int64), np.array(offsets, dtype=np.int64)
