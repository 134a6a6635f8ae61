"""Points carried by tets: exact inside, gentle outside."""

import numpy as np
import pytest

from solver.embedding import bind, evaluate, shifted
from solver.tetmesh.cage import cage
from solver.tetmesh.mesh import TetMesh
from tests.physics.scenes import box_mesh
from tests.surfaces import box, joined, moved, sphere, stored, surface

AFFINE = np.array([[1.1, 0.2, 0.0], [-0.1, 0.9, 0.3], [0.05, 0.0, 1.2]])
SHIFT = np.array([0.3, -2.0, 5.0])


@pytest.fixture(scope="module")
def ball():
    return cage(sphere(16), 0.25)


def points_in_box(scale, count=3000, seed=1):
    return np.random.default_rng(seed).uniform(-scale, scale, (count, 3))


def test_inside_points_have_weights_of_a_tet_that_holds_them(ball):
    points = points_in_box(0.5)
    binding = bind(ball, points)
    assert binding.weights.min() >= -1e-9
    assert np.allclose(binding.weights.sum(axis=1), 1.0, atol=1e-12)
    back = np.einsum("ki,kid->kd", binding.weights, ball.positions[ball.tets[binding.tets]])
    assert np.abs(back - points).max() < 1e-12


def test_affine_motions_are_exact_outside_of_long_tets():
    """As those at the rim of a puddle: the middle of the tet under a point may be further off than any blend is wide."""
    even = box_mesh((8, 4, 4))
    positions = even.positions + [30.0, 0.0, 0.0] * np.maximum(even.positions[:, :1] - 0.875, 0.0)
    mesh, rng = TetMesh(positions, even.tets), np.random.default_rng(4)
    points = np.column_stack([positions[:, 0].max() + rng.uniform(0.1, 0.4, 50), rng.uniform(0.1, 0.9, (50, 2))])
    binding = bind(mesh, points)
    assert binding.spread is not None and len(binding.spread.points) > 40
    assert np.abs(evaluate(binding, mesh.tets, positions) - points).max() < 1e-10
    moved_nodes = positions @ AFFINE.T + SHIFT
    assert np.abs(evaluate(binding, mesh.tets, moved_nodes) - (points @ AFFINE.T + SHIFT)).max() < 1e-10


@pytest.mark.parametrize("scale", [0.5, 1.0, 1.5, 4.0])
def test_affine_motions_are_exact_inside_and_outside(ball, scale):
    points = points_in_box(scale)
    binding = bind(ball, points)
    moved_nodes = ball.positions @ AFFINE.T + SHIFT
    assert np.abs(evaluate(binding, ball.tets, ball.positions) - points).max() < 1e-10
    assert np.abs(evaluate(binding, ball.tets, moved_nodes) - (points @ AFFINE.T + SHIFT)).max() < 1e-10


def test_scalars_are_evaluated_too(ball):
    points = points_in_box(0.9)
    values = evaluate(bind(ball, points), ball.tets, ball.positions @ [1.0, 2.0, 3.0])
    assert values.shape == (3000,)
    assert values == pytest.approx(points @ [1.0, 2.0, 3.0], abs=1e-10)


def test_mesh_vertices_and_points_on_faces_are_inside(ball):
    on_faces = ball.positions[ball.tets[:500, :3]].mean(axis=1)
    binding = bind(ball, np.concatenate([ball.positions, on_faces]))
    assert binding.spread is None
    assert binding.weights.min() > -1e-9


def bend(positions):
    """A smooth, large deformation."""
    x, y, z = positions.T
    return np.stack([x * np.cos(z) - y * np.sin(z), x * np.sin(z) + y * np.cos(z), z + 0.4 * x * x], axis=1)


def test_the_surface_stays_continuous_across_the_boundary(ball):
    """Along rays from inside to far outside, a bent mesh carries close points to close points."""
    directions = points_in_box(1.0, 60)
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    radii = np.linspace(0.8, 1.6, 400)
    points = (directions[:, None] * radii[None, :, None]).reshape(-1, 3)
    carried = evaluate(bind(ball, points), ball.tets, bend(ball.positions)).reshape(60, 400, 3)
    steps = np.linalg.norm(np.diff(carried, axis=1), axis=2)
    # Two steps in a row differ little, and none jumps: the largest true stretch of `bend` here is under 3.
    assert steps.max() < 4.0 * (radii[1] - radii[0])


def test_neighbours_outside_stay_together_as_they_pass_from_tet_to_tet(ball):
    angle = np.linspace(0.0, 2.0 * np.pi, 3000)
    ring = 1.25 * np.stack([np.cos(angle), np.sin(angle) * 0.8, 0.6 * np.sin(angle)], axis=1)
    carried = evaluate(bind(ball, ring), ball.tets, bend(ball.positions))
    rest, steps = (np.linalg.norm(np.diff(p, axis=0), axis=1) for p in (ring, carried))
    assert (steps / rest).max() < 4.0


