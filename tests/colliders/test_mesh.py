"""Mesh colliders against brute force, at rest and in motion."""

import numpy as np
import pytest

from solver.colliders import build
from solver.colliders.mesh import GROUND_DEPTH, SHEET_HALF_THICKNESS
from solver.colliders.mesh_query import GROUND, SHEET, SOLID, WOUND
from solver.colliders.motion import rotation_matrix
from solver.errors import SceneError
from solver.geometry.measures import winding_numbers_by_sum
from solver.scene import Collider, Settings
from tests.colliders.test_motion import transform
from tests.colliders.test_plane import ask
from tests.surfaces import box, flipped, joined, moved, soup, sphere, stored, surface, with_holes

RNG = np.random.default_rng(4)
POINTS = RNG.uniform(-1.6, 1.6, (600, 3))


def mesh(part, *transforms, **options):
    return Collider("uid", "Stair", "mesh", np.array(transforms or [np.eye(4)]), part, **options)


def closest_by_brute_force(part, points):
    """Closest points on the triangles (k, 3), by projecting onto every face, edge and corner."""
    corners = part.positions[part.triangles]
    best = np.full(len(points), np.inf)
    closest = np.zeros_like(points)
    for a, b, c in corners:
        normal = np.cross(b - a, c - a)
        normal /= np.linalg.norm(normal)
        flat = points - np.einsum("ki,i->k", points - a, normal)[:, None] * normal
        inside = np.ones(len(points), dtype=bool)
        candidates = []
        for p, q in ((a, b), (b, c), (c, a)):
            inside &= np.einsum("ki,i->k", np.cross(q - p, flat - p), normal) >= 0
            share = np.clip(np.einsum("ki,i->k", points - p, q - p) / np.dot(q - p, q - p), 0, 1)
            candidates.append(p + share[:, None] * (q - p))
        candidates.append(np.where(inside[:, None], flat, candidates[0]))
        for candidate in candidates:
            distance = np.linalg.norm(points - candidate, axis=1)
            closer = distance < best
            best[closer], closest[closer] = distance[closer], candidate[closer]
    return best, closest


def stair():
    """Three steps as three boxes that share faces: closed shells that touch."""
    return joined(*[box((1.0, 0.5, 0.3 * (k + 1)), (0.0, 0.5 * k - 0.5, 0.15 * (k + 1))) for k in range(3)])


@pytest.mark.parametrize("part", [sphere(8), box(), joined(sphere(8), moved(sphere(8), (2.5, 0, 0)))])
@pytest.mark.parametrize("margin", [0.2, 10.0])
def test_signed_distance_and_normal(part, margin):
    distance, normal, velocity = ask(mesh(part), POINTS, margin=margin)
    expected, closest = closest_by_brute_force(part, POINTS)
    inside = winding_numbers_by_sum(part.positions, part.triangles, POINTS) > 0.5
    near = inside | (expected <= margin)
    assert np.abs(distance[near]) == pytest.approx(expected[near], abs=1e-12)
    assert ((distance[near] < 0) == inside[near]).all()
    assert np.isinf(distance[~near]).all() and not normal[~near].any()
    away = (POINTS - closest) / expected[:, None] * np.where(inside, -1, 1)[:, None]
    assert np.abs(normal[near] - away[near]).max() < 1e-7
    assert not velocity.any()


@pytest.mark.parametrize("part", [stair(), joined(sphere(8), sphere(8, 0.8, (0.7, 0, 0)))])
def test_parts_that_overlap_are_one_solid(part):
    distance, normal, _ = ask(mesh(part), POINTS, margin=10.0)
    expected, _closest = closest_by_brute_force(part, POINTS)
    inside = winding_numbers_by_sum(part.positions, part.triangles, POINTS) > 0.5
    assert ((distance < 0) == inside).all()
    assert distance[~inside] == pytest.approx(expected[~inside], abs=1e-12)
    # From within it is no nearer than any face, and a step of that length along the normal leads out.
    assert (-distance[inside] >= expected[inside] - 1e-12).all()
    out = POINTS[inside] + normal[inside] * (1e-4 - distance[inside])[:, None]
    assert (winding_numbers_by_sum(part.positions, part.triangles, out) < 0.5).mean() > 0.98


def test_a_wall_inside_a_stair_does_not_push_deeper():
    corner = np.array([[0.0, -0.27, 0.28]])  # in the lowest step, 2 cm under its tread, 2 cm before the next riser
    distance, normal, _ = ask(mesh(stair()), corner + [0.0, 0.015, 0.0])
    assert distance == pytest.approx([-0.02])
    assert normal == pytest.approx(np.array([[0.0, 0.0, 1.0]]), abs=1e-6)


