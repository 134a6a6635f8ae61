"""Bargteil 2007, figure 4 (claim B30): two bodies that touch become one at a remesh.

Two balls of unlike mass meet in the air and land as one.
"""

import numpy as np

from solver.geometry.edges import connected, unpaired_edges
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings

from .contract import Figure, Shot
from .shapes import geodesic

LAST = 36
LARGE, SMALL = 0.6, 0.4  # diameters [m]
HEIGHT = 1.5  # of their middles [m]
SPEEDS = (1.5, -1.0)  # along x [m/s]
TOGETHER, LANDING = 6, 11  # frames between which they fly as one


def _scene(resolution: int) -> Scene:
    values = {
        "young_modulus": 6e4, "poisson_ratio": 0.42, "yield_stress": 800.0, "flow_rate": 40.0, "damping": 15.0,
    }  # fmt: skip
    balls = [("large", LARGE, -0.4, resolution), ("small", SMALL, 0.3, round(resolution * SMALL / LARGE))]
    bodies = tuple(
        Body(
            uid, uid.capitalize(), geodesic(0.5 * size, (x, 0.0, HEIGHT), 8), Material("viscoplastic", values), resolution=fine,
            velocity=(speed, 0.0, 0.0), remeshing="wholesale", merging=True, merge_group=1,
        )
        for (uid, size, x, fine), speed in zip(balls, SPEEDS, strict=True)
    )  # fmt: skip
    return Scene(bodies, (Collider("ground", "Ground", "plane", np.eye(4)[None], friction=0.5),), Settings(1, LAST, threads=1))


def _measure(shot: Shot) -> dict[str, float]:
    volumes = [shot.volume(1, uid) for uid in ("large", "small")]
    shared = float(np.dot(volumes, SPEEDS) / sum(volumes))
    triangles, points = shot.triangles("large", LAST), shot.points(LAST, "large")
    ends = np.stack([triangles, np.roll(triangles, -1, axis=1)]).reshape(2, -1)
    met = next(frame for frame in range(1, LAST) if not len(shot.points(frame, "small")))
    before = [shot.volume(met - 1, uid) for uid in ("large", "small")]
    there = np.array(before) @ [shot.middle(met - 1, uid) for uid in ("large", "small")] / sum(before)
    gone = shot.middle(LANDING, "large") - shot.middle(TOGETHER, "large")
    return {
        "vertices of the small one after they have met": float(len(shot.points(TOGETHER, "small"))),
        "closed surfaces in the end": float(len(np.unique(connected(ends, len(points))[triangles]))),
        "edges in the end that are open": float(unpaired_edges(triangles)),
        "speed along x as one / by momentum": float(gone[0] * 24.0 / (LANDING - TOGETHER) / shared),
        "volume just after they meet / just before": shot.volume(met, "large") / sum(before),
        "middle just after, off along x and y / large diameter": float(
            np.abs(shot.middle(met, "large") - there - [shared / 24.0, 0.0, 0.0])[:2].max() / LARGE
        ),
        "volume as one / of both": shot.volume(TOGETHER, "large") / sum(volumes),
        "volume in the end / of both": shot.volume(LAST, "large") / sum(volumes),
        "lowest point in the end / large diameter": float(points[:, 2].min() / LARGE),
    }


FIGURE = Figure(
    title="Two balls that meet in the air and land as one",
    source="Bargteil 2007, figure 4; balls instead of the paper's pieces",
    scene=_scene,
    resolution=12,
    coarse=9,
    shown=(1, 4, 9, LAST),
    eye=(0.5, -3.3, 1.3),
    focus=(0.15, 0.0, 0.85),
    lens=50.0,
    colours={"large": (0.80, 0.55, 0.20), "small": (0.30, 0.45, 0.75)},
    measure=_measure,
    bands={
        "vertices of the small one after they have met": (0.0, 0.0),
        "closed surfaces in the end": (1.0, 1.0),
        "edges in the end that are open": (0.0, 0.0),
        # nothing acts along x until they land; the coarser a ball's tets, the less they weigh, by 2 % at six across
        "speed along x as one / by momentum": (0.98, 1.02),
        # what overlaps is there twice before, and grown back evenly by a tenth of an element at most
        "volume just after they meet / just before": (0.98, 1.01),
        # off where both would have flown in that frame: an eighth of an element was found
        "middle just after, off along x and y / large diameter": (0.0, 0.012),
        "volume as one / of both": (0.99, 1.01),
        "volume in the end / of both": (0.98, 1.02),
        "lowest point in the end / large diameter": (-0.01, 0.01),
    },
)
