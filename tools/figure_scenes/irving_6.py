"""Irving 2004, figure 6: a body is pushed down by a cylinder, pulled between turning gears and springs back to its shape.

The paper's is a Buddha of 357K tets, 8 % of them inside out in a typical frame; here it is a cow of some thousands. The law is
the one of section 6. The gears have involute teeth that reach into each other's gaps, with just no contact of their own.
"""

import numpy as np

from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, Surface

from .contract import Array, Figure, Shot, misfit
from .shapes import cow, spur_gear, tube

LAST = 60
RADIUS, TEETH, LENGTH = 0.5, 14, 0.9  # of a gear's pitch circle and along its axis [m]
MODULE = 2.0 * RADIUS / TEETH
GAP = 1.0 * MODULE  # between the pitch circles [m]: the teeth reach a module into each other
SPEED = 2.4  # of the gears [rad/s]
COW, START = 0.62, 0.42  # length, and height of its feet over the gears' axes [m]
ROLLER, LOWEST = 0.13, 0.50  # radius of the cylinder and the lowest that its axis comes [m]
FLOOR = -1.3  # [m]


def _scene(resolution: int) -> Scene:
    values = {"young_modulus": 4e5, "poisson_ratio": 0.3, "yield_stress": 1e12, "flow_rate": 0.0, "damping": 30.0}
    goo = Material("viscoplastic", values, {"elastic_law": "rotated_linear"})
    standing = cow(COW, (0.0, 0.0, START))
    turned = Surface(standing.positions[:, [1, 0, 2]] * (1.0, -1.0, 1.0), standing.triangles)  # its length along the gears
    axle = 0.5 * GAP + RADIUS
    colliders = [
        Collider(uid, uid.title(), "mesh", _turning(-side * axle, side), spur_gear(RADIUS, TEETH, LENGTH, first), friction=1.0)
        for uid, side, first in (("left", 1.0, 0.0), ("right", -1.0, np.pi / TEETH))
    ]
    ends = [(0.0, y, 0.0) for y in np.linspace(-0.4, 0.4, 3)]
    colliders.append(Collider("roller", "Roller", "mesh", _coming_down(), tube(ends, np.full(3, ROLLER), 24), friction=0.3))
    floor = np.eye(4)[None].copy()
    floor[0, 2, 3] = FLOOR
    colliders.append(Collider("ground", "Ground", "plane", floor))
    body = Body("cow", "Cow", turned, goo, resolution=resolution)
    return Scene((body,), tuple(colliders), Settings(1, LAST, threads=1))


def _times() -> Array:
    """Of the places of colliders (LAST + 1,), from the frame before the first on [s]."""
    times: Array = (np.arange(LAST + 1) - 1.0) / 24.0
    return times


def _turning(x: float, side: float) -> Array:
    """A gear's places (LAST + 1, 4, 4), its inner side going down."""
    angle = -side * SPEED * _times()
    places = np.tile(np.eye(4), (LAST + 1, 1, 1))
    places[:, 0, 0] = places[:, 2, 2] = np.cos(angle)
    places[:, 2, 0] = np.sin(angle)
    places[:, 0, 2] = -places[:, 2, 0]
    places[:, 0, 3] = x
    return places


def _coming_down() -> Array:
    """The cylinder's places (LAST + 1, 4, 4): down as fast as the gears' pitch circles go, and it stays there."""
    top = START + COW + ROLLER
    places = np.tile(np.eye(4), (LAST + 1, 1, 1))
    places[:, 2, 3] = np.maximum(top - RADIUS * SPEED * np.clip(_times(), 0.0, None), LOWEST)
    return places


def _measure(shot: Shot) -> dict[str, float]:
    rest, last = shot.points(1, "cow"), shot.points(LAST, "cow")
    element = next(body.element_size for body in shot.scene.bodies)
    heights = {frame: shot.points(frame, "cow")[:, 2] for frame in range(1, LAST + 1)}
    within = [frame for frame, z in heights.items() if z.min() < 0.0 < z.max()]
    return {
        "tets inside out, mean while between the gears": float(np.mean([shot.inverted(frame) for frame in within])),
        "tets inside out, most": max(shot.inverted(frame) for frame in heights),
        "tets inside out at the end": shot.inverted(LAST),
        "how long between the gears [s]": len(within) / 24.0,
        "depth in the gears / element, most": max(shot.depth(frame, "cow") for frame in within) / element,
        "top at the end over the gears' axes [m]": float(last[:, 2].max()),
        "recovered cow's volume / at rest": shot.volume(LAST, "cow") / shot.volume(1, "cow"),
        "recovered cow's misfit / its length": misfit(rest, last) / COW,
    }


FIGURE = Figure(
    title="A cow pulled through gears springs back",
    source="Irving 2004, figure 6; a cow instead of the Buddha",
    scene=_scene,
    resolution=15,
    coarse=10,
    shown=(1, 13, 18, LAST),
    eye=(0.75, -4.3, 0.3),
    focus=(0.0, 0.0, -0.1),
    lens=46.0,
    see_through=True,
    colours={"cow": (0.75, 0.30, 0.20)},
    measure=_measure,
    bands={
        # the paper's typical frame has 8 %, and none of them stays
        "tets inside out, mean while between the gears": (0.05, 0.12),
        "tets inside out, most": (0.06, 0.20),
        "tets inside out at the end": (0.0, 0.0),
        # the teeth take it along: its height over the speed of the pitch circles, up to twice that where it slips
        "how long between the gears [s]": (0.35, 1.04),
        "depth in the gears / element, most": (-0.02, 0.02),
        "top at the end over the gears' axes [m]": (FLOOR, -RADIUS),  # it has come out below
        "recovered cow's volume / at rest": (0.97, 1.005),
        # elastic: only its weight is left, 5 kPa of its height on a modulus of 400 kPa, and more in its legs
        "recovered cow's misfit / its length": (0.0, 0.03),
    },
)
