"""Forces and steps of the draft model."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..draft import elements
from ..draft.simulation import DraftSimulation
from ..draft.slots import PLASTIC
from ..draft.state import build_draft_state
from ..draft.step import STEP
from ..embedding import at_nodes
from ..fem.tile import unpack
from ..jit import TILE
from ..materials import Material
from ..scene import Scene, Settings
from .sample import checked, sample_body

Array = NDArray[np.float64]


@dataclass(frozen=True)
class DraftStep:
    """What a step of the draft model leaves.

    positions      : (n, 3) [m]
    velocities     : (n, 3) [m/s]
    plastic_strain : (m, 6), 00 11 22 01 02 12 in the frame of the rest shape
    """

    positions: Array
    velocities: Array
    plastic_strain: Array


def warped_forces(
    positions: Array, tets: NDArray[np.integer], rest_positions: Array, material: Material, plastic_strain: Array | None = None
) -> Array:
    """Forces (n, 3) [N] of a `draft` material on nodes at positions (n, 3) of tets (m, 4), at rest at rest_positions (n, 3).

    plastic_strain (m, 6) as of `DraftStep`, None for none. R (K_e (x_0 - R^-1 x) + P_e plastic) a tet, R its rotation (Mueller
    and Gross 2004, eqs 6 to 8 and 15 to 16; M3, M9). Raises ValueError as `nodal_forces` does.
    """
    body, mesh = sample_body(rest_positions, tets, material, "draft")
    state, _ = build_draft_state((body,), [mesh])
    if plastic_strain is not None:
        state.plastic[:] = checked("plastic_strain", plastic_strain, state.plastic.shape)
    placed, tiles = checked("positions", positions, mesh.positions.shape), elements.build_tiles(state, np.float64)
    lanes, total = len(tiles) * TILE, np.zeros(mesh.positions.shape)
    elements.turn_and_yield(placed, state.tets, tiles, 0.0, np.zeros((lanes, 2)))
    corners, blocks = np.zeros((lanes, 12)), np.zeros((lanes, 6, 9))
    elements.warped_forces(placed, state.tets, tiles, 0.0, corners, blocks)
    np.add.at(total, state.tets, corners[: len(state.tets)].reshape(-1, 4, 3))
    return total


def draft_step(
    positions: Array, velocities: Array, tets: NDArray[np.integer], rest_positions: Array, material: Material,
    step: float = STEP, steps: int = 1, gravity: tuple[float, float, float] = (0.0, 0.0, 0.0),
    plastic_strain: Array | None = None,
) -> DraftStep:  # fmt: skip
    """Let a free mesh of a `draft` material take `steps` steps of `step` seconds, 0.01 at most, as a bake does.

    Implicit Euler with the stiffness turned once, 20 iterations of conjugate gradients, then yield and creep (Mueller and Gross
    2004, eqs 13 and 14 and section 6; M8, M13). Arguments as of `warped_forces` and `integrate`; raises ValueError too where
    the step is longer.
    """
    if not 0.0 < step <= STEP:
        raise ValueError(f"the step is {step:g} s; the draft model takes at most {STEP:g}")
    body, mesh = sample_body(rest_positions, tets, material, "draft")
    settings, binding = Settings(1, steps + 1, 1.0 / step, gravity, maximum_substep=step), at_nodes(mesh)
    simulation = DraftSimulation(Scene((body,), (), settings), [mesh], [binding], [binding], [])
    state = simulation.state
    state.positions = checked("positions", positions, mesh.positions.shape).copy()
    state.velocities = checked("velocities", velocities, mesh.positions.shape).copy()
    arrays = simulation.checkpoint()
    if plastic_strain is not None:
        arrays["plastic"] = checked("plastic_strain", plastic_strain, state.plastic.shape).copy()
    simulation.restore(arrays)
    for _ in range(steps + 1):
        simulation.advance()
    found = simulation.state
    return DraftStep(found.positions, found.velocities, unpack(simulation.space.tiles, PLASTIC, 6, len(found.tets)))
