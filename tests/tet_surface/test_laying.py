"""A surface laid on tets: where the old one was, with its volume, smooth, closed, and carried as its nodes move."""

import ipctk
import numpy as np
import pytest
from scipy.sparse import csr_matrix, diags

from solver.embedding import evaluate
from solver.geometry.edges import unpaired_edges
from solver.geometry.measures import signed_volumes
from solver.geometry.orientation import oriented
from solver.geometry.triangle_tree import closest_points, triangle_tree
from solver.remesh.record import mesh_change
from solver.remesh.remeshers import remeshed
from solver.remesh.restuffing import lattice_turn
from solver.remesh.seen_share import Lineage, handed_on
from solver.surface import Surface
from solver.tet_surface.folds import is_seen_folded
from solver.tet_surface.laying import _ends, _on, _smoothed, laid_surface
from solver.tet_surface.refinement import neighbours
from solver.tetmesh.cage import cage
from solver.tetmesh.mesh import joined_meshes
from tests.physics.scenes import box_mesh
from tests.surfaces import box, cone, joined, sphere, stored

from .test_refinement import angles

SIZE = 0.125  # of tets in what is two across
BALL = sphere(40)


def volume(part: Surface) -> float:
    return float(signed_volumes(part.positions, part.triangles).sum())


def crossing(part: Surface) -> bool:
    edges = ipctk.edges(part.triangles)
    return bool(ipctk.has_intersections(ipctk.CollisionMesh(part.positions, edges, part.triangles), part.positions))


def apart(one: Surface, other: Surface) -> float:
    """How far the vertices of each are from the other at most, in sizes of the tets."""
    trees = [triangle_tree(part.positions, part.triangles) for part in (one, other)]
    found = [closest_points(tree, part.positions).distance.max() for tree, part in zip(trees, (other, one), strict=True)]
    return max(found) / SIZE


def laid(mesh, old: Surface, times: int = 1, wanted=None):
    return laid_surface(mesh, old, times, SIZE, 0.5 * SIZE, wanted)


@pytest.fixture(scope="module")
def ball():
    return cage(BALL, SIZE)


@pytest.mark.parametrize("times", [1, 2])
def test_a_ball_lies_where_it_was_and_its_lattice_does_not_show(ball, times):
    made = laid(ball, BALL, times, np.array([volume(BALL)]))
    now, hull = made.surface, Surface(ball.positions, ball.faces.boundary)
    assert not unpaired_edges(now.triangles) and not crossing(now)
    assert volume(now) == pytest.approx(volume(BALL), rel=1e-9)
    assert apart(now, BALL) < 0.02
    rough = [np.percentile(angles(part.positions, part.triangles), 99) for part in (hull, now)]
    assert rough[1] < 0.7 / times * rough[0]
    np.testing.assert_allclose(evaluate(made.bound, ball.tets, ball.positions), now.positions, atol=1e-14)


def test_it_goes_with_the_nodes_by_fixed_weights(ball):
    """A turn and a stretch to the last digit; and of any motion it is a smooth picture, far from every single tet's."""
    made, rng = laid(ball, BALL), np.random.default_rng(3)
    affine, shift = rng.standard_normal((3, 3)), np.array([3.0, -1.0, 2.0])
    moved = evaluate(made.bound, ball.tets, ball.positions @ affine + shift)
    np.testing.assert_allclose(moved, made.surface.positions @ affine + shift, atol=1e-12)
    bent = ball.positions + 0.3 * SIZE * rng.standard_normal(ball.positions.shape)
    now, hull = evaluate(made.bound, ball.tets, bent), ball.faces.boundary
    assert np.percentile(angles(now, made.surface.triangles), 90) < 0.7 * np.percentile(angles(bent, hull), 90)
    points = evaluate(made.contacts, ball.tets, bent)
    on = closest_points(triangle_tree(now, made.surface.triangles), points)
    assert on.distance.max() < 1e-12  # what touches lies on what is seen, however it is bent


