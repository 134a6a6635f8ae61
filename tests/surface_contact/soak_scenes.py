"""Scenes of the soak, each out of a seed: what falls, flies or is pressed, and what moves among it.

Most bodies are artists' meshes (tests/data), turned at random. One that opens (Suzanne) passes through itself from the start.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from solver.colliders.motion import rotation_matrix
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, Surface, validated
from tests.physics.moving_colliders import cup, gear
from tests.surfaces import box, moved, sphere, stored, surface

KINDS = ("drop", "throw", "squeeze")
REAL = ("fish", "goathead", "koala", "penguin", "spot", "suzanne")
PLATE_SPEED = 3.0  # m/s at which what presses comes down
RATE = 24.0
LONGEST = 60  # frames without any load that what is inside out may take to recover
GROUND = Collider("g", "Ground", "plane", np.eye(4)[None], friction=0.5)
GEAR, BEAKER = 1.5, 1.1  # sizes [m]: how many times as large as the gear of moving_colliders, and the radius


class Mover(NamedTuple):
    """A mesh (or None: a plane) that goes by transforms, and the room [m] that it needs in a row of bodies."""

    name: str
    shape: Surface | None
    transforms: np.ndarray
    room: float = 0.0


def goo(rng: np.random.Generator) -> Material:
    """Between jelly and rubber; a third of them flow, a third are damped."""
    values = {"density": 1000.0, "young_modulus": 10.0 ** rng.uniform(4.3, 6.0), "poisson_ratio": rng.uniform(0.2, 0.45)}
    kind = rng.integers(3)
    values |= {"yield_stress": 0.01 * values["young_modulus"], "flow_rate": 20.0} if kind == 0 else {"yield_stress": 1e9}
    values |= {"damping": 20.0} if kind == 1 else {}
    return Material("viscoplastic", values, {})


def turned(part: Surface, rng: np.random.Generator) -> Surface:
    """A surface turned at random about the origin."""
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turn[:, 0] *= np.linalg.det(turn)
    return surface(part.positions @ turn.T, part.triangles)


def real(rng: np.random.Generator, size: float) -> Surface:
    """An artist's mesh about the origin, at random, so large [m]."""
    return sized(REAL[rng.integers(len(REAL))], size)


def sized(name: str, size: float) -> Surface:
    """A stored mesh about the origin, so large [m]."""
    part = stored(name)
    low, high = part.positions.min(axis=0), part.positions.max(axis=0)
    return surface((part.positions - 0.5 * (low + high)) * size / (high - low).max(), part.triangles)


def shape(rng: np.random.Generator) -> Surface:
    """About a metre large, turned at random, about the origin: three of four are artists' meshes."""
    if rng.uniform() < 0.75:
        return turned(real(rng, rng.uniform(0.7, 1.1)), rng)
    return turned(box(tuple(rng.uniform(0.4, 1.0, 3))) if rng.integers(2) else sphere(8, rng.uniform(0.3, 0.5)), rng)


def soak_scene(seed: int, frames: int, resolution: int = 6) -> tuple[str, Scene]:
    """What happens, and the scene: two or three bodies, one above another in drops and squeezes, side by side in throws."""
    rng = np.random.default_rng(seed)
    kind, count = KINDS[seed % 3], int(rng.integers(2, 4))
    shapes = [shape(rng) for _ in range(count)]
    if kind == "throw":
        mover = thrown_at(rng, frames)
        places, end = in_a_row(shapes, 0, resolution, rng, mover.room)
        middle = _middle(shapes, places)
        transforms = mover.transforms.copy()
        transforms[:, 0, 3] += middle
        mover = mover._replace(transforms=transforms)
    else:
        places, end = in_a_row(shapes, 2, resolution, rng)
        mover, middle = dropped_on(rng, frames) if kind == "drop" else press(rng, end, frames), 0.0
    bodies = bodies_of(shapes, places, kind, middle, resolution, rng)
    if kind != "throw":
        bodies = [replace(body, velocity=(0.0, 0.0, -rng.uniform(0.5, 1.5))) for body in bodies]
    colliders = [GROUND] if kind == "squeeze" or mover.name == "ground" else []
    colliders += [_collider(mover)] if mover.name not in ("nothing", "ground") else []
    return f"{kind}: {mover.name}", scene_of(bodies, colliders, frames, kind != "throw", rng)


