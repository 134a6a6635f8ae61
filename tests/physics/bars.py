"""A free bar that swings along its length: a mode with a closed form."""

import numpy as np

from tests.physics.scenes import box_mesh, make_scene, run, with_keys

SWING = 0.3  # speed of the ends [m/s]
BAR = {"density": 1000.0, "young_modulus": 1e5, "poisson_ratio": 0.0, "yield_stress": 1e9}  # sound at 10 m/s: 5 Hz


def swinging_bar(material=None, *, keys=None, options=None, **settings):
    """A metre of bar whose first longitudinal mode starts with the speed SWING, weightless."""
    mesh = box_mesh((2, 2, 8), (0.25, 0.25, 1.0))
    arguments = make_scene([mesh], [BAR | (material or {})], gravity=(0.0, 0.0, 0.0), options=options, **settings)
    arguments = with_keys(arguments, **(keys or {}))
    simulation, _ = run(arguments, 1)
    shape = SWING * np.cos(np.pi * mesh.positions[:, 2])
    state = simulation.state
    state.velocities[:, 2] += shape
    state.previous_velocities[:, 2] += shape
    state.previous_positions[:, 2] -= shape * simulation.clock.step
    return simulation


def mode(simulation):
    """How far the first longitudinal mode is out [m], and how fast it moves [m/s]."""
    state = simulation.state
    rest = box_mesh((2, 2, len(state.positions) // 9 - 1), (0.25, 0.25, 1.0)).positions
    shape = np.cos(np.pi * rest[:, 2])
    parts = (state.positions[:, 2] - rest[:, 2], state.velocities[:, 2])
    out, speed = (float((shape * (part - part.mean())).sum() / (shape**2).sum()) for part in parts)
    return out, speed


def amplitude(simulation, frequency=5.0):
    """The mode's amplitude as a speed [m/s]: the same at any moment of a swing."""
    out, speed = mode(simulation)
    return float(np.hypot(2.0 * np.pi * frequency * out, speed))