def test_again_and_again_it_neither_shrinks_nor_jumps(ball):
    """Ten times on other tets: what each leaves is no further off than a chord of the surface is."""
    mesh, seen, tip = ball, laid(ball, BALL).surface, []
    for count in range(1, 11):
        mesh = remeshed("stuffing", mesh, SIZE, lattice_turn(count), seen=seen)
        new = laid(mesh, seen, 1, np.array([volume(BALL)])).surface
        tip.append(apart(new, seen))
        seen = new
    assert max(tip) < 0.1 and apart(seen, BALL) < 0.12
    assert volume(seen) == pytest.approx(volume(BALL), rel=1e-9) and not crossing(seen)


@pytest.mark.parametrize("name", ["suzanne", "torus"])
def test_what_artists_hand_in_is_laid_closed(name):


    part = stored(name)
    part = Surface(part.positions * (2.0 / part.extent), part.triangles)
    made = laid(cage(part, SIZE), Surface(part.positions, oriented(part.positions, part.triangles).triangles))
    assert not unpaired_edges(made.surface.triangles) and not crossing(made.surface)


def test_of_what_is_sharp_only_what_is_thinner_than_tets_is_lost():
    """A cone's tip, of 53 degrees, is a tet wide half a tet below it; a box's corner is blunt by a tenth of one."""
    for part, tip, most in ((cone(), [0.0, 0.0, 1.0], 0.7), (box((2.0, 2.0, 2.0)), [1.0, 1.0, 1.0], 0.35)):
        made = laid(cage(part, SIZE), part).surface
        away = np.sqrt(((made.positions - tip) ** 2).sum(axis=1)).min() / SIZE
        assert away < most, away


def test_the_volume_that_was_seen_goes_to_the_pieces_that_share_its_tets(ball):
    """Two balls that lie in each other by a little become one: all of both is to be seen of that, and of two each its own."""
    other = cage(sphere(40, 0.5, (1.45, 0.0, 0.0)), SIZE)
    both, seen = joined_meshes([ball, other]), joined(BALL, sphere(40, 0.5, (1.45, 0.0, 0.0)))
    shells = np.repeat([0, 1], [len(BALL.positions), len(seen.positions) - len(BALL.positions)])
    carrying = np.where(shells == 0, 0, len(ball.tets)).astype(np.int32)
    one = remeshed("stuffing", both, SIZE, np.eye(3), seen=seen)
    volumes = np.array([volume(BALL), volume(sphere(40, 0.5))])
    assert not one.piece.any()
    np.testing.assert_allclose(handed_on(Lineage(mesh_change(both, one)), seen, carrying), [volumes.sum()], rtol=1e-12)
    apart = joined_meshes([ball, cage(sphere(40, 0.5, (3.0, 0.0, 0.0)), SIZE)])
    two = joined(BALL, sphere(40, 0.5, (3.0, 0.0, 0.0)))
    swollen = Surface(two.positions * np.where(shells == 0, 1.0, 1.01)[:, None], two.triangles)
    volumes[1] *= 1.01**3
    np.testing.assert_allclose(handed_on(Lineage(mesh_change(apart, apart)), swollen, carrying), volumes, rtol=1e-12)


def test_a_fold_is_one_where_it_is_seen():
    """Blocks end to end: 16 squares of a tet face each other, on either side; or only one."""
    block = (8.0 * SIZE, 4.0 * SIZE, 4.0 * SIZE)
    near, far, within = (
        joined(box(block), box(block, ((8.0 + gap) * SIZE, 0.0, 0.0))) for gap in (0.1, 1.0, -0.3)
    )
    assert is_seen_folded(near, SIZE) and not is_seen_folded(far, SIZE) and is_seen_folded(within, SIZE)
    small = (8.0 * SIZE, SIZE, SIZE)
    assert not is_seen_folded(joined(box(small), box(small, (8.1 * SIZE, 0.0, 0.0))), SIZE)
    assert not is_seen_folded(box((2.0, 2.0, 0.1 * SIZE)), SIZE)  # thin is not folded
    wall, shelf = box((8.0 * SIZE,) * 3), box((4.0 * SIZE, 8.0 * SIZE, 0.1 * SIZE), (6.05 * SIZE, 0.0, -1.43 * SIZE))
    assert not is_seen_folded(joined(wall, shelf), SIZE)  # what stands up from it does not face it


