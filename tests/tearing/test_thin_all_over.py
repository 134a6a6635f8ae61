"""Nothing tears where new tets would leave too little of what is thin all over."""

import numpy as np
import pytest

from solver.embedding import bind_surface
from solver.geometry.measures import signed_volumes
from solver.materials import Material
from solver.scene import Body, Surface
from solver.tearing.renewal import renewed_body
from solver.tearing.thin import torn
from solver.tetmesh.cage import cage
from tests.surfaces import box, joined, sphere

SIZE = 0.2


def lenses(flat: float):
    """Two balls that share a narrow place, pressed flat: the new body, its old tets and what was seen of it."""
    shell = joined(sphere(24), sphere(24, 1.0, (1.8, 0.0, 0.0)))
    whole = cage(shell, SIZE)
    old = whole.moved(whole.positions * [1.0, 1.0, flat])
    seen, thickness = Surface(shell.positions * [1.0, 1.0, flat], shell.triangles), 1.4 * flat
    assert torn(old, thickness, SIZE).mesh.piece.max() == 1
    body = Body("b", "Lenses", seen, Material("viscoplastic"), tear_thickness=thickness, merging=True, remeshing="wholesale")
    return renewed_body(body, SIZE, old, seen, bind_surface(seen, old, SIZE)[0].tets, np.eye(3), insist=True), old, seen


@pytest.mark.parametrize(("flat", "pieces"), [(0.07, 1), (0.16, 2)])
def test_two_lenses_tear_from_each_other_unless_they_would_be_gone_with_it(flat, pieces):
    """As thick as an element and a half they part there, but of such as are two thirds of one new tets would leave three
    quarters."""
    new, old, _ = lenses(flat)
    assert int(new.change.new.piece.max()) + 1 == pieces
    assert new.change.new.volumes.sum() > 0.9 * old.volumes.sum()


@pytest.mark.parametrize(("width", "pieces"), [(0.1, 2), (0.8, 1)])
def test_nothing_tears_where_much_of_what_is_seen_would_go(width, pieces, monkeypatch):
    """Tets that are thicker than it do not show that: of a seed of caramel a fifth went at one tear."""
    asked = []

    def wide(*_):
        asked.append(None)
        return box((width, 4.0, 4.0), (0.9, 0.01, 0.02)) if len(asked) == 1 else None

    monkeypatch.setattr("solver.tearing.renewal.cutter", wide)
    new, _, seen = lenses(0.16)
    had, has = (signed_volumes(each.positions, each.triangles).sum() for each in (seen, new.seen))
    assert int(new.change.new.piece.max()) + 1 == pieces and len(new.cuts) == pieces - 1
    assert has == had if pieces == 1 else 0.9 * had < has < had
