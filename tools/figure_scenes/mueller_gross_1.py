"""Müller & Gross 2004, figure 1: linear elasticity inflates what turns far, warped stiffness does not.

The paper holds a pitbull by its body and lets the head turn; here a rod with a head at each end lies across a post, once by
linear elasticity and once warped, and its ends turn until they hang.
"""

import numpy as np

from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings

from .contract import Figure, Shot
from .shapes import tube

LAST = 40
POST = 0.9  # height of the post's axis above the ground [m]


def _scene(resolution: int) -> Scene:
    along = np.linspace(-0.6, 0.6, 49)
    head = np.sqrt(np.maximum(0.13**2 - (np.abs(along) - 0.45) ** 2, 0.0))
    radii = np.maximum(np.maximum(head, 0.06 * (np.abs(along) < 0.5)), 0.004)
    bodies = []
    for uid, y, rotation in (("linear", -0.4, "linear"), ("warped", 0.4, "warped")):
        rod = tube(np.stack([along, np.full_like(along, y), np.full_like(along, POST + 0.25)], axis=1), radii)
        goo = Material("draft", {"young_modulus": 1e5, "poisson_ratio": 0.33, "flow_rate": 0.0}, {"rotation": rotation})
        bodies.append(Body(uid, uid.title(), rod, goo, resolution=resolution))
    post = tube([(0.0, y, POST) for y in np.linspace(-0.8, 0.8, 3)], np.full(3, 0.17), 32)
    colliders = (
        Collider("post", "Post", "mesh", np.eye(4)[None], post, friction=1.0),
        Collider("ground", "Ground", "plane", np.eye(4)[None]),
    )
    return Scene(tuple(bodies), colliders, Settings(1, LAST, threads=1))


def _measure(shot: Shot) -> dict[str, float]:
    numbers = {}
    for uid in ("linear", "warped"):
        numbers[f"volume of {uid} / at rest"] = shot.volume(LAST, uid) / shot.volume(1, uid)
        points, rest = shot.points(LAST, uid), shot.points(1, uid)
        tips = [np.argmin(rest[:, 0]), np.argmax(rest[:, 0])]
        numbers[f"ends of {uid} have sunk [m]"] = float(rest[tips, 2].mean() - points[tips, 2].mean())
    return numbers


FIGURE = Figure(
    title="Linear (left) and warped stiffness (right)",
    source="Müller & Gross 2004, figure 1; a rod with two heads across a post in place of the pitbull",
    scene=_scene,
    resolution=26,
    coarse=14,
    shown=(1, 12, LAST),
    eye=(2.6, -2.2, 1.7),
    focus=(0.0, 0.0, 0.75),
    lens=45.0,
    colours={"linear": (0.75, 0.25, 0.15), "warped": (0.15, 0.35, 0.70)},
    measure=_measure,
    bands={
        # A part turned by a about one axis has the linear strain cos a - 1 in two directions, so free of load linear elasticity
        # stretches it by 1/cos a in both: its volume grows by 1/cos^2 a, which is 2 at 45 degrees and has no bound.
        "volume of linear / at rest": (1.5, 20.0),
        "ends of linear have sunk [m]": (0.1, 1.3),
        "volume of warped / at rest": (0.93, 1.07),
        "ends of warped have sunk [m]": (0.2, 0.75),
    },
)
