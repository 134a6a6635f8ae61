"""Irving 2004, figure 5 without the cape: a soft body is hit by a ball, deforms far and springs back.

The law is the paper's for it, the stiffening spline with its linear pressure. The ball is a body too, so what it loses the
other gains; the ground is without friction, so that nothing else changes what both have along the ball's way.
"""

import numpy as np

from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, Surface

from .contract import Array, Figure, Shot, misfit
from .shapes import cow, geodesic

LAST, RATE = 100, 100.0  # frames, and how many of them a second shows: slow motion
LENGTH, BALL = 0.45, 0.08  # of the cow, and radius of the ball [m]
HEIGHT, START, AIM = 0.16, -0.33, -0.06  # the ball's middle over the ground, before the cow, and along it [m]
SPEED = 12.0  # of the ball [m/s]
LATE = (70, 90)  # frames after the blow between which speeds are taken
ELASTIC = {"yield_stress": 1e12, "flow_rate": 0.0, "poisson_ratio": 0.4}
DENSITY = {"cow": 1000.0, "ball": 3000.0}


def _scene(resolution: int) -> Scene:
    flesh = {"young_modulus": 5e4, "density": DENSITY["cow"], "damping": 12.0, **ELASTIC}
    rubber = {"young_modulus": 4e6, "density": DENSITY["ball"], **ELASTIC}
    standing = cow(LENGTH, (0.0, 0.0, 0.004))
    turned = Surface(standing.positions[:, [1, 0, 2]] * (1.0, -1.0, 1.0), standing.triangles)  # the ball comes along x
    spline = {"elastic_law": "spline"}
    bodies = (
        Body("cow", "Cow", turned, Material("viscoplastic", flesh, spline), resolution=resolution),
        Body(
            "ball", "Ball", geodesic(BALL, (START, AIM, HEIGHT), 8), Material("viscoplastic", rubber),
            resolution=max(4, resolution // 2), velocity=(SPEED, 0.0, 0.0),
        ),
    )  # fmt: skip
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None], friction=0.0)
    return Scene(bodies, (ground,), Settings(1, LAST, RATE, threads=1, body_contact="all"))


def _speed(shot: Shot, uid: str, first: int, last: int) -> float:
    """Along the ball's way [m/s], of a body's middle between two frames."""
    return RATE * float((shot.middle(last, uid) - shot.middle(first, uid))[0]) / (last - first)


def _widths(shot: Shot) -> Array:
    """How thick the cow is from side to side where it is hit, at the first frames [m]."""
    rest = shot.points(1, "cow")
    away = np.sqrt((rest[:, 1] - AIM) ** 2 + (rest[:, 2] - HEIGHT) ** 2)
    sides = [np.argsort(np.where(side * rest[:, 0] > 0.0, away, np.inf))[:5] for side in (-1.0, 1.0)]
    shapes = (shot.points(frame, "cow") for frame in range(1, 13))
    across = [points[sides[1]].mean(axis=0) - points[sides[0]].mean(axis=0) for points in shapes]
    return np.sqrt((np.array(across) ** 2).sum(axis=1))


def _measure(shot: Shot) -> dict[str, float]:
    rest = shot.points(1, "cow")
    widths, last = _widths(shot), LAST
    speeds = {uid: _speed(shot, uid, *LATE) for uid in DENSITY}
    mass = {uid: DENSITY[uid] * shot.volume(1, uid) for uid in DENSITY}
    return {
        "momentum after the blow / before": sum(mass[uid] * speeds[uid] for uid in DENSITY) / (mass["ball"] * SPEED),
        "thickness where it is hit, least / at rest": float(widths.min() / widths[0]),
        "frames at which faces cross": float(shot.crossings()),
        "tets inside out at the end": shot.inverted(last),
        "energy of the ways after / before": sum(mass[uid] * speeds[uid] ** 2 for uid in DENSITY) / (mass["ball"] * SPEED**2),
        "cow's misfit at the end / its length": misfit(rest, shot.points(last, "cow")) / LENGTH,
        "cow's volume at the end / at rest": shot.volume(last, "cow") / shot.volume(1, "cow"),
    }


FIGURE = Figure(
    title="A cow hit by a ball",
    source="Irving 2004, figure 5, collisions; a cow instead of the Buddha, without the cape",
    scene=_scene,
    resolution=15,
    coarse=14,
    shown=(1, 3, 5, 8, 12, 18),
    eye=(0.15, -1.7, 0.75),
    focus=(0.15, 0.0, 0.17),
    lens=45.0,
    colours={"cow": (0.75, 0.30, 0.20), "ball": (0.2, 0.35, 0.6)},
    measure=_measure,
    bands={
        "momentum after the blow / before": (0.96, 1.04),  # no force acts along the way; tets of each fill 2 % more or less
        "thickness where it is hit, least / at rest": (0.2, 0.7),  # "large deformation"
        "frames at which faces cross": (0.0, 0.0),
        "tets inside out at the end": (0.0, 0.0),
        # between that of both going on together and all of it: some stays in what swings and turns
        "energy of the ways after / before": (0.33, 1.0),
        "cow's misfit at the end / its length": (0.0, 0.04),  # elastic: its weight bends its legs
        "cow's volume at the end / at rest": (0.97, 1.01),
    },
)
