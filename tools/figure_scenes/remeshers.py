"""The same star of batter twice, on tets of either remesher (solver/remesh): they are to run apart alike.

After Bargteil 2007, figures 4 and 7: the variational remesher is the paper's.
"""

from dataclasses import replace

import numpy as np

from solver.materials import Material
from solver.presets import load_preset
from solver.scene import REMESHERS, Body, Collider, Scene, Settings

from .bargteil_7 import PRESET, star
from .contract import Figure, Shot

LAST = 72
PLACES = {"stuffing": -0.75, "variational": 0.75}
BATTER = {"yield_stress": 0.02, "flow_rate": 20.0, "hardening_modulus": 0.0}  # times the preset's


def _batter() -> tuple[Material, float]:
    goo = load_preset(PRESET)
    values = {name: factor * goo.material.values[name] for name, factor in BATTER.items()}
    return replace(goo.material, values={**goo.material.values, **values}), goo.real_size


def _scene(resolution: int) -> Scene:
    material, real_size = _batter()
    bodies = tuple(
        Body(
            name, name.capitalize(), star(PLACES[name]), material, real_size, resolution=resolution, remeshing="wholesale",
            remesher=name,
        )
        for name in REMESHERS
    )  # fmt: skip
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None], friction=0.4)
    return Scene(bodies, (ground,), Settings(1, LAST, worst_condition=3.0, threads=1))


def _measure(shot: Shot) -> dict[str, float]:
    sizes = {name: np.ptp(shot.points(LAST, name), axis=0) for name in REMESHERS}
    ratio = sizes["variational"] / sizes["stuffing"]
    volumes = {f"{name}: volume / at rest": shot.volume(LAST, name) / shot.volume(1, name) for name in REMESHERS}
    return {
        **volumes,
        "widths, of the second over the first, least": float(ratio[:2].min()),
        "widths, of the second over the first, most": float(ratio[:2].max()),
        "heights, of the second over the first": float(ratio[2]),
        "height of the first over its width": float(sizes["stuffing"][2] / sizes["stuffing"][0]),
        "remeshes": shot.total("remeshes"),
    }


FIGURE = Figure(
    title="A star of batter on tets of either remesher",
    source="Bargteil 2007, 4; the left one by stuffing, the right one by the paper's variational method",
    scene=_scene,
    resolution=10,
    coarse=10,
    shown=(1, 18, LAST),
    eye=(0.0, -2.5, 2.7),
    focus=(0.0, 0.0, 0.1),
    lens=46.0,
    colours={"stuffing": (0.80, 0.62, 0.38), "variational": (0.88, 0.80, 0.55)},
    measure=_measure,
    bands={
        "stuffing: volume / at rest": (0.98, 1.02),
        "variational: volume / at rest": (0.98, 1.02),
        # they resist a little differently, being of other tets; what they are made of decides
        "widths, of the second over the first, least": (0.85, 1.1),
        "widths, of the second over the first, most": (0.9, 1.15),
        "heights, of the second over the first": (0.7, 1.4),
        "height of the first over its width": (0.0, 0.25),
        "remeshes": (2.0, 100.0),
    },
)
