"""Surfaces that tests mesh, bind and collide with: clean ones, and the wrecks that artists hand in."""

from pathlib import Path

import numpy as np

from solver.geometry.measures import signed_volumes
from solver.scene import Surface

DATA = Path(__file__).parent / "data"


def surface(positions, triangles) -> Surface:
    return Surface(np.ascontiguousarray(positions, dtype=np.float64), np.ascontiguousarray(triangles, dtype=np.int32))


def stored(name: str) -> Surface:
    """A mesh of tests/data (see README.md there)."""
    with np.load(DATA / f"{name}.npz") as arrays:
        return surface(arrays["positions"], arrays["triangles"])


def sphere(rings: int = 16, radius: float = 1.0, centre=(0.0, 0.0, 0.0)) -> Surface:
    """A globe of 2 x rings meridians."""
    around = 2 * rings
    theta = np.linspace(0.0, np.pi, rings + 1)[1:-1, None]
    phi = np.arange(around)[None, :] * 2.0 * np.pi / around
    belt = np.stack([np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta) + 0.0 * phi], axis=-1)
    points = np.concatenate([[[0.0, 0.0, 1.0]], belt.reshape(-1, 3), [[0.0, 0.0, -1.0]]])
    south = len(points) - 1
    faces = []
    for j in range(around):
        k = (j + 1) % around
        faces.append((0, 1 + j, 1 + k))
        faces.append((south, south - around + k, south - around + j))
        for i in range(rings - 2):
            a, b, c, d = (1 + r * around + s for r, s in ((i, j), (i + 1, j), (i + 1, k), (i, k)))
            faces += [(a, b, c), (a, c, d)]
    return surface(radius * points + np.asarray(centre), faces)


def box(sides=(1.0, 1.0, 1.0), centre=(0.0, 0.0, 0.0)) -> Surface:
    corners = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))]
    return surface(corners * np.asarray(sides) + np.asarray(centre), faces)


def cone(sides: int = 32) -> Surface:
    """Two high and two wide, its base cut into a fan: thin triangles at the tip and at one point of the rim."""
    angle = np.arange(sides) * 2.0 * np.pi / sides
    rim = np.stack([np.cos(angle), np.sin(angle), np.full(sides, -1.0)], axis=1)
    mantle = [(i, (i + 1) % sides, sides) for i in range(sides)]
    base = [(0, i + 1, i) for i in range(1, sides - 1)]
    return surface(np.concatenate([rim, [[0.0, 0.0, 1.0]]]), mantle + base)


def prism(sides: int, along: int) -> Surface:
    """One metre high, its side edges in parts, so that the vertices of the polygons that end it lie in lines; these are cut
    into fans, as Blender cuts them into slivers."""
    angle = 2.0 * np.pi * np.arange(sides) / sides
    corners = 0.3 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    share = (np.arange(along) / along)[None, :, None]
    rim = (corners[:, None] * (1.0 - share) + np.roll(corners, -1, axis=0)[:, None] * share).reshape(-1, 2)
    count = len(rim)
    places = np.concatenate([np.column_stack([rim, np.full(count, z)]) for z in (-0.5, 0.5)])
    j, k = np.arange(count), np.roll(np.arange(count), -1)
    sides_of = np.concatenate([np.stack([j, k, k + count], axis=1), np.stack([j, k + count, j + count], axis=1)])
    fan = np.stack([np.zeros(count - 2, int), np.arange(1, count - 1), np.arange(2, count)], axis=1)
    return surface(places, np.concatenate([sides_of, fan + count, fan[:, ::-1]]))


def joined(*parts: Surface) -> Surface:
    shifts = np.cumsum([0] + [len(part.positions) for part in parts[:-1]])
    return surface(
        np.concatenate([part.positions for part in parts]),
        np.concatenate([part.triangles + shift for part, shift in zip(parts, shifts, strict=True)]),
    )


