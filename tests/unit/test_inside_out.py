"""Tets that are inside out are counted."""

import numpy as np
import pytest

from solver.geometry.inside_out import count_inverted_and_flat


@pytest.mark.parametrize(("height", "count"), [(1.0, 0), (0.0, 1), (-1.0, 1)])
def test_a_corner_that_goes_through_the_face_across_turns_its_tet_inside_out(height, count):
    """Two tets share the base in the plane z = 0; the upper one's tip goes down through it."""
    nodes = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 0.2, height], [0.2, 0.2, -2.0]])
    tets = np.array([[0, 1, 2, 3], [0, 2, 1, 4]], dtype=np.int32)
    assert count_inverted_and_flat(nodes, tets, np.zeros(2)) == (count, count)
    assert count_inverted_and_flat(nodes, tets, np.array([0.2, 0.4])) == (count, 2)  # they have a sixth and a third at most
