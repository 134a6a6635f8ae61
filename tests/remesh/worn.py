"""Meshes of bodies that want new tets, and what is asked of the new ones; the tests' and benchmarks/remeshers.py's."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from solver.bake import prepare
from solver.geometry.sampling import surface_points
from solver.geometry.triangle_tree import closest_points
from solver.presets import load_preset
from solver.remesh.condition import conditions
from solver.scene import Body, Scene, Settings, Surface, validated
from solver.simulate import Simulation
from solver.tetmesh.cage import cage
from solver.tetmesh.mesh import TetMesh, joined_meshes
from solver.tetmesh.quality import dihedral_angles, tet_volumes
from tests.physics.scenes import PlaneField
from tests.surfaces import box, sphere, stored

from .shapes import ball, rotation, squashed

PRESETS = Path(__file__).parents[2] / "presets"
SIZE = 0.2
TURN = rotation([1, 2, 3], 0.7)


# Goo between a solid and a liquid, as cornstarch's preset had it when these shapes were chosen
STARCH = {
    "poisson_ratio": 0.45, "yield_stress": 0.0, "flow_rate": 2000.0, "rate_stress": 1200.0, "rate_exponent": 4.0,
    "damping": 20.0,
}  # fmt: skip


def torus() -> TetMesh:
    """A ring, its tube some seven cells thick."""
    ring = stored("torus")
    return cage(Surface(ring.positions * (28.0 * SIZE / np.ptp(ring.positions, axis=0).max()), ring.triangles), SIZE)


def bent_bar() -> TetMesh:
    """A bar that is stretched to 1.4 of its length and bent by 143 degrees."""
    bar = squashed(cage(box((4.0, 0.8, 0.8)), SIZE), np.diag([1.4, 0.8, 0.9]))
    x, y, z = bar.positions.T
    bend = 2.5 / np.ptp(x)
    return TetMesh(np.stack([np.sin(bend * x) * (1.0 / bend + z), y, np.cos(bend * x) * (1.0 / bend + z)], axis=1), bar.tets)


def sheet() -> TetMesh:
    """A square plate, one cell and a quarter thick."""
    return squashed(cage(box((3.0, 3.0, 1.25 * SIZE)), 0.5 * SIZE), TURN)


def bun() -> TetMesh:
    """Cornstarch that has fallen and run apart for 30 frames on the tets that it began with; its cells are of SIZE."""
    goo = load_preset(PRESETS / "cornstarch.toml")
    drop, starch = sphere(12, 0.25, (0.0, 0.0, 0.76)), replace(goo.material, values={**goo.material.values, **STARCH})
    body = Body("b", "Goo", drop, starch, goo.real_size, resolution=8)
    scene = validated(Scene((body,), (), Settings(frame_end=30, threads=1)))
    prepared = prepare(scene)[0]
    simulation = Simulation(scene, [prepared.mesh], [prepared.surface], [prepared.contacts], fields=[PlaneField()])
    for _ in range(30):
        simulation.advance()
    state = simulation.state
    return TetMesh(state.positions * (SIZE / scene.bodies[0].element_size), state.tets)


SHAPES = {
    "ball": lambda: ball(SIZE),
    "flat ball": lambda: squashed(ball(SIZE), np.diag([1.8, 1.8, 0.32])),
    "sheared ball": lambda: squashed(ball(SIZE), rotation([1, 2, 0], 0.5) @ [[1, 2, 0], [0, 1, 0], [0, 0.5, 1]]),
    "box": lambda: squashed(cage(box((2.0, 2.0, 2.0)), SIZE), TURN),
    "torus": torus,
    "bent bar": bent_bar,
    "sheet": sheet,
    "bun": bun,
    "two that touch": lambda: joined_meshes([ball(SIZE), ball(SIZE, centre=(1.95, 0.1, 0.0))]),
}


def volume(mesh: TetMesh) -> float:
    return float(tet_volumes(mesh.positions, mesh.tets).sum())


def distance(first: TetMesh, second: TetMesh) -> float:
    """How far points all over the first boundary are from the second one at most [m], where the first mesh ends there."""
    points = surface_points(Surface(first.positions, first.faces.boundary), 0.1 * SIZE)
    beside = closest_points(first.hull, points)
    x = first.positions[first.faces.boundary[beside.triangle]]
    normals = np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0])
    normals *= 0.1 * SIZE / np.linalg.norm(normals, axis=1, keepdims=True)
    outermost = points[first.located(points + normals)[0] < 0]
    return float(closest_points(second.hull, np.ascontiguousarray(outermost)).distance.max())


def worst_condition(mesh: TetMesh) -> float:
    """The largest condition number of the tets as they lie (claim B13)."""
    x = mesh.positions[mesh.tets]
    return float(conditions(np.linalg.inv(np.swapaxes(x[:, 1:] - x[:, :1], 1, 2))).max())


def smallest_angle(mesh: TetMesh) -> float:
    """The smallest dihedral angle [deg]."""
    return float(dihedral_angles(mesh).min())


def largest_angle(mesh: TetMesh) -> float:
    """The largest dihedral angle [deg]."""
    return float(dihedral_angles(mesh).max())
