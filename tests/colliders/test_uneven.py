"""Painted thickness: balls about the points of a surface, against searches of many points, and evenly thick meshes."""

import numpy as np
import pytest

from solver.collider import validated_collider
from solver.colliders import build
from solver.colliders.uneven import nearest_balls, thickest_under
from solver.errors import SceneError
from solver.geometry.triangle_tree import triangle_tree
from solver.scene import Collider, Settings
from solver.surface import Surface
from tests.colliders.test_mesh import box, sphere
from tests.colliders.test_motion import transform
from tests.colliders.test_plane import ask

POINTS = np.random.default_rng(11).uniform(-1.5, 1.5, size=(300, 3))
BOX = box((1.0, 0.8, 1.2))
SHARES = np.random.default_rng(2).uniform(0.0, 1.0, len(BOX.positions))


def painted(part, shares, thickness=0.3, **options):
    options |= {"thickness": thickness, "painted": {"thickness": shares}}
    return Collider("uid", "Thing", "mesh", np.eye(4)[None], part, **options)


@pytest.mark.parametrize("steepness", [0.3, 3.0])
def test_the_nearest_ball_is_the_nearest_of_very_many(steepness):
    """Where thickness rises less than the surface runs, and where it is so steep that the balls of corners hold the others."""
    rng = np.random.default_rng(5)
    corners = rng.normal(size=(3, 3))
    radii = steepness * rng.uniform(size=3)
    part = triangle_tree(corners, np.array([[0, 1, 2]], np.int32))
    line = np.linspace(0.0, 1.0, 201)
    v, w = (each.ravel() for each in np.meshgrid(line, line))
    weights = np.stack([1.0 - v - w, v, w], axis=1)[v + w <= 1.0 + 1e-12]
    middles, sizes = weights @ corners, weights @ radii
    distance, triangle, found = nearest_balls(part, radii, thickest_under(part, radii), POINTS, np.zeros(len(POINTS), np.int32))
    best = np.array([(np.linalg.norm(point - middles, axis=1) - sizes).min() for point in POINTS])
    assert (distance <= best + 1e-12).all() and np.abs(distance - best).max() < 1e-3 and not triangle.any()
    at = np.linalg.norm(POINTS - found @ corners, axis=1) - found @ radii
    np.testing.assert_allclose(at, distance, atol=1e-12)


@pytest.mark.parametrize("steepness", [0.1, 2.0])
def test_of_many_triangles_it_is_the_nearest_of_all_wherever_the_search_begins(steepness):
    """Bit for bit what a search of each by itself says, the first of those that are as near."""
    ball, rng = sphere(8), np.random.default_rng(4)
    radii = steepness * rng.uniform(size=len(ball.positions)) ** 4
    whole = triangle_tree(ball.positions, ball.triangles)
    start = rng.integers(len(ball.triangles), size=len(POINTS)).astype(np.int32)
    distance, triangle, weights = nearest_balls(whole, radii, thickest_under(whole, radii), POINTS, start)
    alone, none = [], np.zeros(len(POINTS), np.int32)
    for corners in ball.triangles:
        part = triangle_tree(ball.positions, corners[None])
        alone.append(nearest_balls(part, radii, thickest_under(part, radii), POINTS, none))
    best = np.argmin([one[0] for one in alone], axis=0)
    assert (triangle == best).all() and len(np.unique(best)) > 20
    for k, t in enumerate(best):
        assert distance[k] == alone[t][0][k] and (weights[k] == alone[t][2][k]).all()


@pytest.mark.parametrize("part", [BOX, sphere(8)])
@pytest.mark.parametrize("two_sided", [False, True])
def test_evenly_painted_is_evenly_thick(part, two_sided):
    """A share of a half all over, inside and out: the half of the thickness."""
    half = painted(part, np.full(len(part.positions), 0.5), two_sided=two_sided)
    plain = Collider("uid", "Thing", "mesh", np.eye(4)[None], part, thickness=0.15, two_sided=two_sided)
    for margin in (np.inf, 0.4):
        seen, wanted = (ask(item, POINTS, margin=margin) for item in (half, plain))
        known = np.isfinite(wanted[0])
        assert (np.isfinite(seen[0]) == known).all() and known.sum() > 60
        np.testing.assert_allclose(seen[0][known], wanted[0][known], atol=1e-12)
        assert (np.einsum("ki,ki->k", seen[1], wanted[1])[known] > 1.0 - 1e-9).mean() > 0.99  # closest points may be two


