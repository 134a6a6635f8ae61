"""A bar of square faces, and what is drawn out or squeezed of it."""

from dataclasses import replace

import ipctk
import numpy as np

from solver.materials import Material
from solver.pins.pin import Pin
from solver.refining.grain import Grain
from solver.scene import Body, Scene, Settings, Surface, validated
from tests.surfaces import surface

GOO = Material("viscoplastic", {"young_modulus": 1e5, "yield_stress": 300.0, "flow_rate": 300.0, "density": 1000.0})


def bar(along: int = 24, across: int = 6, size=(1.0, 0.25, 0.25)) -> Surface:
    """A closed box about the origin of along x across x across squares, each of two triangles."""
    counts = np.array([along, across, across])
    numbers: dict[tuple[int, ...], int] = {}
    faces = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        for end in (0, counts[axis]):
            for i in range(counts[u]):
                for j in range(counts[v]):
                    quad = []
                    for di, dj in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        place = [0, 0, 0]
                        place[axis], place[u], place[v] = int(end), i + di, j + dj
                        quad.append(numbers.setdefault(tuple(place), len(numbers)))
                    a, b, c, d = quad if end else quad[::-1]
                    faces += [(a, b, c), (a, c, d)]
    places = np.array(sorted(numbers, key=lambda key: numbers[key]), dtype=float) / counts - 0.5
    return surface(places * np.asarray(size), faces)


def grain_of(part: Surface, borders=()) -> Grain:
    """How fine a surface is, as it is at the start of a bake with remeshing."""
    return Grain.at_rest(Body("b", "B", part, GOO, remeshing="wholesale", borders=np.array(borders, dtype=np.int32)))


def smallest_angle(positions, triangles) -> float:
    """Of all triangles [degrees]."""
    corners, least = positions[triangles], 180.0
    for k in range(3):
        one, two = (corners[:, (k + n) % 3] - corners[:, k] for n in (1, 2))
        cosine = (one * two).sum(axis=1) / np.sqrt((one**2).sum(axis=1) * (two**2).sum(axis=1))
        least = min(least, float(np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))).min()))
    return least


def lengths(positions, triangles) -> np.ndarray:
    """Of the sides of triangles (t, 3)."""
    corners = positions[triangles]
    return np.sqrt(((np.roll(corners, -1, axis=1) - corners) ** 2).sum(axis=2))


def crossing(positions, triangles) -> bool:
    """Whether a surface passes through itself."""
    places = np.ascontiguousarray(positions, dtype=np.float64)
    return bool(ipctk.has_intersections(ipctk.CollisionMesh(places, ipctk.edges(triangles), triangles), places))


def pulled(frames: int = 30, stretch: float = 4.0, factor: float = 1.5, part: Surface | None = None, **options) -> Scene:
    """The bar with its ends pinned and drawn apart, to so many times its length, in four fifths of the frames."""
    part = part or bar()
    pins = []
    for side in (-1, 1):
        held = np.flatnonzero(side * part.positions[:, 0] > 0.5 - 1e-9).astype(np.int32)
        way = np.clip(np.arange(frames + 1) / (0.8 * frames), 0.0, 1.0)[:, None, None] * (
            side * 0.5 * (stretch - 1.0),
            0.0,
            0.0,
        )
        pins.append(Pin(f"end {side}", held, np.ones(len(held)), part.positions[held][None] + way))
    body = Body("b", "Bar", part, GOO, resolution=12, remeshing="wholesale", refine_length=factor, pins=tuple(pins), **options)
    return validated(Scene((body,), (), Settings(frame_end=frames, worst_condition=6.0, gravity=(0.0, 0.0, 0.0), threads=1)))


def without(scene: Scene) -> Scene:
    """The scene with what is seen left as it is."""
    return replace(scene, bodies=tuple(replace(body, refine_length=0.0) for body in scene.bodies))
