"""What passes through itself of a body that merges: creases close, and shells of one piece of tets that cross become one."""

import numpy as np
import pytest

from solver.geometry.edge_crossings import piercing_pairs
from solver.geometry.edges import unpaired_edges
from solver.geometry.measures import signed_volumes
from solver.merging.unfolding import unfolded
from solver.surface import Surface
from tests.surfaces import joined, loop_through_itself, moved, sphere

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


def test_what_folds_too_deep_to_be_closed_is_united_with_itself(monkeypatch):
    """The ends of a sausage along a loop lie across each other, and no band is found that would close that."""
    seen = loop_through_itself()
    monkeypatch.setattr("solver.merging.unfolding.creases_closed", lambda *_: None)
    cuts = unfolded(seen, seen.positions, np.zeros(len(seen.positions), np.int32), SIZE)
    after = Surface(cuts[-1].positions, cuts[-1].triangles)
    assert len(piercing_pairs(seen.positions, seen.triangles)) > 100
    assert not len(piercing_pairs(after.positions, after.triangles)) and not unpaired_edges(after.triangles)
    assert volume(after) == pytest.approx(volume(seen), rel=1e-3), "what overlapped comes back"


def test_what_passes_through_itself_very_often_is_united_at_once(monkeypatch):
    """The search for bands took a minute where four thousand pairs of faces did, and left a quarter of them."""
    (seen, (two, _)), asked = (loop_through_itself(), two_balls(0.75)), []
    many, few = (len(piercing_pairs(each.positions, each.triangles)) for each in (seen, two))
    monkeypatch.setattr("solver.merging.unfolding.CROWDED", (many + few) // 2)
    assert many > few > 20
    monkeypatch.setattr("solver.merging.unfolding.creases_closed", lambda *_: asked.append(None))
    (cut,) = unfolded(seen, seen.positions, np.zeros(len(seen.positions), np.int32), SIZE)
    assert not len(piercing_pairs(cut.positions, cut.triangles)) and not asked
    assert unfolded(two, two.positions, np.zeros(len(two.positions), np.int32), SIZE) and asked


def test_pieces_that_pass_through_themselves_are_united_each_by_itself():
    """And pass through each other as they did, for they are to be merged."""
    one, other = loop_through_itself(), moved(loop_through_itself(), (0.3, 0.0, 0.35))
    seen = joined(one, other)
    pieces = np.repeat(np.arange(2, dtype=np.int32), [len(one.positions), len(other.positions)])
    cuts = unfolded(seen, seen.positions, pieces, SIZE)
    after = Surface(cuts[-1].positions, cuts[-1].triangles)
    for cut in cuts:
        pieces = cut.carried_as(pieces)
    pairs = pieces[after.triangles[piercing_pairs(after.positions, after.triangles)]][:, :, 0]
    assert len(pairs) and (pairs[:, 0] != pairs[:, 1]).all() and not unpaired_edges(after.triangles)
