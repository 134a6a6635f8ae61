"""Loop's weights: against his rule vertex by vertex, what they reproduce, and how smooth they are."""

import numpy as np
import pytest

from solver.geometry.edges import edges_of, unpaired_edges
from solver.geometry.measures import area_vectors
from solver.tet_surface.refinement import refined, subdivided
from tests.surfaces import box, sphere


def loops_rule(places, triangles, vertex):
    """Where an old vertex goes, by its ring of neighbours in order."""
    following = {int(t[k]): int(t[(k + 1) % 3]) for t in triangles for k in range(3) if vertex == t[(k + 2) % 3]}
    start = next(iter(following))
    ring, at = [start], following[start]
    while at != start:
        ring.append(at)
        at = following[at]
    share = 3.0 / 16.0 if len(ring) == 3 else 3.0 / (8.0 * len(ring))
    return (1.0 - share * len(ring)) * places[vertex] + share * sum(places[k] for k in ring)


def angles(places, triangles):
    """How far neighbouring faces are turned against each other (e,) [rad]."""
    normals = area_vectors(places, triangles)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    edges = edges_of(triangles)
    one, other = (edges.triangle[edges.first[:-1] + k] for k in (0, 1))
    return np.arccos(np.clip((normals[one] * normals[other]).sum(axis=1), -1.0, 1.0))


@pytest.mark.parametrize("part", [sphere(5), box((1.0, 2.0, 3.0))])
def test_vertices_go_by_loops_rule(part):
    count, rng = len(part.positions), np.random.default_rng(4)
    places = part.positions + 0.1 * rng.standard_normal(part.positions.shape)
    level = subdivided(part.triangles, count)
    found = level.weights @ places
    for vertex in range(count):
        np.testing.assert_allclose(found[vertex], loops_rule(places, part.triangles, vertex), atol=1e-14)
    for number, (a, b) in enumerate(level.ends):
        across = [int(set(t).difference((a, b)).pop()) for t in part.triangles.tolist() if {a, b} <= set(t)]
        wanted = 0.375 * (places[a] + places[b]) + 0.125 * sum(places[k] for k in across)
        np.testing.assert_allclose(found[count + number], wanted, atol=1e-14)


def test_it_stays_closed_turned_as_it_was_and_moves_with_its_nodes():
    part = box((1.0, 1.0, 1.0))
    parts = refined(part.triangles + 2, len(part.positions) + 2, 2)  # two nodes are of no face
    assert len(parts.triangles) == 16 * len(part.triangles) and not unpaired_edges(parts.triangles)
    assert (np.bincount(parts.face) == 16).all() and parts.nodes.min() == 2
    nodes = np.concatenate([np.full((2, 3), 7.0), part.positions])
    places = parts.weights @ nodes
    turned = (area_vectors(places, parts.triangles) * area_vectors(part.positions, part.triangles)[parts.face]).sum(axis=1)
    assert turned.min() > 0.0
    affine = np.random.default_rng(1).standard_normal((3, 3))
    np.testing.assert_allclose(parts.weights @ (nodes @ affine + 5.0), places @ affine + 5.0, atol=1e-12)


def test_every_level_bends_less():
    part = sphere(6)
    steepest = [angles(part.positions, part.triangles).max()]
    for times in (1, 2, 3):
        parts = refined(part.triangles, len(part.positions), times)
        steepest.append(angles(parts.weights @ part.positions, parts.triangles).max())
    assert (np.diff(steepest) < 0.0).all() and steepest[2] < 0.5 * steepest[0]
