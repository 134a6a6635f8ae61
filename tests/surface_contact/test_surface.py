"""The surface that carries contact: its measures, and what is made of the artist's."""

import numpy as np
import pytest

from solver.contact.surfaces.seen import LONGEST, seen_surface
from solver.geometry.edges import edges_of, hole_area
from solver.geometry.measures import area_vectors, signed_volumes
from solver.geometry.splitting import split
from solver.tetmesh.cage import cage
from tests.surface_contact.bodies import block, surfaces_of
from tests.surfaces import box, joined, soup, sphere, stored


def test_a_blocks_surface_is_closed_outward_and_shares_its_area_out():
    positions, (surface,) = surfaces_of(block((3, 2, 4), 0.5))
    a, b, c = (positions[surface.triangles[:, k]] for k in range(3))
    assert (np.cross(b - a, c - a).sum(axis=0) == 0.0).all()
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0 == pytest.approx(3.0)
    assert len(surface.vertices) - len(surface.edges) + len(surface.triangles) == 2
    area = 2.0 * (1.5 * 1.0 + 1.5 * 2.0 + 1.0 * 2.0)
    assert surface.vertex_areas.sum() == pytest.approx(area) and surface.edge_areas.sum() == pytest.approx(area)
    assert set(surface.vertices) == set(surface.triangles.ravel())


def test_the_second_bodys_surface_has_its_own_nodes():
    positions, (first, second) = surfaces_of(block((1, 1, 1)), block((2, 1, 1), corner=(3.0, 0.0, 0.0)))
    assert first.vertices.max() == 7 and second.vertices.min() == 8
    assert second.edges.min() == 8 and positions[second.vertices, 0].min() == 3.0


def area(positions, triangles):
    return float(np.linalg.norm(area_vectors(positions, triangles), axis=1).sum())


@pytest.mark.parametrize("part", [box((1.0, 2.0, 0.3)), sphere(6), stored("suzanne")], ids=["box", "sphere", "suzanne"])
@pytest.mark.parametrize("longest", [0.5, 0.11])
def test_a_split_surface_is_the_same_one_without_long_edges(part, longest):
    positions, triangles = split(part.positions, part.triangles, longest)
    edges = edges_of(triangles)
    ends = positions[edges.vertices]
    assert np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).max() <= longest
    assert (positions[: len(part.positions)] == part.positions).all()
    assert area(positions, triangles) == pytest.approx(area(part.positions, part.triangles))
    volume = signed_volumes(part.positions, part.triangles).sum()
    assert signed_volumes(positions, triangles).sum() == pytest.approx(volume)
    before = edges_of(part.triangles)
    if not before.open_edges:
        assert not edges.open_edges and not edges.non_manifold_edges
    else:
        assert hole_area(positions, triangles, edges) == pytest.approx(hole_area(part.positions, part.triangles, before))


def test_a_soup_is_one_piece_and_inner_shells_carry_nothing():
    part = joined(soup(sphere(12)), sphere(6, 0.3))
    seen = seen_surface(part, cage(part, 0.15), 0.15)
    edges = edges_of(seen.triangles)
    assert not edges.open_edges and not edges.non_manifold_edges
    assert np.linalg.norm(seen.positions, axis=1).min() > 0.9
    ends = seen.positions[edges.vertices]
    assert np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1).max() <= LONGEST * 0.15
