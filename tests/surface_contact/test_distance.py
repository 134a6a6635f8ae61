"""Distances of pairs, their gradients, the barrier and its fading, against ipctk and against differences."""

import ipctk
import numpy as np
import pytest

from solver.contact.surfaces.barrier import SPRING, barrier, held_by, parallel_fade, pushed_to
from tests.surface_contact.pairs_of_corners import measured


def edge_edge_distance(a, b, c, d):
    """ipctk's, which takes an edge without length for a line of some direction."""
    return ipctk.point_edge_distance(c, a, b) if (c == d).all() else ipctk.edge_edge_distance(a, b, c, d)


KINDS = {"vertex_triangle": ipctk.point_triangle_distance, "edges": edge_edge_distance}


@pytest.mark.parametrize("kind", KINDS)
def test_the_distance_is_ipctks(corners, kind):
    _, separation = measured(corners, kind)
    ours = np.sqrt((separation**2).sum(axis=1))
    theirs = np.sqrt([KINDS[kind](*points) for points in corners])
    size = np.abs(corners - corners[:, :1]).max(axis=(1, 2))
    assert (ours <= theirs + 1e-7 * size).all()
    # Its formulas lose digits where edges are nearly parallel, and then give too much.
    assert (ours >= theirs - 1e-7 * size).all() or kind == "edges"
    assert (ours <= closest_by_trial(corners, kind) + 1e-12 * size).all()


def closest_by_trial(corners, kind):
    """The least distance among many points of both sides: never less than the true one."""
    share = np.linspace(0.0, 1.0, 41)
    s, t = (grid.ravel() for grid in np.meshgrid(share, share))
    a, b, c, d = (corners[:, None, k] for k in range(4))
    if kind == "edges":
        apart = a + s[:, None] * (b - a) - c - t[:, None] * (d - c)
    else:
        v, w = s, t * (1.0 - s)
        apart = a - b - v[:, None] * (c - b) - w[:, None] * (d - b)
    return np.sqrt((apart**2).sum(axis=2).min(axis=1))


@pytest.mark.parametrize("kind", KINDS)
def test_the_weights_carry_the_closest_points(corners, kind):
    weights, separation = measured(corners, kind)
    relative = corners - corners[:, :1]
    assert np.abs(weights.sum(axis=1)).max() < 1e-15
    assert np.abs((weights[..., None] * relative).sum(axis=1) - separation).max() < 1e-13
    assert (np.abs(weights) <= 1.0 + 1e-12).all()


@pytest.mark.parametrize("kind", KINDS)
def test_the_gradient_is_ipctks_and_that_of_differences(random_corners, kind):
    weights, separation = measured(random_corners, kind)
    gradient = 2.0 * weights[..., None] * separation[:, None, :]
    named = {"vertex_triangle": ipctk.point_triangle_distance_gradient, "edges": ipctk.edge_edge_distance_gradient}[kind]
    theirs = np.array([named(*points) for points in random_corners]).reshape(-1, 4, 3)
    assert np.abs(gradient - theirs).max() < 1e-9
    step, way = 1e-6, np.random.default_rng(1).normal(size=random_corners.shape)
    squared = [(measured(random_corners + sign * step * way, kind)[1] ** 2).sum(axis=1) for sign in (-1.0, 1.0)]
    slope = (squared[1] - squared[0]) / (2.0 * step)
    assert np.abs(slope - (gradient * way).sum(axis=(1, 2))).max() < 1e-7


def test_the_barrier_is_a_spring_then_an_inverse_cube_with_their_derivatives():
    reach, step = 0.3, 1e-7
    for distance in [*np.geomspace(1e-4, 0.2249, 40), *np.linspace(0.2251, 0.2999, 20)]:
        energy, force, slope = barrier.py_func(distance, reach)
        less, more = (barrier.py_func(distance + sign * step * distance, reach) for sign in (-1.0, 1.0))
        assert (less[0] - more[0]) / (2.0 * step * distance) == pytest.approx(force, rel=1e-6)
        assert (less[1] - more[1]) / (2.0 * step * distance) == pytest.approx(slope, rel=1e-6)
        assert energy > 0.0 and force > 0.0 and slope > 0.0
    assert barrier.py_func(reach, reach) == barrier.py_func(1.0, reach) == (0.0, 0.0, 0.0)
    assert barrier.py_func(0.25, reach) == pytest.approx((0.00125, 0.05, 1.0))
    assert barrier.py_func(0.0225, reach)[1:] == pytest.approx((75.0, 1e4))
    below, above = (np.array(barrier.py_func(SPRING * reach * (1.0 + sign * 1e-12), reach)) for sign in (-1.0, 1.0))
    assert np.abs(below - above).max() < 1e-10
    assert barrier.py_func(1e-12, reach)[1] > 1e10


def test_what_a_barrier_holds_says_how_near_a_force_brings_a_pair():
    reach, stiffness = np.array([0.3, 2e-4]), np.array([1.0, 5e3])
    for share in (0.7, 0.1, 1e-3):
        force = [k * barrier.py_func(share * r, r)[1] for k, r in zip(stiffness, reach, strict=True)]
        np.testing.assert_allclose(pushed_to(held_by(stiffness, reach), np.array(force)), share * reach, rtol=1e-12)


def test_edges_fade_as_ipctks_do(corners):
    rest = np.random.default_rng(2).normal(size=corners.shape)
    for points, places in zip(corners[:100], rest[:100], strict=True):
        threshold = ipctk.edge_edge_mollifier_threshold(*places)
        fade, slope = parallel_fade.py_func(*points, threshold)
        assert fade == pytest.approx(ipctk.edge_edge_mollifier(*points, threshold), rel=1e-9, abs=1e-14)
        cross = ipctk.edge_edge_cross_squarednorm(*points)
        assert slope == pytest.approx((2.0 - 2.0 * cross / threshold) / threshold if cross < threshold else 0.0, rel=1e-9)
