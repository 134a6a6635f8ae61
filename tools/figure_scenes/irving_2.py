"""Irving 2004, figure 2: a torus without strength collapses into a puddle, and with its strength given back it recovers.

The law is the figure's, linear in the stretches (section 6); strength is Young's modulus, keyed. No strength at all would leave
nodes that carry a contact point between them free to turn about it, and spikes would grow.
"""

import numpy as np

from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings

from .contract import Figure, Shot, misfit
from .shapes import torus

WEAK, STRONG = 100.0, 2e5  # Young's moduli [Pa]; the torus weighs up to 4000 Pa an area
FALLING, COLLAPSED, LAST = 7, 18, 54  # frames
RADIUS, TUBE = 0.5, 0.2  # [m]


def _scene(resolution: int) -> Scene:
    soft = np.arange(LAST) < COLLAPSED
    keys = {"young_modulus": np.where(soft, WEAK, STRONG), "damping": np.where(soft, 0.05, 20.0)}
    goo = Material(
        "viscoplastic", {"poisson_ratio": 0.4, "flow_rate": 0.0, "yield_stress": 1e12}, {"elastic_law": "rotated_linear"}
    )
    # Nothing but contact holds nodes without strength: tets end at the surface, as the paper's do, and the vertices of that are
    # no closer than contact is sampled (solver/embedding.py).
    ring = torus(RADIUS, TUBE, (0.0, 0.0, TUBE + 0.05), 3 * resolution // 2, resolution)
    body = Body("torus", "Torus", ring, goo, method="conforming", resolution=resolution, keys=keys)
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None], friction=0.0)
    return Scene((body,), (ground,), Settings(1, LAST, threads=1))


def _measure(shot: Shot) -> dict[str, float]:
    rest, falling, puddle, last = (shot.points(frame, "torus") for frame in (1, FALLING, COLLAPSED, LAST))
    time, top = (FALLING - 1) / shot.scene.settings.frames_per_second, np.argmax(rest[:, 2])
    return {
        "top's fall at first / free fall": float((rest[top, 2] - falling[top, 2]) / (0.5 * 9.81 * time**2)),
        "puddle's height / torus' height": float(np.quantile(puddle[:, 2], 0.95) / (2.0 * TUBE)),
        "puddle's volume / at rest": shot.volume(COLLAPSED, "torus") / shot.volume(1, "torus"),
        "recovered torus' volume / at rest": shot.volume(LAST, "torus") / shot.volume(1, "torus"),
        "recovered torus' misfit / its size": misfit(rest, last) / (2.0 * (RADIUS + TUBE)),
    }


FIGURE = Figure(
    title="Torus, puddle, torus",
    source="Irving 2004, figure 2",
    scene=_scene,
    resolution=30,
    coarse=12,
    shown=(1, COLLAPSED, LAST),
    eye=(1.9, -1.9, 1.5),
    focus=(0.0, 0.0, 0.12),
    lens=48.0,
    colours={"torus": (0.80, 0.35, 0.10)},
    measure=_measure,
    bands={
        # without strength nothing holds the top up: it falls with g, and never faster
        "top's fall at first / free fall": (0.95, 1.01),
        # and nothing keeps the space inside: it lies flat on the ground
        "puddle's height / torus' height": (0.0, 0.05),
        "puddle's volume / at rest": (-0.1, 0.1),
        # its own weight squeezes the recovered one by 2000 Pa in the middle, a hundredth of its modulus
        "recovered torus' volume / at rest": (0.98, 1.005),
        "recovered torus' misfit / its size": (0.0, 0.01),
    },
)
