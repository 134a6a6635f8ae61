"""Sums over nodes against numpy, and the same bytes on one thread and two."""

import numba
import numpy as np
import pytest

from solver.fem.node_sums import arrive, largest_change, led_on, size, turn_aside, velocities

VECTORS = np.random.default_rng(5).normal(size=(6, 1000, 3))
SOME = np.array([3, 4, 500, 999])
SCALE = np.array([1.0, 0.1, 2.0, 0.5])


@pytest.fixture
def threads():
    before = numba.get_num_threads()
    yield [1, min(2, numba.config.NUMBA_NUM_THREADS)]
    numba.set_num_threads(before)


def test_where_a_solution_leads_and_how_the_gradient_rises_there(threads):
    around, step, start, gradient = VECTORS[:4]
    found = []
    for count in threads:
        numba.set_num_threads(count)
        end, way = np.empty_like(start), np.empty_like(start)
        rise, longest = arrive(around, step, start, gradient, end, way)
        found.append((end.tobytes(), way.tobytes(), rise))
    assert (end == around + step).all() and (way == end - start).all()
    assert rise == pytest.approx((gradient * way).sum(), rel=1e-12) and longest == np.abs(way).max()
    assert found[0] == found[1]


def test_a_way_turned_aside_at_some_nodes():
    place, start, gradient, way = (each.copy() for each in VECTORS[:4])
    before, others = VECTORS[4][SOME], np.delete(way, SOME, axis=0)
    rise, longest, furthest = turn_aside(SOME, SCALE, place, start, before, gradient, way)
    aside = place[SOME] - before
    assert (way[SOME] == (place - start)[SOME]).all() and (np.delete(way, SOME, axis=0) == others).all()
    assert rise == pytest.approx((gradient[SOME] * aside).sum(), rel=1e-12) and longest == np.abs(way[SOME]).max()
    assert furthest == pytest.approx((np.sqrt((aside**2).sum(axis=1)) / SCALE).max(), rel=1e-12)
    change = np.sqrt(((place - start)[SOME] ** 2).sum(axis=1)) / SCALE
    assert largest_change(SOME, SCALE, start, place) == pytest.approx(change.max(), rel=1e-12)


def test_size_and_velocities():
    root_mean_square, largest = size(VECTORS[0])
    assert root_mean_square == pytest.approx(np.sqrt((VECTORS[0] ** 2).mean()), rel=1e-12)
    assert largest == np.abs(VECTORS[0]).max()
    times = np.linspace(0.1, 0.2, 1000)
    np.testing.assert_allclose(velocities(*VECTORS[:2], times), (VECTORS[0] - VECTORS[1]) / times[:, None], rtol=1e-15)


@pytest.mark.parametrize("pull", [np.array([[0.0, 0.0, -2.0]]), VECTORS[5]], ids=["one", "each"])
def test_what_generalized_alpha_makes_of_the_past(pull):
    x, v, a, load = VECTORS[:4]
    base, targets = led_on(x, v, a, load, pull, (1.0, 0.2, 0.3), (1.0, -0.4, 0.5), (1.0, 0.6, -0.7))
    ahead = x + 0.2 * v + 0.3 * a
    np.testing.assert_allclose(base, ahead - 0.4 * v + 0.5 * a, atol=1e-14)
    np.testing.assert_allclose(targets, ahead + 0.6 * load - 0.7 * a + pull, atol=1e-14)
