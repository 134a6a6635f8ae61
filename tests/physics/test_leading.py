"""Bodies that start deep in a thick collider: out as a whole, gently; sticks and thin plates stay in them."""

from dataclasses import replace

import numpy as np
import pytest

from solver.colliders import build
from solver.contact.leading import GENTLE, SHORTEST, Leading, _gone, _opening, _out
from solver.scene import Collider, Settings
from solver.simulate import Simulation
from tests.physics.scenes import ball_mesh, make_scene
from tests.surfaces import box

JELLY = {"density": 1000.0, "young_modulus": 5e4, "poisson_ratio": 0.4, "yield_stress": 1e9, "damping": 5.0}
RADIUS = 0.3
UP = np.array([0.0, 0.0, 1.0])


def placed(size, at=(0.0, 0.0, 0.0), turn=0.0, kind="mesh", frames=1):
    """A box collider of a size (3,) at a place, turned about x [rad]; with frames it moves sideways and up at 0.5 m/s."""
    pose = np.eye(4)
    cosine, sine = np.cos(turn), np.sin(turn)
    pose[1:3, 1:3] = [[cosine, -sine], [sine, cosine]]
    poses = np.tile(pose, (frames, 1, 1))
    poses[:, :3, 3] = at
    poses[:, 1:3, 3] += (0.5 * (np.arange(frames) - 1) / 24.0)[:, None] if frames > 1 else 0.0
    shape = {"size": size} if kind == "box" else {"surface": box(size)}
    return Collider("c", "Slab", kind, poses, **shape)


def simulated(colliders, frames=36, gravity=(0.0, 0.0, -9.81), goo=JELLY):
    """A simulation of a ball about the origin with colliders."""
    scene, *rest = make_scene([ball_mesh(6, RADIUS)], [goo], frames=frames, gravity=gravity)
    scene = replace(scene, colliders=tuple(colliders))
    settings = Settings(frame_end=frames)
    return Simulation(scene, *rest, fields=[build(each, settings) for each in colliders])


def depth(simulation):
    """How deep the deepest contact point lies in the first collider [m]."""
    points = simulation.contacts.points.positions(simulation.state.positions)
    distance, (normal, velocity) = np.empty(len(points)), np.empty((2, *points.shape))
    simulation.fields[0].query(points, simulation.clock.time, np.inf, distance, normal, velocity)
    return float(-distance.min())


def center(simulation):
    return simulation.state.masses @ simulation.state.positions / simulation.state.masses.sum()


@pytest.mark.parametrize("kind", ["mesh", "box"])
@pytest.mark.parametrize(("sunk", "turn"), [(0.35, 0.0), (0.35, 0.4), (0.2, 0.0)])
def test_a_ball_beyond_the_middle_of_a_slab_comes_out_on_top(kind, sunk, turn):
    """Its nearest ways lead up and down: before, it was pulled apart and thrown out below at tens of metres a second."""
    top = np.array([0.0, -np.sin(turn), np.cos(turn)])
    slab = placed((6.0, 6.0, 0.4), (sunk - RADIUS - 0.2) * top, turn, kind)  # its top lies `sunk` above the lowest point
    simulation = simulated([slab], gravity=tuple(-9.81 * top))
    speeds = []
    for _ in range(36):
        simulation.advance()
        speeds.append(float(np.abs(simulation.state.velocities).max()))
    assert depth(simulation) < 0.01 and not simulation.contacts.leading.led.any()
    assert 0.7 * RADIUS < (center(simulation) - (sunk - RADIUS) * top) @ top < 1.1 * RADIUS, "it rests on top"
    assert max(speeds) < 3.0 and max(speeds[:4]) < 1.7


def test_it_goes_with_a_slab_that_moves_and_through_a_checkpoint():
    slabs = [placed((6.0, 6.0, 0.4), (0.0, 0.0, -0.15), frames=37)]
    simulation, again = simulated(slabs), simulated(slabs)
    for frame in range(1, 25):
        simulation.advance()
        if frame == 6:
            assert simulation.contacts.leading.led.any()
            again.restore(simulation.checkpoint())
        elif frame > 6:
            again.advance()
    assert simulation.state.positions.tobytes() == again.state.positions.tobytes()
    risen = 0.5 * 23 / 24.0
    assert depth(simulation) < 0.02 and center(simulation)[2] > risen + 0.05 + 0.7 * RADIUS


