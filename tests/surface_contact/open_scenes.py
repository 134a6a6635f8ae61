"""Scenes of goo and open colliders, each out of a seed: floors with rims and holes, sheets, tins and rings, some of which move,
bend or stick. What is thrown at them is bounded by what it had, and by how fast they go."""

import numpy as np

from solver.colliders.motion import rotation_matrix
from solver.scene import Body, Collider, Scene, Settings, Surface, validated
from tests.physics.test_fast_colliders import grid, without
from tests.surface_contact.soak_scenes import goo, shape
from tests.surfaces import moved, surface

KINDS = ("plate", "holed", "bumpy", "tilted", "tin", "funnel", "ring", "card", "sweep")
FLOORS = ("plate", "holed", "bumpy")  # which lie, and are solid for a little way below
SIZE = 0.5  # of a body [m]
RATE = 24.0
SOUND = 1.2  # most of a body's speed, in sqrt(E / density): beyond that it splashes


def open_scene(seed: int, frames: int, resolution: int = 8) -> tuple[str, Scene, float]:
    """What is met, the scene, and a speed [m/s] that nothing in it should be much faster than."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % len(KINDS)]
    material = goo(rng)
    below = bool(rng.uniform() < 0.3)
    speed = min(rng.choice([1.0, 4.0, 8.0, 15.0]), SOUND * np.sqrt(material.values["young_modulus"] / 1000.0))
    way = np.array([*rng.normal(scale=0.3, size=2), 1.0 if below else -1.0])
    velocity = speed * way / np.linalg.norm(way)
    place = np.array([*rng.uniform((-0.5, -0.3), (0.5, 0.3)), -0.7 if below else 0.8 + 0.5 * (kind in ("tin", "funnel"))])
    place[:2] *= 0.4 if kind in ("tin", "funnel", "holed") else 1.0
    collider, fast = _collider(kind, frames, rng)
    options = _options(rng)
    bodies = [Body("a", "Goo", _small(shape(rng), place), material, resolution=resolution, velocity=tuple(velocity), **options)]
    if rng.uniform() < 0.4:
        second = _small(shape(rng), place + [*rng.uniform(-0.2, 0.2, 2), -0.75 if below else 0.75], 0.7)
        bodies.append(
            Body("b", "Second", second, material, resolution=resolution - 2, velocity=tuple(1.3 * velocity), **options)
        )
    contact = "all" if rng.uniform() < 0.5 else "bodies"
    settings = Settings(1, frames, threads=1, body_contact=contact)
    return kind, validated(Scene(tuple(bodies), (collider,), settings)), 1.3 * speed + 9.81 * frames / RATE + fast


def _options(rng: np.random.Generator) -> dict[str, object]:
    """Of bodies, as artists have them: their faces are refined; some get new tets, some of these tear, some merge."""
    options: dict[str, object] = {"refine_length": 1.5}
    if rng.uniform() < 0.4:
        options |= {"remeshing": "wholesale"}
        options |= {"tear_thickness": float(rng.uniform(0.02, 0.06))} if rng.uniform() < 0.5 else {}
        options |= {"merging": True, "merge_group": 1} if rng.uniform() < 0.5 else {}
    return options


def _small(part: Surface, place: np.ndarray, share: float = 1.0) -> Surface:
    """A shape so large as SIZE, or a share of it, about a place."""
    return moved(surface(part.positions * share * SIZE / part.extent, part.triangles), place)


def _collider(kind: str, frames: int, rng: np.random.Generator) -> tuple[Collider, float]:
    """One of KINDS, and how fast it goes [m/s]."""
    part, transforms, fast = _part(kind, rng), np.eye(4)[None], 0.0
    options: dict[str, object] = {"friction": float(rng.choice([0.0, 0.3, 0.8]))}
    if kind == "tilted":
        transforms = _turns(rng.uniform(-0.9, 0.9) * np.eye(3)[rng.integers(2)][None])
    elif kind == "card":
        transforms = _turns(rng.normal(scale=1.5, size=(1, 3)))
    elif kind == "sweep":
        times, spin = np.arange(-1, frames) / RATE, rng.uniform(-8.0, 8.0)
        transforms = _turns(times[:, None] * [0.0, 0.0, spin]) @ _turns(rng.normal(scale=1.5, size=(1, 3)))
        way = rng.uniform(-4.0, 4.0, 3)
        transforms[:, :3, 3] = way * (times[:, None] - 0.25)
        fast = 0.7 * abs(spin) + float(np.linalg.norm(way))
    if len(transforms) == 1 and rng.uniform() < 0.3:
        height, times = rng.uniform(0.02, 0.12), np.arange(-1, frames) / RATE
        phases = 5.0 * part.positions[:, 0] + 3.0 * part.positions[:, 1]
        waves = height * np.sin(phases + 6.0 * times[:, None]) * np.clip(4.0 * times[:, None], 0.0, 1.0)
        options["shapes"] = part.positions + waves[:, :, None] * [0.0, 0.0, 1.0]
        transforms = np.repeat(transforms, len(times), axis=0)
        fast += 10.0 * height
    options["two_sided"] = kind not in FLOORS and bool(rng.uniform() < 0.5)
    options["thickness"] = float(rng.uniform(0.003, 0.03)) if rng.uniform() < 0.3 else 0.0
    options["stickiness"] = float(10.0 ** rng.uniform(1.0, 3.5)) if rng.uniform() < 0.25 else 0.0
    return Collider("c", kind.title(), "mesh", transforms, part, **options), fast


def _part(kind: str, rng: np.random.Generator) -> Surface:
    if kind == "holed":
        radius = rng.uniform(0.12, 0.35)
        return without(grid(1.6, 14), lambda middles: np.hypot(middles[:, 0], middles[:, 1]) <= radius)
    if kind == "bumpy":
        flat, height = grid(1.4, 12), rng.uniform(0.02, 0.15)
        bumps = height * np.sin(7.0 * flat.positions[:, 0]) * np.cos(6.0 * flat.positions[:, 1])
        return surface(flat.positions + bumps[:, None] * [0.0, 0.0, 1.0], flat.triangles)
    if kind == "tin":
        radius = rng.uniform(0.2, 0.4)
        return tube(radius, radius * rng.uniform(0.9, 1.3), 0.5, floor=True)
    if kind == "funnel":
        return tube(rng.uniform(0.08, 0.2), rng.uniform(0.35, 0.6), 0.5)
    if kind == "ring":
        radius = rng.uniform(0.15, 0.4)
        return tube(radius, radius, rng.uniform(0.05, 0.2))
    return grid(rng.uniform(0.5, 1.2), 8)


def _turns(vectors: np.ndarray) -> np.ndarray:
    """Transforms (k, 4, 4) that turn by rotation vectors (k, 3)."""
    transforms = np.tile(np.eye(4), (len(vectors), 1, 1))
    transforms[:, :3, :3] = [rotation_matrix(vector) for vector in vectors]
    return transforms


def tube(low: float, high: float, height: float, floor: bool = False, sides: int = 20) -> Surface:
    """A wall that looks inwards between two radii [m], perhaps on a floor that looks up."""
    angles = 2.0 * np.pi * np.arange(sides) / sides
    circle = np.stack([np.cos(angles), np.sin(angles), np.zeros(sides)], axis=1)
    positions = np.concatenate([low * circle, high * circle + [0.0, 0.0, height], np.zeros((1, 3))])
    here, ahead = np.arange(sides), (np.arange(sides) + 1) % sides
    middle = np.full(sides, 2 * sides)
    walls = [np.stack([ahead, here, here + sides], axis=1), np.stack([ahead, here + sides, ahead + sides], axis=1)]
    floors = [np.stack([here, ahead, middle], axis=1)] if floor else []
    return surface(positions if floor else positions[:-1], np.concatenate(walls + floors).astype(np.int32))
