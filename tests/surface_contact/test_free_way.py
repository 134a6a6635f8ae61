"""How far pairs may go until they touch, against ipctk's continuous collision detection."""

import ipctk
import numpy as np
import pytest

from solver.contact.surfaces.free_way import KEPT, NEAR, UNKNOWN, free_fraction
from tests.surface_contact.pairs_of_corners import measured

KINDS = ("vertex_triangle", "edges")


def free_share(points, moves, kind, reach=np.inf):
    nodes, first = np.arange(4, dtype=np.int32).reshape(1, 4), 1 if kind == "vertex_triangle" else 0
    start = np.array([distance(points, kind)])
    known = start, np.array([True]), np.array([UNKNOWN])
    return free_fraction(points, moves, nodes, first, np.arange(4), np.array([reach]), *known, 1.0)


def first_touch(points, moves, kind):
    """When they touch by ipctk's tight inclusion [0, 1], which is early rather than late; or None."""
    detect = ipctk.TightInclusionCCD(tolerance=1e-6, max_iterations=1_000_000)
    method = detect.point_triangle_ccd if kind == "vertex_triangle" else detect.edge_edge_ccd
    hit, toc = method(*points, *(points + moves))
    return toc if hit else None


def distance(points, kind):
    return float(np.sqrt((measured(points[None], kind)[1] ** 2).sum()))


@pytest.fixture(params=["random", "aimed", "far", "grazing"])
def ways(request, corners):
    rng = np.random.default_rng(11)
    moves = rng.normal(size=corners.shape)
    if request.param == "aimed":  # the first node, or edge, goes through the others' middle
        moves = np.zeros_like(corners)
        moves[:, :2] = 2.0 * (corners[:, 2:].mean(axis=1) - corners[:, :2].mean(axis=1))[:, None]
    if request.param == "far":  # all together, and a little apart
        moves = 0.1 * moves + [50.0, -20.0, 30.0]
    if request.param == "grazing":  # along each other
        moves *= 0.0
        moves[:, 0] = 3.0 * (corners[:, 3] - corners[:, 2])
        moves[:, 1] = moves[:, 0] * (1.0 + 1e-9)
    return corners[:150], moves[:150]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_touches_on_the_way(ways, kind):
    for points, moves in zip(*ways, strict=True):
        start = distance(points, kind)
        if start < 1e-12:
            continue
        share = free_share(points, moves, kind)
        steps = [distance(points + t * moves, kind) for t in np.linspace(0.0, share, 20)]
        assert min(steps) > 0.999 * KEPT * start - 1e-13 * np.abs(points + moves).max()


@pytest.mark.parametrize("kind", KINDS)
def test_ipctk_finds_no_earlier_touch(random_corners, kind):
    """Its tight inclusion never comes late; where it sees a touch, ours stops before, where it sees none, ours may go on."""
    rng, touches = np.random.default_rng(13), 0
    for points in random_corners[:60]:
        moves = rng.normal(size=(4, 3))
        moving = 1 if kind == "vertex_triangle" else 2
        moves[:moving] += 2.0 * (points[moving:].mean(axis=0) - points[:moving].mean(axis=0))
        touch = first_touch(points, moves, kind)
        share = free_share(points, moves, kind)
        assert share < (1.0 + 1e-9 if touch is None else touch + 1e-6)
        touches += touch is not None
    assert touches > 10


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_not_shy(random_corners, kind):
    """Where ipctk's additive detection, stopping as near, finds a way, ours is nearly as long."""
    detect, rng = ipctk.AdditiveCCD(conservative_rescaling=1.0 - NEAR), np.random.default_rng(12)
    method = detect.point_triangle_ccd if kind == "vertex_triangle" else detect.edge_edge_ccd
    hits = 0
    for points in random_corners[:200]:
        moves = rng.normal(size=(4, 3))
        hit, toc = method(*points, *(points + moves))
        share = free_share(points, moves, kind)
        hits += hit
        assert share > 0.95 * (toc if hit else 1.0) - 0.01
    assert hits > 5


def turned_together(points, moves, kind, gap, angle, rng):
    """The same four points drawn together along what leads from one of a pair to the other until they are a gap [m] apart, and
    moves that turn them about it and about what is across, by so much of a straight way, beside the given ones."""
    weights, separation = (each[0] for each in measured(points[None], kind))
    normal = separation / np.linalg.norm(separation)
    points = points + np.outer(np.where(weights > 0.0, 1.0, 0.0), (gap - np.linalg.norm(separation)) * normal)
    spin = angle * np.cross(rng.normal(size=3), normal) + angle * rng.normal() * normal
    return points, moves + np.cross(spin, points - points.mean(axis=0))


@pytest.mark.parametrize("kind", KINDS)
def test_what_all_but_touches_turns_as_one_all_the_way(random_corners, kind):
    """Its points go thousands of times as far as they are apart, and no closer to each other."""
    rng, tried = np.random.default_rng(14), 0
    for points in random_corners[:300]:
        weights, _ = (each[0] for each in measured(points[None], kind))
        if np.abs(weights).min() < 0.05:  # closest at a corner, where more than one pair has its say
            continue
        near, moves = turned_together(points, np.zeros((4, 3)), kind, 1e-6, 0.3, rng)
        assert distance(near, kind) == pytest.approx(1e-6, rel=1e-4)
        assert free_share(near, moves, kind) == 1.0
        tried += 1
    assert tried > 10


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("gap", [1e-3, 1e-6])
def test_what_all_but_touches_and_turns_stops_before_it_does(random_corners, kind, gap):
    """Beside turning together it comes closer, or slides past: never closer than it may, nor stopped far from anything."""
    rng, stopped = np.random.default_rng(15), 0
    for points in random_corners[:300]:
        near, moves = turned_together(points, gap * 3.0 * rng.normal(size=(4, 3)), kind, gap, 0.3, rng)
        start = distance(near, kind)
        share = free_share(near, moves, kind)
        steps = [distance(near + t * moves, kind) for t in np.linspace(0.0, share, 200)]
        assert min(steps) > 0.999 * KEPT * start - 1e-13
        stopped += share < 1.0 and steps[-1] < 1.01 * NEAR * start
    assert stopped > 10


def test_a_pair_stops_near_what_it_runs_into():
    points = np.array([[0.2, 0.2, 1.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    moves = np.zeros((4, 3))
    moves[0, 2] = -2.0
    share = free_share(points, moves, "vertex_triangle")
    assert 0.5 * (1.0 - NEAR) <= share <= 0.5 * (1.0 - KEPT)
    assert free_share(points, -moves, "vertex_triangle") == 1.0
    assert free_share(points, 0.2 * moves, "vertex_triangle") == 1.0
    assert 0.5 * (1.0 - 0.1 * NEAR) <= free_share(points, moves, "vertex_triangle", reach=0.1) <= 0.5 * (1.0 - 0.1 * KEPT)
