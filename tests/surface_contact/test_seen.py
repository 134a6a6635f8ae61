"""What is seen counts: artists' meshes on each other over whole bakes, watched by ipctk on the very meshes that are seen."""

import ipctk
import numba
import numpy as np
import pytest

from solver.contact.surfaces import candidates
from solver.contact.surfaces.pairs import apart_at_rest
from solver.contact.surfaces.seen import ERROR
from solver.embedding import evaluate
from solver.geometry.triangle_tree import closest_points, triangle_tree
from solver.geometry.winding import winding_numbers, winding_tree
from solver.jit import use_threads
from solver.scene import Collider
from tests.surface_contact.artists import RUBBER, flattened, simulated
from tests.surface_contact.watch import Watch
from tests.surfaces import box, moved, sphere, stored, surface

GROUND = Collider("g", "Ground", "plane", np.eye(4)[None], friction=0.5)
GUM = {"young_modulus": 5e4, "poisson_ratio": 0.4, "yield_stress": 1e9, "flow_rate": 0.0, "density": 1000.0, "damping": 5.0}
GOO = {"young_modulus": 5e4, "poisson_ratio": 0.4, "yield_stress": 1000.0, "flow_rate": 20.0, "density": 1000.0, "damping": 5.0}


def scaled(part, size):
    return surface(part.positions * size / np.ptp(part.positions, axis=0).max(), part.triangles)


def heap(resolution, contact="all"):
    """A cow falls on a torus, which lies on the ground."""
    torus, spot = scaled(stored("torus"), 1.0), scaled(stored("spot"), 0.8)
    torus = surface(torus.positions[:, [0, 2, 1]] * [1.0, -1.0, 1.0], torus.triangles)
    torus = moved(torus, (0.0, 0.0, 0.01 - torus.positions[:, 2].min()))
    spot = moved(spot, (0.05, 0.1, torus.positions[:, 2].max() + 0.02 - spot.positions[:, 2].min()))
    return simulated([torus, spot], resolution, contact, [GROUND], GOO)


def depth(run):
    """How deep [m] a vertex that is seen of one of two bodies lies inside the other."""
    deepest = 0.0
    places = [evaluate(binding, run.state.tets, run.state.positions) for binding in run.output.surfaces]
    for one, other in ((0, 1), (1, 0)):
        triangles = run.scene.bodies[other].surface.triangles
        tree = triangle_tree(places[other], triangles)
        inside = winding_numbers(winding_tree(tree), places[one]) > 0.5
        if inside.any():
            deepest = max(deepest, float(closest_points(tree, places[one][inside]).distance.max()))
    return deepest


@pytest.mark.parametrize(("resolution", "merged"), [(12, False), (6, True)])
def test_what_is_seen_never_crosses(resolution, merged):
    """But where it is much finer than the tets, by a share of what its vertices may be merged by."""
    run = heap(resolution)
    watch, carrying = Watch(run, seen=True), Watch(run)
    assert not run.surfaces.left_out
    assert (len(carrying.faces) < len(watch.faces)) == merged
    for _ in range(24):
        run.advance()
        assert not carrying.crosses(run)
        assert depth(run) < 2.0 * ERROR * run.surfaces.surfaces[1].element if merged else not watch.crosses(run)
    assert run.surfaces.touched(run.state.positions).sum() > 10


@pytest.mark.parametrize("resolution", [6, 10])
def test_faces_much_larger_than_tets_do_not_cross_either(resolution):
    """A ball falls on a cube of twelve faces, which give way under it in their middle, and are not left to go through it."""
    ball = sphere(16, 0.35, (0.05, 0.03, 1.4))
    run = simulated([box(centre=(0.0, 0.0, 0.51)), ball], resolution, "bodies", [GROUND], GUM)
    watch, edges = Watch(run, seen=True), run.space.pattern.edges
    lengths = np.linalg.norm(np.diff(run.state.positions[edges], axis=1)[:, 0], axis=1)
    cube = np.flatnonzero(edges[:, 0] < run.ranges.nodes[1])
    for _ in range(14):
        run.advance()
        assert not watch.crosses(run)
        now = np.linalg.norm(np.diff(run.state.positions[edges], axis=1)[:, 0], axis=1)
        assert (now / lengths)[cube].max() < 2.5  # its corners take no more of the load than they have to
    middle = run.state.positions[: run.ranges.nodes[1]]
    assert middle[np.abs(middle[:, :2]).max(axis=1) < 0.2, 2].max() < 0.95
    corners = watch.places(run)[:8]
    assert np.sort(corners[:, 2])[-2:].min() > 0.8


