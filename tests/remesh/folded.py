"""Strips of tets bent double or rolled up, with the place along the strip that each node has."""

import numpy as np

from solver.surface import Surface
from solver.tetmesh.cage import cage
from solver.tetmesh.mesh import TetMesh
from tests.surfaces import box

Array = np.ndarray


def bent(positions: Array, gap: float, thick: float) -> Array:
    """Points (n, 3) of a strip along x as it lies bent double around a gap [m] between its arms, below 0 pressed into each
    other."""
    along, across, height = positions.T
    half = 0.25 * np.pi * (gap + thick)
    angle = 0.5 * np.pi * np.clip(along / half, -1.0, 1.0)
    beyond = np.abs(along - np.clip(along, -half, half))
    radius = 0.5 * (gap + thick) + height
    return np.stack([beyond - radius * np.cos(angle), across, radius * np.sin(angle)], axis=1)


def rolled(positions: Array, pitch: float, length: float) -> Array:
    """The same rolled up, a turn being `pitch` [m] outside of the one before."""
    angles = np.linspace(0.0, 14.0, 4000)
    radii = 0.35 + pitch * angles / (2.0 * np.pi)
    steps = np.hypot(np.diff(radii * np.cos(angles)), np.diff(radii * np.sin(angles)))
    angle = np.interp(positions[:, 0] + 0.5 * length, np.concatenate([[0.0], np.cumsum(steps)]), angles)
    radius = 0.35 + pitch * angle / (2.0 * np.pi) + positions[:, 2]
    return np.stack([radius * np.cos(angle), positions[:, 1], -radius * np.sin(angle)], axis=1)


def strip(size: float, gap: float, thick: float = 0.4, length: float = 4.0) -> tuple[TetMesh, Array]:
    """A bent strip, and the place (n,) of its nodes along it."""
    flat = cage(box((length, 1.0, thick)), size)
    return TetMesh(bent(flat.positions, gap, thick), flat.tets), flat.positions[:, 0].copy()


def roll(size: float) -> tuple[TetMesh, Array]:
    """A roll whose turns are a twentieth of a cell apart."""
    flat = cage(box((6.0, 0.8, 0.3)), size)
    return TetMesh(rolled(flat.positions, 0.31, 6.0), flat.tets), flat.positions[:, 0].copy()


def skin(gap: float, thick: float = 0.4, length: float = 4.0, cells: int = 60) -> tuple[Surface, Array]:
    """The closed surface of a bent strip with its place along it (n,); finer along it than its tets."""
    along = np.linspace(-0.5 * length, 0.5 * length, cells + 1)
    ring = np.array([(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]) * (1.0, thick)
    positions = np.array([(x, y, z) for x in along for y, z in ring])
    sides = [
        face
        for k in range(cells)
        for a in range(4)
        for b in [(a + 1) % 4]
        for face in ((4 * k + a, 4 * k + 4 + a, 4 * k + b), (4 * k + b, 4 * k + 4 + a, 4 * k + 4 + b))
    ]
    last = 4 * cells
    triangles = np.array([*sides, (0, 1, 2), (0, 2, 3), (last, last + 2, last + 1), (last, last + 3, last + 2)], dtype=np.int32)
    x = positions[triangles]
    if np.einsum("ti,ti->", x[:, 0], np.cross(x[:, 1], x[:, 2])) < 0.0:
        triangles = triangles[:, ::-1].copy()
    return Surface(bent(positions, gap, thick), triangles), positions[:, 0]