def test_far_points_do_not_swing_with_one_tet(ball):
    """Shaking one boundary node by a tenth of an edge moves a point two edges out hardly further, wherever it is."""
    edge, rng = ball.mean_edge, np.random.default_rng(0)
    plain, blended = [], []
    for node in np.flatnonzero(np.linalg.norm(ball.positions, axis=1) > 0.97)[::5]:
        point = ball.positions[node] * (1.0 + 2.0 * edge)
        shake = rng.normal(size=3)
        shaken = ball.positions.copy()
        shaken[node] += 0.1 * edge * shake / np.linalg.norm(shake)
        binding = bind(ball, point[None])
        alone = np.einsum("ki,kid->kd", binding.weights, shaken[ball.tets[binding.tets]])
        plain.append(np.linalg.norm(alone - point) / edge)
        blended.append(np.linalg.norm(evaluate(binding, ball.tets, shaken) - point) / edge)
    assert max(blended) < 0.15
    assert max(plain) < 0.4


def test_a_point_follows_the_piece_it_is_nearest_to():
    two = joined(sphere(12, 0.5), moved(sphere(12, 0.5), (1.15, 0.0, 0.0)))
    mesh = cage(two, 0.1)
    point = np.array([[0.55, 0.0, 0.0]])
    apart = mesh.positions + np.where(mesh.positions[:, :1] > 0.575, 1.0, 0.0) * [10.0, 0.0, 0.0]
    carried = evaluate(bind(mesh, point), mesh.tets, apart)
    assert np.abs(carried - point).max() < 1e-9


def test_a_point_outside_a_large_tet_among_small_ones_hangs_on_it(ball):
    """No tet's middle is near its foot: it comes back at rest all the same, and goes with that tet's own stretch."""
    large = np.array([(3.0, 0.0, 0.0), (13.0, 0.0, 0.0), (3.0, 10.0, 0.0), (3.0, 0.0, 10.0)])
    mesh = TetMesh(
        np.concatenate([ball.positions, large]),
        np.concatenate([ball.tets, len(ball.positions) + np.arange(4)[None]]).astype(np.int32),
    )
    point = np.array([[2.5, 0.1, 0.2]])
    binding = bind(mesh, point)
    assert binding.spread is not None and np.abs(evaluate(binding, mesh.tets, mesh.positions) - point).max() < 1e-9
    assert np.abs(evaluate(binding, mesh.tets, mesh.positions @ AFFINE) - point @ AFFINE).max() < 1e-9


def test_suzanne_comes_back_to_rest_and_stays_smooth():
    part = stored("suzanne")
    mesh = cage(part, 0.18)
    binding = bind(mesh, part.positions)
    assert np.abs(evaluate(binding, mesh.tets, mesh.positions) - part.positions).max() < 1e-12
    carried = evaluate(binding, mesh.tets, bend(mesh.positions))
    edges = part.triangles[:, [0, 1]]
    rest, now = (np.linalg.norm(p[edges[:, 0]] - p[edges[:, 1]], axis=1) for p in (part.positions, carried))
    assert (now / rest).max() < 4.0
    assert (now / rest).min() > 0.1


def test_ten_kilometres_away_nothing_is_lost(ball):
    shift = np.array([10_000.0, -10_000.0, 100.0])
    points = points_in_box(1.2)
    near, far = bind(ball, points), bind(TetMesh(ball.positions + shift, ball.tets), points + shift)
    carried = evaluate(far, ball.tets, bend(ball.positions)) - evaluate(near, ball.tets, bend(ball.positions))
    assert np.abs(carried).max() < 1e-6


def test_binding_is_the_same_on_any_number_of_threads(ball):
    import numba

    before, seen = numba.get_num_threads(), set()
    for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        numba.set_num_threads(threads)
        binding = bind(ball, points_in_box(1.5, 5000))
        assert binding.spread is not None
        seen.add((binding.tets.tobytes(), binding.weights.tobytes(), binding.spread.weights.tobytes()))
    numba.set_num_threads(before)
    assert len(seen) == 1


def test_a_box_binds_its_corners():
    part = box()
    mesh = cage(part, 0.3)
    assert np.abs(evaluate(bind(mesh, part.positions), mesh.tets, mesh.positions) - part.positions).max() < 1e-12


def test_several_bodies_share_arrays(ball):
    points = points_in_box(1.5, 500)
    binding = bind(ball, points)
    tets = np.concatenate([ball.tets[:7], ball.tets + 100])
    nodes = np.concatenate([np.zeros((100, 3)), bend(ball.positions)])
    together = evaluate(shifted(binding, 7, 100), tets, nodes)
    assert np.array_equal(together, evaluate(binding, ball.tets, bend(ball.positions)))


@pytest.mark.parametrize("scale", [2.0**-20, 2.0**20])  # about a millionth and a million, without rounding
def test_huge_and_tiny_bodies_are_bound_like_others(scale):
    part = stored("suzanne")
    resized = surface(part.positions * scale, part.triangles)
    mesh, same = cage(resized, 0.3 * scale), cage(part, 0.3)
    assert np.array_equal(mesh.tets, same.tets)
    binding = bind(mesh, resized.positions)
    carried = evaluate(binding, mesh.tets, bend(mesh.positions / scale))
    usual = evaluate(bind(same, part.positions), same.tets, bend(same.positions))
    assert np.abs(carried - usual).max() < 1e-6
