"""Bargteil 2007, figure 6 (claim B31): bodies fall on each other and merge, one after the other, until all of them are one.

Seven instead of the paper's many: balls and rings, each of some hundred tets instead of 4200.
"""

import numpy as np

from solver.geometry.edge_crossings import pairs_of_shells
from solver.geometry.edges import connected, unpaired_edges
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings

from .contract import Array, Figure, Shot
from .shapes import geodesic, torus

LAST = 72
BALL, RING, TUBE = 0.22, 0.24, 0.11  # radii [m]
COUNT = 7
LOWEST, APART = 0.35, 0.06  # of the tower over the ground, and its bodies from each other [m]
FLIGHT = 6  # frames in which nothing has touched the ground
VALUES = {"young_modulus": 3e4, "poisson_ratio": 0.4, "yield_stress": 600.0, "flow_rate": 40.0, "damping": 12.0}


def _scene(resolution: int) -> Scene:
    goo, rng, bodies, top = Material("viscoplastic", VALUES), np.random.default_rng(6), [], LOWEST
    for k in range(COUNT):
        x, y = 0.09 * rng.normal(size=2)
        if k % 2:
            shape, high, size = torus(RING, TUBE, (x, y, top + TUBE), 40, 16, staggered=True), 2.0 * TUBE, 2.0 * (RING + TUBE)
        else:
            shape, high, size = geodesic(BALL, (x, y, top + BALL), 9), 2.0 * BALL, 2.0 * BALL
        top += high + APART
        name = f"body{k}"
        bodies.append(Body(
            name, f"{'Ring' if k % 2 else 'Ball'} {k}", shape, goo, resolution=round(resolution * size / (2.0 * BALL)),
            velocity=(0.0, 0.0, -0.3 * k), remeshing="wholesale", merging=True, merge_group=1,
        ))  # fmt: skip
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None], friction=0.5)
    return Scene(tuple(bodies), (ground,), Settings(1, LAST, threads=1))


def _present(shot: Shot, frame: int) -> list[str]:
    """The bodies that have not become part of another."""
    return [body.uid for body in shot.scene.bodies if len(shot.points(frame, body.uid))]


def _middle(shot: Shot, frame: int) -> Array:
    """The middle (3,) of all goo [m]."""
    present = _present(shot, frame)
    volumes = np.array([shot.volume(frame, uid) for uid in present])
    middle: Array = volumes @ np.array([shot.middle(frame, uid) for uid in present]) / volumes.sum()
    return middle


def _crossing(shot: Shot, frame: int) -> float:
    """The share of the faces that is seen to pass through others of the same body."""
    crossing = faces = 0
    for uid in _present(shot, frame):
        triangles = shot.triangles(uid, frame)
        faces += len(triangles)
        crossing += len(np.unique(pairs_of_shells(shot.points(frame, uid), triangles)))
    return crossing / faces


def _measure(shot: Shot) -> dict[str, float]:
    volumes = np.array([shot.volume(1, body.uid) for body in shot.scene.bodies])
    down = float(volumes @ (0.3 * np.arange(COUNT)) / volumes.sum())  # speed of the middle at first [m/s]
    seconds = (FLIGHT - 1) / 24.0
    fallen = float(_middle(shot, 1)[2] - _middle(shot, FLIGHT)[2])
    left = _present(shot, LAST)
    host = max(left, key=lambda uid: shot.volume(LAST, uid))
    triangles, points = shot.triangles(host, LAST), shot.points(LAST, host)
    ends = np.stack([triangles, np.roll(triangles, -1, axis=1)]).reshape(2, -1)
    tower = max(shot.points(1, body.uid)[:, 2].max() for body in shot.scene.bodies)
    return {
        "bodies that are left": float(len(left)),
        "closed surfaces in the end": float(len(np.unique(connected(ends, len(points))[triangles]))),
        "edges in the end that are open": float(unpaired_edges(triangles)),
        "most faces that pass through others / all": max(_crossing(shot, frame) for frame in range(1, LAST + 1)),
        "the same in the end": _crossing(shot, LAST),
        "fall of the middle in flight / by gravity": fallen / (down * seconds + 0.5 * 9.81 * seconds**2),
        "volume in the end / of all": sum(shot.volume(LAST, uid) for uid in left) / float(volumes.sum()),
        "height in the end / the tower's": float(points[:, 2].max() / tower),
        "width in the end / a ball's": float(np.ptp(points[:, :2], axis=0).max() / (2.0 * BALL)),
        "lowest point / a ball's width": float(points[:, 2].min() / (2.0 * BALL)),
        "remeshes": shot.total("remeshes"),
    }


FIGURE = Figure(
    title="Balls and rings that become one",
    source="Bargteil 2007, figure 6; seven bodies",
    scene=_scene,
    resolution=7,
    coarse=7,
    shown=(1, 8, 16, LAST),
    eye=(3.0, -4.2, 2.3),
    focus=(0.0, 0.0, 1.2),
    lens=36.0,
    colours={f"body{k}": (0.15, 0.35, 0.70) if k % 2 else (0.80, 0.35, 0.10) for k in range(COUNT)},
    measure=_measure,
    bands={
        "bodies that are left": (1.0, 1.0),
        "closed surfaces in the end": (1.0, 1.0),
        "edges in the end that are open": (0.0, 0.0),
        # creases are closed before they pass through themselves
        "most faces that pass through others / all": (0.0, 0.0),
        "the same in the end": (0.0, 0.0),
        # what meets in the air pushes nothing but itself, merge or not
        "fall of the middle in flight / by gravity": (0.99, 1.01),
        "volume in the end / of all": (0.97, 1.02),
        # a heap, no tower, and wider than any of its bodies
        "height in the end / the tower's": (0.05, 0.4),
        "width in the end / a ball's": (1.7, 6.0),
        "lowest point / a ball's width": (-0.02, 0.02),
        # one for each body that another takes in, at least half as many where three meet at once
        "remeshes": (0.5 * (COUNT - 1), 100.0),
    },
    by_hand=True,
)
