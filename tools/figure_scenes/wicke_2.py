"""Wicke 2010, figure 2: bars are chewed between the metal teeth of two jaws; an elastic one recovers, a plastic one stays bent.

The mesh stays as it is, as in the paper's middle picture; refinement between the teeth is not there.
"""

import numpy as np

from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings

from .contract import Array, Figure, Shot, misfit
from .shapes import bar, ridge

LAST = 46
PITCH, TOOTH = 0.3, 0.14  # of the teeth along the jaws, and how high they are [m]
LENGTH, THICK = 1.1, 0.16  # of a bar [m]
CLOSED = 0.18  # height between the jaws' profiles when they are shut [m]
OPEN = 0.55  # and when they are open [m]
LYING, BITES = 10, (14, 28)  # frames at which the bars have come to lie, and at which the jaws are shut
CHEW = 0.06  # how far the upper jaw goes to and fro meanwhile [m]
PLACES = {"elastic": -0.22, "plastic": 0.22}  # across the jaws [m]
YOUNG = 4e5


def _scene(resolution: int) -> Scene:
    values = {"young_modulus": YOUNG, "poisson_ratio": 0.4, "damping": 20.0}
    plastic = {"yield_stress": 0.04 * YOUNG, "flow_rate": 100.0}
    goos = {"elastic": {"yield_stress": 1e12, "flow_rate": 0.0}, "plastic": plastic}
    bodies = tuple(
        Body(
            uid, uid.title(), bar((LENGTH, 0.18, THICK), (0.0, y, TOOTH + 0.5 * THICK + 0.005), LENGTH / (2 * resolution)),
            Material("viscoplastic", values | goos[uid]), resolution=resolution,
        )
        for uid, y in PLACES.items()
    )  # fmt: skip
    jaw = _jaw()
    colliders = (
        Collider("lower", "Lower Jaw", "mesh", np.eye(4)[None], jaw, friction=0.3),
        Collider("upper", "Upper Jaw", "mesh", _chewing(), jaw, friction=0.3),
    )
    return Scene(bodies, colliders, Settings(1, LAST, threads=1))


def _profile(x: Array) -> Array:
    """Height of the lower jaw's teeth [m]: flat at the tips and in the gaps, a tooth at x = 0."""
    away = np.abs((x / PITCH + 0.5) % 1.0 - 0.5)  # 0 at a tooth, a half between two
    height: Array = TOOTH * np.clip((0.42 - away) / (0.42 - 0.08), 0.0, 1.0)
    return height


def _jaw():
    corners = PITCH * (np.arange(-3, 4)[:, None] + np.array([-0.42, -0.08, 0.08, 0.42])).ravel()
    return ridge(corners, _profile(corners), -0.12, 1.0)


def _chewing() -> Array:
    """The upper jaw's places (LAST + 1, 4, 4), upside down and half a pitch on: down and up twice, to and fro meanwhile."""
    frames = np.arange(LAST + 1)
    shut = np.exp(-0.5 * ((frames[:, None] - np.array(BITES)) / 3.2) ** 2).max(axis=1)
    shut = np.clip(1.15 * shut - 0.05, 0.0, 1.0)
    places = np.tile(np.diag([1.0, -1.0, -1.0, 1.0]), (LAST + 1, 1, 1))
    places[:, 0, 3] = 0.5 * PITCH + CHEW * np.sin(2.0 * np.pi * (frames - BITES[0]) / (BITES[1] - BITES[0])) * (1.0 - shut)
    places[:, 2, 3] = TOOTH + CLOSED + (1.0 - shut) * OPEN
    return places


def _measure(shot: Shot) -> dict[str, float]:
    element = next(body.element_size for body in shot.scene.bodies)
    spacing, bent = _wave(shot, BITES[0], "elastic")
    marks, depth = _wave(shot, LAST, "plastic")
    left = shot.points(LAST, "elastic")
    return {
        "elastic: wave's spacing when bitten / the teeth's": spacing / PITCH,
        "elastic: wave's depth when bitten / the teeth's": bent / TOOTH,
        "elastic: misfit at the end to before / its length": misfit(shot.points(LYING, "elastic"), left) / LENGTH,
        "elastic: plastic strain": float(shot.attribute(LAST, "elastic", "plastic_strain").max()),
        "plastic: marks' spacing / the teeth's": marks / PITCH,
        "plastic: marks' depth / the teeth's": depth / TOOTH,
        "plastic: volume at the end / at rest": shot.volume(LAST, "plastic") / shot.volume(1, "plastic"),
        "depth in the jaws / element, most": max(shot.depth(f, uid) for f in range(1, LAST + 1, 3) for uid in PLACES) / element,
        "tets inside out at the end": shot.inverted(LAST),
    }


def _wave(shot: Shot, frame: int, uid: str) -> tuple[float, float]:
    """Length [m] of the wave that fits a bar's middle line best between the jaws, and its height from crest to trough [m]."""
    points = shot.points(frame, uid)
    x, z = points[:, 0], points[:, 2]
    kept = np.abs(x) < 1.2 * PITCH
    x, z = x[kept], z[kept]
    side = np.where(shot.points(1, uid)[kept, 2] > TOOTH + 0.5 * THICK + 0.005, 1.0, 0.0)
    fits = []
    for length in np.arange(0.5, 2.0, 0.02) * PITCH:
        phase = 2.0 * np.pi * x / length
        shapes = np.stack([np.ones_like(x), side, x, x**2, np.cos(phase), np.sin(phase)], axis=1)
        found = np.linalg.lstsq(shapes, z, rcond=None)[0]
        fits.append((float(((z - shapes @ found) ** 2).sum()), float(length), 2.0 * float(np.hypot(found[4], found[5]))))
    return min(fits)[1:]


FIGURE = Figure(
    title="An elastic bar (front) and a plastic one (behind) between jaws",
    source="Wicke 2010, figure 2, middle, without refinement; beside the elastic bar a plastic one",
    scene=_scene,
    resolution=16,
    coarse=12,
    shown=(1, BITES[0], 21, LAST),
    eye=(0.9, -2.9, 0.95),
    focus=(0.0, 0.0, 0.2),
    lens=52.0,
    see_through=True,
    colours={"elastic": (0.15, 0.35, 0.70), "plastic": (0.80, 0.35, 0.10)},
    measure=_measure,
    bands={
        # shut, the jaws leave no way but their own: a wave of the teeth's spacing, as high as their profiles less what the
        # bar's thickness fills of the gaps
        "elastic: wave's spacing when bitten / the teeth's": (0.95, 1.05),
        "elastic: wave's depth when bitten / the teeth's": (0.3, 1.0),
        # it lies there again as it lay before the first bite
        "elastic: misfit at the end to before / its length": (0.0, 0.01),
        "elastic: plastic strain": (0.0, 0.0),
        # it keeps the teeth's wave, no higher than they made it
        "plastic: marks' spacing / the teeth's": (0.85, 1.25),
        "plastic: marks' depth / the teeth's": (0.15, 1.0),
        # flow keeps the volume of each tet's rest shape; those no longer fit together and press on each other (claim B12)
        "plastic: volume at the end / at rest": (0.9, 1.02),
        "depth in the jaws / element, most": (-0.02, 0.02),
        "tets inside out at the end": (0.0, 0.005),
    },
)
