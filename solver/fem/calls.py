"""How kernels call the phases of a tile (laws.py, phases.py) by their addresses; a tile is its flat row."""

from numba import types

from ..jit.by_address import called_by_address

run_law = called_by_address(types.void, "tile", "first", "last")
"""A law's response of lanes first .. last - 1."""

run_direct = called_by_address(types.boolean, "tile", "forces")
"""A law's forces by invariants; whether a lane yields."""

run_on_rows = called_by_address(types.void, "tile", "rows")
"""A law's stiffness by invariants into (TILE, WIDTH), fibres' forces or stiffness into rows like theirs."""

run_on_tile = called_by_address(types.void, "tile")
"""The decomposition."""

run_flow = called_by_address(types.void, "tile", "dt", "programs", "first", "last")
"""Flow of a tile that yields, for dt [s]."""

run_raising = called_by_address(types.void, "tile", "inertia")
"""What makes a tile's moduli positive."""

run_forces = called_by_address(
    types.float64, "kept", "tile", "flat", "corners", "count", "slots", "programs", "first", "last", "phases", "dt",
    "decompose", "forces",
)  # fmt: skip
"""`tile_forces` of elements.py."""

run_stiffness = called_by_address(
    types.void, "kept", "tile", "flat", "corners", "count", "slots", "programs", "first", "last", "phases", "inertia",
    "decompose", "blocks",
)  # fmt: skip
"""`tile_blocks` of stiffness.py."""

run_damping = called_by_address(types.void, "tile", "times", "count", "blocks")
"""Irving's damping of a tile's tets (rotated_damping.py)."""
