"""Colliders with sharp edges, and how deep they are in what is seen, measured without the solver's own geometry."""

import numpy as np

from solver.scene import Surface
from tests.surfaces import surface


def prism(profile, width: float) -> Surface:
    """A convex profile (n, 2) of x and z, walked clockwise, drawn out along y."""
    profile, n = np.asarray(profile, dtype=float), len(profile)
    ends = [np.column_stack([profile[:, 0], np.full(n, side * width / 2.0), profile[:, 1]]) for side in (-1.0, 1.0)]
    faces = [face for i in range(n) for j in [(i + 1) % n] for face in ((i, j, n + j), (i, n + j, n + i))]
    faces += [face for i in range(1, n - 1) for face in ((0, i + 1, i), (n, n + i, n + i + 1))]
    return surface(np.concatenate(ends), faces)


def nosing() -> tuple[Surface, np.ndarray]:
    """The edge of a step, and a line (2, 3) along it."""
    return prism([(0, 0), (-3, 0), (-3, -2), (0, -2)][::-1], 4.0), np.array([[0.0, -2.0, 0.0], [0.0, 2.0, 0.0]])


def knife() -> tuple[Surface, np.ndarray]:
    """A blade of 40 degrees."""
    half = np.tan(np.radians(20.0))
    return prism([(0, 0), (-half, -1), (half, -1)][::-1], 4.0), np.array([[0.0, -2.0, 0.0], [0.0, 2.0, 0.0]])


def spike() -> tuple[Surface, np.ndarray]:
    """The tip of a pyramid."""
    corners = [(0, 0, 0), (-0.6, -0.6, -1), (0.6, -0.6, -1), (0.6, 0.6, -1), (-0.6, 0.6, -1)]
    faces = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 1), (1, 4, 3), (1, 3, 2)]
    return surface(corners, faces), np.zeros((1, 3))


def depth(line: np.ndarray, positions: np.ndarray, triangles: np.ndarray, samples: int = 200) -> float:
    """The deepest that places along a line (k, 3) lie inside a closed surface [m]: winding numbers and distances by sums."""
    share = np.linspace(0.0, 1.0, samples if len(line) > 1 else 1)[:, None]
    points = line[0] + share * (line[-1] - line[0])
    points = points[((points >= positions.min(axis=0)) & (points <= positions.max(axis=0))).all(axis=1)]
    corners = positions[triangles]
    inside = [point for point in points if _winding(point, corners) > 0.5]
    return max((_distance(point, corners) for point in inside), default=0.0)


def _winding(point, corners) -> float:
    """Solid angles of triangles (t, 3, 3) over the whole sphere's (van Oosterom and Strackee 1983)."""
    a, b, c = (corners[:, k] - point for k in range(3))
    la, lb, lc = (np.linalg.norm(arm, axis=1) for arm in (a, b, c))
    volume = np.einsum("ti,ti->t", a, np.cross(b, c))
    around = la * lb * lc + (a * b).sum(axis=1) * lc + (b * c).sum(axis=1) * la + (c * a).sum(axis=1) * lb
    return float(np.arctan2(volume, around).sum() / (2.0 * np.pi))


def _distance(point, corners) -> float:
    """To the closest of triangles (t, 3, 3)."""
    a, b, c = (corners[:, k] for k in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    height = ((point - a) * normal).sum(axis=1)
    foot, over, nearest = point - height[:, None] * normal, np.ones(len(a), dtype=bool), np.inf
    for start, end in ((a, b), (b, c), (c, a)):
        over &= (np.cross(end - start, foot - start) * normal).sum(axis=1) >= 0.0
        share = np.clip(((point - start) * (end - start)).sum(axis=1) / ((end - start) ** 2).sum(axis=1), 0.0, 1.0)
        nearest = min(nearest, float(np.linalg.norm(point - start - share[:, None] * (end - start), axis=1).min()))
    return min(nearest, float(np.abs(height[over]).min(initial=np.inf)))