@pytest.mark.parametrize("two_sided", [False, True])
def test_the_normal_is_the_gradient_and_no_way_is_shorter_than_it_says(two_sided):
    """Outside: what conservative advancement rests on, at slopes up to 0.9."""
    collider = painted(BOX, SHARES, 0.9, two_sided=two_sided)
    distance, normal, _ = ask(collider, POINTS)
    outside = distance > 0.0
    slopes = np.empty((len(POINTS), 3))
    for axis in range(3):
        step = 1e-6 * np.eye(3)[axis]
        slopes[:, axis] = (ask(collider, POINTS + step)[0] - ask(collider, POINTS - step)[0]) / 2e-6
    assert outside.sum() > 60 and (np.abs(slopes - normal).max(axis=1)[outside] < 1e-4).mean() > 0.97
    away = POINTS[1:] - POINTS[:-1]
    both = outside[1:] & outside[:-1]
    assert (np.abs(np.diff(distance)) <= np.linalg.norm(away, axis=1) + 1e-12)[both].all() and both.sum() > 20


def test_on_a_sheet_both_sides_are_as_thick():
    square = Surface(np.array([(-2.0, -2, 0), (2, -2, 0), (2, 2, 0), (-2, 2, 0)]), np.array([(0, 1, 2), (0, 2, 3)], np.int32))
    collider = painted(square, np.array([0.0, 1.0, 1.0, 0.0]), 0.4, two_sided=True)
    above, below = (ask(collider, POINTS * (1.0, 1.0, side)) for side in (1.0, -1.0))
    np.testing.assert_allclose(above[0], below[0], atol=1e-12)
    field = build(collider, Settings())
    away, facing, offset = field.middle(POINTS, 0.0, np.inf)
    np.testing.assert_allclose(away, np.abs(POINTS[:, 2]), atol=1e-12)
    np.testing.assert_allclose(offset, 0.01 + 0.1 * (POINTS[:, 0] + 2.0), atol=1e-12)
    assert (facing[:, 2] == np.sign(POINTS[:, 2])).all()


def test_corners_are_as_thick_as_they_are_painted():
    places, offsets = build(painted(BOX, SHARES), Settings()).corners(0.0)
    np.testing.assert_allclose(offsets, 0.3 * SHARES)
    assert len(places) == len(BOX.positions)


def test_it_moves_with_the_mesh_and_deforms():
    """A box by its transform, and the same one by its shapes."""
    keys = np.array([transform(shift=(0.2 * k, 0.0, 0.0)) for k in range(4)])
    shapes = np.array([BOX.positions * (1.0, 1.0, 1.0 + 0.1 * k) for k in range(4)])
    settings = Settings(frame_start=1, frame_end=3, frames_per_second=10.0)
    stretched = np.array([np.diag([1.0, 1.0, 1.0 + 0.1 * k, 1.0]) for k in range(4)])
    for one, other in ((keys, BOX.positions + keys[:, None, :3, 3]), (stretched, shapes)):
        moved = Collider("uid", "Thing", "mesh", one, BOX, thickness=0.3, painted={"thickness": SHARES})
        deformed = painted(BOX, SHARES, shapes=other)
        for seen, wanted in zip(*(ask(item, POINTS, 0.07, settings=settings) for item in (deformed, moved)), strict=True):
            np.testing.assert_allclose(seen, wanted, atol=1e-7)


def test_shares_that_do_not_fit_are_refused():
    validated_collider(painted(BOX, SHARES), 3)
    for shares in (SHARES[1:], 2.0 + SHARES):
        with pytest.raises(SceneError, match="painted as its thickness"):
            validated_collider(painted(BOX, shares), 3)
