"""When Newton's method is done: by the force that is left, and by what that does to a body as a whole."""

import numpy as np
import pytest

from solver.fem.convergence import LARGE, LONG, PUSHED, SHARE, SURE, TINY, WHOLE, Convergence
from solver.fem.momentum import drift
from solver.state import Ranges

ELEMENT = 0.1
EVEN = np.ones((50, 3)) / np.sqrt(3.0)


def after(*sizes, step=LONG):
    """The watch after corrections of so many element sizes."""
    watch = Convergence(ELEMENT, step)
    for size in sizes:
        watch.take(size * ELEMENT * np.sqrt(3.0) * EVEN)
    return watch


def test_one_correction_is_enough_only_where_hardly_any_force_is_left():
    watch = after(0.01)
    assert watch.reached(0.9 * SURE) and not watch.reached(1.1 * SURE)


def test_a_later_correction_is_judged_by_the_force_that_it_left():
    """The next one is about as many times smaller as the force has become: no more than SHARE of the first, or LARGE."""
    first, last = 0.004, 0.001
    kept = SHARE * first / last
    assert first * SHARE < LARGE[0]
    watch = after(first, last)
    assert watch.reached(0.9 * kept) and not watch.reached(1.1 * kept)
    large = after(0.1, 0.01)
    assert LARGE[0] < 0.1 * SHARE
    assert large.reached(0.9 * LARGE[0] / 0.01) and not large.reached(1.1 * LARGE[0] / 0.01)


def test_a_correction_that_nobody_sees_is_the_last():
    assert after(0.5 * TINY[0]).reached(1.0) and not after(2.0 * TINY[0]).reached(1.0)


def test_a_body_is_carried_where_its_drift_is_nothing_beside_what_pushes_it_that_way():
    watch = after(0.01)
    bound, none = WHOLE * ELEMENT, np.zeros((1, 3))
    across, along = np.array([[1.0, 0.0, 0.0]]), np.array([[0.0, 0.0, 1.0]])
    assert watch.carried(0.9 * bound * across, none) and not watch.carried(1.1 * bound * across, none)
    push = 100.0 * bound * along / PUSHED
    assert watch.carried(90.0 * bound * along, push) and not watch.carried(110.0 * bound * along, push)
    assert not watch.carried(1.1 * bound * across, push)


def test_drift_is_a_bodys_force_over_its_inertia():
    random = np.random.default_rng(3)
    forces, inertia = random.normal(size=(10, 3)), random.random(10) + 1.0
    ranges = Ranges(np.array([0, 4, 10]), np.array([0, 1, 2]))
    ways = drift(forces, inertia, ranges, np.array([5, 6], np.int32))
    assert ways == pytest.approx(np.abs(forces[4:].sum(axis=0) / inertia[4:].sum())[None])
    assert drift(forces, inertia, ranges, np.zeros(0, np.int32)).shape == (0, 3)