def test_flipped_faces_and_soups_make_no_difference():
    ball = sphere(10)
    expected = ask(mesh(ball), POINTS, margin=5.0)[0]
    for part in (flipped(ball), flipped(ball, np.arange(len(ball.triangles)) % 3 == 0), soup(ball)):
        assert ask(mesh(part), POINTS, margin=5.0)[0] == pytest.approx(expected, abs=1e-12)


def test_small_holes_and_overlaps_keep_the_inside_solid():
    suzanne = build(mesh(stored("suzanne")), Settings())
    assert suzanne.shape.kind == WOUND
    assert build(mesh(sphere(10)), Settings()).shape.kind == SOLID
    holed = with_holes(sphere(16), 60)
    deep = RNG.uniform(-0.5, 0.5, (50, 3))
    assert (ask(mesh(holed), deep, margin=0.05)[0] < 0).all()


def test_at_the_surface_the_normal_is_the_faces():
    part = box()
    points = np.array([[0.5, 0.1, 0.2], [0.0, -0.5, 0.0], [0.5, 0.5, 0.1]])
    distance, normal, _ = ask(mesh(part), points)
    assert distance == pytest.approx(0.0, abs=1e-12)
    assert normal[:2] == pytest.approx(np.array([[1, 0, 0], [0, -1, 0]]), abs=1e-12)
    assert normal[2] == pytest.approx(np.array([1, 1, 0]) / np.sqrt(2), abs=1e-9)


def quad(tilt=0.0):
    return surface([[-1, -1, -tilt], [1, -1, tilt], [1, 1, tilt], [-1, 1, -tilt]], [[0, 1, 2], [0, 2, 3]])


def test_an_open_sheet_is_solid_from_both_sides():
    wall = surface(quad().positions[:, [2, 1, 0]], quad().triangles)
    assert build(mesh(wall), Settings()).shape.kind == SHEET
    half = 2.0 * SHEET_HALF_THICKNESS
    distance, normal, _ = ask(mesh(wall, thickness=0.01), [[0.3, 0, 0], [-0.3, 0, 0], [half / 2, 0, 0]])
    assert distance == pytest.approx([0.29 - half, 0.29 - half, -0.01 - half / 2])
    assert normal == pytest.approx(np.array([[1, 0, 0], [-1, 0, 0], [1, 0, 0]]))


@pytest.mark.parametrize("part", [quad(), flipped(quad())])
def test_an_open_floor_is_ground_below(part):
    assert build(mesh(quad(0.2)), Settings()).shape.kind == GROUND
    assert build(mesh(part), Settings()).shape.kind == GROUND
    assert build(mesh(part, two_sided=True), Settings()).shape.kind == SHEET
    deep = 2.0 * GROUND_DEPTH
    points = [[0, 0, 0.3], [0, 0, -0.5 * deep], [0, 0, -2 * deep], [1.02, 0, -0.02], [0.99, 0, -0.02]]
    distance, normal, _ = ask(mesh(part), points, margin=0.5)
    assert distance[0] == pytest.approx(0.3)
    assert distance[1] == pytest.approx(-0.5 * deep)
    assert normal[:2] == pytest.approx(np.array([[0, 0, 1], [0, 0, 1]]))
    assert distance[2] > 0  # too deep to be under it
    assert distance[3] > 0  # beside the rim there is no ground
    assert distance[4] < 0


def strip():
    """Open stairs: treads and risers, no body below."""
    steps = [(0.0, 0.0), (0.5, 0.0), (0.5, 0.3), (1.0, 0.3), (1.0, 0.6), (1.5, 0.6)]
    points = [(x, y, z) for x, z in steps for y in (-1.0, 1.0)]
    quads = [(2 * k, 2 * k + 2, 2 * k + 3, 2 * k + 1) for k in range(5)]
    return surface(points, [face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))])


def test_open_stairs_and_a_bowl_are_ground_but_a_wall_and_a_tube_are_not():
    ball = sphere(16)
    middle = ball.positions[ball.triangles].mean(axis=1)[:, 2]
    bowl = surface(ball.positions, ball.triangles[middle < -0.05])
    tube = surface(ball.positions, ball.triangles[np.abs(middle) < 0.5])
    kinds = [build(mesh(part), Settings()).shape.kind for part in (strip(), flipped(strip()), bowl, flipped(bowl), tube)]
    assert kinds == [GROUND, GROUND, GROUND, GROUND, SHEET]
    distance = ask(mesh(strip()), [[0.25, 0, 0.1], [0.25, 0, -0.05], [0.45, 0, 0.2], [0.55, 0, 0.2]], margin=1.0)[0]
    assert distance == pytest.approx([0.1, -0.05, 0.05, -0.05])
    assert (ask(mesh(bowl), [[0, 0, -0.9], [0, 0, -1.05]], margin=1.0)[0] * [1, -1] > 0).all()


