"""A ball keeps out of what is seen of goo whose faces span several tets: a cube that the artist has cut a few times.

Its faces chord over the hollow that the ball presses. As long as preflight does not call them large they touch whole, and push
the vertices that they hang on; cut, the parts followed the tets into the hollow and let the ball into what is seen.
"""

import numpy as np
import pytest

from solver.bake import prepare
from solver.colliders.shaped import cube
from solver.materials import Material
from solver.preflight.resolution import resolution_findings
from solver.scene import Body, Collider, Scene, Settings, Surface, validated
from solver.simulate import Simulation
from tests.physics.knives import depth
from tests.surfaces import sphere

SIDE, RESOLUTION, FRAMES = 0.5, 8, 10
ELEMENT = SIDE / RESOLUTION
DEPTH = 2.0 * ELEMENT
JELLY = {"density": 1000.0, "young_modulus": 2e4, "poisson_ratio": 0.4, "yield_stress": 1e9, "damping": 10.0}


def cut_cube(parts: int) -> Surface:
    """A cube whose sides are cut into parts x parts squares."""
    corners, triangles = cube(parts)
    return Surface(0.5 * SIDE * corners, triangles)


def deepest(parts: int, ball: Surface, radius: float) -> float:
    """How deep [element sizes] a corner of a ball gets into what is seen of a cube that it is pressed into."""
    way = np.tile(np.eye(4), (FRAMES + 1, 1, 1))
    way[:, 0, 3], way[:, 1, 3] = 0.21 * ELEMENT, 0.13 * ELEMENT
    way[:, 2, 3] = 0.5 * SIDE + radius - np.interp(np.arange(FRAMES + 1), [1, 8], [0.0, DEPTH])
    under = np.eye(4)
    under[2, 3] = -0.5 * SIDE - 0.5
    floor = Collider("f", "Floor", "box", under[None], size=(3.0, 3.0, 1.0), friction=1.0)
    pressing = Collider("c", "Ball", "mesh", way, surface=ball, friction=0.5)
    body = Body("b", "Goo", cut_cube(parts), Material("viscoplastic", JELLY), resolution=RESOLUTION)
    scene = validated(Scene((body,), (floor, pressing), Settings(frame_end=FRAMES, threads=1)))
    assert "large_faces" not in {finding.code for finding in resolution_findings(body)}
    (filled,) = prepare(scene)
    simulation, found = Simulation(scene, [filled.mesh], [filled.surface], [filled.contacts]), 0.0
    for k in range(FRAMES):
        (seen,) = simulation.advance().bodies
        places = ball.positions + way[k + 1, :3, 3]
        lower = places[places[:, 2] < min(way[k + 1, 2, 3], 0.5 * SIDE)]
        depths = [depth(place[None], seen.positions + seen.origin, body.surface.triangles) for place in lower]
        found = max(found, *depths, 0.0)
    return found / ELEMENT


@pytest.mark.parametrize("parts", [4, 8])
def test_a_ball_keeps_out_of_faces_that_span_tets(parts):
    """A finger, of which edges count for any body (colliders/sharp.py)."""
    radius = 1.4 * ELEMENT
    assert deepest(parts, sphere(14, radius), radius) < 0.02


@pytest.mark.parametrize("rings", [14, 48])
@pytest.mark.parametrize("elements", [3.0, 6.0])
def test_what_bends_gently_keeps_out_of_such_faces_too(rings, elements):
    """A fist, a balloon: between contact points of small faces it would not sink in, but in the middle of large ones."""
    assert deepest(8, sphere(rings, elements * ELEMENT), elements * ELEMENT) < 0.02
