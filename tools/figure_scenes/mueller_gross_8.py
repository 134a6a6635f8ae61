"""Müller & Gross 2004, figure 8 (M14): a snake that bends far and stays elastic, and a cow of warm wax that melts.

The materials are the rows of the paper's table 1, as the presets draft_rubber and draft_warm_wax hold them.
"""

from pathlib import Path

import numpy as np

from solver.presets import load_preset
from solver.scene import Body, Collider, Scene, Settings

from .contract import Figure, Shot
from .shapes import cow, tube

PRESETS = Path(__file__).resolve().parents[2] / "presets"
LAST = 60
POST = 0.75  # height of the post's axis above the ground [m]


def _scene(resolution: int) -> Scene:
    along = np.linspace(0.0, 1.0, 61)
    body = 0.055 * np.clip(5.0 * (1.0 - along), 0.12, 1.0) * np.clip(6.0 * along, 0.2, 1.0)
    radii = np.maximum(body, 0.075 * np.sqrt(np.maximum(1.0 - ((along - 0.07) / 0.07) ** 2, 0.0)))
    path = np.stack([1.3 * (along - 0.5), 0.06 * np.sin(9.0 * along) - 0.5, np.full_like(along, POST + 0.17)], axis=1)
    rubber, wax = (load_preset(PRESETS / f"draft_{name}.toml") for name in ("rubber", "warm_wax"))
    snake = Body("snake", "Snake", tube(path, radii), rubber.material, rubber.real_size, resolution=resolution)
    melting = cow(0.9, (0.25, 0.75, 0.002))
    bodies = (snake, Body("cow", "Cow", melting, wax.material, wax.real_size, resolution=max(6, 3 * resolution // 4)))
    post = tube([(0.0, y, POST) for y in (-0.85, -0.5, -0.15)], np.full(3, 0.08), 32)
    colliders = (
        Collider("post", "Post", "mesh", np.eye(4)[None], post, friction=1.0),
        Collider("ground", "Ground", "plane", np.eye(4)[None], friction=0.8),
    )
    return Scene(bodies, colliders, Settings(1, LAST, threads=1))


def _measure(shot: Shot) -> dict[str, float]:
    height = [np.ptp(shot.points(frame, "cow")[:, 2]) for frame in (1, LAST - 12, LAST)]
    return {
        "snake's head turns against its tail [degrees]": max(_turn(shot, frame) for frame in range(LAST - 24, LAST, 3)),
        "snake's volume / at rest": shot.volume(LAST, "snake") / shot.volume(1, "snake"),
        "snake's plastic strain": float(shot.attribute(LAST, "snake", "plastic_strain").max()),
        "cow's height / at rest": float(height[2] / height[0]),
        "cow's volume / at rest": shot.volume(LAST, "cow") / shot.volume(1, "cow"),
        "cow sinks in the last half second / at rest": float((height[1] - height[2]) / height[0]),
        "cow's plastic strain": float(shot.attribute(LAST, "cow", "plastic_strain").max()),
    }


def _turn(shot: Shot, frame: int) -> float:
    """Angle [degrees] by which the snake's head has turned against its tail, which point the same way at first."""
    rest, points = shot.points(1, "snake")[:, 0], shot.points(frame, "snake")
    ends = [points[np.abs(rest - x) < 0.06].mean(axis=0) for x in (-0.6, -0.35, 0.35, 0.58)]
    head, tail = ends[1] - ends[0], ends[3] - ends[2]
    return float(np.degrees(np.arccos(head @ tail / np.linalg.norm(head) / np.linalg.norm(tail))))


FIGURE = Figure(
    title="Snake and cow",
    source="Müller & Gross 2004, figure 8, with table 1's materials; another snake, laid across a post, and another cow",
    scene=_scene,
    resolution=28,
    coarse=20,
    shown=(1, 14, LAST),
    eye=(2.4, -2.0, 1.5),
    focus=(0.1, 0.15, 0.45),
    lens=42.0,
    colours={"snake": (0.20, 0.45, 0.12), "cow": (0.85, 0.70, 0.45)},
    measure=_measure,
    bands={
        # over a post both ends hang: half a turn between them, less what bending stiffness and swinging leave
        "snake's head turns against its tail [degrees]": (90.0, 180.0),
        "snake's volume / at rest": (0.93, 1.07),
        "snake's plastic strain": (0.0, 0.0),
        # it melts: its legs cannot carry it at a strain of one hundredth, its belly can
        "cow's height / at rest": (0.3, 0.85),
        "cow's volume / at rest": (0.5, 1.02),  # the model's plastic strain takes volume with it; table 1's cow is no exception
        "cow sinks in the last half second / at rest": (0.0, 0.1),
        "cow's plastic strain": (0.1, 10.0),
    },
)
