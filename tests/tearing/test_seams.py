"""What is seen at a cut or a seam: a few faces that pass through others are drawn apart, and what the artist made stays."""

from dataclasses import replace

import numpy as np
import pytest

from solver.geometry.edge_crossings import pairs_of_shells, piercing_pairs
from solver.geometry.edges import unpaired_edges
from solver.geometry.measures import signed_volumes
from solver.tearing import seams
from solver.tearing.seams import EASED, new_crossings, parted, sew, sew_to_itself
from solver.tearing.surface_cut import Sources, SurfaceCut, cut_surface, self_united_surface, united_surface
from tests.surfaces import box, joined, loop_through_itself, sphere


def test_where_faces_cross_at_a_cut_only_new_vertices_move():
    """A new vertex at the rim is pushed through a face next to it."""
    element = 0.3
    cut = cut_surface(sphere(20), box((0.3, 3.0, 3.0), (0.1234, 0.01, 0.02)), element)
    assert cut is not None and parted(cut, element) is cut
    count, tried = len(cut.kept), 0
    for new in range(count, len(cut.positions)):
        faces = cut.triangles[(cut.triangles == new).any(axis=1)]
        around = np.setdiff1d(faces, new)
        if (around < count).sum() < 2:
            continue
        pushed = cut.positions.copy()
        pushed[new] += 0.9 * (pushed[around[around < count]].mean(axis=0) - pushed[new]) + (0.0, 0.02, 0.01)
        through = np.unique(pairs_of_shells(pushed, cut.triangles))
        if not 0 < len(through) <= 12:
            continue
        found = parted(replace(cut, positions=pushed), element).positions
        moved = (found != pushed).any(axis=1)
        if not moved.any():
            continue  # it cannot be drawn apart by so little
        tried += 1
        assert not len(pairs_of_shells(found, cut.triangles)) and not moved[:count].any()
        assert np.linalg.norm(found - pushed, axis=1).max() <= EASED * element
    assert tried >= 3


def torn_open(way):
    """A way to unite that leaves a face out."""

    def opened(*arguments):
        made = way(*arguments)
        return replace(made, triangles=made.triangles[1:], origin=made.origin[1:])

    return opened


def test_a_seam_that_would_be_left_open_is_not_taken(monkeypatch):
    """As a boolean may leave it where what is sewn passes through itself; what is exact does not."""
    seen = joined(sphere(12), sphere(12, centre=(1.2, 0.03, 0.02)))
    part = (np.arange(len(seen.triangles)) >= len(seen.triangles) // 2).astype(np.int32)
    plain = sew(seen, part, 0.2)
    assert plain is not None and not len(plain[1])
    monkeypatch.setattr(seams, "united_surface", torn_open(united_surface))
    exact = sew(seen, part, 0.2)
    assert exact is not None and not len(exact[1]) and not unpaired_edges(exact[0].triangles)
    held = [signed_volumes(cut.positions, cut.triangles).sum() for cut, _ in (plain, exact)]
    assert held[1] == pytest.approx(held[0], rel=1e-3)
    monkeypatch.setattr(seams, "self_united_surface", torn_open(self_united_surface))
    assert sew(seen, part, 0.2) is None


def test_what_passes_through_itself_is_united_with_itself():
    """A sausage along a loop, its ends through each other: what they share is held once, and comes back around it."""
    radius, seen = 0.25, loop_through_itself(0.25)
    cut = self_united_surface(seen, np.ones(len(seen.triangles), dtype=bool))
    assert len(piercing_pairs(seen.positions, seen.triangles)) > 100 and not len(piercing_pairs(cut.positions, cut.triangles))
    assert not unpaired_edges(cut.triangles)
    had, held = (signed_volumes(each.positions, each.triangles).sum() for each in (seen, cut))
    assert had - held == pytest.approx(16.0 / 3.0 * radius**3, rel=0.1), "Steinmetz' solid of two cylinders at right angles"
    far = cut.positions[: len(cut.kept), 1] < 0.4
    assert far.sum() > 100 and (cut.positions[: len(cut.kept)][far] == seen.positions[cut.kept[far]]).all()
    made, through = sew_to_itself(seen, np.ones(len(seen.triangles), dtype=bool), 0.2)
    assert not len(through) and not unpaired_edges(made.triangles)
    assert signed_volumes(made.positions, made.triangles).sum() == pytest.approx(had, rel=2e-3)


def test_parts_of_which_one_passes_through_itself_are_sewn():
    """There a boolean of solids would leave it as it is; what lies in no part stays through what it was."""
    loop, ball, other = loop_through_itself(), sphere(16, 0.6, (1.9, 2.3, 0.02)), sphere(12, 0.4, (-1.8, 2.2, 0.03))
    seen = joined(joined(loop, ball), other)
    part = np.repeat(np.array([0, 1, -1], dtype=np.int32), [len(each.triangles) for each in (loop, ball, other)])
    before = piercing_pairs(seen.positions, seen.triangles)
    cut, through = sew_to_itself(seen, part >= 0, 0.2)
    assert not len(through) and not unpaired_edges(cut.triangles) and cut.whole[part[cut.origin] < 0].all()
    own = part[cut.origin[piercing_pairs(cut.positions, cut.triangles)]] >= 0
    assert len(own) and (own.sum(axis=1) == 1).all(), "only what is no part, through what is"
    assert {frozenset(pair) for pair in part[before].tolist()} >= {frozenset({0}), frozenset({0, 1}), frozenset({0, -1})}
    sewn = sew(seen, part, 0.2)
    assert sewn is not None and not len(sewn[1])


def test_what_is_left_of_a_fold_counts_once_more():
    """Of what is united with itself nothing may pass through itself, also where it did before."""
    seen = loop_through_itself()
    own = np.ones(len(seen.triangles), dtype=bool)
    unchanged = SurfaceCut(
        np.arange(len(seen.positions), dtype=np.int32), seen.positions, seen.triangles, seen.triangles,
        np.arange(len(own), dtype=np.int32), own, Sources(own[:0].astype(np.int32), np.zeros((0, 3))),
        Sources(np.repeat(np.arange(len(own), dtype=np.int32)[:, None], 3, axis=1), np.tile(np.eye(3), (len(own), 1, 1))), 1.0,
    )  # fmt: skip
    assert len(new_crossings(unchanged, seen, united=own)) > 100 and not len(new_crossings(unchanged, seen))
