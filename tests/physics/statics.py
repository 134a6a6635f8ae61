"""Bodies at rest under dead loads: the implicit step's own energy and solves, with next to no inertia."""

import numpy as np

from solver.fem.newton import ImplicitStep
from solver.integrators import Extrapolation
from solver.simulate import Simulation
from tests.physics.scenes import make_scene

HELD, FREE = 1e9, 1e-9  # inertia over a node's own stiffness
STEP = 1.0 / 96.0


def balance(mesh, material, clamped, *, load=None, places=None, options=None, rounds=40):
    """Where the nodes of a mesh come to rest (n, 3), and the elastic energy there [J], good to 1e-7 times stiffness and volume.

    clamped (n,) are held at places (n, 3), where they are if not given; load (n, 3) [N] acts on the others.
    """
    material = {"yield_stress": 1e12, "flow_rate": 0.0} | material
    simulation = Simulation(*make_scene([mesh], [material], options=options, gravity=(0.0, 0.0, 0.0)), fields=[])
    space, state = simulation.space, simulation.state
    x = mesh.positions.copy() if places is None else places.copy()
    inertia = np.where(clamped, HELD, FREE) * space.firmness
    state.masses = inertia * STEP**2
    pull = np.zeros_like(x) if load is None else np.where(clamped[:, None], 0.0, load / inertia[:, None])
    past = Extrapolation.none(x, x + pull, STEP)
    entries = simulation.contacts.linearize(x)
    for _ in range(rounds):
        problem = ImplicitStep(state, space, simulation.contacts, simulation.damping, past, STEP)
        outcome = problem.minimize(x, np.zeros_like(x), entries, simulation.element_size, simulation.ranges)
        moved, x = np.abs(outcome.positions - x).max(), outcome.positions
        if moved < 1e-6 * simulation.element_size:
            energy = 0.0 if space.volume is None else space.volume.pressures(x)[0]
            problem.evaluate(x)
            return x, energy + float(space.energies.sum())
    raise AssertionError(f"no balance after {rounds} rounds: still moving by {moved:g} m")