def flipped(part: Surface, which=slice(None)) -> Surface:
    triangles = part.triangles.copy()
    triangles[which] = triangles[which][:, [0, 2, 1]]
    return surface(part.positions, triangles)


def soup(part: Surface, gap: float = 0.0) -> Surface:
    """Every triangle on its own; `gap` shrinks each towards its centre."""
    corners = part.positions[part.triangles]
    corners = corners + gap * (corners.mean(axis=1, keepdims=True) - corners)
    return surface(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))


def with_holes(part: Surface, every: int = 20) -> Surface:
    """The surface without every so-manyth triangle."""
    return surface(part.positions, part.triangles[np.arange(len(part.triangles)) % every != 0])


def moved(part: Surface, shift) -> Surface:
    return surface(part.positions + np.asarray(shift), part.triangles)


def _speared(ball: Surface) -> Surface:
    """The north pole pulled out through the south."""
    positions = ball.positions.copy()
    positions[0, 2] = -1.5
    return surface(positions, ball.triangles)


def loop_through_itself(radius: float = 0.25, sides: int = 16, along: int = 48) -> Surface:
    """A closed sausage of a radius [m] along a loop in the plane z = 0 whose two ends pass through each other at (0, 1, 0)."""
    t = np.linspace(-1.5, 1.5, along)[:, None]
    middle = np.concatenate([t**3 - t, t**2, 0.0 * t], axis=1)
    forward = np.concatenate([3.0 * t**2 - 1.0, 2.0 * t, 0.0 * t], axis=1)
    aside = np.cross([0.0, 0.0, 1.0], forward / np.linalg.norm(forward, axis=1, keepdims=True))
    angle = 2.0 * np.pi * np.arange(sides) / sides
    ring = np.cos(angle)[None, :, None] * aside[:, None] + np.sin(angle)[None, :, None] * np.array([0.0, 0.0, 1.0])
    places = np.concatenate([(middle[:, None] + radius * ring).reshape(-1, 3), middle[[0, -1]]])
    k, n, count = *(part.ravel() for part in np.meshgrid(np.arange(along - 1), np.arange(sides), indexing="ij")), along * sides
    here, there = k * sides + n, k * sides + (n + 1) % sides
    faces = [np.stack([here, here + sides, there], axis=1), np.stack([there, here + sides, there + sides], axis=1)]
    around, last = np.arange(sides), count - sides
    ends = np.full(sides, count), np.full(sides, count + 1)
    faces += [np.stack([ends[0], around, (around + 1) % sides], axis=1)]
    faces += [np.stack([ends[1], last + (around + 1) % sides, last + around], axis=1)]
    made = surface(places, np.concatenate(faces))
    return made if signed_volumes(made.positions, made.triangles).sum() > 0.0 else flipped(made)


def wrecks() -> dict[str, Surface]:
    """Everything the cage has to take."""
    ball = sphere(16)
    rng = np.random.default_rng(7)
    return {
        "sphere": ball,
        "cube": box(),
        "torus": stored("torus"),
        "spot": stored("spot"),
        "suzanne": stored("suzanne"),
        "soup": soup(ball),
        "soup with gaps": soup(ball, 0.1),
        "holes": with_holes(ball),
        "hemisphere": surface(ball.positions, ball.triangles[ball.positions[ball.triangles].mean(axis=1)[:, 2] > 0]),
        "overlap": joined(ball, sphere(12, 0.8, (0.9, 0.1, 0.2))),
        "inside out": flipped(ball),
        "some flipped": flipped(ball, rng.random(len(ball.triangles)) < 0.3),
        "inner shell": joined(ball, sphere(8, 0.5)),
        "hollow": joined(ball, flipped(sphere(8, 0.5))),
        "two balls": joined(ball, sphere(12, 0.5, (2.5, 0.0, 0.0))),
        "self-intersecting": _speared(ball),
        "far away": moved(ball, (10_000.0, -3_000.0, 50.0)),
    }
