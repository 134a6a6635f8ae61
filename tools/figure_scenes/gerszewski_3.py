"""Gerszewski 2009, figure 3: bodies of two shapes fall into a pile; here of elements instead of particles, rings and balls.

Tets end at the surface, so what is seen is what touches, and ipctk looks at every frame of it.
"""

import numpy as np

from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings

from .contract import Figure, Shot
from .shapes import ball, torus

LAST = 72
RING, TUBE, BALL = 0.30, 0.12, 0.26  # [m]
COUNT = 10
DENSITY = 1000.0
HIGH = 2.0 * BALL  # the thicker shape [m]


def _scene(resolution: int) -> Scene:
    values = {"young_modulus": 1e5, "poisson_ratio": 0.4, "yield_stress": 1500.0, "flow_rate": 20.0, "damping": 20.0}
    goo = Material("viscoplastic", values)
    rng, bodies, top = np.random.default_rng(3), [], 0.05
    for k in range(COUNT):
        x, y = 0.12 * rng.normal(size=2)
        if k % 2:
            rings = max(5, round(0.5 * np.pi * 2.0 * BALL / (2.0 * (RING + TUBE)) * resolution))
            shape, across, high = ball(BALL, (x, y, top + BALL), rings), 2.0 * BALL, 2.0 * BALL
        else:
            shape = torus(RING, TUBE, (x, y, top + TUBE), 3 * resolution // 2, max(6, resolution))
            across, high = 2.0 * (RING + TUBE), 2.0 * TUBE
        top += high + 0.08
        fine = max(2, round(resolution * across / (2.0 * (RING + TUBE))))
        spin = tuple(0.8 * rng.normal(size=3))
        name = "Ball" if k % 2 else "Ring"
        bodies.append(
            Body(f"body{k}", f"{name} {k}", shape, goo, method="conforming", resolution=fine, angular_velocity=spin)
        )
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None], friction=0.8)
    return Scene(tuple(bodies), (ground,), Settings(1, LAST, threads=1, body_contact="all"))


def _measure(shot: Shot) -> dict[str, float]:
    uids = [body.uid for body in shot.scene.bodies]
    masses = np.array([DENSITY * shot.volume(1, uid) for uid in uids])
    middles = np.array([[shot.middle(frame, uid) for uid in uids] for frame in range(1, LAST + 1)])
    speeds = np.linalg.norm(np.gradient(middles, 1.0 / 24.0, axis=0), axis=2)
    energy = (masses * (9.81 * middles[:, :, 2] + 0.5 * speeds**2)).sum(axis=1)
    last = np.concatenate([shot.points(LAST, uid) for uid in uids])
    return {
        "frames at which faces cross": float(shot.crossings()),
        "most energy of the bodies' middles / at first": float(energy.max() / energy[0]),
        "energy of the bodies' middles at the end / at first": float(energy[-1] / energy[0]),
        "fastest point at the end [m/s]": shot.fastest(LAST),
        "fastest middle in the last half second [m/s]": float(speeds[-12:].max()),
        "highest middle / a ball's thickness": float(middles[-1, :, 2].max() / HIGH),
        "pile's height / that of the tower": float(last[:, 2].max() / max(shot.points(1, uid)[:, 2].max() for uid in uids)),
        "lowest point [m]": float(last[:, 2].min()),
        "least volume of a body / at rest": min(shot.volume(LAST, uid) / shot.volume(1, uid) for uid in uids),
    }


FIGURE = Figure(
    title="Rings and balls pile up",
    source="Gerszewski 2009, figure 3, by elements; its own two shapes are others",
    scene=_scene,
    resolution=9,
    coarse=6,
    shown=(1, 16, 30, LAST),
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
        "fastest point at the end [m/s]": (0.0, 0.1),
        "fastest middle in the last half second [m/s]": (0.0, 0.2),
        # a pile, no single layer, and no tower either
        "highest middle / a ball's thickness": (0.6, 4.0),
        "pile's height / that of the tower": (0.1, 0.75),
        "lowest point [m]": (-0.002, 0.02),
        # flow keeps the volume; weights of others squeeze it by some kPa, of 200 kPa of bulk
        "least volume of a body / at rest": (0.93, 1.01),
    },
)
