"""What is done to a whole tile, compiled once for each type of number and called by its address, whoever calls it.

A kernel that another one calls becomes a part of it and is compiled again with each that calls it; so the decomposition and
the flow were a third of what a bake compiles. What nothing in a mesh asks for is not compiled at all.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numba import from_dtype, types
from numpy.typing import NDArray

from ..jit import compile_phase
from ..svd import decompose_tile
from .elements import tile_forces
from .fibres import pull, stiffen
from .flow import flow
from .phase_table import BLOCKS, DECOMPOSE, FLOWING, FORCES, PHASES, PULL, RAISING, STIFFEN
from .rotated_damping import add_rotated_damping
from .stiffness import raise_curvature, tile_blocks

WHOLE, REAL = types.intp, types.float64
FLAT, CORNERS, TABLE = (types.CPointer(kind) for kind in (types.float64, types.int32, types.int64))


def phase_table(precision: np.dtype[Any], flows: bool, fibred: bool) -> NDArray[np.int64]:
    """The addresses (PHASES,) for tiles of a precision, of which some may flow, or hold fibres."""
    table = np.zeros(PHASES, dtype=np.int64)
    for place in (FORCES, BLOCKS, DECOMPOSE, RAISING, *([FLOWING] if flows else []), *([PULL, STIFFEN] if fibred else [])):
        table[place] = _address(place, precision)
    return table


@cache
def damping_address(precision: np.dtype[Any]) -> int:
    """The address of Irving's damping for tiles of a precision."""
    tile = types.CPointer(from_dtype(precision))
    return _compiled(add_rotated_damping, types.void(tile, types.CPointer(types.float32), WHOLE, tile))


@cache
def _address(place: int, precision: np.dtype[Any]) -> int:
    tile = types.CPointer(from_dtype(precision))
    of_tile = (tile, tile, FLAT, CORNERS, WHOLE, WHOLE, TABLE, WHOLE, WHOLE, TABLE, REAL, WHOLE, tile)
    phases: dict[int, tuple[Callable[..., Any], Any]] = {
        FORCES: (tile_forces, types.float64(*of_tile)),
        BLOCKS: (tile_blocks, types.void(*of_tile)),
        DECOMPOSE: (decompose_tile.py_func, types.void(tile)),
        RAISING: (raise_curvature, types.void(tile, REAL)),
        FLOWING: (flow, types.void(tile, REAL, TABLE, WHOLE, WHOLE)),
        PULL: (_pull, types.void(tile, tile)),
        STIFFEN: (_stiffen, types.void(tile, tile)),
    }
    return _compiled(*phases[place])


def _compiled(function: Callable[..., Any], signature: Any) -> int:
    address: int = compile_phase(function, signature).address
    return address


def _pull(tile: Any, forces: Any) -> None:
    pull(tile, forces)


def _stiffen(tile: Any, blocks: Any) -> None:
    stiffen(tile, blocks)
