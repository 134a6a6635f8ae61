"""Bargteil 2007, figure 3 (claim B29): a body dropped on a bar hardens where it flows; once it has, it is elastic and jiggles.

Two cows instead of the bunny, alike but that one hardens: the other goes on sinking around the bar.
"""

import numpy as np

from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, Surface

from .contract import Figure, Shot, misfit
from .shapes import cow, tube

LAST = 84
STRUCK = 24  # the blows are over by then
COW, DROP = 0.9, 0.4  # long, and from its belly to the bar [m]
BAR, TOP, PLACE = 0.06, 0.28, 0.1  # radius, height of its upper side, place along the cows [m]
BELLY = 0.11  # of a cow over its feet, there [m]
PLACES = {"hard": -0.55, "soft": 0.55}  # of the cows along the bar [m]
YIELD, HARDENING = 6000.0, 6e4  # [Pa]
VALUES = {"young_modulus": 3e5, "poisson_ratio": 0.4, "yield_stress": YIELD, "flow_rate": 40.0, "damping": 3.0}


def _bar() -> Surface:
    along = np.linspace(-1.3, 1.3, 27)
    middle = np.stack([0.0 * along + PLACE, along, 0.0 * along + TOP - BAR], axis=1)
    return tube(middle, np.full(len(along), BAR), 24)


def _scene(resolution: int) -> Scene:
    bodies = tuple(
        Body(
            name, name.capitalize(), cow(COW, (0.0, place, TOP - BELLY + DROP)),
            Material("viscoplastic", VALUES | {"hardening_modulus": HARDENING if name == "hard" else 0.0}),
            resolution=resolution, remeshing="wholesale",
        )
        for name, place in PLACES.items()
    )  # fmt: skip
    colliders = (
        Collider("bar", "Bar", "mesh", np.eye(4)[None], _bar(), friction=0.6),
        Collider("ground", "Ground", "plane", np.eye(4)[None], friction=0.6),
    )
    return Scene(bodies, colliders, Settings(1, LAST, worst_condition=3.0, threads=1))


def _flowed(shot: Shot, frame: int, name: str) -> float:
    """The mean plastic strain that is seen."""
    return float(shot.attribute(frame, name, "plastic_strain").mean())


def _jiggles(shot: Shot) -> tuple[int, float]:
    """How often the hard cow's head turns round in its way up and down against the body after the blow, and how far it goes
    on the longest of these ways over its length."""
    head = shot.points(1, "hard")[:, 2] > TOP - BELLY + DROP + 0.8 * COW
    heights = np.array([
        shot.points(frame, "hard")[head, 2].mean() - shot.middle(frame, "hard")[2] for frame in range(STRUCK - 6, LAST + 1)
    ])  # fmt: skip
    turns = np.flatnonzero(np.diff(np.sign(np.diff(heights)))) + 1
    ways = np.abs(np.diff(heights[turns]))
    return int((ways > 1e-3 * COW).sum()), float(ways.max(initial=0.0) / COW)


def _measure(shot: Shot) -> dict[str, float]:
    element = shot.scene.bodies[0].element_size
    bent = {name: misfit(shot.points(1, name), shot.points(LAST, name)) for name in PLACES}
    strain = shot.attribute(LAST, "hard", "plastic_strain")
    stress = {name: float(np.quantile(shot.attribute(LAST, name, "stress"), 0.99)) for name in PLACES}
    turns, way = _jiggles(shot)
    return {
        "hard: plastic strain at the end / after the blow": _flowed(shot, LAST, "hard") / _flowed(shot, STRUCK, "hard"),
        "soft: the same": _flowed(shot, LAST, "soft") / _flowed(shot, STRUCK, "soft"),
        "plastic strain of the hard one / of the soft one": _flowed(shot, LAST, "hard") / _flowed(shot, LAST, "soft"),
        "hard: stress at rest / yield stress at first": stress["hard"] / YIELD,
        "soft: stress at rest / yield stress": stress["soft"] / YIELD,
        "hard: that stress / its yield stress where it flowed most": stress["hard"] / float(YIELD + HARDENING * strain.max()),
        "hard: share of its surface that is twice as hard as at first": float((strain > YIELD / HARDENING).mean()),
        "misfit of the hard one to its shape at rest / of the soft one": bent["hard"] / bent["soft"],
        "hard: jiggles": float(turns),
        "hard: widest jiggle / length": way,
        "hard: volume / at rest": shot.volume(LAST, "hard") / shot.volume(1, "hard"),
        "soft: volume / at rest": shot.volume(LAST, "soft") / shot.volume(1, "soft"),
        "depth in the bar / element, most": max(shot.depth(k, name) for k in range(1, LAST + 1) for name in PLACES) / element,
        "remeshes": shot.total("remeshes"),
    }


FIGURE = Figure(
    title="A cow that hardens on a bar, and one that does not",
    source="Bargteil 2007, figure 3; cows instead of the bunny",
    scene=_scene,
    resolution=12,
    coarse=12,
    shown=(1, 12, STRUCK, LAST),
    eye=(-2.4, -2.6, 1.6),
    focus=(-0.05, 0.0, 0.5),
    lens=48.0,
    colours={"hard": (0.30, 0.45, 0.75), "soft": (0.80, 0.55, 0.20)},
    measure=_measure,
    bands={
        # "after limited flow it deforms only elastically"; what does not harden goes on
        "hard: plastic strain at the end / after the blow": (0.97, 1.03),
        "soft: the same": (1.01, 5.0),
        "plastic strain of the hard one / of the soft one": (0.05, 0.9),
        # at rest no stress lies above what goo yields at: where it has hardened, that is more than at first
        "hard: stress at rest / yield stress at first": (1.3, 10.0),
        "soft: stress at rest / yield stress": (0.7, 1.1),
        "hard: that stress / its yield stress where it flowed most": (0.0, 1.0),
        # "portions of the bunny become more elastic", not all of it
        "hard: share of its surface that is twice as hard as at first": (0.1, 0.9),
        "misfit of the hard one to its shape at rest / of the soft one": (0.05, 0.9),
        "hard: jiggles": (4.0, 60.0),
        "hard: widest jiggle / length": (0.005, 0.3),
        "hard: volume / at rest": (0.97, 1.02),
        "soft: volume / at rest": (0.97, 1.02),
        "depth in the bar / element, most": (-0.02, 0.02),
        "remeshes": (1.0, 100.0),
    },
    by_hand=True,
)
