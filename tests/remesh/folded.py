"""Strips of tets bent double or rolled up, with the place along the strip that each node has."""

import numpy as np

from solver.remesh.lattice_frame import LatticeFrame
from solver.remesh.restuffing import restuffed_sheets
from solver.remesh.unfused import OfSheets
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


def new_sheets(mesh: TetMesh, size: float, turn: Array) -> tuple[TetMesh, OfSheets | None]:
    """Tets on a turned lattice for a mesh in the world that does not merge, and of which side of a fold they are."""
    frame = LatticeFrame(turn, mesh.middle)
    new, sheets = restuffed_sheets(frame.mesh(mesh), size)
    return frame.in_world(new), sheets


def strip(size: float, gap: float, thick: float = 0.4, length: float = 4.0) -> tuple[TetMesh, Array]:
    """A bent strip, and the place (n,) of its nodes along it."""
    flat = cage(box((length, 1.0, thick)), size)
    return TetMesh(bent(flat.positions, gap, thick), flat.tets), flat.positions[:, 0].copy()


def roll(size: float) -> tuple[TetMesh, Array]:
    """A roll whose turns are a twentieth of a cell apart."""
    flat = cage(box((6.0, 0.8, 0.3)), size)
    return TetMesh(rolled(flat.positions, 0.31, 6.0), flat.tets), flat.positions[:, 0].copy()


def skin(gap: float, thick: float = 0.4, length: float = 4.0, edge: float = 0.12) -> tuple[Surface, Array]:
    """The closed surface of a bent strip in triangles of about an edge [m], and where (n, 3) they lie on the flat one."""
    flat = cage(box((length, 1.0, thick)), edge)
    used, numbered = np.unique(flat.faces.boundary, return_inverse=True)
    places = flat.positions[used]
    return Surface(bent(places, gap, thick), numbered.reshape(-1, 3).astype(np.int32)), places
