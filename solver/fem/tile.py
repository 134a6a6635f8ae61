"""Element data in tiles of TILE tets, one flat row a tile, component after component.

Constant distances inside one buffer are what lets LLVM prove that loads and stores do not overlap and use SIMD.
Component c of lane i is tile[c * TILE + i]; a slot is the first component of a group.
"""

import numpy as np
from numpy.typing import NDArray

from ..jit import TILE
from ..state import MATERIAL_ROWS, State

F = 0  # deformation gradient, row-major (9)
U = 9  # left rotation (9)
S = 18  # principal stretches (3)
V = 21  # right rotation (9)
P = 30  # principal first Piola-Kirchhoff stresses (3) [Pa]
ENERGY = 33  # energy density [J/m^3]
FLOW = 34  # plastic log strain of this step, p = gamma a
SLOPE = 35  # rise of the flow stress per plastic log strain [Pa]
MEASURE = 36  # yield measure after flow [Pa]
SIZE = 37  # a: size of the trial log deviator; 0 where the element does not yield
N = 38  # its direction (3)
B = 41  # rest shape inverse (9) [1/m]
VOLUME = 50  # rest volume [m^3]; 0 in padding lanes
MATERIAL = 51  # rows of State.material
YIELD = MATERIAL + MATERIAL_ROWS  # yield stress with hardening [Pa]
FLOW_STRESS = YIELD + 1  # yield measure at the end of the last step [Pa]
H = FLOW_STRESS + 1  # principal Hessian: 00 11 22 01 02 12
SYM = H + 6  # (P_i - P_j) / (s_i - s_j) for 01 02 12
ANTI = SYM + 3  # (P_i + P_j) / (s_i + s_j) for 01 02 12
DENSITY = ANTI + 3  # [kg/m^3]
FLOOR = DENSITY + 1  # curvature that the element's inertia outweighs [Pa]
G = FLOOR + 1  # shape gradients of the four nodes, turned by V^T (12) [1/m]
SLOTS = G + 12


def tile_count(count: int) -> int:
    """How many tiles `count` tets fill."""
    return (count + TILE - 1) // TILE


def pack(tiles: NDArray[np.float64], slot: int, values: NDArray[np.float64]) -> None:
    """Write values (m,) or (m, k) into k slots from `slot` on; padding lanes get zero."""
    flat = values.reshape(len(values), -1)
    padded = np.zeros((len(tiles) * TILE, flat.shape[1]))
    padded[: len(flat)] = flat
    block = padded.reshape(len(tiles), TILE, flat.shape[1]).transpose(0, 2, 1)
    tiles[:, slot * TILE : (slot + flat.shape[1]) * TILE] = block.reshape(len(tiles), -1)


def unpack(tiles: NDArray[np.float64], slot: int, width: int, count: int) -> NDArray[np.float64]:
    """Read `width` slots of the first `count` tets as (count, width)."""
    block = tiles[:, slot * TILE : (slot + width) * TILE].reshape(len(tiles), width, TILE)
    return np.ascontiguousarray(block.transpose(0, 2, 1).reshape(-1, width)[:count])


def build_tiles(state: State) -> NDArray[np.float64]:
    """Tiles of a state, rest shapes and materials filled in."""
    tiles = np.zeros((tile_count(len(state.tets)), SLOTS * TILE))
    pack(tiles, VOLUME, state.volumes)
    pack(tiles, DENSITY, state.density)
    pack(tiles, MATERIAL, state.material.T)
    refresh_tiles(tiles, state)
    return tiles


def refresh_tiles(tiles: NDArray[np.float64], state: State) -> None:
    """Take over what flow has changed."""
    pack(tiles, B, state.rest_shape_inverse.reshape(-1, 9))
    pack(tiles, YIELD, state.yield_stress)
    pack(tiles, FLOW_STRESS, state.flow_stress)
