"""Bargteil 2007, figure 1 (claim B27): a body dropped down a flight of stairs softens where it strikes them, and droops there.

A cow instead of the bunny.
"""

import numpy as np

from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings

from .contract import Array, Figure, Shot
from .shapes import cow, ridge

LAST = 96
STEPS, TREAD, RISE = 4, 0.7, 0.42  # [m]
COW = 0.9  # long [m]
START = STEPS * RISE + 0.45  # height of its feet [m]
SPEED, SPIN = 1.6, 2.5  # forwards [m/s], and over its head [rad/s]


def _scene(resolution: int) -> Scene:
    values = {
        "young_modulus": 3e5, "poisson_ratio": 0.4, "yield_stress": 2.6e4, "flow_rate": 30.0, "hardening_modulus": -5e4,
        "minimum_yield_stress": 2000.0, "damping": 20.0,
    }  # fmt: skip
    body = Body(
        "cow", "Cow", cow(COW, (0.0, 0.0, START)), Material("viscoplastic", values), resolution=resolution,
        velocity=(SPEED, 0.0, 0.0), angular_velocity=(0.0, SPIN, 0.0), remeshing="wholesale",
    )  # fmt: skip
    edges = TREAD * (np.arange(STEPS) + 0.5)
    x = np.concatenate([[-0.8], np.repeat(edges, 2)]) + np.concatenate([[0.0], np.tile([0.0, 1e-3], STEPS)])
    height = RISE * np.concatenate([[STEPS], np.repeat(np.arange(STEPS, 0, -1), 2) - np.tile([0, 1], STEPS)])
    colliders = (
        Collider("stair", "Stair", "mesh", np.eye(4)[None], ridge(x, np.maximum(height, 1e-3), -0.2, 2.4), friction=0.5),
        Collider("ground", "Ground", "plane", np.eye(4)[None], friction=0.5),
    )
    return Scene((body,), colliders, Settings(1, LAST, worst_condition=3.0, body_contact="all", threads=1))


def _measure(shot: Shot) -> dict[str, float]:
    first, last = (shot.points(frame, "cow") for frame in (1, LAST))
    middles = np.array([shot.middle(frame, "cow") for frame in range(1, LAST + 1)])
    soft = shot.attribute(LAST, "cow", "plastic_strain")
    element = next(body.element_size for body in shot.scene.bodies)
    seconds = (LAST - 1) / 24.0
    fastest = np.sqrt(SPEED**2 + 2.0 * 9.81 * (middles[0, 2] - middles[-1, 2]))
    return {
        "middle has come down by / a step": float((middles[0, 2] - middles[-1, 2]) / RISE),
        "middle has gone on by / a step": float((middles[-1, 0] - middles[0, 0]) / TREAD),
        "mean speed forwards / without friction": float((middles[-1, 0] - middles[0, 0]) / seconds / fastest),
        "height / at rest": float(np.ptp(last[:, 2]) / np.ptp(first[:, 2])),
        "share of its surface that has softened": float((soft > 0.1).mean()),
        "share of its surface that is as hard as ever": float((soft < 0.01).mean()),
        "volume / at rest": shot.volume(LAST, "cow") / shot.volume(1, "cow"),
        "depth in the stairs / element, most": max(shot.depth(frame, "cow") for frame in range(1, LAST + 1)) / element,
        "speed of its middle in the last half second [m/s]": _speed(middles[-12:]),
        "frames at which faces cross": float(shot.crossings()),
        "remeshes": shot.total("remeshes"),
    }


def _speed(middles: Array) -> float:
    """Mean speed [m/s] from the first to the last of places (k, 3) a frame."""
    return float(np.linalg.norm(middles[-1] - middles[0]) * 24.0 / (len(middles) - 1))


FIGURE = Figure(
    title="A cow that softens where it strikes the stairs",
    source="Bargteil 2007, figure 1; a cow instead of the bunny",
    scene=_scene,
    resolution=14,
    coarse=14,
    shown=(1, 28, LAST),
    eye=(3.0, -6.2, 2.9),
    focus=(1.2, 0.0, 1.0),
    lens=46.0,
    colours={"cow": (0.80, 0.55, 0.20)},
    measure=_measure,
    bands={
        # down two steps at least, and no further than to lie on the ground
        "middle has come down by / a step": (2.0, (START + COW) / RISE),
        "middle has gone on by / a step": (2.0, 6.0),
        "mean speed forwards / without friction": (0.05, 1.0),
        "height / at rest": (0.25, 1.2),
        # "portions become soft and droop" while others remain hard
        "share of its surface that has softened": (0.05, 0.8),
        "share of its surface that is as hard as ever": (0.02, 0.9),
        "volume / at rest": (0.95, 1.02),
        "depth in the stairs / element, most": (-0.02, 0.02),
        "speed of its middle in the last half second [m/s]": (0.0, 0.1),
        "frames at which faces cross": (0.0, 0.0),
        "remeshes": (1.0, 100.0),
    },
)
