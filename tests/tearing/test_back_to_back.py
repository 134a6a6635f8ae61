"""Triangles that lie back to back, and that neither cuts nor refinements leave any."""

import numpy as np
import pytest

from solver.geometry.back_to_back import back_to_back
from solver.geometry.edges import unpaired_edges
from solver.refining.patchwork import Patchwork
from solver.surface import Surface
from solver.tearing.surface_cut import tidied

TETRA = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]], dtype=np.int32)


@pytest.mark.parametrize(
    ("triangles", "expected"),
    [
        ([[0, 1, 2], [2, 1, 0], [1, 2, 3]], [True, True, False]),
        ([[0, 1, 2], [1, 2, 0]], [False, False]),
        ([[0, 1, 2], [2, 1, 0], [0, 1, 2]], [True, True, False]),
        ([[7, 4, 5], [0, 1, 2], [5, 4, 7], [1, 0, 2]], [True, True, True, True]),
    ],
    ids=["two", "twice the same", "three", "two pairs"],
)
def test_those_are_found_that_have_another_on_their_back(triangles, expected):
    assert back_to_back(np.array(triangles, np.int32)).tolist() == expected
    assert not len(back_to_back(np.zeros((0, 3), np.int32)))


def test_without_them_every_edge_is_walked_to_as_often_as_fro_as_before():
    rng = np.random.default_rng(5)
    triangles = rng.integers(0, 9, (400, 3))
    triangles = triangles[(triangles != np.roll(triangles, 1, axis=1)).all(axis=1)].astype(np.int32)
    gone = back_to_back(triangles)
    turns = zip(triangles, rng.integers(0, 3, len(triangles)), strict=True)
    assert (back_to_back(np.stack([np.roll(each, k) for each, k in turns])) == gone).all()
    assert 50 < gone.sum() < len(gone) and not back_to_back(triangles[~gone]).any()
    walked = np.zeros((2, 9, 9), int)
    for ways, part in zip(walked, (triangles, triangles[~gone]), strict=True):
        np.add.at(ways, (part, np.roll(part, -1, axis=1)), 1)
    before, after = walked - walked.transpose(0, 2, 1)
    assert (before == after).all() and (before != 0).any()


def test_a_tiny_tetrahedron_that_a_boolean_leaves_goes_whole():
    """Its short edge is drawn together; of two faces back to back refinements would make edges of four faces."""
    places = np.concatenate([[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.001]], np.eye(4, 3) + 2.0])
    old = Surface(np.ascontiguousarray(places[4:]), TETRA)
    triangles, origin = np.concatenate([TETRA, TETRA + 4]).astype(np.int64), np.array([-1, -1, -1, -1, 0, 1, 2, 3])
    _, left, were = tidied((places, triangles, origin), old, 1.0)
    assert (left == TETRA + 4).all() and (were == np.arange(4)).all()


def test_of_what_a_refinement_lays_back_to_back_nothing_is_left_but_what_the_artist_has_made_so():
    positions = np.concatenate([np.eye(4, 3), np.eye(3) + 2.0])
    seen = Surface(positions, np.concatenate([TETRA, [[4, 5, 6], [6, 5, 4]]]).astype(np.int32))
    made = Patchwork.of(seen)
    triangles, untouched = made.triangles.copy(), made.untouched.copy()
    triangles[:4] = [[0, 1, 2], [2, 1, 0], [1, 2, 3], [3, 2, 1]]
    untouched[:4] = False
    cut = Patchwork(made.positions, triangles, made.origin, made.owners, made.weights, untouched).change(seen)
    assert cut.origin.tolist() == [4, 5] and unpaired_edges(cut.triangles) == 0
    assert (cut.positions[cut.triangles] == positions[seen.triangles[4:]]).all()
