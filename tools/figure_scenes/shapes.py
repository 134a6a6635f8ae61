"""Surfaces that figures are made of."""

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.scene import Surface

DATA = Path(__file__).resolve().parents[2] / "tests" / "data"


def tube(path: ArrayLike, radii: ArrayLike, around: int = 20) -> Surface:
    """A closed tube through the points of a path (k, 3) with a radius at each (k,); its rings stand across the path."""
    path, radii = np.asarray(path, dtype=np.float64), np.asarray(radii, dtype=np.float64)
    along = np.gradient(path, axis=0)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    across = np.cross((0.0, 0.0, 1.0), along)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    upwards = np.cross(along, across)
    angle = np.linspace(0.0, 2.0 * np.pi, around, endpoint=False)[None, :, None]
    rings = path[:, None] + radii[:, None, None] * (np.cos(angle) * across[:, None] + np.sin(angle) * upwards[:, None])
    points = np.concatenate([rings.reshape(-1, 3), path[:1], path[-1:]])
    first, last = len(points) - 2, len(points) - 1
    faces = []
    for j in range(around):
        k = (j + 1) % around
        end = len(path) - 1
        faces += [(first, k, j), (last, end * around + j, end * around + k)]
        for ring in range(end):
            a, b, c, d = ring * around + j, ring * around + k, (ring + 1) * around + k, (ring + 1) * around + j
            faces += [(a, b, c), (a, c, d)]
    return Surface(points, np.array(faces, dtype=np.int32))


def cow(length: float, feet: tuple[float, float, float]) -> Surface:
    """Keenan Crane's Spot (tests/data/README.md), so long, standing upright over a point."""
    with np.load(DATA / "spot.npz") as arrays:
        points, triangles = arrays["positions"].astype(np.float64), arrays["triangles"].astype(np.int32)
    points = points[:, [2, 0, 1]] * (length / np.ptp(points[:, 2]))  # its own up is y
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    return Surface(points - (middle[0], middle[1], points[:, 2].min()) + feet, triangles)


def torus(
    radius: float, thickness: float, centre: tuple[float, float, float], rings: int, sides: int, staggered: bool = False
) -> Surface:
    """A ring of a radius and of a tube's radius, lying flat about a point.

    Staggered, with an even number of rings, every other one is turned by half a side: no two faces lie in one plane then, so
    that tets which are filled in keep every face.
    """
    u, v = np.meshgrid(np.arange(rings) * 2.0 * np.pi / rings, np.arange(sides) * 2.0 * np.pi / sides, indexing="ij")
    if staggered:
        v[1::2] += np.pi / sides
    out = radius + thickness * np.cos(v)
    points = np.stack([out * np.cos(u), out * np.sin(u), thickness * np.sin(v)], axis=-1).reshape(-1, 3) + centre
    a = np.arange(rings * sides).reshape(rings, sides)
    b, d = np.roll(a, -1, axis=0), np.roll(a, -1, axis=1)
    quads = np.stack([a, b, np.roll(b, -1, axis=1), d], axis=-1)
    turned = quads[::2] if staggered else quads[:0]
    others = (quads[1::2] if staggered else quads).reshape(-1, 4)
    turned = turned.reshape(-1, 4)
    parts = [others[:, [0, 1, 2]], others[:, [0, 2, 3]], turned[:, [0, 1, 3]], turned[:, [1, 2, 3]]]
    return Surface(points, np.concatenate(parts).astype(np.int32))


def ball(radius: float, centre: tuple[float, float, float], rings: int) -> Surface:
    """A globe of 2 x rings meridians."""
    around = 2 * rings
    theta, phi = np.linspace(0.0, np.pi, rings + 1)[1:-1, None], np.arange(around)[None] * (np.pi / rings)
    belt = np.stack(np.broadcast_arrays(np.sin(theta) * np.cos(phi), np.sin(theta) * np.sin(phi), np.cos(theta)), axis=-1)
    points = np.concatenate([belt.reshape(-1, 3), [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]]])
    north, south, last = len(points) - 2, len(points) - 1, (rings - 2) * around
    faces = []
    for j in range(around):
        k = (j + 1) % around
        faces += [(north, j, k), (south, last + k, last + j)]
        for i in range(0, last, around):
            faces += [(i + j, i + around + j, i + around + k), (i + j, i + around + k, i + k)]
    return Surface(radius * points + centre, np.array(faces, dtype=np.int32))


def geodesic(radius: float, centre: tuple[float, float, float], parts: int) -> Surface:
    """A ball of even triangles: the faces of an octahedron, each edge in so many parts."""
    points, faces, before = [], [], 0
    inside = [(i, j) for i in range(parts + 1) for j in range(parts + 1 - i)]
    number = {place: k for k, place in enumerate(inside)}
    for signs in np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]):
        points.append(np.array([(i, j, parts - i - j) for i, j in inside]) * signs)
        up = [(number[i, j], number[i + 1, j], number[i, j + 1]) for i, j in inside if i + j < parts]
        down = [(number[i + 1, j], number[i + 1, j + 1], number[i, j + 1]) for i, j in inside if i + j < parts - 1]
        corners = np.array(up + down) + before
        faces.append(corners if signs.prod() > 0 else corners[:, ::-1])
        before += len(inside)
    places, number_of = np.unique(np.concatenate(points), axis=0, return_inverse=True)
    # Arcs instead of chords: equal parts of an edge become equal angles
    angles = np.sign(places) * np.sin(0.5 * np.pi * np.abs(places) / parts)
    out = angles / np.linalg.norm(angles, axis=1, keepdims=True)
    return Surface(radius * out + centre, number_of.reshape(-1)[np.concatenate(faces)].astype(np.int32))


