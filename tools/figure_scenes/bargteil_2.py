"""Bargteil 2007, figure 2 (claim B28): a man of marshmallow whose material is changed by keys while he stands, and he melts.

A man of three balls instead of the paper's character. His yield stress falls to a hundredth from one frame on.
"""

import numpy as np

from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, Surface

from .contract import Figure, Shot
from .shapes import tube

CHANGE, FADE, LAST = 30, 6, 96  # the frame from which he melts, the frames that it takes, the last
FIRM, SOFT = 6000.0, 60.0  # yield stress [Pa]
TALL = 1.0  # [m]


def _man() -> Surface:
    along = 0.5 * (1.0 - np.cos(np.linspace(0.0, np.pi, 49)))[1:-1]
    balls = ((0.24, 0.26), (0.60, 0.19), (0.87, 0.13))  # middles over height, radii
    reach = np.max([np.sqrt(np.maximum(radius**2 - (along - middle) ** 2, 0.0)) for middle, radius in balls], axis=0)
    lying = tube(np.stack([along, 0.0 * along, 0.0 * along], axis=1), np.maximum(reach, 0.02), 28)
    return Surface(TALL * lying.positions[:, [2, 1, 0]] * (-1.0, 1.0, 1.0), lying.triangles)


def _scene(resolution: int) -> Scene:
    values = {
        "young_modulus": 6e4, "poisson_ratio": 0.4, "density": 300.0, "yield_stress": FIRM, "flow_rate": 60.0, "damping": 10.0,
    }  # fmt: skip
    man = _man()
    man = Surface(man.positions - (0.0, 0.0, man.positions[:, 2].min() - 1e-3), man.triangles)
    share = np.clip((np.arange(1, LAST + 1) - CHANGE) / FADE, 0.0, 1.0)
    body = Body(
        "man", "Man", man, Material("viscoplastic", values), resolution=resolution, remeshing="wholesale",
        keys={"yield_stress": FIRM * (SOFT / FIRM) ** share},
    )  # fmt: skip
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None], friction=0.6)
    return Scene((body,), (ground,), Settings(1, LAST, worst_condition=3.0, threads=1))


def _measure(shot: Shot) -> dict[str, float]:
    first, before, last = (shot.points(frame, "man") for frame in (1, CHANGE, LAST))
    return {
        "height before the change / at first": float(np.ptp(before[:, 2]) / np.ptp(first[:, 2])),
        "height at the end / at first": float(np.ptp(last[:, 2]) / np.ptp(first[:, 2])),
        "width at the end / at first": float(np.ptp(last[:, 0]) / np.ptp(first[:, 0])),
        "share of his surface that has flowed before the change": float(
            (shot.attribute(CHANGE, "man", "plastic_strain") > 0.02).mean()
        ),
        "volume / at rest": shot.volume(LAST, "man") / shot.volume(1, "man"),
        "remeshes": shot.total("remeshes"),
    }


FIGURE = Figure(
    title="A man of marshmallow melts",
    source="Bargteil 2007, figure 2; a man of three balls",
    scene=_scene,
    resolution=16,
    coarse=10,
    shown=(CHANGE, 42, LAST),
    eye=(1.0, -3.0, 1.3),
    focus=(0.0, 0.0, 0.4),
    lens=48.0,
    colours={"man": (0.92, 0.88, 0.84)},
    measure=_measure,
    bands={
        # he stands by his elasticity, rho g h / E a tenth or so of his height at most, and flows nowhere
        "height before the change / at first": (0.9, 1.02),
        "height at the end / at first": (0.0, 0.6),
        "width at the end / at first": (1.3, 5.0),
        "share of his surface that has flowed before the change": (0.0, 0.02),
        "volume / at rest": (0.98, 1.02),
        "remeshes": (1.0, 100.0),
    },
)