def _collider(mover: Mover) -> Collider:
    kind = "plane" if mover.shape is None else "mesh"
    return Collider(mover.name, mover.name.title(), kind, mover.transforms, mover.shape, friction=0.3)


def scene_of(bodies: list[Body], colliders: list[Collider], frames: int, falling: bool, rng: np.random.Generator) -> Scene:
    """So many frames under load, with gravity where things fall, and then those without; half of all touch themselves too."""
    gravity = np.zeros((frames + LONGEST, 3))
    gravity[:frames, 2] = -9.81 if falling else 0.0
    contact = "all" if rng.uniform() < 0.5 else "bodies"
    settings = Settings(1, frames + LONGEST, threads=1, gravity_keys=gravity, body_contact=contact)
    return validated(Scene(tuple(bodies), tuple(colliders), settings))


def bodies_of(
    shapes: list[Surface], places: list[np.ndarray], kind: str, middle: float, resolution: int, rng: np.random.Generator
) -> list[Body]:
    """Bodies of shapes at their places; those that are thrown fly towards the middle."""
    bodies = []
    for k, (part, place) in enumerate(zip(shapes, places, strict=True)):
        velocity = (-np.sign(place[0] - middle) * rng.uniform(1.0, 6.0), 0.0, 0.0) if kind == "throw" else (0.0, 0.0, 0.0)
        state = {"velocity": velocity, "angular_velocity": tuple(rng.normal(size=3))}
        bodies.append(Body(f"b{k}", f"Body {k}", moved(part, place), goo(rng), resolution=resolution, **state))
    return bodies


def in_a_row(
    shapes: list[Surface], along: int, resolution: int, rng: np.random.Generator, room: float = 0.0
) -> tuple[list[np.ndarray], float]:
    """Where shapes go that follow each other along an axis, cages apart and room [m] in their middle; the row's end [m]."""
    places, end = [], 0.0
    for k, part in enumerate(shapes):
        low, high = part.positions.min(axis=0), part.positions.max(axis=0)
        cell = part.extent / resolution
        end += room if k == len(shapes) // 2 else 0.0
        place = 0.1 * rng.normal(size=3)
        place[along] = end + 0.05 + cell - low[along]
        end = place[along] + high[along] + 0.05 + cell
        places.append(place)
    return places, end


def _middle(shapes: list[Surface], places: list[np.ndarray]) -> float:
    """Half way [m] between the two bodies in the middle of a row along x."""
    k = len(shapes) // 2
    left, right = (moved(shapes[i], places[i]).positions[:, 0] for i in (k - 1, k))
    return 0.5 * float(left.max() + right.min())


def times(frames: int) -> np.ndarray:
    """Those of the samples (k,) of what moves, one a frame, from the frame before the first on [s]."""
    return np.arange(-1, frames + LONGEST) / RATE


def placed(ways: np.ndarray) -> np.ndarray:
    """Transforms (k, 4, 4) to places (k, 3)."""
    transforms = np.tile(np.eye(4), (len(ways), 1, 1))
    transforms[:, :3, 3] = ways
    return transforms


def turning(speed: float, place: tuple[float, float, float], frames: int) -> np.ndarray:
    """Transforms (k, 4, 4) of what turns at a speed [rad/s] about an upright plane's normal, y, through a place."""
    transforms = placed(np.tile(np.array(place), (len(times(frames)), 1)))
    transforms[:, :3, :3] = [rotation_matrix(speed * time * np.array([0.0, 1.0, 0.0])) for time in times(frames)]
    return transforms


def dropped_on(rng: np.random.Generator, frames: int) -> Mover:
    """The ground, a gear that turns, or a beaker that is shaken; its highest, or the beaker's floor, is at no height."""
    kind = rng.integers(3)
    if kind == 0:
        return Mover("ground", None, np.eye(4)[None])
    if kind == 1:
        wheel = gear(length=2.0)
        speed = rng.choice([-1.0, 1.0]) * rng.uniform(3.0, 10.0)
        return Mover("gear", surface(GEAR * wheel.positions, wheel.triangles), turning(speed, (0.2, 0.0, -0.56 * GEAR), frames))
    way = rng.normal(size=3) * [1.0, 1.0, 0.3]
    swings = 0.15 * np.sin(2.0 * np.pi * rng.uniform(1.0, 3.0) * np.clip(times(frames), 0.0, None))
    ways = swings[:, None] * way / np.linalg.norm(way) + [0.0, 0.0, 0.3]
    return Mover("beaker", cup(BEAKER, 0.8, 0.1), placed(ways))