def gear(radius: float, depth: float, teeth: int, length: float, first: float, along: int = 16) -> Surface:
    """A gear about the y axis with round teeth, each of so many sides; `first` is a tooth's angle from x towards z [rad]."""
    angle = np.arange(along * teeth) * 2.0 * np.pi / (along * teeth)
    return _disc(angle, radius + 0.5 * depth * np.cos(teeth * (angle - first)), length)


def _disc(angle: NDArray[np.float64], reach: NDArray[np.float64], length: float) -> Surface:
    """A disc about the y axis, so long, whose rim reaches so far (k,) [m] at angles (k,) from x towards z that grow [rad]."""
    count = len(angle)
    rim = np.stack([reach * np.cos(angle), np.zeros(count), reach * np.sin(angle)], axis=1)
    half = np.array([0.0, 0.5 * length, 0.0])
    points = np.concatenate([rim - half, rim + half, [-half, half]])
    near, far = 2 * count, 2 * count + 1
    j = np.arange(count)
    k = (j + 1) % count
    middle = np.ones_like(j)
    faces = [(j, j + count, k + count), (j, k + count, k), (near * middle, j, k), (far * middle, k + count, j + count)]
    return Surface(points, np.concatenate([np.stack(face, axis=1) for face in faces]).astype(np.int32))


def spur_gear(radius: float, teeth: int, length: float, first: float) -> Surface:
    """A gear about the y axis with involute teeth of 20 degrees on a pitch circle; `first` is as that of `gear`."""
    module, slant = 2.0 * radius / teeth, np.radians(20.0)
    base, tip, root = radius * np.cos(slant), radius + module, radius - 1.25 * module
    flank = np.linspace(base, tip, 5)
    turn = np.arccos(base / flank)  # pressure angle at each radius of the flank
    half = 0.5 * np.pi / teeth + np.tan(slant) - slant - np.tan(turn) + turn
    foot = half[0] + 0.3 * (np.pi / teeth - half[0])  # below the base circle it goes straight to the root, and wider
    reach = np.concatenate([[root], flank, flank[::-1], [root]])
    side = np.concatenate([[-foot], -half, half[::-1], [foot]])
    angle = (first + 2.0 * np.pi * np.arange(teeth)[:, None] / teeth + side).ravel()
    return _disc(angle, np.tile(reach, teeth), length)


def ridge(x: ArrayLike, height: ArrayLike, base: float, width: float) -> Surface:
    """A closed solid, so wide along y, from a base up to a height (k,) over places x (k,) that grow."""
    x, height = np.asarray(x, dtype=np.float64), np.asarray(height, dtype=np.float64)
    count, rows = len(x), []
    for z in (height, np.full_like(x, base)):
        rows += [np.stack([x, np.full_like(x, y), z], axis=1) for y in (-0.5 * width, 0.5 * width)]
    i = np.arange(count - 1)
    front, back, low, far = (i + row * count for row in range(4))
    ends = [(low[:1], front[:1], back[:1], far[:1]), tuple(row[-1:] + 1 for row in (low, far, back, front))]
    sides = [(front, front + 1, back + 1, back), (low, far, far + 1, low + 1), (low, low + 1, front + 1, front)]
    sides.append((far, back, back + 1, far + 1))
    quads = np.concatenate([np.stack(side, axis=1) for side in (*sides, *ends)])
    return Surface(np.concatenate(rows), np.concatenate([quads[:, :3], quads[:, [0, 2, 3]]]).astype(np.int32))


def bar(sides: tuple[float, float, float], centre: tuple[float, float, float], size: float) -> Surface:
    """A box whose faces are divided into squares of about a size."""
    counts = [max(1, round(side / size)) for side in sides]
    points, quads, before = [], [], 0
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        a, b = np.meshgrid(np.arange(counts[u] + 1), np.arange(counts[v] + 1), indexing="ij")
        number = np.arange(a.size).reshape(a.shape)
        square = np.stack([number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]], axis=-1).reshape(-1, 4)
        for end in (0, counts[axis]):
            place = np.empty((a.size, 3), dtype=np.int64)
            place[:, axis], place[:, u], place[:, v] = end, a.ravel(), b.ravel()
            points.append(place)
            quads.append(before + (square if end else square[:, ::-1]))
            before += a.size
    places, number = np.unique(np.concatenate(points), axis=0, return_inverse=True)
    corners = number.reshape(-1)[np.concatenate(quads)]
    local = (places / np.array(counts) - 0.5) * np.asarray(sides)
    return Surface(local + centre, np.concatenate([corners[:, :3], corners[:, [0, 2, 3]]]).astype(np.int32))
