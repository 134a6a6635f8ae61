"""The arrays that the steps of one mesh share, and how hard its elements hold a node."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..geometry.chunks import side_by_side
from ..jit import kernel
from ..slots import LAMBDA, MU, NODAL_BULK
from ..state import Solids, State
from .assembly import Pattern, build_pattern
from .force_sum import ForceSum
from .linear_solve import LinearSolve
from .nodal_volume import NodalVolume
from .runs import runs_of
from .stiffness_sum import StiffnessSum
from .surface_tension import SurfaceTension
from .tile import Tiles, tile_count

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Unknowns:
    """What a solve takes from how tets hang together and where their nodes lie when they are new: no state is asked for it.

    starts : the runs of tiles in which things are summed (runs.py)
    """

    pattern: Pattern
    starts: NDArray[np.int32] | None
    linear: LinearSolve
    forces: ForceSum

    @classmethod
    def of(cls, tets: NDArray[np.int32], positions: Array) -> "Unknowns":
        """Those of tets (m, 4) on nodes at positions (n, 3) [m]."""
        pattern, starts = build_pattern(tets, len(positions)), runs_of(tile_count(tets))
        linear, forces = side_by_side(
            lambda: LinearSolve.of(pattern, positions, starts), lambda: ForceSum.of(tets, pattern, starts)
        )
        return cls(pattern, starts, linear, forces)


@dataclass
class Workspace:
    """Arrays of the solve, allocated once per mesh."""

    pattern: Pattern
    tiles: Tiles
    energies: Array
    forces: ForceSum
    diagonal: Array
    linear: LinearSolve
    stiffness: StiffnessSum
    firmness: Array
    volume: NodalVolume | None
    tension: SurfaceTension | None
    inertial: Array = field(default_factory=lambda: np.zeros(64))

    @classmethod
    def of(cls, state: State, unknowns: Unknowns | None = None) -> "Workspace":
        """Tables and arrays for a state's mesh; unknowns: those of its tets, if they are at hand."""
        known, (tiles, firmness) = side_by_side(
            lambda: unknowns or Unknowns.of(state.tets, state.positions),
            lambda: (Tiles.of(state), elastic_firmness(state, state.material[NODAL_BULK])),
        )
        pattern, linear = known.pattern, known.linear
        return cls(
            pattern=pattern, tiles=tiles, energies=np.zeros(len(tiles.data)), forces=known.forces,
            diagonal=np.zeros((len(state.positions), 9)), linear=linear, stiffness=StiffnessSum(state.tets, linear.layout),
            firmness=firmness, volume=NodalVolume.of(state, pattern, linear.layout),
            tension=SurfaceTension.of(state, linear.layout),
        )  # fmt: skip


def node_modulus(material: Array) -> Array:
    """Mean over directions of the modulus with which materials (rows, m) hold a single node, (m,) [Pa]."""
    modulus: Array = (material[LAMBDA] + 4.0 * material[MU]) / 3.0
    return modulus


def elastic_firmness(state: Solids, bulk: Array | float = 0.0) -> Array:
    """Elastic stiffness (n,) [N/m] with which the mesh at rest holds a single node, the mean over directions.

    bulk (m,): what is added to lambda [Pa].
    """
    stiffness = state.volumes * (node_modulus(state.material) + bulk / 3.0)
    firmness = np.zeros(len(state.positions))
    _add_firmness(state.tets, state.rest_shape_inverse.reshape(-1, 9), stiffness, firmness)
    return firmness


@kernel
def _add_firmness(tets, inverse, stiffness, firmness):  # type: ignore[no-untyped-def]
    """Add k |b_n|^2 of tets (m, 4) to nodes (n,): b_n are the rows of the inverse rest shape (m, 9), and less their sum."""
    for t in range(len(tets)):
        b, k = inverse[t], stiffness[t]
        x, y, z = b[0] + b[3] + b[6], b[1] + b[4] + b[7], b[2] + b[5] + b[8]
        firmness[tets[t, 0]] += k * (x * x + y * y + z * z)
        for n in range(3):
            x, y, z = b[3 * n], b[3 * n + 1], b[3 * n + 2]
            firmness[tets[t, n + 1]] += k * (x * x + y * y + z * z)
