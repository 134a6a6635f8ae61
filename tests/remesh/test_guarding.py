"""Nodes that are moved as far as their tets bear."""

import numpy as np
import pytest

from solver.remesh.guarding import SHARPEST, guarded
from solver.tetmesh.mesh import TetMesh
from tests.remesh.shapes import ball
from tests.remesh.worn import dihedral_angles


@pytest.fixture(scope="module")
def mesh():
    return ball(0.25)


def angles(positions, tets):
    """The smallest dihedral angle (m,) of each tet [deg]."""
    return np.array([dihedral_angles(TetMesh(positions, one[None])).min() for one in tets])


@pytest.mark.parametrize("sharpest", [SHARPEST, 25.0])
def test_no_tet_becomes_sharper_than_it_may(mesh, sharpest):
    way = np.random.default_rng(12).normal(size=mesh.positions.shape) * 0.08
    moved = guarded(mesh.positions, mesh.positions + way, mesh.tets, sharpest)
    some = np.random.default_rng(13).choice(len(mesh.tets), 400, replace=False)
    before, after, asked = (
        angles(positions, mesh.tets[some]) for positions in (mesh.positions, moved, mesh.positions + way)
    )
    least = np.minimum(before, sharpest)
    assert (asked < least).mean() > 0.1  # many were asked for too much
    assert (after >= least - 1e-6).all()
    assert TetMesh(moved, mesh.tets).volumes.min() > 0.0
    assert (moved != mesh.positions).any(axis=1).mean() > 0.2


def test_what_its_tets_bear_is_moved_all_the_way(mesh):
    wanted = mesh.positions + np.random.default_rng(14).normal(size=mesh.positions.shape) * 1e-4
    assert (guarded(mesh.positions, wanted, mesh.tets) == wanted).all()


def test_no_node_goes_through_the_opposite_face():
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    wanted = corners.copy()
    wanted[3, 2] = -1.0
    moved = guarded(corners, wanted, np.array([[0, 1, 2, 3]], dtype=np.int32))
    assert 0.0 < moved[3, 2] < 1.0 and (moved[:3] == corners[:3]).all()


def test_a_tet_that_is_flat_already_may_move():
    corners = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]])
    wanted = corners + [0.0, 0.0, 0.3]
    assert (guarded(corners, wanted, np.array([[0, 1, 2, 3]], dtype=np.int32)) == wanted).all()
