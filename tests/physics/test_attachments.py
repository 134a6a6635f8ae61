"""Pins that a collider carries: a plane that sways, and a mesh that deforms."""

from dataclasses import replace

import numpy as np

from solver.pins.pin import Pin
from solver.scene import Collider
from solver.simulate import Simulation
from tests.physics.scenes import center
from tests.physics.test_fast_colliders import grid
from tests.physics.test_pins import STIFF, bar, pinned


def attached(mesh, vertices, transforms, wall=None, **pin):
    """Arguments of Simulation: a body fixed to a wall, or to a plane far below it that moves by transforms (k, 4, 4)."""
    scene, *rest = pinned(mesh, STIFF | {"young_modulus": 1e7}, vertices, settings={"frames": len(transforms) - 1})
    body = scene.bodies[0]
    own = Pin("attachment", vertices, np.ones(len(vertices)), None, "wall", **pin)
    wall = wall or Collider("wall", "Wall", "plane", transforms)
    return replace(scene, bodies=(replace(body, pins=(own,)),), colliders=(wall,)), *rest


def swaying(frames, lift=-3.0):
    """Transforms (frames + 1, 4, 4) of a plane that turns and moves, below the body."""
    transforms = np.tile(np.eye(4), (frames + 1, 1, 1))
    for k, angle in enumerate(0.05 * (np.arange(frames + 1) - 1)):
        transforms[k, :2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        transforms[k, :3, 3] = 0.3 * np.sin(angle), 0.0, lift + 0.02 * k
    return transforms


def test_what_is_attached_to_a_collider_goes_with_it_until_its_key():
    mesh, frames = bar(2), 20
    vertices, transforms = np.flatnonzero(mesh.positions[:, 2] == 0.0), swaying(frames)
    simulation = Simulation(*attached(mesh, vertices, transforms, strength=np.where(np.arange(frames) < 12, 1.0, 0.0)))
    for k in range(12):
        simulation.advance()
        way = transforms[k + 1] @ np.linalg.inv(transforms[1])
        there = mesh.positions[vertices] @ way[:3, :3].T + way[:3, 3]
        assert np.abs(simulation.state.positions[vertices] - there).max() < 1e-9
    for _ in range(8):
        simulation.advance()
    assert (simulation.state.positions[vertices, 2] < there[:, 2] - 0.2).all()


def test_what_is_attached_to_a_mesh_that_deforms_goes_as_its_vertices_do():
    """A sheet bends and stretches under a bar, the nodes of whose end lie on vertices of it: each goes with its own until the
    key."""
    mesh, frames = bar(2), 16
    sheet, vertices = grid(1.0, 8), np.flatnonzero(mesh.positions[:, 2] == 0.0)
    away = np.linalg.norm(mesh.positions[vertices][:, None] - sheet.positions, axis=2)
    under = away.argmin(axis=1)
    assert away.min(axis=1).max() < 1e-12
    x, y, _ = sheet.positions.T
    shapes = [
        sheet.positions + np.stack([0.3 * s * x * y, 0.2 * s * y, s * (0.4 * x + 0.3 * np.cos(6.0 * x + y))], axis=1)
        for s in 0.3 * np.sin(np.maximum(np.arange(frames + 1) - 1, 0) * np.pi / 12.0)
    ]
    wall = Collider("wall", "Wall", "mesh", np.eye(4)[None], sheet, shapes=np.array(shapes), two_sided=True, groups=2)
    strength = np.where(np.arange(frames) < 12, 1.0, 0.0)
    simulation = Simulation(*attached(mesh, vertices, np.tile(np.eye(4), (frames + 1, 1, 1)), wall, strength=strength))
    assert simulation.fields[0].deformation is not None
    for k in range(12):
        simulation.advance()
        off = simulation.state.positions[vertices] - shapes[k + 1][under]
        assert np.abs(off).max() < 1e-9, k
    simulation.advance()
    assert np.abs(simulation.state.positions[vertices] - shapes[13][under]).max() > 1e-3


def test_an_attachment_that_is_keyed_up_takes_the_goo_where_it_is_then():
    mesh, frames = bar(2), 20
    vertices, transforms = np.arange(len(mesh.positions)), np.tile(np.eye(4), (21, 1, 1))
    transforms[:, 2, 3] = -9.0
    simulation = Simulation(*attached(mesh, vertices, transforms, strength=np.where(np.arange(frames) < 6, 0.0, 1.0)))
    heights = []
    for _ in range(frames):
        simulation.advance()
        heights.append(center(simulation)[2])
    assert heights[5] < heights[0] - 0.1 and np.ptp(heights[6:]) < 1e-9
