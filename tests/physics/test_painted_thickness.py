"""Bakes on colliders whose thickness is painted: goo lies on what it is there, slides down its slopes, and never passes."""

import numpy as np
import pytest

from solver.colliders import build
from solver.scene import Collider, Settings
from tests.physics.scenes import ball_mesh, box_mesh, center, make_scene, run
from tests.physics.test_fast_colliders import GOO, grid
from tests.surfaces import box, moved

WEIGHTLESS = {"gravity": (0.0, 0.0, 0.0)}
LENGTH, RISE = 4.0, 0.8
FLOORS = {
    "solid": {"surface": moved(box((LENGTH, 2.0, 0.2)), (0.0, 0.0, -0.1))},
    "ground": {"surface": grid(LENGTH, 8)},
    "sheet": {"surface": grid(LENGTH, 8), "two_sided": True},
}


def floor(kind, thickness, shares, **options):
    """One whose top is at 0, as thick as a function of the places (n, 3) of its vertices says."""
    given = FLOORS[kind]
    painted = {"thickness": shares(given["surface"].positions)}
    collider = Collider("c", "Floor", "mesh", np.eye(4)[None], thickness=thickness, painted=painted, **given, **options)
    return build(collider, Settings())


def ramp(places):
    return places[:, 0] / LENGTH + 0.5


@pytest.mark.parametrize("kind", FLOORS)
@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_what_slides_up_is_not_lifted_for_nothing(kind, direction):
    """Thickness that rises by 0.2 of the way is a slope of that sine: without friction a block slows down by its weight's
    share there, or gets faster."""
    slope, speed, frames = RISE / LENGTH, 2.0 * direction, 12
    incline = np.array([[np.sqrt(1.0 - slope**2), 0.0, slope], [0.0, 1.0, 0.0], [-slope, 0.0, np.sqrt(1.0 - slope**2)]])
    block = box_mesh((3, 3, 2), (0.4, 0.4, 0.2), (-0.2, -0.2, 0.001))
    thick = 0.5 * RISE / np.sqrt(1.0 - slope**2) + (0.0025 * LENGTH / np.sqrt(1.0 - slope**2) if kind == "sheet" else 0.0)
    placed = type(block)(block.positions @ incline + (0.0, 0.0, thick), block.tets)
    scene = make_scene([placed], [GOO | {"young_modulus": 2e5, "damping": 20.0}], velocity=tuple(speed * incline[0]))
    simulation, _ = run(scene, 1 + frames, [floor(kind, RISE, ramp, friction=0.0)])
    state = simulation.state
    along = state.masses @ state.velocities @ incline[0] / state.masses.sum()
    assert along == pytest.approx(speed - 9.81 * slope * frames / 24.0, abs=0.01)
    assert np.abs(state.velocities @ incline[2]).max() < 0.05


@pytest.mark.parametrize("kind", FLOORS)
def test_goo_lies_on_what_is_painted_there(kind):
    """0.3 m thick where it lies, and nothing from 0.6 m on: a block rests at that height."""
    near = floor(kind, 0.3, lambda places: np.ones(len(places)) if kind == "solid" else 1.0 * (np.abs(places[:, 0]) < 0.6))
    own = 0.0025 * LENGTH if kind == "sheet" else 0.0
    block = box_mesh((3, 3, 3), (0.3,) * 3, (-0.15, -0.15, 0.31 + own))
    simulation, _ = run(make_scene([block], [GOO | {"damping": 20.0}], frames=12), 12, [near])
    assert abs(simulation.state.positions[:, 2].min() - 0.3 - own) < 0.02 * simulation.element_size


@pytest.mark.parametrize("speed", [3.0, 20.0])
@pytest.mark.parametrize("above", [True, False])
def test_of_a_painted_sheet_each_side_is_its_own(speed, above):
    """A ball thrown at its slope from above, or from below, stays outside of the thickness there."""
    sheet = floor("sheet", 0.1, ramp)
    side = 1.0 if above else -1.0
    ball = ball_mesh(4, 0.15, (0.5, 0.0, side * 0.4))
    simulation, _ = run(make_scene([ball], [GOO], velocity=(0.0, 0.0, -side * speed), frames=6, **WEIGHTLESS), 1, [sheet])
    for _ in range(5):
        simulation.advance()
        places = simulation.state.positions
        assert (side * places[:, 2] - 0.1 * ramp(places) > -0.02 * simulation.element_size).all()
    assert side * center(simulation)[2] > 0.3


def test_what_comes_down_slowly_on_a_painted_ground_belongs_above_it():
    """The ground is solid for 0.2 m below, which is further than a body of small tets looks ahead: none of that is above."""
    ground = floor("ground", 0.1, ramp)
    ball = ball_mesh(6, 0.12, (0.4, 0.0, 0.3))
    simulation, _ = run(make_scene([ball], [GOO], velocity=(0.0, 0.0, -0.3), frames=14), 14, [ground])
    places = simulation.state.positions
    assert not simulation.contacts.behind.any() and simulation.touching.any()
    assert (places[:, 2] - 0.1 * ramp(places)).min() > -0.05 * simulation.element_size
