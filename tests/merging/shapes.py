"""Balls of soft dough that fly into each other."""

from dataclasses import replace
from pathlib import Path

import numpy as np

from solver.bake import PreparedBody, prepare
from solver.geometry.edge_crossings import pairs_of_shells
from solver.presets import load_preset
from solver.scene import Body, Collider, Scene, Settings, validated
from solver.simulate import Simulation
from solver.surface import Surface
from tests.surfaces import joined, sphere, surface

DOUGH = Path(__file__).parents[2] / "presets" / "dough.toml"
APART = 0.33  # of the centres: the surfaces are 3 cm apart [m]


def crossings(seen: Surface) -> int:
    """How many faces pass through others of their shell."""
    return len(np.unique(pairs_of_shells(seen.positions, seen.triangles)))


def folded_over(share: float, globe: Surface | None = None) -> tuple[Surface, int]:
    """A ball with one vertex drawn by so many edges past a neighbour, a little beneath the surface; and which."""
    globe = globe or sphere(16)
    vertex = int(np.argmax(globe.positions[:, 0]))
    middle = globe.positions.mean(axis=0)
    away = np.sqrt(((globe.positions - globe.positions[vertex]) ** 2).sum(axis=1))
    neighbour = int(np.argsort(away)[1])
    places = globe.positions.copy()
    places[vertex] += share * (places[neighbour] - places[vertex])
    places[vertex] = middle + 0.995 * (places[vertex] - middle)
    return surface(places, globe.triangles), vertex


def ball(side: float, rings: int = 14) -> Surface:
    """A ball of 0.15 m on one side of x = 0."""
    return sphere(rings, 0.15, (0.5 * side * APART, 0.0, 0.0))


def body(name: str, surface: Surface, resolution: int, **options) -> Body:
    goo = load_preset(DOUGH)
    material = replace(goo.material, values={**goo.material.values, "yield_stress": 20.0, "hardening_modulus": 0.0})
    settings = {"remeshing": "wholesale", "merging": True, **options}
    return Body(name.lower(), name, surface, material, goo.real_size, resolution=resolution, **settings)


def pair(frames: int = 8, **options) -> Scene:
    """Two bodies of one merge group that fly at each other, the right one with a spin."""
    settings = Settings(frame_end=frames, gravity=(0.0, 0.0, 0.0), threads=1)
    options = {"merge_group": 1, **options}
    one = body("Left", ball(-1.0), 7, velocity=(0.5, 0.0, 0.0), **options)
    other = body("Right", ball(1.0), 7, velocity=(-0.5, 0.05, 0.0), angular_velocity=(0.0, 0.0, 1.0), **options)
    return validated(Scene((one, other), (), settings))


def pile(frames: int = 8) -> Scene:
    """Four bodies of one merge group, and a fifth on top, that fall onto the ground."""
    places = [(0.12 * i, 0.12 * j, 0.13) for i in (-1.0, 1.0) for j in (-1.0, 1.0)] + [(0.0, 0.0, 0.33)]
    options = {"merge_group": 1, "velocity": (0.0, 0.0, -1.0)}
    bodies = tuple(body(f"Ball {k}", sphere(18, 0.115, place), 6, **options) for k, place in enumerate(places))
    ground = Collider("ground", "Ground", "plane", np.eye(4)[None])
    return validated(Scene(bodies, (ground,), Settings(frame_end=frames, threads=1)))


def two_pieces(frames: int = 8, **options) -> Scene:
    """One body of two balls."""
    settings = Settings(frame_end=frames, gravity=(0.0, 0.0, 0.0), threads=1)
    return validated(Scene((body("Both", joined(ball(-1.0), ball(1.0)), 15, **options),), (), settings))


def started(
    scene: Scene, prepared: list[PreparedBody] | None = None, kind: type[Simulation] = Simulation, spread: bool = True
) -> Simulation:
    """The simulation of a scene; balls of one body fly at each other as those of two do, unless they are not to."""
    made = prepared or prepare(scene)
    simulation = kind(
        scene, [one.mesh for one in made], [one.surface for one in made], [one.contacts for one in made],
        fields=None if scene.colliders else [],
    )  # fmt: skip
    if len(scene.bodies) == 1 and spread:
        velocities = np.zeros_like(simulation.state.positions)
        velocities[:, 0] = np.where(simulation.state.positions[:, 0] < 0.0, 0.5, -0.5)
        simulation.state.velocities, simulation.state.previous_velocities = velocities, velocities.copy()
    return simulation


def until_merged(simulation: Simulation):
    """The first frame with a change of a surface."""
    for _ in range(8):
        frame = simulation.advance()
        if frame.changes:
            return frame
    raise AssertionError("nothing has merged")
