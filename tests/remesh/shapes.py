"""Meshes and states for the tests of remeshing."""

from dataclasses import replace

import numpy as np

from solver.materials import Material
from solver.remesh.lattice_frame import LatticeFrame
from solver.remesh.restuffing import restuffed_sheets
from solver.scene import Body
from solver.state import State, build_state
from solver.surface import Surface
from solver.tetmesh.boundary import face_table
from solver.tetmesh.cage import cage
from solver.tetmesh.mesh import TetMesh
from tests.surfaces import sphere

GOO = Material("viscoplastic", {"young_modulus": 2e4, "density": 1100.0, "yield_stress": 100.0, "hardening_modulus": 50.0})


def ball(element_size: float = 0.2, radius: float = 1.0, centre=(0.0, 0.0, 0.0)) -> TetMesh:
    return cage(sphere(16, radius, centre), element_size)


def restuffed(old: TetMesh, element_size: float, turn: np.ndarray, seen: Surface | None = None) -> TetMesh:
    """New tets for a mesh in the world on a lattice turned so (3, 3); parts that touch or overlap become one."""
    frame = LatticeFrame(turn, old.middle)
    about = seen and Surface(frame.points(seen.positions), seen.triangles)
    return frame.in_world(restuffed_sheets(frame.mesh(old), element_size, fuse=True, seen=about)[0])


def squashed(mesh: TetMesh, gradient) -> TetMesh:
    return TetMesh(mesh.positions @ np.asarray(gradient, dtype=np.float64).T, mesh.tets)


def state_of(mesh: TetMesh, material: Material = GOO) -> State:
    """The state of a body at rest, each node with a velocity of its own."""
    state, _ = build_state((Body("b", "Goo", sphere(4), material),), [mesh])
    rng = np.random.default_rng(3)
    wave = np.sin(2.0 * mesh.positions @ rng.normal(size=(3, 3)) + rng.random(3))
    state.velocities = 0.3 * wave + np.cross([0.4, -1.0, 0.7], mesh.positions) + [1.0, 2.0, -3.0]
    state.previous_velocities = state.velocities - 0.1 * wave
    return state


def moved(state: State, gradient, shift=(0.0, 0.0, 0.0)) -> State:
    """The state with its nodes moved by an affine map, elastically."""
    return replace(state, positions=state.positions @ np.asarray(gradient, dtype=np.float64).T + shift)


def mesh_of(state: State) -> TetMesh:
    return TetMesh(state.positions, state.tets)


def rotation(axis, angle: float) -> np.ndarray:
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross


def is_manifold(mesh: TetMesh) -> bool:
    """Whether every edge of the boundary has two faces, and every vertex one fan of them."""
    faces = face_table(mesh.tets).boundary
    ends = np.sort(np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    if not (np.unique(ends, axis=0, return_counts=True)[1] == 2).all():
        return False
    for vertex in np.unique(faces):
        own = faces[(faces == vertex).any(axis=1)]
        after = {}
        for face in own:
            k = int(np.flatnonzero(face == vertex)[0])
            after[int(face[(k + 1) % 3])] = int(face[(k + 2) % 3])
        here, steps = next(iter(after)), 0
        while steps == 0 or here != next(iter(after)):
            here, steps = after[here], steps + 1
        if steps != len(own):
            return False
    return True