def random_linear(rng):
    return np.eye(3) + 0.4 * rng.normal(size=(3, 3))


@pytest.mark.parametrize("mirror", [1.0, -1.0])
@pytest.mark.parametrize("part", [sphere(6), stored("suzanne")])
def test_any_affine_transform_is_that_of_the_placed_mesh(part, mirror):
    linear = random_linear(np.random.default_rng(8)) @ np.diag([mirror, 1.0, 1.0])
    placed = surface(part.positions @ linear.T + [0.3, 0.1, -0.2], part.triangles)
    expected = ask(mesh(placed), POINTS, margin=5.0)
    found = ask(mesh(part, transform(linear, (0.3, 0.1, -0.2))), POINTS, margin=5.0)
    assert found[0] == pytest.approx(expected[0], abs=1e-9)
    assert np.abs(found[1] - expected[1]).max() < 1e-6


def keys(count=4):
    rng = np.random.default_rng(5)
    linear = [np.eye(3)]
    for _ in range(count - 1):
        linear.append(rotation_matrix(0.3 * rng.normal(size=3)) @ linear[-1] @ (np.eye(3) + 0.1 * rng.normal(size=(3, 3))))
    return [transform(matrix, 0.2 * rng.normal(size=3)) for matrix in linear]


@pytest.mark.parametrize("rigid", [True, False])
def test_a_moving_mesh_is_the_placed_mesh_at_every_time(rigid):
    part, settings = sphere(6), Settings(frames_per_second=10.0)
    frames = keys()
    if rigid:
        frames = [transform(rotation_matrix(np.array([0.1, 0.3, -0.2]) * k), (0.1 * k, 0, 0)) for k in range(4)]
    collider = mesh(part, *frames)
    field = build(collider, settings)
    for time in (-0.1, -0.03, 0.0, 0.12, 0.2):
        pose = field.motion.pose(time)
        placed = surface(part.positions @ (pose.rotation @ pose.stretch).T + pose.translation, part.triangles)
        distance, normal, velocity = np.empty(600), np.empty((600, 3)), np.empty((600, 3))
        field.query(POINTS, time, 0.7, distance, normal, velocity)
        expected = ask(mesh(placed), POINTS, margin=0.7)[0]
        assert distance == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("rigid", [True, False])
def test_the_velocity_is_the_motion_of_the_surface(rigid):
    """By finite differences of the distance: a point at rest sees the surface come nearer at its normal speed."""
    part, settings, step, time = sphere(12), Settings(frames_per_second=10.0), 1e-6, 0.04
    frames = keys()
    if rigid:
        frames = [transform(rotation_matrix(np.array([0.1, 0.3, -0.2]) * k), (0.1 * k, 0, 0)) for k in range(4)]
    collider = mesh(part, *frames)
    distance, normal, velocity = ask(collider, POINTS, time, 5.0, settings)
    before, after = (ask(collider, POINTS, time + s, 5.0, settings)[0] for s in (-step, step))
    outside = distance > 0.05
    closing = -(after - before) / (2 * step)
    along = np.einsum("ki,ki->k", normal, velocity)
    assert closing[outside] == pytest.approx(along[outside], abs=1e-4)


def test_ten_kilometres_away():
    shift = np.array([10_000.0, 10_000.0, 0.0])
    near = ask(mesh(sphere(8)), POINTS, margin=1.0)[0]
    assert ask(mesh(moved(sphere(8), shift)), POINTS + shift, margin=1.0)[0] == pytest.approx(near, abs=1e-9)
    assert ask(mesh(sphere(8), transform(shift=shift)), POINTS + shift, margin=1.0)[0] == pytest.approx(near, abs=1e-9)


def test_the_same_bytes_on_any_number_of_threads():
    import numba

    points = np.random.default_rng(0).uniform(-1.5, 1.5, (5000, 3))
    before, seen = numba.get_num_threads(), set()
    for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        numba.set_num_threads(threads)
        seen.add(b"".join(array.tobytes() for array in ask(mesh(stored("suzanne")), points, margin=0.3)))
    numba.set_num_threads(before)
    assert len(seen) == 1


def test_a_mesh_without_faces_is_refused():
    with pytest.raises(SceneError, match="no faces"):
        build(Collider("uid", "Nothing", "mesh", np.eye(4)[None]), Settings())
    with pytest.raises(SceneError, match="no area"):
        build(mesh(surface([[0, 0, 0], [1, 0, 0], [2, 0, 0]], [[0, 1, 2]])), Settings())
