"""Vertices that a remesh leaves far outside come back to the tets; all others stay to the last bit."""

import numpy as np
import pytest

from solver.geometry.triangle_tree import closest_points, triangle_tree
from solver.lookup import Lookup
from solver.remesh.drawing_in import AT_ONCE, FAR, FARTHEST, FURTHER, drawn_in, left_behind, outside
from solver.tetmesh.boundary import face_table
from tests.physics.scenes import box_mesh
from tests.surfaces import sphere, surface

from .shapes import ball

SIZE = 0.2


def test_what_is_far_outside_is_drawn_in_and_nothing_else_moves():
    mesh, seen = ball(SIZE, centre=(3.0, 1.0, 0.0)), sphere(12, 1.0, (3.0, 1.0, 0.0))
    lost = np.array([3, 40, 77])
    positions = seen.positions.copy()
    positions[lost] += (positions[lost] - (3.0, 1.0, 0.0)) * np.array([[0.6], [1.0], [6.0]])
    found = drawn_in(surface(positions, seen.triangles), Lookup.of(mesh, positions), np.eye(3), SIZE).positions
    tree = triangle_tree(mesh.positions, face_table(mesh.tets).boundary)
    before, after = (closest_points(tree, each[lost]).distance for each in (positions, found))
    assert np.abs(after - np.maximum(FARTHEST * SIZE, before - AT_ONCE * SIZE)).max() < 1e-9
    outwards = ((found - (3.0, 1.0, 0.0)) * (positions - (3.0, 1.0, 0.0))).sum(axis=1)
    assert (np.sqrt(((found[lost] - (3.0, 1.0, 0.0)) ** 2).sum(axis=1)) > 1.0).all() and (outwards > 0.0).all()
    others = np.setdiff1d(np.arange(len(positions)), lost)
    assert found[others].tobytes() == positions[others].tobytes()
    assert drawn_in(seen, Lookup.of(mesh, seen.positions), np.eye(3), SIZE) is seen


@pytest.mark.parametrize("above, shrunk, left", [
    (0.0, FAR - 0.01, 0.0),  # inside the old tets, and not far outside the new ones
    (0.0, FAR + 0.01, FAR + 0.01),  # far outside the new ones
    (FAR, FURTHER - 0.01, 0.0),  # outside as far before
    (FAR, FURTHER + 0.01, FAR + FURTHER + 0.01),
])  # fmt: skip
def test_left_behind_is_what_lies_far_outside_and_did_not_before(above, shrunk, left):
    """A box of tets a little lower than the one before; one of a thousand points lies above it, the others inside."""
    old, new = box_mesh((4, 4, 4), (1.0, 1.0, 1.0)), box_mesh((4, 4, 4), (1.0, 1.0, 1.0 - shrunk * SIZE))
    points = np.random.default_rng(1).uniform(0.1, 0.7, (1000, 3))
    points[7] = 0.5, 0.5, 1.0 + above * SIZE
    look = Lookup.about(new, points)
    assert outside(look)[7] == pytest.approx((above + shrunk) * SIZE) and np.count_nonzero(outside(look)) == 1
    assert left_behind(old, look, SIZE) == pytest.approx((left * SIZE, 0.001 if left else 0.0))
