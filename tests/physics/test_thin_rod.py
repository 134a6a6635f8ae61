"""A rod thinner than a tet, pressed into soft goo (claim I19: small things slip between surface points into the interior)."""

import numpy as np

from solver.bake import prepare
from solver.geometry.tet_location import locate
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, validated
from solver.simulate import Simulation
from tests.surfaces import box

SIDE, RESOLUTION, FRAMES = 0.4, 8, 10
ELEMENT = SIDE / RESOLUTION
RADIUS, DEPTH = 0.3 * ELEMENT, 0.2 * SIDE
GOO = {"density": 1000.0, "young_modulus": 2e4, "poisson_ratio": 0.4, "yield_stress": 1e9, "damping": 10.0}


def share_inside(detail):
    """How much of the rod's axis, from its tip to the goo's top, lies inside the goo once it is pressed in."""
    body = Body("b", "Goo", box((SIDE,) * 3), Material("viscoplastic", GOO), resolution=RESOLUTION, contact_detail=detail)
    floor = np.eye(4)
    floor[2, 3] = -0.5 * SIDE - 0.5
    rod = np.tile(np.eye(4), (FRAMES + 1, 1, 1))
    rod[:, 0, 3], rod[:, 1, 3] = 0.31 * ELEMENT, 0.27 * ELEMENT
    rod[:, 2, 3] = 0.5 * SIDE + 0.5 + RADIUS - np.interp(np.arange(FRAMES + 1), [1, 8], [0.0, DEPTH + RADIUS])
    colliders = (
        Collider("f", "Floor", "box", floor[None], size=(3.0, 3.0, 1.0), friction=1.0),
        Collider("r", "Rod", "capsule", rod, size=(2.0 * RADIUS, 2.0 * RADIUS, 1.0), friction=0.3),
    )
    scene = validated(Scene((body,), colliders, Settings(frame_end=FRAMES)))
    (prepared,) = prepare(scene)
    simulation = Simulation(scene, [prepared.mesh], [prepared.surface], [prepared.contacts])
    for _ in range(FRAMES):
        simulation.advance()
    axis = np.zeros((30, 3))
    axis[:, :2] = rod[-1, :2, 3]
    axis[:, 2] = np.linspace(rod[-1, 2, 3] - 0.5 + RADIUS, 0.45 * SIDE, 30)
    return float((locate(simulation.state.positions, simulation.state.tets, axis)[0] >= 0).mean())


def test_contact_detail_keeps_a_thin_rod_out():
    assert share_inside(3) == 0.0
    assert share_inside(1) > 0.3, "the test is about something that slips without it"
