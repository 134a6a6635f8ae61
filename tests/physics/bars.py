"""A free bar that swings along its length: a mode with a closed form."""

import numpy as np

from tests.physics.scenes import box_mesh, make_scene, run

SWING = 0.3  # speed of the ends [m/s]
BAR = {"density": 1000.0, "young_modulus": 1e5, "poisson_ratio": 0.0, "yield_stress": 1e9}  # sound at 10 m/s: 5 Hz


def swinging_bar(material=None, *, cells=8, swing=SWING, options=None, **settings):
    """A metre of bar whose first longitudinal mode starts with the speed `swing`, weightless."""
    mesh = box_mesh((2, 2, cells), (0.25, 0.25, 1.0))
    arguments = make_scene([mesh], [BAR | (material or {})], gravity=(0.0, 0.0, 0.0), options=options, **settings)
    simulation, _ = run(arguments, 1)
    shape = swing * np.cos(np.pi * mesh.positions[:, 2])
    state = simulation.state
    state.velocities[:, 2] += shape
    state.previous_velocities[:, 2] += shape
    state.previous_positions[:, 2] -= shape * simulation.clock.step
    return simulation


def amplitude(simulation, frequency=5.0):
    """Of the first longitudinal mode, as a speed [m/s], from where it is and how fast: the same at any moment of a swing."""
    state = simulation.state
    rest = box_mesh((2, 2, len(state.positions) // 9 - 1), (0.25, 0.25, 1.0)).positions
    shape = np.cos(np.pi * rest[:, 2])
    out, speed = (
        (shape * (part - part.mean())).sum() / (shape**2).sum()
        for part in (state.positions[:, 2] - rest[:, 2], state.velocities[:, 2])
    )
    return float(np.hypot(2.0 * np.pi * frequency * out, speed))