def bowl():
    """The lower half of a ball, without thickness, and open above."""
    ball = sphere(12, 0.5)
    return surface(ball.positions, ball.triangles[(ball.positions[ball.triangles][:, :, 2] < 0.01).all(axis=1)])


@pytest.mark.parametrize("part", [scaled(stored("suzanne"), 1.0), bowl()], ids=["suzanne", "bowl"])
def test_open_and_crossing_meshes_cross_no_more_than_at_the_start(part):
    """Suzanne's eyes go through her head; two of her, or two bowls, one on the other, as they are seen and as they touch."""
    height = np.ptp(part.positions[:, 2]) + 0.02
    lower = moved(part, (0.0, 0.0, -part.positions[:, 2].min()))
    run = simulated([lower, moved(lower, (0.05, 0.1, height))], 10, "all", [GROUND], GOO)
    watches = Watch(run), Watch(run, seen=True)
    before = [watch.crossing_faces(run) for watch in watches]
    for _ in range(24):
        run.advance()
        assert all(watch.crossing_faces(run) <= most for watch, most in zip(watches, before, strict=True))
    assert np.isfinite(run.state.positions).all() and run.surfaces.touched(run.state.positions).any()
    assert all(most > 0 for most in before) == (len(part.triangles) == 968)


@pytest.mark.parametrize("name", ["fish", "goathead", "koala", "penguin", "spot"])
@pytest.mark.parametrize("resolution", [6, 12])
def test_no_pair_of_a_closed_mesh_is_left_to_the_tets(name, resolution, monkeypatch):
    """Not even of thin ears and fins: all of those that are found at rest may push, as they come closer."""
    counts = []

    def counted(pairs, *others):
        kept = apart_at_rest(pairs, *others)
        counts.append((len(pairs.nodes), len(kept.nodes)))
        return kept

    monkeypatch.setattr(candidates, "apart_at_rest", counted)
    run = simulated([scaled(stored(name), 1.0)], resolution, "all")
    assert not Watch(run).crosses(run)
    found, kept = np.sum(counts, axis=0)
    assert found == kept > 0


def gap(run):
    """The least distance [m] of the first two bodies as they are seen, and the size of their tets."""
    watch = Watch(run, own=False, seen=True)
    candidates = ipctk.Candidates()
    candidates.build(watch.mesh, watch.places(run), 0.05)
    collisions = ipctk.NormalCollisions()
    collisions.build(candidates, watch.mesh, watch.places(run), 0.1)
    return float(np.sqrt(collisions.compute_minimum_distance(watch.mesh, watch.places(run))))


@pytest.mark.parametrize(("resolution", "rings"), [(6, 12), (10, 24)])
def test_what_is_seen_rests_on_what_is_seen(resolution, rings):
    lower, upper = flattened(rings, 0.01)
    parts = [moved(part, (0.0, 0.0, 0.41)) for part in (surface(lower.positions * [2.0, 2.0, 1.0], lower.triangles), upper)]
    run = simulated(parts, resolution, "bodies", [GROUND], RUBBER | {"damping": 40.0, "young_modulus": 2e5})
    watch = Watch(run, seen=True)
    for _ in range(30):
        run.advance()
        assert not watch.crosses(run)
    element = min(body.element_size for body in run.scene.bodies)
    assert np.abs(run.state.velocities).max() < 0.05
    assert gap(run) < 0.02 * element


@pytest.mark.parametrize("resolution", [6, 10])
def test_an_artists_mesh_rests_on_another_without_a_gap(resolution):
    """A koala lies on a slab that gives way under it."""
    koala = scaled(stored("koala"), 1.0)
    koala = surface(koala.positions[:, [1, 2, 0]], koala.triangles)
    slab = box((1.6, 1.6, 0.4), (0.0, 0.0, 0.201))
    koala = moved(koala, (0.0, 0.0, 0.405 - koala.positions[:, 2].min()))
    run = simulated([slab, koala], resolution, "bodies", [GROUND], RUBBER | {"damping": 40.0, "young_modulus": 2e5})
    for _ in range(30):
        run.advance()
    assert np.abs(run.state.velocities).max() < 0.05
    assert gap(run) < 0.02 * min(body.element_size for body in run.scene.bodies)
    assert depth(run) < 2.0 * ERROR * run.surfaces.surfaces[1].element


def test_one_and_two_threads_give_the_same_bytes():
    ends = []
    for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        run = heap(6)
        run.pace.hold(threads)
        for _ in range(6):
            run.advance()
        assert run.surfaces.touched(run.state.positions).any()
        ends.append(run.checkpoint())
    use_threads(1)
    for name in ends[0]:
        assert ends[0][name].tobytes() == ends[1][name].tobytes(), name
