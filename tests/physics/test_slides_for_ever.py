"""Without friction goo slides on over a floor of many triangles, closed, open or a sheet, as it does on an exact plane."""

import numpy as np
import pytest

from solver.colliders import build
from solver.scene import Collider, Settings
from tests.physics.scenes import boundary, box_mesh, center, make_scene, run
from tests.physics.test_contact import BLOCK, SIDE, velocity
from tests.physics.test_fast_colliders import grid
from tests.surfaces import moved

SECONDS, RATE = 2, 24
FLOORS = {
    "solid": (boundary(box_mesh((48, 48, 1), (6.0, 6.0, 0.5), (-3.0, -3.0, -0.5))), False),
    "ground": (grid(6.0, 48), False),
    "sheet": (moved(grid(6.0, 48), (0.0, 0.0, -0.0025 * 6.0)), True),
}


def sliding(floor, integrator):
    """How far off its speed (frames, 2) [m/s] a block at 1 m/s is, square to none of the floor's edges, and the way it went."""
    part, two_sided = FLOORS[floor]
    field = build(Collider("f", "Floor", "mesh", np.eye(4)[None], part, friction=0.0, two_sided=two_sided), Settings())
    block = box_mesh((3, 3, 2), (SIDE, SIDE, 0.2), (-1.2, -0.9, 0.0008))
    along = np.array([0.9, np.sqrt(1.0 - 0.81), 0.0])
    frames = SECONDS * RATE + 1
    scene = make_scene([block], [BLOCK | {"damping": 20.0}], velocity=tuple(along), integrator=integrator, frames=frames)
    simulation, _ = run(scene, 1, [field])
    begun, speeds = center(simulation), []
    for _ in range(SECONDS * RATE):
        simulation.advance()
        speeds.append(velocity(simulation)[:2])
    return np.array(speeds) - along[:2], np.linalg.norm((center(simulation) - begun)[:2])


@pytest.mark.parametrize("floor", FLOORS)
def test_no_speed_is_lost_over_the_edges_of_a_mesh(floor):
    """Two seconds over some 16 triangles: the way to a thousandth, as on a plane, the speed to as much at every frame."""
    off, way = sliding(floor, "generalized_alpha")
    assert np.abs(off).max() < 1e-3
    assert way == pytest.approx(SECONDS, rel=1e-3)


def test_the_explicit_scheme_loses_none_at_all():
    """As on a plane: the speed to a millionth."""
    off, _ = sliding("solid", "newmark")
    assert np.abs(off).max() < 1e-6
