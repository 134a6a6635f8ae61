"""What is seen of artist's meshes rests on colliders without a gap, and out of them: at most 2 % of an element either way."""

import numpy as np
import pytest

from solver.bake import prepare
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, validated
from solver.simulate import Simulation
from tests.surfaces import box, moved, sphere, stored, surface

FRAMES = 16
GUM = {"density": 1000.0, "young_modulus": 2e5, "poisson_ratio": 0.4, "yield_stress": 1e9, "flow_rate": 0.0, "damping": 40.0}
SLAB = np.eye(4)
SLAB[2, 3] = -0.5
COLLIDERS = {
    "plane": Collider("g", "Ground", "plane", np.eye(4)[None], friction=0.5),
    "mesh": Collider("s", "Slab", "mesh", SLAB[None], box((4.0, 4.0, 1.0)), friction=0.5),
    "box": Collider("e", "Exact", "box", SLAB[None], size=(4.0, 4.0, 1.0), friction=0.5),
}


def shape(name):
    """A ball, a cow, or a box whose tets reach out below it at some resolutions, even with nodes inside them."""
    if name == "cow":
        cow = stored("spot")
        return surface(cow.positions / np.ptp(cow.positions, axis=0).max(), cow.triangles)
    return sphere(16, 0.5) if name == "ball" else box((0.6, 0.5, 0.4))


@pytest.mark.parametrize("collider", COLLIDERS)
@pytest.mark.parametrize(
    ("name", "resolution"),
    [
        ("ball", 5), ("ball", 12), ("cow", 5), ("cow", 9), ("box", 4), ("box", 5), ("box", 8), ("box", 11),
        pytest.param("ball", 24, marks=pytest.mark.slow), pytest.param("cow", 24, marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_it_rests_without_a_gap(name, resolution, collider):
    part = shape(name)
    part = moved(part, (0.0, 0.0, 0.001 - part.positions[:, 2].min()))
    body = Body("b", "B", part, Material("viscoplastic", GUM), resolution=resolution)
    scene = validated(Scene((body,), (COLLIDERS[collider],), Settings(1, FRAMES, threads=1)))
    (filled,) = prepare(scene)
    simulation = Simulation(scene, [filled.mesh], [filled.surface], [filled.contacts])
    for frame in range(FRAMES):
        (seen,) = simulation.advance().bodies
        lowest = float((seen.positions + seen.origin)[:, 2].min()) / body.element_size
        assert -0.02 < lowest < (0.02 if frame > 4 else np.inf), frame
