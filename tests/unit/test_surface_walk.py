"""Where a point is closest to a surface that has moved, walked to from where it was: that of a tree, but for other parts."""

import numpy as np
import pytest

from solver.geometry.surface_walk import near_points
from solver.geometry.triangle_tree import closest_points, refit, triangle_tree
from tests.surfaces import sphere


def sheet(count: int) -> tuple[np.ndarray, np.ndarray]:
    """A wavy square of side 1 of 2 count^2 triangles."""
    u, v = np.meshgrid(np.linspace(0.0, 1.0, count + 1), np.linspace(0.0, 1.0, count + 1), indexing="ij")
    points = np.stack([u.ravel(), v.ravel(), 0.05 * np.sin(5.0 * u + 3.0 * v).ravel()], axis=1)
    corner = (np.arange(count)[:, None] * (count + 1) + np.arange(count)).ravel()
    a, b, c, d = corner, corner + count + 1, corner + count + 2, corner + 1
    return points, np.concatenate([np.stack(s, axis=1) for s in ((a, b, c), (a, c, d))]).astype(np.int32)


@pytest.mark.parametrize("angle", [0.02, 0.3])
def test_outside_of_what_is_convex_it_is_the_closest_of_all(angle):
    """0.3 is five triangles: every walk goes downhill to the only place that is closest."""
    ball = sphere(48)
    asked = np.random.default_rng(3).normal(size=(3000, 3))
    asked *= 1.3 / np.linalg.norm(asked, axis=1, keepdims=True)
    c, s = np.cos(angle), np.sin(angle)
    turned = ball.positions @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]) * [1.1, 1.0, 0.9]
    first = triangle_tree(ball.positions, ball.triangles)
    before = closest_points(first, asked)
    after = refit(first, turned)
    walked, found = near_points(after, asked, np.inf, before), closest_points(after, asked)
    assert np.abs(walked.distance - found.distance).max() < 1e-12
    feet = np.einsum("ki,kid->kd", walked.weights, turned[ball.triangles[walked.triangle]])
    assert np.abs(np.linalg.norm(asked - feet, axis=1) - walked.distance).max() < 1e-12
    assert (walked.triangle != before.triangle).mean() > 0.2  # so it has walked


def test_near_what_is_hollow_it_is_nearly_the_closest():
    """Of two faces that meet at a hollow edge each may be closest among those around it."""
    points, triangles = sheet(30)
    asked = np.random.default_rng(3).uniform((-0.05, -0.05, -0.05), (1.05, 1.05, 0.05), (4000, 3))
    first = triangle_tree(points, triangles)
    before = closest_points(first, asked)
    after = refit(first, points + 0.01 * np.sin(np.stack([7.0 * points[:, 1], 6.0 * points[:, 0], 9.0 * points[:, 0]], axis=1)))
    excess = near_points(after, asked, np.inf, before).distance - closest_points(after, asked).distance
    assert (excess < 1e-12).mean() > 0.95 and -1e-12 < excess.min() and excess.max() < 0.03 / 30.0


def test_what_was_near_to_nothing_is_looked_for():
    points, triangles = sheet(10)
    tree, asked = triangle_tree(points, triangles), np.array([[0.5, 0.5, 0.3], [0.5, 0.5, 0.9]])
    before = closest_points(tree, asked, 0.1)
    assert (before.triangle < 0).all()
    walked = near_points(tree, asked, 0.5, before)
    assert walked.triangle[0] >= 0 and walked.triangle[1] < 0 and walked.distance[1] == np.inf


def test_too_far_away_is_nothing():
    points, triangles = sheet(10)
    tree, asked = triangle_tree(points, triangles), np.array([[0.5, 0.5, 0.3]])
    before = closest_points(tree, asked)
    assert near_points(tree, asked, 0.1, before).triangle[0] == -1


def test_of_two_parts_a_point_stays_with_its_own():
    points, triangles = sheet(10)
    both = np.concatenate([points, points + [0.0, 0.0, 0.3]])
    tree = triangle_tree(both, np.concatenate([triangles, triangles + len(points)]).astype(np.int32))
    asked = np.array([[0.52, 0.47, points[:, 2].mean() + 0.1]])
    before = closest_points(tree, asked)
    lifted = both - np.where(np.arange(len(both)) < len(points), 0.3, 0.0)[:, None] * [0.0, 0.0, 1.0]
    after = refit(tree, lifted)
    assert before.triangle[0] < len(triangles) <= closest_points(after, asked).triangle[0]
    assert near_points(after, asked, np.inf, before).triangle[0] < len(triangles)
