"""What is seen at a cut or a seam: a few faces that pass through others are drawn apart, and what the artist made stays."""

from dataclasses import replace

import numpy as np

from solver.geometry.edge_crossings import pairs_of_shells
from solver.tearing import seams
from solver.tearing.seams import EASED, parted, sew
from solver.tearing.surface_cut import cut_surface, united_surface
from tests.surfaces import box, joined, sphere


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


def test_a_seam_that_would_be_left_open_is_not_taken(monkeypatch):
    """As a boolean may leave it where what is sewn passes through itself."""
    seen = joined(sphere(12), sphere(12, centre=(1.2, 0.03, 0.02)))
    part = (np.arange(len(seen.triangles)) >= len(seen.triangles) // 2).astype(np.int32)
    assert sew(seen, part, 0.2) is not None

    def torn_open(*arguments):
        made = united_surface(*arguments)
        return replace(made, triangles=made.triangles[1:], origin=made.origin[1:])

    monkeypatch.setattr(seams, "united_surface", torn_open)
    assert sew(seen, part, 0.2) is None
