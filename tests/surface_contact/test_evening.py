"""No slivers in what carries contact: where it is pressed along itself their sides would meet."""

import numpy as np
import pytest
from scipy.spatial import Delaunay

from solver.contact.surfaces.seen import ERROR, seen_surface
from solver.geometry.edges import edges_of
from solver.geometry.evening import evened
from solver.geometry.measures import area_vectors, signed_volumes
from solver.geometry.triangle_tree import closest_points, triangle_tree
from solver.scene import Collider
from tests.surface_contact.artists import simulated
from tests.surfaces import sphere, surface

CORNERS, PARTS, ROWS = 64, 8, 5
RUBBER = {"young_modulus": 2e4, "poisson_ratio": 0.3, "yield_stress": 1e9, "flow_rate": 0.0, "density": 500.0, "damping": 5.0}


def tin(radius=0.2, height=0.26):
    """A cylinder as Blender subdivides one: a wall of narrow faces, and lids of kites that all meet in their middles."""
    turn = 2.0 * np.pi / CORNERS
    corner = radius * np.stack([np.cos(turn * np.arange(CORNERS)), np.sin(turn * np.arange(CORNERS))], axis=1)
    middle = 0.5 * (corner + np.roll(corner, 1, axis=0))  # of the side before each
    u, v = (part[None, :, :, None] for part in np.meshgrid(*2 * [np.linspace(0.0, 1.0, PARTS + 1)], indexing="ij"))
    one, far, other = (ends[:, None, None] for ends in (middle, corner, np.roll(middle, -1, axis=0)))
    kites = u * (1.0 - v) * one + u * v * far + (1.0 - u) * v * other
    k, i, j = np.meshgrid(np.arange(CORNERS), np.arange(PARTS), np.arange(PARTS), indexing="ij")
    name = ((PARTS + 1) * k + i) * (PARTS + 1) + j
    a, b, c, d = (name.ravel() + step for step in (0, PARTS + 1, PARTS + 2, 1))
    lid = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    flat = kites.reshape(-1, 2)
    rim = np.concatenate([kites[:, -1, :-1], kites[:, ::-1, -1][:, :-1]], axis=1).reshape(-1, 2)
    count = len(rim)
    w = np.arange(ROWS * count)
    x = w - w % count + (w + 1) % count
    wall = np.concatenate([np.stack([w, x, x + count], axis=1), np.stack([w, x + count, w + count], axis=1)])
    levels = height * np.arange(ROWS + 1) / ROWS
    places = [np.column_stack([np.tile(rim, (ROWS + 1, 1)), np.repeat(levels, count)])]
    places += [np.column_stack([flat, np.full(len(flat), z)]) for z in (0.0, height)]
    first = (ROWS + 1) * count
    return surface(np.concatenate(places), np.concatenate([wall, lid[:, ::-1] + first, lid + first + len(flat)]))


def heights(positions, triangles):
    """The least height of each triangle, in mean edges."""
    sides = np.linalg.norm(positions[triangles] - positions[np.roll(triangles, -1, axis=1)], axis=2)
    return 2.0 * np.linalg.norm(area_vectors(positions, triangles), axis=1) / sides.max(axis=1) / sides.mean()


def test_a_fan_becomes_even_and_stays_the_same_disk():
    spread = np.random.default_rng(0).uniform(-1.0, 1.0, (400, 2))
    rim = 2.0 * np.pi * np.arange(60) / 60
    inner = spread[(spread**2).sum(axis=1) < 0.9]
    flat = np.concatenate([np.stack([np.cos(rim), np.sin(rim)], axis=1), inner])
    places = np.column_stack([flat, np.zeros(len(flat))])
    fan = [(60, k, (k + 1) % 60) for k in range(60)]
    for point in range(61, len(places)):  # each vertex splits the triangle that it lies in, which leaves slivers behind
        for n, (a, b, c) in enumerate(fan):
            turns = [np.cross(flat[q] - flat[p], flat[point] - flat[p]) for p, q in ((a, b), (b, c), (c, a))]
            if min(turns) > 0.0:
                fan[n : n + 1] = [(a, b, point), (b, c, point), (c, a, point)]
                break
    before = np.array(fan, dtype=np.int32)
    after = evened(places, before, 1e-9)
    assert area_vectors(places, after)[:, 2].min() > 0.0
    assert area_vectors(places, after)[:, 2].sum() == pytest.approx(area_vectors(places, before)[:, 2].sum())
    assert edges_of(after).open_edges == 60 and len(after) == len(before)
    whole = {tuple(sorted(each)) for each in Delaunay(flat).simplices.tolist()}
    same = sum(tuple(sorted(each)) in whole for each in after.tolist())
    assert same > 0.98 * len(after), "but where four lie on a circle, and at the rim"


def test_what_is_bent_moves_no_further_than_it_may():
    ball = sphere(20)
    places = ball.positions * [1.0, 0.25, 1.0]  # narrow faces at its ends, that bend

    def moved_by(error):
        after = evened(places, ball.triangles, error)
        middles = 0.5 * (places[after] + places[np.roll(after, -1, axis=1)])
        assert edges_of(after).open_edges == edges_of(after).non_manifold_edges == 0
        return closest_points(triangle_tree(places, ball.triangles), middles.reshape(-1, 3)).distance.max()

    assert 0.0 < moved_by(1e-3) <= 2e-3 < moved_by(1.0), "each by no more, and few after one another"
    assert (evened(places, ball.triangles, 0.0) == ball.triangles).all()


def test_long_and_narrow_faces_carry_contact_by_even_ones():
    """A ball pressed into a lid: with slivers three times as many iterations, each of which took three times as long."""
    way = np.tile(np.eye(4), (101, 1, 1))
    way[:, 0, 3], way[:, 2, 3] = 0.05, np.interp(np.arange(101), [1, 10], [0.31, 0.2])
    pressing = Collider("c", "Ball", "mesh", way, surface=sphere(24, 0.045), friction=0.5)
    ground = Collider("g", "Ground", "plane", np.eye(4)[None], friction=0.5)
    run = simulated([tin()], 14, "all", [ground, pressing], RUBBER)
    (carried,) = run.surfaces.surfaces
    own = run.surfaces.neighbourhoods[0]
    assert np.percentile(heights(own.rest, carried.triangles), 25) > 0.2 and len(carried.triangles) < 9000
    spent = sum(run.advance().statistics["newton_iterations"] for _ in range(10))
    assert spent < 100


def test_it_stays_where_it_is():
    run = simulated([tin()], 14, "all", [], RUBBER)
    (mesh,) = (run.present.mesh(0),)
    fit = seen_surface(tin(), mesh, run.surfaces.surfaces[0].element)
    off = closest_points(triangle_tree(fit.positions, fit.triangles), tin().positions).distance
    assert off.max() <= ERROR * run.surfaces.surfaces[0].element
    assert signed_volumes(fit.positions, fit.triangles).sum() == pytest.approx(np.pi * 0.2**2 * 0.26, rel=0.01)
