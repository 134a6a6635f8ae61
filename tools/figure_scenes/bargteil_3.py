"""Bargteil 2007, figure 3: goo that hardens as it flows stays hanging over a bar, the same goo without hardening runs down.

Two cows instead of the paper's bunnies, their bellies on one bar. Half a cow pulls at its middle with some 9 kPa (15 kg on an
arm of 0.25 m, 0.35 m across), six times the yield stress, which hardening reaches at a plastic strain of about 0.2.
"""

import numpy as np

from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings

from .contract import Array, Figure, Shot
from .shapes import cow, tube

LAST, REST = 72, 12  # the last frame, and before it those in which the one that hardens is to be at rest
COW, RADIUS, HEIGHT = 1.0, 0.08, 1.6  # length of the cows, radius of the bar, height of its axis [m]
PLACES = {"hardens": -0.6, "flows": 0.6}  # along the bar [m]
HARDENING = {"hardens": 40e3, "flows": 0.0}  # [Pa]


def _scene(resolution: int) -> Scene:
    values = {
        "young_modulus": 6e4, "poisson_ratio": 0.4, "density": 300.0, "yield_stress": 1500.0, "flow_rate": 20.0,
        "damping": 12.0,
    }  # fmt: skip
    bodies = []
    for name, place in PLACES.items():
        standing = cow(COW, (0.0, place, 0.0))
        belly = standing.positions[np.abs(standing.positions[:, 0]) < 0.5 * RADIUS][:, 2].min()
        surface = cow(COW, (0.0, place, HEIGHT + RADIUS - float(belly) + 0.01))
        material = Material("viscoplastic", {**values, "hardening_modulus": HARDENING[name]})
        bodies.append(Body(name, name.capitalize(), surface, material, resolution=resolution))
    bar = tube([(0.0, y, HEIGHT) for y in np.linspace(-1.4, 1.4, 9)], np.full(9, RADIUS), 32)
    colliders = (
        Collider("bar", "Bar", "mesh", np.eye(4)[None], bar, friction=1.0),
        Collider("ground", "Ground", "plane", np.eye(4)[None], friction=0.8),
    )
    return Scene(tuple(bodies), colliders, Settings(1, LAST, threads=1))


def _measure(shot: Shot) -> dict[str, float]:
    sag = {name: [_sag(shot, name, frame) for frame in (LAST - REST, LAST)] for name in PLACES}
    strain = {name: float(shot.attribute(LAST, name, "plastic_strain").mean()) for name in PLACES}
    hangs = shot.points(LAST, "hardens")
    return {
        "ends of the one that hardens have come down by / its length": sag["hardens"][1] / COW,
        "ends of the other have come down by / those of the first": sag["flows"][1] / sag["hardens"][1],
        "the first comes down in the last half second by / its length": (sag["hardens"][1] - sag["hardens"][0]) / COW,
        "plastic strain of the first": strain["hardens"],
        "plastic strain of the other / of the first": strain["flows"] / strain["hardens"],
        "lowest point of the first over the ground / its length": float(hangs[:, 2].min() / COW),
        "volume of the first / at rest": shot.volume(LAST, "hardens") / shot.volume(1, "hardens"),
        "volume of the other / at rest": shot.volume(LAST, "flows") / shot.volume(1, "flows"),
    }


def _sag(shot: Shot, name: str, frame: int) -> float:
    """By how much the tenths of a cow that are outermost at rest have come down against the middle tenth [m]."""
    first = shot.points(1, name)
    away = np.abs(first[:, 0] - 0.5 * (first[:, 0].min() + first[:, 0].max()))
    ends, middle = away > np.quantile(away, 0.9), away < np.quantile(away, 0.1)

    def height(points: Array) -> float:
        return float(points[ends][:, 2].mean() - points[middle][:, 2].mean())

    return height(first) - height(shot.points(frame, name))


FIGURE = Figure(
    title="What hardens hangs over the bar",
    source="Bargteil 2007, figure 3; cows",
    scene=_scene,
    resolution=16,
    coarse=10,
    shown=(1, 24, LAST),
    eye=(2.6, -3.6, 2.2),
    focus=(0.0, 0.0, 1.1),
    lens=38.0,
    colours={"hardens": (0.75, 0.35, 0.28), "flows": (0.35, 0.5, 0.75)},
    measure=_measure,
    bands={
        # written down before the first bake: it bends, hardens and stops; the other goes on
        "ends of the one that hardens have come down by / its length": (0.02, 0.45),
        "ends of the other have come down by / those of the first": (1.25, 20.0),
        "the first comes down in the last half second by / its length": (-0.02, 0.02),
        "plastic strain of the first": (0.01, 0.4),
        "plastic strain of the other / of the first": (1.3, 50.0),
        "lowest point of the first over the ground / its length": (0.3, 1.6),
        "volume of the first / at rest": (0.95, 1.02),
        "volume of the other / at rest": (0.95, 1.02),
    },
)
