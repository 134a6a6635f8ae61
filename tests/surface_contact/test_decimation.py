"""Fewer vertices on the same surface."""

import numpy as np
import pytest

from solver.geometry.decimation import GROWN, decimated
from solver.geometry.edges import edges_of
from solver.geometry.measures import signed_volumes
from solver.geometry.splitting import split
from solver.geometry.triangle_tree import closest_points, triangle_tree
from tests.surfaces import box, sphere, stored


def longest_edge(positions, triangles):
    ends = positions[edges_of(triangles).vertices]
    return np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).max()


@pytest.mark.parametrize(("part", "share"), [(sphere(64), 0.2), (stored("torus"), 0.5), (stored("spot"), 0.95)])
def test_what_has_gone_is_near_what_is_left_and_the_surface_stays_whole(part, share):
    error, longest = 2e-3 * part.extent, 0.1 * part.extent
    triangles = decimated(part.positions, part.triangles, error, longest)
    distance = closest_points(triangle_tree(part.positions, triangles), part.positions).distance
    assert distance.max() <= error * (1.0 + 1e-9)
    assert len(triangles) < share * len(part.triangles)
    assert longest_edge(part.positions, triangles) <= max(longest, longest_edge(part.positions, part.triangles))
    before, after = edges_of(part.triangles), edges_of(triangles)
    assert after.open_edges == before.open_edges and after.non_manifold_edges == before.non_manifold_edges
    count = [len(np.unique(t)) - len(edges_of(t).vertices) + len(t) for t in (part.triangles, triangles)]
    assert count[0] == count[1]
    volume = [signed_volumes(part.positions, t).sum() for t in (part.triangles, triangles)]
    assert volume[1] == pytest.approx(volume[0], rel=0.02)


def test_a_box_keeps_its_edges_and_its_faces_are_merged():
    positions, triangles = split(box().positions, box().triangles, 0.05)
    fewer = decimated(positions, triangles, 1e-6, 0.25)
    assert len(fewer) < 0.2 * len(triangles)
    assert signed_volumes(positions, fewer).sum() == pytest.approx(1.0, abs=1e-5)
    assert longest_edge(positions, fewer) <= 0.25
    assert len(triangles) == len(decimated(positions, triangles, 1e-6, 0.01))


def test_strips_of_long_faces_become_wider():
    """The wall of a cylinder of many sides, whose faces are longer than edges may become: it stayed as it was."""
    turns, radius, long = 512, 0.2, 0.03
    angle = 2.0 * np.pi * np.arange(turns) / turns
    rings = [np.stack([radius * np.cos(angle), radius * np.sin(angle), np.full(turns, long * k)], axis=1) for k in range(8)]
    places, one = np.concatenate(rings), np.arange(7 * turns)
    after, above = one - one % turns + (one + 1) % turns, one + turns
    wall = np.concatenate([np.stack([one, after, above], axis=1), np.stack([after, after + turns, above], axis=1)])
    error, longest = 2e-4, 0.5 * long
    fewer = decimated(places, wall.astype(np.int32), error, longest)
    assert closest_points(triangle_tree(places, fewer), places).distance.max() <= error * (1.0 + 1e-9)
    assert len(fewer) < 0.5 * len(wall)
    assert longest_edge(places, fewer) <= GROWN * longest_edge(places, wall)


def test_borders_stay():
    part = sphere(24)
    bowl = part.triangles[part.positions[part.triangles].mean(axis=1)[:, 2] > 0.0]
    fewer = decimated(part.positions, bowl, 0.01, 0.5)
    before, after = (edges_of(t) for t in (bowl, fewer))
    assert len(fewer) < 0.5 * len(bowl)
    assert (before.vertices[before.counts == 1] == after.vertices[after.counts == 1]).all()