def test_a_vertex_goes_to_its_own_side_of_what_is_thin():
    """Of a plate a fifth of a tet thick, which tets of a whole one carry, no side is laid on the other."""
    plate = box((2.0, 2.0, 0.2 * SIZE))
    made = laid(cage(box((2.0, 2.0, 1.1 * SIZE)), SIZE), plate).surface
    inner = np.abs(made.positions[:, :2]).max(axis=1) < 0.8
    height = made.positions[inner, 2] / SIZE
    assert np.abs(np.abs(height) - 0.1).max() < 0.02 and (height > 0.0).any() and (height < 0.0).any()
    assert volume(made) == pytest.approx(volume(plate), rel=0.1)


def test_only_what_faces_the_same_way_is_the_old_surface():
    tree, inside = triangle_tree(BALL.positions, BALL.triangles), 0.99 * BALL.positions
    found = _on(tree, inside, BALL.triangles, SIZE)
    assert np.abs(found - BALL.positions).max() < 1e-3
    assert np.isnan(_on(tree, inside, BALL.triangles[:, [0, 2, 1]], SIZE)).all()
    assert np.isnan(_on(tree, 0.9 * BALL.positions, BALL.triangles, SIZE, 0.2)).all()  # 0.8 of a tet deep


def test_smoothing_takes_what_is_fine_and_leaves_what_is_coarse():
    """A ball keeps its radius, and the teeth on it go; nothing is moved further than it may be."""
    ball = sphere(16)
    count, rows = len(ball.positions), neighbours(_ends(ball.triangles), len(ball.positions))
    means = csr_matrix(diags(1.0 / np.asarray(rows.sum(axis=1)).ravel()) @ rows)
    belt = np.abs(ball.positions[:, 2]) < 0.7  # around the poles a globe's triangles are slivers
    smooth = _smoothed(ball.positions, means, 1e9)
    assert np.abs(np.sqrt((smooth**2).sum(axis=1)) - 1.0)[belt].max() < 0.01
    teeth = ball.positions * (1.0 + 0.05 * (-1.0) ** np.arange(count))[:, None]
    left = np.sqrt((_smoothed(teeth, means, 1e9) ** 2).sum(axis=1))
    assert left[belt].std() < 0.2 * 0.05
    assert np.sqrt(((_smoothed(teeth, means, 0.01) - teeth) ** 2).sum(axis=1)).max() < 0.01


def test_what_presses_on_a_point_moves_what_is_seen_there():
    """Also on sheets and limbs as thin as a tet: a contact whose force moved its seen point the other way would run away."""
    for mesh in (box_mesh((6, 6, 1), (2.0, 2.0, 0.2)), box_mesh((8, 1, 1), (4.0, 0.3, 0.3))):
        made = laid_surface(mesh, Surface(mesh.positions, mesh.faces.boundary), 2, 0.33, 0.17)
        for binding in (made.bound, made.contacts):
            spread, shape = binding.spread, (len(binding.tets), len(mesh.positions))
            rows = csr_matrix((spread.weights, spread.nodes, spread.start), shape=shape)
            own = np.asarray(rows[np.arange(len(binding.tets))[:, None], mesh.tets[binding.tets]].todense())
            gained = (own * binding.weights).sum(axis=1) / (binding.weights**2).sum(axis=1)
            assert gained.min() > 0.4 and binding.weights.min() >= 0.0
