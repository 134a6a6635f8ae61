"""Nothing tears where new tets would leave too little of what is thin all over."""

import numpy as np
import pytest

from solver.embedding import bind_surface
from solver.materials import Material
from solver.scene import Body, Surface
from solver.tearing.renewal import renewed_body
from solver.tearing.thin import torn
from solver.tetmesh.cage import cage
from tests.surfaces import joined, sphere

SIZE = 0.2


@pytest.mark.parametrize(("flat", "pieces"), [(0.07, 1), (0.16, 2)])
def test_two_lenses_tear_from_each_other_unless_they_would_be_gone_with_it(flat, pieces):
    """Two balls that share a narrow place, pressed flat: as thick as an element and a half they part there, but of such as are
    two thirds of one new tets would leave three quarters."""
    shell = joined(sphere(24), sphere(24, 1.0, (1.8, 0.0, 0.0)))
    whole = cage(shell, SIZE)
    old = whole.moved(whole.positions * [1.0, 1.0, flat])
    seen, thickness = Surface(shell.positions * [1.0, 1.0, flat], shell.triangles), 1.4 * flat
    assert torn(old, thickness, SIZE).mesh.piece.max() == 1
    body = Body("b", "Lenses", seen, Material("viscoplastic"), tear_thickness=thickness, merging=True, remeshing="wholesale")
    new = renewed_body(body, SIZE, old, seen, bind_surface(seen, old, SIZE)[0].tets, np.eye(3), insist=True)
    assert int(new.change.new.piece.max()) + 1 == pieces
    assert new.change.new.volumes.sum() > 0.9 * old.volumes.sum()