def thrown_at(rng: np.random.Generator, frames: int) -> Mover:
    """Nothing but each other, a gear between them, or a paddle or a fist that goes through their row.

    Of two fists one is a ball, and one an artist's mesh with sharp edges.
    """
    kind, way = rng.integers(4), rng.choice([-1.0, 1.0])
    if kind == 0:
        return Mover("nothing", None, np.eye(4)[None])
    if kind == 1:
        wheel = gear()
        part = surface(GEAR * wheel.positions, wheel.triangles)
        return Mover("gear", part, turning(way * rng.uniform(3.0, 10.0), (0.0, 0.0, 0.0), frames), 1.1 * GEAR + 0.1)
    if kind == 2:
        plank = turned_down(moved(box((1.3, 0.8, 0.12)), (0.85, 0.0, 0.0)))
        return Mover("paddle", plank, turning(way * rng.uniform(4.0, 12.0), (0.0, 0.0, -1.3), frames), 0.2)
    gone = np.minimum(rng.uniform(5.0, 20.0) * np.clip(times(frames), 0.0, None), 4.0)
    ways = placed((gone - 1.3)[:, None] * [0.0, way, 0.0])
    if rng.integers(2):
        return Mover("fist", sphere(8, 0.25), ways, 0.2)
    return Mover("sharp fist", turned(real(rng, 0.5), rng), ways, 0.2)


def turned_down(part: Surface) -> Surface:
    """A surface along x, turned down."""
    return surface(part.positions[:, [2, 1, 0]] * [1.0, 1.0, -1.0], part.triangles)


def press(rng: np.random.Generator, height: float, frames: int) -> Mover:
    """A plane that looks down, a slab or one with teeth, which comes down to half its height [m] and lifts again."""
    kind, places = rng.integers(3), np.zeros((frames + LONGEST + 1, 3))
    places[:, 2] = plate_heights(height, frames)
    transforms = placed(places)
    if kind == 0:
        transforms[:, :3, :3] = np.diag([1.0, -1.0, -1.0])
        return Mover("plate", None, transforms)
    name, shape_of_it = ("slab", box((6.0, 6.0, 1.0), (0.0, 0.0, 0.5))) if kind == 1 else ("teeth", ridged())
    return Mover(name, shape_of_it, transforms)


def plate_heights(height: float, frames: int) -> np.ndarray:
    """Heights (k,) [m] of what comes down to half its height and lifts again, one a frame from the one before the first on."""
    moments = np.arange(-1, frames) / RATE
    depth = np.minimum(PLATE_SPEED * np.clip(moments, 0.0, None), 0.5 * height)
    depth -= np.clip(PLATE_SPEED * (moments - moments[-1] * 0.6), 0.0, None)
    return height - np.concatenate([depth, np.full(LONGEST, depth[-1])])


def ridged(width: float = 6.0, pitch: float = 0.5, depth: float = 0.2) -> Surface:
    """A slab a metre thick with ridges below, of which the lowest lines are at no height [m]."""
    x = np.arange(-0.5 * width, 0.5 * width + 0.25 * pitch, 0.5 * pitch)
    below = np.stack([x, np.full(len(x), -0.5 * width), depth * (np.arange(len(x)) % 2)], axis=1)
    above = below * [1.0, 1.0, 0.0] + [0.0, 0.0, 1.0]
    back = np.array([0.0, width, 0.0])
    points, count = np.concatenate([below, above, below + back, above + back]), len(x)
    i = np.arange(count - 1)
    quads = [
        (i, i + 1, i + count + 1, i + count),  # front
        (i + 2 * count, i + 3 * count, i + 3 * count + 1, i + 2 * count + 1),  # back
        (i, i + 2 * count, i + 2 * count + 1, i + 1),  # below
        (i + count, i + count + 1, i + 3 * count + 1, i + 3 * count),  # above
    ]
    ends = np.array([(0, count, 3 * count, 2 * count), (count - 1, 3 * count - 1, 4 * count - 1, 2 * count - 1)])
    every = np.concatenate([np.stack(quad, axis=1) for quad in quads] + [ends])
    return surface(points, np.concatenate([every[:, [0, 1, 2]], every[:, [0, 2, 3]]]))
