"""The generalised winding number against closed forms and the plain sum."""

import numpy as np
import pytest

from solver.geometry.measures import winding_numbers_by_sum
from solver.geometry.triangle_tree import triangle_tree
from solver.geometry.winding import winding_number, winding_numbers, winding_tree
from tests.surfaces import box, flipped, joined, sphere, stored, surface, with_holes


def fast(part, points):
    return winding_numbers(winding_tree(triangle_tree(part.positions, part.triangles)), np.asarray(points, dtype=float))


def random_points(part, count, seed=0):
    lower, upper = part.positions.min(axis=0), part.positions.max(axis=0)
    return lower + (upper - lower) * np.random.default_rng(seed).uniform(-0.3, 1.3, (count, 3))


def test_inside_a_cube_is_one_and_outside_zero():
    points = np.array([[0.0, 0.0, 0.0], [0.49, -0.49, 0.3], [0.51, 0.0, 0.0], [3.0, 2.0, 1.0]])
    assert winding_numbers_by_sum(box().positions, box().triangles, points) == pytest.approx([1, 1, 0, 0], abs=1e-12)
    assert fast(box(), points) == pytest.approx([1, 1, 0, 0], abs=0.02)


@pytest.mark.parametrize("shells, expected", [(1, 1.0), (2, 2.0), (3, 3.0)])
def test_nested_shells_add_up(shells, expected):
    part = joined(*[sphere(12, 1.0 + 0.3 * k) for k in range(shells)])
    assert fast(part, [[0.1, 0.2, -0.3]])[0] == pytest.approx(expected, abs=0.15)


def test_a_cavity_subtracts():
    part = joined(sphere(16), flipped(sphere(16, 0.5)))
    assert fast(part, [[0.0, 0.0, 0.0], [0.0, 0.75, 0.0]]) == pytest.approx([0.0, 1.0], abs=0.1)


def test_an_open_hemisphere_is_the_solid_angle_of_a_cap():
    ball = sphere(64)
    upper = surface(ball.positions, ball.triangles[ball.positions[ball.triangles].mean(axis=1)[:, 2] > 0])
    heights = np.array([-2.0, -0.5, 0.0, 0.3, 0.8])
    points = np.stack([0 * heights, 0 * heights, heights], axis=1)
    # The disc that closes it spans 2 pi (1 - h / sqrt(1 + h^2)) from above; hemisphere and disc make 4 pi inside, 0 outside.
    disc = 0.5 * (1.0 - np.abs(heights) / np.sqrt(1.0 + heights**2))
    expected = np.where((heights >= 0) & (heights < 1), 1.0 - disc, disc)
    assert winding_numbers_by_sum(upper.positions, upper.triangles, points) == pytest.approx(expected, abs=2e-3)
    assert fast(upper, points) == pytest.approx(expected, abs=0.1)


@pytest.mark.parametrize("name", ["suzanne", "spot", "torus"])
def test_the_tree_agrees_with_the_sum(name):
    part = with_holes(stored(name), 17)
    points = random_points(part, 400)
    error = np.abs(fast(part, points) - winding_numbers_by_sum(part.positions, part.triangles, points))
    assert error.max() < 0.1
    assert error.mean() < 0.02


def test_one_point_has_the_same_as_many_and_as_the_walk_of_one():
    """A packet goes as deep as any of its points asks for, so that each is as exact as alone, or more."""
    part = with_holes(stored("suzanne"), 17)
    tree = winding_tree(triangle_tree(part.positions, part.triangles))
    points = random_points(part, 100)
    exact = winding_numbers_by_sum(part.positions, part.triangles, points)
    alone = np.array([winding_number(tree, *point) for point in points])
    singly = np.concatenate([winding_numbers(tree, point[None]) for point in points])
    assert singly == pytest.approx(alone, abs=1e-12)
    assert np.abs(winding_numbers(tree, points) - exact).mean() <= np.abs(alone - exact).mean()
    assert winding_numbers(tree, points[:0]).shape == (0,)


def test_turns_are_counted_where_many_shells_wrap_around_a_point():
    """The product of a hundred half angles passes 180 degrees once a shell."""
    part = joined(*[sphere(4, 1.0 + 0.01 * k) for k in range(9)])
    inverse = flipped(part)
    assert fast(part, [[0.9, 0.0, 0.0]] * 3) == pytest.approx([9.0] * 3, abs=0.05)
    assert fast(inverse, [[0.9, 0.0, 0.0]]) == pytest.approx([-9.0], abs=0.05)


def test_at_a_corner_and_on_an_edge_it_stays_a_number():
    ball = sphere(8)
    found = fast(ball, np.concatenate([ball.positions[:20], ball.positions[ball.triangles[:20, :2]].mean(axis=1)]))
    assert np.isfinite(found).all() and (found > -0.1).all() and (found < 1.1).all()


def test_moments_are_those_of_the_triangles_under_each_node():
    part = with_holes(stored("spot"), 17)
    tree = winding_tree(triangle_tree(part.positions, part.triangles))
    a, b, c = np.swapaxes(part.positions[part.triangles], 0, 1)
    areas, middles = 0.5 * np.cross(b - a, c - a), (a + b + c) / 3.0
    boxes = tree.surface.tree
    for node in (0, 1, 2, 5, 12, 40, boxes.leaf - 1, boxes.leaf, len(boxes.start) - 1):
        own = boxes.order[boxes.start[node] : boxes.stop[node]]
        centre = np.average(middles[own], axis=0, weights=np.linalg.norm(areas[own], axis=1))
        assert tree.centre[node] == pytest.approx(centre, abs=1e-12)
        assert tree.dipole[node] == pytest.approx(areas[own].sum(axis=0), abs=1e-12)
        assert tree.quadrupole[node] == pytest.approx((middles[own] - centre).T @ areas[own], abs=1e-12)


def test_it_is_the_same_on_any_number_of_threads():
    import numba

    part, bytes_of = stored("suzanne"), []
    points = random_points(part, 5000)
    before = numba.get_num_threads()
    for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        numba.set_num_threads(threads)
        bytes_of.append(fast(part, points).tobytes())
    numba.set_num_threads(before)
    assert bytes_of[0] == bytes_of[1]
