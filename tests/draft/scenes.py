"""Scenes of bodies of the draft model, and their tets asked directly."""

from dataclasses import replace

import numpy as np

from solver.draft.elements import build_tiles, turn_and_yield, warped_forces
from solver.draft.state import build_draft_state
from solver.dynamics import start
from solver.materials import Material
from tests.physics.scenes import make_scene


def draft_scene(meshes, materials, **options):
    """Arguments of solver.dynamics.start, as make_scene gives them, every body of the draft model."""
    scene, *rest = make_scene(meshes, [{}] * len(meshes), **options)
    bodies = [replace(body, material=Material("draft", goo)) for body, goo in zip(scene.bodies, materials, strict=True)]
    return replace(scene, bodies=tuple(bodies)), *rest


def run(arguments, frames, fields=()):
    """Simulate and return the dynamics and its frames."""
    simulation = start(*arguments, fields=list(fields))
    return simulation, [simulation.advance() for _ in range(frames)]


class Tets:
    """The tets of one mesh in float64, evaluated at given positions."""

    def __init__(self, mesh, material, plastic=None):
        (body,) = draft_scene([mesh], [material])[0].bodies
        self.state, _ = build_draft_state((body,), [mesh])
        if plastic is not None:
            self.state.plastic[:] = plastic
        self.tiles = build_tiles(self.state, np.float64)

    def turn(self, positions, flowed=0.0):
        """Rotations, strain and yielding at positions (n, 3)."""
        measured = np.zeros((128 * len(self.tiles), 2))
        turn_and_yield(positions, self.state.tets, self.tiles, flowed, measured)
        self.state.plastic_strain, self.state.stress = measured[: len(self.state.tets)].T
        return self

    def forces(self, positions, rate=0.0):
        """Forces (n, 3) on nodes at positions (n, 3), and the stiffness blocks (m, 6, 9), for the rotations found last."""
        lanes = len(self.tiles) * 128
        corners, blocks = np.zeros((lanes, 12), np.float64), np.zeros((lanes, 6, 9), np.float64)
        warped_forces(positions, self.state.tets, self.tiles, rate, corners, blocks)
        count = len(self.state.tets)
        total = np.zeros_like(positions)
        np.add.at(total, self.state.tets, corners[:count].reshape(-1, 4, 3))
        return total, blocks[:count]


def rotation(axis, angle):
    """The matrix (3, 3) of a turn by an angle [rad] about an axis (3,)."""
    k = np.asarray(axis, float) / np.linalg.norm(axis)
    cross = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