def test_what_is_stuck_on_a_stick_or_a_plate_stays_there():
    for size in ((0.2, 0.2, 3.0), (2.0, 2.0, 0.15)):
        simulation = simulated([placed(size)], frames=24, gravity=(0.0, 0.0, 0.0))
        assert not simulation.contacts.leading.led.any()
        for _ in range(24):
            simulation.advance()
        assert np.abs(center(simulation)).max() < 0.2 * RADIUS


def test_shallow_starts_are_let_out_by_the_nearest_ways():
    simulation = simulated([placed((6.0, 6.0, 0.4), (0.0, 0.0, -0.4))])
    assert (simulation.contacts.slack > 0.0).any() and not simulation.contacts.leading.led.any()


@pytest.mark.parametrize("height", [0.0, 0.2])
def test_the_shortest_way_that_is_not_downhill(height):
    """Out of a cube of 2 m: up it is 1.3 m from its middle and 1.1 m from 20 cm higher, no further than sideways."""
    simulation = simulated([placed((2.0, 2.0, 2.0), (0.0, 0.0, -height))], frames=3)
    (plane,) = simulation.contacts.leading.planes
    np.testing.assert_allclose(plane[3:6], UP, atol=1e-12)
    assert 0.98 * (1.3 - height) < plane[6] < 1.05 * (1.3 - height)


def test_ways_out_that_go_apart_are_a_tear_and_those_that_meet_are_none():
    places = np.array([[0.0, 0.0, 0.1], [0.0, 0.0, -0.1]])
    ways = np.array([UP, -UP])
    assert _opening(places, np.array([0.3, 0.4]), ways) == pytest.approx(0.7)
    assert _opening(places, np.array([0.3, 0.4]), -ways) == 0.0
    assert _opening(places, np.array([0.3, 0.4]), np.array([UP, [1.0, 0.0, 0.0]])) == 0.0


def test_how_far_a_way_out_is():
    """Of points in a ball of 1 m about the origin, on a chord: sqrt(1 - c^2) - s for one at a height c and s along it."""
    def look(points):
        away = np.linalg.norm(points, axis=1)
        return away - 1.0, points / away[:, None], np.zeros_like(points)

    points = np.array([[0.1, 0.0, 0.6], [-0.3, 0.0, 0.2], [0.0, 0.0, 1.5]])
    far, met = _out(look, points, np.array([1.0, 0.0, 0.0]), 1e-4, 10.0)
    assert far == pytest.approx(np.sqrt(1.0 - 0.04) + 0.3, abs=2e-3) and met.tolist() == [True, True, False]
    assert _out(look, points, np.array([1.0, 0.0, 0.0]), 1e-4, 1.0)[0] == np.inf


def test_a_plane_starts_and_ends_without_a_jerk_and_as_gently_as_is_said():
    t = np.linspace(0.0, 1.0, 20001)
    way = _gone(t)
    speed, push = np.gradient(way, t), np.gradient(np.gradient(way, t), t)
    assert way[0] == 0.0 and way[-1] == 1.0 and speed.min() > -1e-9 and max(speed[0], speed[-1], abs(push[1])) < 4e-3
    for far in (0.01, 0.6, 4.0):
        leading = Leading(1, 2)
        slab = placed((9.0, 9.0, 2.0 * far))
        field = build(slab, Settings())

        def look(points, field=field):
            distance, (normal, velocity) = np.empty(len(points)), np.empty((2, *points.shape))
            field.query(points, 0.0, np.inf, distance, normal, velocity)
            return distance, normal, velocity

        leading.begin(0, look, far * np.array([[0.0, 0.0, 0.1], [0.0, 0.0, -0.1]]), 0.05 * far, far, np.arange(2), UP)
        ((*_, length, gone, takes),) = leading.planes
        assert length == pytest.approx((1.1 + 0.005) * far, rel=1e-6) and gone == 0.0
        assert takes >= SHORTEST and np.abs(push).max() * length / takes**2 < 1.001 * GENTLE
        assert takes == SHORTEST or np.abs(push).max() * length / takes**2 > 0.99 * GENTLE
