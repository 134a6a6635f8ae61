"""Goo thrown over plates, bars, blades, corners and a spike, out of seeds: a soak that can be resumed, as soak.py is.

    python -m tests.surface_contact.soak_edges RESULTS.jsonl [--seeds 0 1000] [--frames 14]

Each line says of one scene, in element sizes: in_colliders, the deepest that a vertex that is seen was in the collider, and
edge, the deepest that the collider's edges were in what is seen, by sums over all of its faces (tests/physics/knives.py).
"""

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from solver.bake import prepare
from solver.colliders.shaped import cube
from solver.materials import Material
from solver.refining.borders import with_borders
from solver.scene import Body, Collider, Scene, Settings, Surface, validated
from solver.simulate import Simulation
from solver.tearing.at_start import made_fit
from tests.physics.knives import depth, knife, nosing, spike
from tests.physics.test_thin_plates import SOFT
from tests.surface_contact.resuming import commanded
from tests.surface_contact.seen_depths import SeenDepths
from tests.surfaces import box, moved, sphere, stored

WIDE = 0.3  # [m] to each side of the middle: as far as a body may lie
EFFORT = ("newton_iterations", "substeps", "rejected")
Lines = list[np.ndarray]


def along(x: float) -> np.ndarray:
    """An edge (2, 3) along y."""
    return np.array([(x, -WIDE, 0.0), (x, WIDE, 0.0)])


def obstacle(kind: str, thickness: float) -> tuple[Surface, Lines]:
    """What goo is thrown at, and its edges on which goo may lie."""
    if kind in ("plate", "bar"):
        wide = thickness if kind == "plate" else max(thickness, 0.01)
        high = 1.5 if kind == "plate" else wide
        return moved(box((wide, 3, high)), (0, 0, -0.5 * high)), [along(-0.5 * wide), along(0.5 * wide)]
    if kind.startswith("box"):
        corner = kind == "boxcorner"
        edge = np.array([(0, -0.4, 0), (0, 0.0 if corner else 0.4, 0)])
        return moved(box((1.0, 1.0, 1.0)), (-0.5, -0.5 if corner else 0.0, -0.5)), [edge]
    shape, line = {"knife": knife, "nosing": nosing, "spike": spike}[kind]()
    return shape, [np.clip(line, -WIDE, WIDE)]


def shape_of(kind: str) -> Surface:
    """A body about half a metre long."""
    if kind == "sphere":
        return sphere(16, 0.25)
    made, size = (Surface(*cube(int(kind[4:]))), 0.45) if kind.startswith("cube") else (stored(kind), 0.5)
    places = made.positions - made.positions.mean(axis=0)
    return Surface(size * places / np.ptp(places, axis=0).max(), made.triangles)


def edge_scene(seed: int, frames: int) -> tuple[str, Scene, Lines]:
    """What a seed throws, in words; the scene; and the edges that are to stay out of what is seen."""
    random = np.random.default_rng(seed)
    kind = str(random.choice(["plate", "bar", "knife", "nosing", "spike", "boxcorner", "boxedge"]))
    thickness = float(random.choice([0.004, 0.008, 0.02, 0.05]))
    onto, lines = obstacle(kind, thickness)
    what = str(random.choice(["sphere", "cube1", "cube3", "spot", "torus", "koala"]))
    shape = shape_of(what)
    turned = shape.positions @ Rotation.random(random_state=int(random.integers(1 << 30))).as_matrix().T
    place = np.array([random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), 0.0])
    place[2] = 0.03 - turned[:, 2].min()
    velocity = (random.uniform(-1, 1), random.uniform(-1, 1), -random.uniform(1, 9))
    resolution, modulus = int(random.choice([6, 8, 10, 14])), float(random.choice([2e3, 1e4, 5e4]))
    contact, friction = str(random.choice(["off", "bodies", "all"])), float(random.choice([0.0, 0.2, 0.6]))
    goo = Material("viscoplastic", SOFT | {"young_modulus": modulus})
    thrown = Surface(np.ascontiguousarray(turned + place), shape.triangles)
    body = Body("b", "Goo", thrown, goo, resolution=resolution, velocity=velocity, refine_length=1.5)
    collider = Collider("c", "Obstacle", "mesh", np.eye(4)[None], surface=onto, friction=friction)
    settings = Settings(1, frames + 2, 24.0, threads=1, body_contact=contact)
    words = f"{kind} {thickness:g}, {what} at {-velocity[2]:.1f} m/s, {resolution} tets of {modulus:g} Pa, contact {contact}"
    return words, validated(Scene((body,), (collider,), settings)), lines


def beginnings(scene: Scene) -> Callable[[], Simulation]:
    """What begins a simulation of a scene as a bake does, large faces cut; its bodies are filled once."""
    filled = prepare(with_borders(*made_fit(scene, {}, lambda _: None)))
    seen = replace(scene, bodies=tuple(item.body for item in filled))
    return lambda: Simulation(seen, *([getattr(item, name) for item in filled] for name in ("mesh", "surface", "contacts")))


def deepest(seed: int, frames: int) -> dict[str, object]:
    """Bake one scene; what was found in it."""
    words, scene, lines = edge_scene(seed, frames)
    begun, run, edge, effort = time.process_time(), beginnings(scene)(), 0.0, np.zeros(len(EFFORT))
    depths = SeenDepths(run.scene)
    for _ in range(frames):
        frame = run.advance()
        depths.look(frame)
        (seen,) = frame.bodies
        shown = seen.positions + seen.origin, run.scene.bodies[0].surface.triangles
        edge = max(edge, *(depth(line, *shown) / run.element_size for line in lines))
        effort += [frame.statistics[name] for name in EFFORT]
    found = {"seed": seed, "kind": words, "in_colliders": round(depths.in_colliders, 4), "edge": round(edge, 4)}
    took = round(time.process_time() - begun, 2)
    return found | dict(zip(EFFORT, effort.tolist(), strict=True)) | {"seconds": took}


def main() -> None:
    commanded(__doc__, deepest, frames=14)


if __name__ == "__main__":
    main()
