"""A rod thinner than a tet, pressed into soft goo (claim I19: small things slip between surface points into the interior).

It stands out (colliders/sharp.py), and so keeps out by itself; by points alone it slips in.
"""

import numpy as np
import pytest

from solver.bake import prepare
from solver.contact.contacts import query
from solver.geometry.tet_location import locate
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings, Surface, validated
from solver.simulate import Simulation
from tests.colliders.test_shapes import capsule_mesh
from tests.surfaces import box

SIDE, RESOLUTION, FRAMES = 0.4, 8, 10
ELEMENT = SIDE / RESOLUTION
RADIUS, DEPTH = 0.3 * ELEMENT, 0.2 * SIDE
GOO = {"density": 1000.0, "young_modulus": 2e4, "poisson_ratio": 0.4, "yield_stress": 1e9, "damping": 10.0}


def pressed(rod, detail, resolution=RESOLUTION, by_points=True):
    """A block of soft goo on a floor, and a rod that is pressed into it, by points alone if asked."""
    goo = Material("viscoplastic", GOO)
    body = Body("b", "Goo", box((SIDE,) * 3), goo, resolution=resolution, contact_detail=detail)
    floor = np.eye(4)
    floor[2, 3] = -0.5 * SIDE - 0.5
    ground = Collider("f", "Floor", "box", floor[None], size=(3.0, 3.0, 1.0), friction=1.0)
    scene = validated(Scene((body,), (ground, rod), Settings(frame_end=len(rod.transforms) - 1)))
    (prepared,) = prepare(scene)
    simulation = Simulation(scene, [prepared.mesh], [prepared.surface], [prepared.contacts])
    if by_points:
        simulation.contacts.edges = None
    return simulation


def share_inside(detail, by_points=True):
    """How much of the rod's axis, from its tip to the goo's top, lies inside the goo once it is pressed in."""
    rod = np.tile(np.eye(4), (FRAMES + 1, 1, 1))
    rod[:, 0, 3], rod[:, 1, 3] = 0.31 * ELEMENT, 0.27 * ELEMENT
    rod[:, 2, 3] = 0.5 * SIDE + 0.5 + RADIUS - np.interp(np.arange(FRAMES + 1), [1, 8], [0.0, DEPTH + RADIUS])
    collider = Collider("r", "Rod", "capsule", rod, size=(2.0 * RADIUS, 2.0 * RADIUS, 1.0), friction=0.3)
    simulation = pressed(collider, detail, by_points=by_points)
    for _ in range(FRAMES):
        simulation.advance()
    axis = np.zeros((30, 3))
    axis[:, :2] = rod[-1, :2, 3]
    axis[:, 2] = np.linspace(rod[-1, 2, 3] - 0.5 + RADIUS, 0.45 * SIDE, 30)
    return float((locate(simulation.state.positions, simulation.state.tets, axis)[0] >= 0).mean())


def test_a_thin_rod_keeps_out_by_itself():
    assert share_inside(1, by_points=False) == 0.0


def test_contact_detail_keeps_a_thin_rod_out():
    assert share_inside(3) == 0.0
    assert share_inside(1) > 0.3, "the test is about something that slips without it"


@pytest.mark.parametrize("kind", ["capsule", "mesh"])
def test_nodes_inside_stay_out_of_a_rod_that_has_slipped_in(kind):
    """It goes in between contact points of the surface and then sideways, through where nodes inside lie: at no frame is one
    of them in it (claim I19)."""
    frames, element = 12, SIDE / 6
    radius = 0.3 * element
    rod, frame = np.tile(np.eye(4), (frames + 1, 1, 1)), np.arange(frames + 1)
    rod[:, 0, 3], rod[:, 1, 3] = 0.25 * element + np.interp(frame, [6, frames], [0.0, 1.5 * element]), 0.25 * element
    rod[:, 2, 3] = 0.5 * SIDE + 0.5 + radius - np.interp(frame, [1, 6], [0.0, 0.3 * SIDE + radius])
    along = capsule_mesh((1.0, 2.0 * radius, 2.0 * radius), 24)
    upright = Surface(np.ascontiguousarray(along.positions[:, [1, 2, 0]]), along.triangles)
    shape = {"surface": upright} if kind == "mesh" else {"size": (2.0 * radius, 2.0 * radius, 1.0)}
    simulation = pressed(Collider("r", "Rod", kind, rod, friction=0.3, **shape), 1, 6)
    field, points = simulation.fields[1], simulation.contacts.points
    inner = np.setdiff1d(np.arange(len(simulation.state.positions)), points.boundary)
    deepest = -np.inf
    for _ in range(frames):
        simulation.advance()
        distance, _, _ = query(field, simulation.state.positions[inner], simulation.clock.time, np.inf)
        deepest = max(deepest, -float(distance.min()) / element)
    assert -0.02 < deepest < 0.02, "it presses on some, and none is in it"
