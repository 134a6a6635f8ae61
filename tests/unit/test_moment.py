"""Moments between two steps: exact where motion is smooth, and no further than either end where a body is struck."""

from types import SimpleNamespace

import numpy as np
import pytest

from solver.moment import Snapshot, between

STEP = 0.02  # [s]


def moment(positions, velocities):
    nothing = np.zeros(1)
    return Snapshot(np.atleast_2d(positions), np.atleast_2d(velocities), nothing, nothing)


def shown(first, last, fraction, bodies=(0, 1)):
    ranges = SimpleNamespace(nodes=np.array(bodies))
    return between(first, last, fraction, STEP, ranges)


@pytest.mark.parametrize("fraction", [0.1, 0.5, 0.8])
def test_a_free_fall_is_shown_where_it_is(fraction):
    gravity, start, speed = np.array([0.0, 0.0, -9.81]), np.array([1.0, 2.0, 3.0]), np.array([4.0, 0.0, 0.1])

    def at(time):
        return start + time * speed + 0.5 * time**2 * gravity, speed + time * gravity

    middle = shown(moment(*at(0.0)), moment(*at(STEP)), fraction)
    np.testing.assert_allclose(middle.positions[0], at(fraction * STEP)[0], rtol=0.0, atol=1e-14)
    np.testing.assert_allclose(middle.velocities[0], at(fraction * STEP)[1], rtol=0.0, atol=1e-14)


@pytest.mark.parametrize("turn", [0.05, 0.2])
def test_a_spin_is_followed_to_fourth_order(turn):
    def at(angle):
        place = np.array([np.cos(angle), np.sin(angle), 0.0])
        return place, turn / STEP * np.array([-place[1], place[0], 0.0])

    middle = shown(moment(*at(0.0)), moment(*at(turn)), 0.5).positions[0]
    # A cubic through both ends is off by the fourth derivative over 384
    assert np.linalg.norm(middle - at(0.5 * turn)[0]) < 1.1 * turn**4 / 384.0
    assert 1.0 - np.linalg.norm(middle) < 0.01 * (1.0 - np.cos(0.5 * turn))  # a line cuts this off


@pytest.mark.parametrize("struck_at", [0.1, 0.5, 0.9])
@pytest.mark.parametrize("aside", [0.0, 30.0])
def test_what_the_ground_stops_does_not_go_through_it(struck_at, aside):
    speed = np.array([aside, 0.0, -5.0])
    first = moment([0.0, 0.0, 5.0 * struck_at * STEP], speed)
    last = moment([aside * STEP, 0.0, 0.0], [aside, 0.0, 0.0])
    heights = [shown(first, last, f).positions[0, 2] for f in np.linspace(0.0, 1.0, 21)]
    assert min(heights) > -1e-15 and np.all(np.diff(heights) <= 1e-15)


def test_a_body_is_drawn_as_its_own_motion_asks():
    """What falls freely beside what is struck keeps its parabola, and what is struck does so as one."""
    fall = 0.5 * 9.81 * STEP**2
    first = moment([[0.0, 0.0, 1.0], [0.0, 0.0, 0.02], [0.0, 0.0, 1.0]], [[0.0, 0.0, 0.0], [0.0, 0.0, -5.0], [0.0, 0.0, -5.0]])
    last_velocity = [[0.0, 0.0, -9.81 * STEP], [0.0, 0.0, 0.0], [0.0, 0.0, -5.0]]
    last = moment([[0.0, 0.0, 1.0 - fall], [0.0, 0.0, 0.0], [0.0, 0.0, 0.9]], last_velocity)
    heights = shown(first, last, 0.5, (0, 1, 3)).positions[:, 2]
    np.testing.assert_allclose(heights, [1.0 - 0.25 * fall, 0.01, 0.95], rtol=0.0, atol=1e-14)


def test_what_rests_stays():
    first = moment([1.0, 2.0, 3.0], [0.0, 0.0, 0.0])
    assert np.array_equal(shown(first, first, 0.3).positions, first.positions)
