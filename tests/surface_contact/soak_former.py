"""Scenes of the soak as they were before most of their bodies were artists' meshes: some of its seeds have found faults."""

import numpy as np

from solver.scene import Collider, Scene, Surface
from tests.surface_contact.soak_scenes import GROUND, KINDS, bodies_of, in_a_row, plate_heights, scene_of
from tests.surfaces import box, sphere, stored, surface


def shape(rng: np.random.Generator) -> Surface:
    """About a metre large, turned at random, about the origin."""
    kind = rng.integers(4)
    if kind == 0:
        chosen = box(tuple(rng.uniform(0.4, 1.0, 3)))
    elif kind == 1:
        chosen = stored("spot")
        chosen = surface(0.5 * chosen.positions, chosen.triangles)
    else:
        chosen = sphere(8, rng.uniform(0.3, 0.5))
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turn[:, 0] *= np.linalg.det(turn)
    return surface(chosen.positions @ turn.T, chosen.triangles)


def former_scene(seed: int, frames: int, resolution: int = 6) -> tuple[str, Scene]:
    """What happens, and the scene: two to four bodies, one above another in drops and squeezes, side by side in throws."""
    rng = np.random.default_rng(seed)
    kind, count = KINDS[seed % 3], int(rng.integers(2, 5))
    along = 0 if kind == "throw" else 2
    shapes = [shape(rng) for _ in range(count)]
    places, end = in_a_row(shapes, along, resolution, rng)
    bodies = bodies_of(shapes, places, kind, 0.5 * end, resolution, rng)
    colliders = [] if kind == "throw" else [GROUND]
    if kind == "squeeze":
        colliders.append(plate(end + 0.2, frames))
    return kind, scene_of(bodies, colliders, frames, kind != "throw", rng)


def plate(height: float, frames: int) -> Collider:
    """A plane that looks down, comes down to half its height [m] and lifts again."""
    heights = plate_heights(height, frames)
    transforms = np.tile(np.diag([1.0, -1.0, -1.0, 1.0]), (len(heights), 1, 1))
    transforms[:, 2, 3] = heights
    return Collider("p", "Plate", "plane", transforms, friction=0.3)
