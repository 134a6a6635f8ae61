"""A time integrator's steps on a free mesh."""

import numpy as np
from numpy.typing import NDArray

from ..embedding import at_nodes
from ..integrators import start_in_free_flight
from ..materials import Material
from ..scene import Scene, Settings
from ..simulate import Simulation
from .elastic import nodal_forces
from .sample import checked, sample_body

Array = NDArray[np.float64]


def integrate(
    positions: Array, velocities: Array, tets: NDArray[np.integer], rest_positions: Array, material: Material,
    step: float, steps: int = 1, integrator: str = "generalized_alpha", gravity: tuple[float, float, float] = (0.0, 0.0, 0.0),
) -> tuple[Array, Array]:  # fmt: skip
    """Positions (n, 3) [m] and velocities (n, 3) [m/s] after `steps` steps of `step` seconds from those given.

    The mesh of tets (m, 4) is at rest at rest_positions (n, 3) and touches nothing; `integrator` is a file of
    solver/integrators. Each starts as if the mesh had been in free flight. A step that a bake would refuse (Bargteil
    2007, section 5), or that is too long for an explicit integrator, is taken in halves.
    """
    body, mesh = sample_body(rest_positions, tets, material)
    rest = mesh.positions
    settings = Settings(1, steps + 1, 1.0 / step, gravity, maximum_substep=step, integrator=integrator)
    binding = at_nodes(mesh)
    simulation = Simulation(Scene((body,), (), settings), [mesh], [binding], [binding])
    state = simulation.state
    state.positions = checked("positions", positions, rest.shape).copy()
    state.velocities = checked("velocities", velocities, rest.shape).copy()
    state.elastic_forces = nodal_forces(state.positions, mesh.tets, rest, material)
    start_in_free_flight(state, np.asarray(gravity), step)
    for _ in range(steps + 1):
        simulation.advance()
    return simulation.state.positions, simulation.state.velocities
