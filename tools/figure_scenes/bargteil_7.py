"""Bargteil 2007, figure 7 (claim B32): stars of dough dropped flat; rate and yield stress decide what is left of them.

Two stars, alike but for that: bread dough, and batter that yields to a fiftieth of the stress and flows twenty times as fast.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np

from solver.presets import load_preset
from solver.scene import Body, Collider, Scene, Settings, Surface

from .contract import Array, Figure, Shot
from .shapes import geodesic

PRESET = Path(__file__).resolve().parents[2] / "presets" / "dough.toml"
LAST = 120
RADIUS, HEIGHT, POINTS = 0.35, 0.45, 5  # mean radius, and height of the middles at first [m]
PLACES = {"dough": -0.65, "batter": 0.65}


def star(middle: float) -> Surface:
    ball = geodesic(1.0, (0.0, 0.0, 0.0), 14)
    across = ball.positions[:, :2]
    angle, squared = np.arctan2(across[:, 1], across[:, 0]), (across**2).sum(axis=1)
    points = ball.positions * RADIUS * np.array([1.0, 1.0, 0.45])
    # The wave of the points fades towards the axis, about which its angle turns within no distance.
    points[:, :2] *= (1.0 + 0.4 * squared * np.cos(POINTS * angle))[:, None]
    return Surface(points + (middle, 0.0, HEIGHT), ball.triangles)


def _scene(resolution: int) -> Scene:
    goo = load_preset(PRESET)
    values = goo.material.values
    thin = {"yield_stress": 0.02 * values["yield_stress"], "flow_rate": 20.0 * values["flow_rate"], "hardening_modulus": 0.0}
    materials = {"dough": goo.material, "batter": replace(goo.material, values={**values, **thin})}
    bodies = tuple(
        Body(
            name, name.capitalize(), star(PLACES[name]), material, goo.real_size, resolution=resolution, remeshing="wholesale"
        )
        for name, material in materials.items()
    )  # fmt: skip
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None], friction=0.4)
    return Scene(bodies, (ground,), Settings(1, LAST, worst_condition=3.0, threads=1))


def _measure(shot: Shot) -> dict[str, float]:
    numbers: dict[str, float] = {}
    for name in PLACES:
        first, last = shot.points(1, name), shot.points(LAST, name)
        numbers[f"{name}'s points / at rest"] = _points(last) / _points(first)
        numbers[f"{name}'s height / at rest"] = float(np.ptp(last[:, 2]) / np.ptp(first[:, 2]))
        numbers[f"{name}'s volume / at rest"] = shot.volume(LAST, name) / shot.volume(1, name)
    numbers["remeshes"] = shot.total("remeshes")
    return numbers


def _points(star: Array) -> float:
    """How far the star's points stand out: the wave of its outline around its mean radius, in that radius."""
    flat = star[:, :2] - 0.5 * (star[:, :2].min(axis=0) + star[:, :2].max(axis=0))
    radius, angle = np.sqrt((flat**2).sum(axis=1)), np.arctan2(flat[:, 1], flat[:, 0])
    sector = np.round(angle / (2.0 * np.pi) * 8 * POINTS).astype(int) % (8 * POINTS)
    outline = np.array([radius[sector == k].max() for k in range(8 * POINTS)])
    wave = (outline * np.exp(-1j * POINTS * np.arange(8 * POINTS) * 2.0 * np.pi / (8 * POINTS))).mean()
    return float(2.0 * np.abs(wave) / outline.mean())


FIGURE = Figure(
    title="Stars of dough and of batter",
    source="Bargteil 2007, figure 7",
    scene=_scene,
    resolution=14,
    coarse=14,
    shown=(1, 12, LAST),
    eye=(0.0, -2.6, 2.6),
    focus=(0.0, 0.0, 0.1),
    lens=38.0,
    colours={"dough": (0.80, 0.62, 0.38), "batter": (0.88, 0.80, 0.55)},
    measure=_measure,
    bands={
        # the one remains a star, the other runs until it is none
        "dough's points / at rest": (0.6, 1.1),
        "dough's height / at rest": (0.3, 1.0),
        "dough's volume / at rest": (0.98, 1.02),
        "batter's points / at rest": (0.0, 0.5),
        "batter's height / at rest": (0.0, 0.5),
        "batter's volume / at rest": (0.98, 1.02),
        "remeshes": (1.0, 100.0),
    },
    by_hand=True,
)
