"""Gerszewski 2009, figure 3: bodies of two shapes fall into a pile; here of elements instead of particles, rings and balls.

ipctk looks at what is seen, at every frame.
"""

import numpy as np

from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings

from .contract import Figure, Shot
from .shapes import geodesic, torus

LAST = 64
RING, TUBE, BALL = 0.30, 0.12, 0.26  # [m]
COUNT = 8
DENSITY = 1000.0
HIGH = 2.0 * BALL  # the thicker shape [m]


def _scene(resolution: int) -> Scene:
    values = {"young_modulus": 1e5, "poisson_ratio": 0.4, "yield_stress": 1500.0, "flow_rate": 20.0, "damping": 20.0}
    goo = Material("viscoplastic", values)
    rng, bodies, top = np.random.default_rng(3), [], 0.05
    for k in range(COUNT):
        x, y = 0.12 * rng.normal(size=2)
        if k % 2:
            shape, high = geodesic(BALL, (x, y, top + BALL), max(3, resolution - 5)), 2.0 * BALL
        else:
            shape, high = torus(RING, TUBE, (x, y, top + TUBE), 2 * resolution, resolution - 1, staggered=True), 2.0 * TUBE
        top += high + 0.08
        spin = tuple(0.8 * rng.normal(size=3))
        name = "Ball" if k % 2 else "Ring"
        goes = {"method": "conforming", "resolution": 2 if k % 2 else 4, "angular_velocity": spin}
        bodies.append(Body(f"body{k}", f"{name} {k}", shape, goo, **goes))
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None], friction=0.8)
    return Scene(tuple(bodies), (ground,), Settings(1, LAST, threads=1, body_contact="all"))


def _measure(shot: Shot) -> dict[str, float]:
    uids = [body.uid for body in shot.scene.bodies]
    masses = np.array([DENSITY * shot.volume(1, uid) for uid in uids])
    middles = np.array([[shot.middle(frame, uid) for uid in uids] for frame in range(1, LAST + 1)])
    speeds = np.linalg.norm(np.gradient(middles, 1.0 / 24.0, axis=0), axis=2)
    energy = (masses * (9.81 * middles[:, :, 2] + 0.5 * speeds**2)).sum(axis=1)
    apart = np.linalg.norm(middles[-1][:, None] - middles[-1], axis=2) + 9.0 * np.eye(len(uids))
    piled = np.flatnonzero(apart.min(axis=1) < 2.0 * RING + TUBE)  # near enough to touch another: what rolls off rolls on
    last = np.concatenate([shot.points(LAST, uid) for uid in uids])
    return {
        "frames at which faces cross": float(shot.crossings()),
        "most energy of the bodies' middles / at first": float(energy.max() / energy[0]),
        "energy of the bodies' middles at the end / at first": float(energy[-1] / energy[0]),
        "fastest point of the pile at the end [m/s]": max(_fastest(shot, uids[k]) for k in piled),
        "bodies in the pile": float(len(piled)),
        "highest middle / a ball's thickness": float(middles[-1, :, 2].max() / HIGH),
        "pile's height / that of the tower": float(last[:, 2].max() / max(shot.points(1, uid)[:, 2].max() for uid in uids)),
        "lowest point [m]": float(last[:, 2].min()),
        "least volume of a body / at rest": min(shot.volume(LAST, uid) / shot.volume(1, uid) for uid in uids),
    }


def _fastest(shot: Shot, uid: str) -> float:
    """The speed [m/s] of a body's fastest point at the end."""
    return float(np.linalg.norm(shot.attribute(LAST, uid, "velocity"), axis=1).max())


FIGURE = Figure(
    title="Rings and balls pile up",
    source="Gerszewski 2009, figure 3, by elements; its own two shapes are others",
    scene=_scene,
    resolution=8,
    coarse=8,
    shown=(1, 14, 26, LAST),
    eye=(3.2, -4.2, 2.4),
    focus=(0.0, 0.0, 0.75),
    lens=42.0,
    colours={f"body{k}": (0.80, 0.35, 0.10) if k % 2 else (0.15, 0.35, 0.70) for k in range(COUNT)},
    measure=_measure,
    bands={
        "frames at which faces cross": (0.0, 0.0),
        # they fall: nothing but their spin can add to what height and motion of their middles have at first
        "most energy of the bodies' middles / at first": (0.99, 1.001),
        "energy of the bodies' middles at the end / at first": (0.03, 0.6),
        "fastest point of the pile at the end [m/s]": (0.0, 0.1),
        "bodies in the pile": (0.5 * COUNT, COUNT),
        # a pile, no single layer, and no tower either
        "highest middle / a ball's thickness": (0.6, 4.0),
        "pile's height / that of the tower": (0.1, 0.75),
        "lowest point [m]": (-0.002, 0.02),
        # flow keeps the volume; weights of others squeeze it by some kPa, of 200 kPa of bulk
        "least volume of a body / at rest": (0.93, 1.01),
    },
)
