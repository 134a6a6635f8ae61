"""Irving 2004, figure 5, its collision part: a ball hits a soft body. The paper's Buddha wears a cape, which is not here.

The ball is a body as well, three times as dense and stiffer; both slide on the ground without friction, so what momentum
they have along the way stays theirs.
"""

import numpy as np

from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings

from .contract import Figure, Shot, misfit
from .shapes import ball, cow

LAST = 48
COW, BALL = 0.9, 0.2  # long; radius [m]
SPEED = 7.0  # of the ball [m/s]
DENSITIES = {"cow": 1000.0, "ball": 3000.0}


def _scene(resolution: int) -> Scene:
    soft = {"young_modulus": 1e5, "poisson_ratio": 0.4, "yield_stress": 1e12, "flow_rate": 0.0, "damping": 15.0}
    hard = soft | {"young_modulus": 1e6, "density": DENSITIES["ball"]}
    struck = cow(COW, (0.0, 0.0, 0.002))
    thrown = ball(BALL, (0.05, -0.75, 0.48), 16)
    bodies = (
        Body("cow", "Cow", struck, Material("viscoplastic", soft), resolution=resolution),
        Body(
            "ball", "Ball", thrown, Material("viscoplastic", hard), resolution=max(4, resolution // 2),
            velocity=(0.0, SPEED, 0.0),
        ),
    )  # fmt: skip
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None], friction=0.0)
    return Scene(bodies, (ground,), Settings(1, LAST, threads=1, body_contact="all"))


def _measure(shot: Shot) -> dict[str, float]:
    masses = {uid: density * shot.volume(1, uid) for uid, density in DENSITIES.items()}
    apart = (LAST - 24, LAST)  # a second in which both slide on
    speeds = {uid: float(shot.middle(apart[1], uid)[1] - shot.middle(apart[0], uid)[1]) for uid in masses}
    before = masses["ball"] * SPEED
    rest = shot.points(1, "cow")
    dents = [misfit(rest, shot.points(frame, "cow")) / COW for frame in range(1, LAST + 1)]
    return {
        "momentum along the way after / before": sum(masses[uid] * speeds[uid] for uid in masses) / before,
        "speed apart after / towards each other before": (speeds["cow"] - speeds["ball"]) / SPEED,
        "energy along the way after / before": sum(masses[u] * speeds[u] ** 2 for u in masses) / (before * SPEED),
        "cow's greatest misfit / its length": max(dents),
        "cow's misfit at the end / its length": dents[-1],
        "cow's volume at the end / at rest": shot.volume(LAST, "cow") / shot.volume(1, "cow"),
        "tets inside out at the end": shot.inverted(LAST),
        "frames at which faces cross": float(shot.crossings()),
    }


FIGURE = Figure(
    title="A ball hits a soft cow",
    source="Irving 2004, figure 5, without the cape; a cow instead of the Buddha",
    scene=_scene,
    resolution=20,
    coarse=12,
    shown=(1, 5, 9, LAST),
    eye=(-3.6, -1.6, 1.3),
    focus=(0.0, 0.3, 0.4),
    lens=38.0,
    colours={"cow": (0.75, 0.30, 0.20), "ball": (0.15, 0.35, 0.70)},
    measure=_measure,
    bands={
        "momentum along the way after / before": (0.98, 1.02),
        # they neither stick together nor part faster than they met
        "speed apart after / towards each other before": (0.0, 1.0),
        "energy along the way after / before": (0.0, 1.0),
        "cow's greatest misfit / its length": (0.04, 0.5),
        "cow's misfit at the end / its length": (0.0, 0.03),
        "cow's volume at the end / at rest": (0.97, 1.01),
        "tets inside out at the end": (0.0, 0.0),
        "frames at which faces cross": (0.0, 0.0),
    },
)
