"""The contact surface of a tet mesh."""

import numpy as np
import pytest

from tests.surface_contact.bodies import block, surfaces_of


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
