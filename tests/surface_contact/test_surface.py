"""The surface that carries contact: its measures, and what is made of the artist's."""

from dataclasses import replace

import numpy as np
import pytest

from solver.contact.surfaces.candidates import Neighbourhood
from solver.contact.surfaces.clusters import Clusters
from solver.contact.surfaces.seen import LONGEST, seen_surface
from solver.contact.surfaces.surface import contact_surface
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


def test_the_bottom_of_a_narrow_hole_carries_contact():
    """The tets fill it, and what gets into it would pass through a bottom that they have within; an eye below needs none."""
    ball = sphere(96)
    hole = np.arccos(np.clip(ball.positions[:, 2], -1.0, 1.0)) < 0.05
    pitted = replace(ball, positions=np.where(hole[:, None], 0.3 * ball.positions, ball.positions))
    eye = sphere(6, 0.1, (0.0, 0.0, -0.2))
    part = joined(pitted, eye)
    mesh = cage(part, 0.25)
    assert mesh.centred.located(np.ascontiguousarray([[0.0, 0.0, 0.5]] - mesh.middle))[0][0] >= 0  # where nothing is seen
    seen = seen_surface(part, mesh, 0.25, 0.0)
    assert not edges_of(seen.triangles).open_edges
    volume = signed_volumes(seen.positions, seen.triangles).sum()
    assert volume == pytest.approx(signed_volumes(pitted.positions, pitted.triangles).sum(), rel=0.01)
    assert len(seen_surface(eye, mesh, 0.25).triangles) == len(eye.triangles)  # nothing else is there to touch


def test_faces_that_are_cut_are_kept_whole_beside_their_parts():
    part = box((1.0, 0.2, 0.2))
    seen = seen_surface(part, cage(part, 0.2), 0.2)
    corners = part.positions[part.triangles]
    assert len(seen.triangles) > len(seen.whole) == len(part.triangles)
    assert np.abs(seen.positions[seen.whole] - corners).max() == 0.0
    whole = contact_surface(seen.whole, seen.positions, 0.2, longest=LONGEST * 0.2)
    ends = seen.positions[whole.edges]
    assert (whole.large_edges == (np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) > 0.3)).all()
    sides = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    assert (whole.large_triangles == (sides > 0.3).any(axis=1)).all() and 0 < whole.large_triangles.sum() < len(part.triangles)
    assert seen_surface(sphere(12), cage(sphere(12), 0.5), 0.5).whole is None


def test_whole_faces_are_searched_for_pairs_with_one_of_them_only():
    """Two bars end to end: those of their small ends alone are the cut surfaces' to know."""
    part = box((1.0, 0.2, 0.2))
    both = np.concatenate([part.positions, part.positions + (1.01, 0.0, 0.0)])
    surfaces = [contact_surface(part.triangles + np.int32(8 * k), both, 0.2, longest=0.3) for k in range(2)]
    boxes = [Clusters(each, both) for each in surfaces]
    found = Neighbourhood(boxes[0], boxes[1], both, 0.05, 1e4, 0.5)
    found.cover(both, both)
    pairs = found.pairs
    assert len(pairs.nodes) and found.large
    large = {tuple(sorted(each)) for k in range(2) for each in surfaces[k].triangles[surfaces[k].large_triangles].tolist()}
    edges = {tuple(sorted(each)) for k in range(2) for each in surfaces[k].edges[surfaces[k].large_edges].tolist()}
    assert all(tuple(sorted(pair[1:])) in large for pair in pairs.nodes[: pairs.points].tolist())
    assert all(tuple(sorted(p[:2])) in edges or tuple(sorted(p[2:])) in edges for p in pairs.nodes[pairs.points :].tolist())
