"""Irving 2004, figure 7 (I24): a plastic sphere, pulled through gears, is led to a flattened disk and keeps teeth marks.

Beside it another sphere goes through the same gears without a goal. Yield is |log F_e| <= gamma as in the paper (section 7),
by return mapping: in the linear law the von Mises stress 2 mu gamma sqrt(3/2).
"""

from dataclasses import replace

import numpy as np

from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings

from .contract import Array, Figure, Shot, turned_onto
from .shapes import ball, gear

LAST = 25
BALL = 0.2  # radius [m]
FLAT = np.array([0.35, 1.68, 1.68])  # stretches of the goal; the disk stands on edge, as the gears leave it
RADIUS, DEPTH, TEETH = 0.55, 0.11, 14  # of a gear [m]
GAP = 0.13  # between the gears' faces [m]
SPEED = 2.2  # of the gears [rad/s]
YOUNG, POISSON, GAMMA = 2e5, 0.3, 0.03
PITCH = 2.0 * np.pi * RADIUS / TEETH  # [m]
PLACES = {"led": -0.48, "free": 0.48}  # along the gears [m]


def _scene(resolution: int) -> Scene:
    shear = YOUNG / (2.0 * (1.0 + POISSON))
    values = {"young_modulus": YOUNG, "poisson_ratio": POISSON, "yield_stress": 2.0 * shear * GAMMA * 1.5**0.5, "damping": 20.0}
    goo = Material("viscoplastic", values, {"elastic_law": "rotated_linear", "plasticity": "return_mapping"})
    bodies = []
    for uid, y in PLACES.items():
        centre = np.array([0.0, y, 0.5])
        sphere = ball(BALL, tuple(centre), 2 * resolution)
        body = Body(uid, uid.title(), sphere, goo, resolution=resolution)
        bodies.append(replace(body, goal=(sphere.positions - centre) * FLAT) if uid == "led" else body)
    colliders = tuple(
        Collider(uid, uid.title(), "mesh", _turning(-side * (RADIUS + 0.5 * GAP), side), wheel, friction=1.0)
        for uid, side, wheel in (
            ("left", 1.0, gear(RADIUS, DEPTH, TEETH, 2.0, 0.0)),
            ("right", -1.0, gear(RADIUS, DEPTH, TEETH, 2.0, np.pi / TEETH)),
        )
    )
    return Scene(tuple(bodies), colliders, Settings(1, LAST, threads=1))


def _turning(x: float, side: float) -> Array:
    """A gear's places (LAST + 1, 4, 4), its inner side going down."""
    angle = -side * SPEED * (np.arange(LAST + 1) - 1.0) / 24.0
    places = np.tile(np.eye(4), (LAST + 1, 1, 1))
    places[:, 0, 0] = places[:, 2, 2] = np.cos(angle)
    places[:, 2, 0] = np.sin(angle)
    places[:, 0, 2] = -places[:, 2, 0]
    places[:, 0, 3] = x
    return places


def _measure(shot: Shot) -> dict[str, float]:
    numbers = {}
    goal = next(body.goal for body in shot.scene.bodies if body.uid == "led")
    for uid in PLACES:
        now = turned_onto(goal, shot.points(LAST, uid))
        _, width, height = np.ptp(now, axis=0) / np.ptp(goal, axis=0)
        numbers |= {f"{uid}: width / goal's": width, f"{uid}: height / goal's": height}
        numbers[f"{uid}: width / height"] = width / height
        if uid == "led":
            numbers["led: volume / at rest"] = shot.volume(LAST, uid) / shot.volume(1, uid)
            numbers |= _teeth_marks(now, shot.points(1, uid)[:, 0])
    return numbers


def _teeth_marks(points: Array, face: Array) -> dict[str, float]:
    """The wave along z that fits both faces of the disk best, in a strip across its middle; `face` (n,) tells them apart."""
    strip = np.abs(points[:, 1]) < 0.06
    faces = [points[strip & (sign * face > 0.1 * BALL)] for sign in (1.0, -1.0)]
    fits = []
    for length in np.arange(0.5, 2.0, 0.01) * PITCH:
        misfit, waves = 0.0, []
        for x, _, z in (part.T for part in faces):
            phase = 2.0 * np.pi * z / length
            shapes = np.stack([np.ones_like(z), z, z**2, np.cos(phase), np.sin(phase)], axis=1)
            found = np.linalg.lstsq(shapes, x, rcond=None)[0]
            misfit += float(((x - shapes @ found) ** 2).sum())
            waves.append(complex(found[3], found[4]))
        fits.append((misfit, length, waves))
    _, length, (one, other) = min(fits, key=lambda fit: fit[0])
    return {
        "led: spacing of the teeth marks / of the teeth": length / PITCH,
        "led: depth of the teeth marks / of the teeth": (abs(one) + abs(other)) / DEPTH,
        "led: marks of its faces are out of step by [degrees]": float(np.degrees(abs(np.angle(one / other)))),
    }


# Along a tooth's face one pitch is longer than straight on: how far the marks of a sheet that is bent back may lie apart
_SLOPE = np.pi * DEPTH / PITCH * np.cos(np.linspace(0.0, 2.0 * np.pi, 1001))
ALONG_TEETH = float(np.sqrt(1.0 + _SLOPE**2).mean())

FIGURE = Figure(
    title="A sphere led to a disk through gears (front), and another without a goal (behind)",
    source="Irving 2004, figure 7, upper left, upper right and lower left",
    scene=_scene,
    resolution=14,
    coarse=6,
    shown=(1, 9, 17, 23),
    eye=(0.9, -4.0, 0.25),
    focus=(0.05, 0.0, -0.3),
    lens=46.0,
    see_through=True,
    colours={"led": (0.80, 0.35, 0.10), "free": (0.15, 0.35, 0.70)},
    measure=_measure,
    bands={
        # flow comes nearer to the goal and never goes past it, so the disk is round and no wider than the goal
        "led: width / goal's": (0.7, 1.02),
        "led: height / goal's": (0.7, 1.02),
        "led: width / height": (0.9, 1.1),
        "led: volume / at rest": (0.95, 1.05),  # the goal's is 0.99
        # the goal is flat: these come from the gears. They interlock, so one face is pushed in where the other is pushed out.
        "led: spacing of the teeth marks / of the teeth": (0.95, 1.1 * ALONG_TEETH),
        "led: depth of the teeth marks / of the teeth": (0.15, 1.0),
        "led: marks of its faces are out of step by [degrees]": (0.0, 60.0),
        # what is rolled without a goal becomes longer along its way than across it, and longer than the goal
        "free: width / goal's": (0.7, 1.3),
        "free: height / goal's": (1.0, 3.0),
        "free: width / height": (0.3, 1.0),
    },
)
