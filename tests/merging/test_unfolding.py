"""What passes through itself of a body that merges: creases close, and shells of one piece of tets that cross become one."""

import numpy as np
import pytest

from solver.geometry.edge_crossings import piercing_pairs
from solver.geometry.edges import unpaired_edges
from solver.geometry.measures import signed_volumes
from solver.merging.unfolding import unfolded
from solver.surface import Surface
from tests.surfaces import joined, sphere

SIZE = 0.1  # of tets that would fill it [m]


def volume(seen):
    return float(signed_volumes(seen.positions, seen.triangles).sum())


def two_balls(apart):
    """And how many vertices the first has; what a crease may leave of one piece, as bulges that meet around a neck."""
    one, other = sphere(16, 0.5), sphere(12, 0.3, (apart, 0.03, 0.02))
    return joined(one, other), len(one.positions)


def test_shells_of_one_piece_that_cross_become_one():
    seen, first = two_balls(0.7)
    assert len(piercing_pairs(seen.positions, seen.triangles)) > 20
    (cut,) = unfolded(seen, seen.positions, np.zeros(len(seen.positions), np.int32), SIZE)
    after = Surface(cut.positions, cut.triangles)
    assert not len(piercing_pairs(after.positions, after.triangles)) and not unpaired_edges(after.triangles)
    assert volume(after) == pytest.approx(volume(seen), rel=1e-3), "what overlapped comes back"
    far = np.flatnonzero(seen.positions[:, 0] < -0.2)
    kept = np.isin(cut.kept, far)
    assert kept.sum() == len(far)
    moved = np.linalg.norm(cut.positions[: len(cut.kept)][kept] - seen.positions[cut.kept[kept]], axis=1)
    assert moved.max() < 0.1 * SIZE


def test_shells_of_two_pieces_are_left_to_be_merged():
    seen, first = two_balls(0.7)
    assert unfolded(seen, seen.positions, (np.arange(len(seen.positions)) >= first).astype(np.int32), SIZE) == []


def test_what_does_not_cross_stays():
    seen, _ = two_balls(0.9)
    assert unfolded(seen, seen.positions, np.zeros(len(seen.positions), np.int32), SIZE) == []


def test_a_shell_within_another_stays():
    """As the inside of a shell of goo, or an eye in a head."""
    seen, _ = two_balls(0.1)
    assert unfolded(seen, seen.positions, np.zeros(len(seen.positions), np.int32), SIZE) == []
