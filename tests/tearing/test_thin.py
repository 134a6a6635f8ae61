"""A neck that is thinner than the tear thickness goes, nothing else does."""

import numpy as np
import pytest

from solver.embedding import bind
from solver.geometry.edges import unpaired_edges
from solver.geometry.measures import signed_volumes
from solver.tearing import thin
from solver.tearing.isosurface import isosurface
from solver.tearing.renewal import renewed_body
from solver.tearing.thin import torn
from solver.tetmesh.cage import cage
from solver.tetmesh.compaction import compacted
from solver.tetmesh.manifold import components
from solver.tetmesh.mesh import TetMesh
from solver.tetmesh.quality import dihedral_angles, tet_volumes
from tests.physics.scenes import box_mesh
from tests.remesh.shapes import is_manifold
from tests.surfaces import box

from .shapes import dumbbell, scene

SIZE = 0.08


@pytest.fixture(scope="module")
def mesh() -> TetMesh:
    return cage(dumbbell(), SIZE)


def volume(mesh: TetMesh) -> float:
    return float(tet_volumes(mesh.positions, mesh.tets).sum())


def test_a_neck_tears_where_it_is_thinnest(mesh):
    """0.18 m thick, and half as thick about x = 0.05 m."""
    positions = mesh.positions.copy()
    positions[:, 1:] *= 1.0 - 0.5 * np.exp(-(((positions[:, :1] - 0.05) / 0.06) ** 2))
    pinched = TetMesh(positions, mesh.tets)
    assert torn(pinched, 0.06, SIZE).mesh is pinched
    left, fragments, gone, *_ = torn(pinched, 0.18, SIZE)
    assert (fragments, gone) == (0, 0.0)
    assert components(left.tets).max() == 1 and volume(left) > 0.97 * volume(pinched)
    assert len(pinched.positions) - len(left.positions) < 20
    piece = components(left.tets)
    ends = (left.positions[np.unique(left.tets[piece == k])][:, 0] for k in (0, 1))
    low, high = sorted(ends, key=lambda part: float(part.mean()))
    assert abs(0.5 * (low.max() + high.min()) - 0.05) < 0.5 * SIZE


def test_corners_edges_and_sheets_stay():
    """Thin as they are, they hang on one part."""
    for part in (box(), box((1.0, 1.0, 0.2))):
        whole = cage(part, 0.1)
        for thickness in (0.15, 0.3, 0.8):
            assert torn(whole, thickness, 0.1).mesh is whole


def beads(apart: int) -> TetMesh:
    """Lumps of 3 x 3 x 3 cells of 0.1 m on a sheet one cell thick, four by four of them, so many cells apart."""
    step = 3 + apart
    count = 4 * step - apart
    whole = box_mesh((count, count, 3), (0.1 * count, 0.1 * count, 0.3))
    middle = np.floor(whole.positions[whole.tets].mean(axis=1) / 0.1).astype(int)
    kept = (middle[:, 2] == 1) | ((middle[:, :2] % step) < 3).all(axis=1)
    return compacted(whole.positions, whole.tets[kept])


def test_what_is_thin_all_over_does_not_tear_to_shreds(monkeypatch):
    """Of lumps on a sheet 16 % lies between them, and goes; of goo that lies in itself it would be more."""
    sheet = beads(3)
    left = torn(sheet, 0.2, 0.1)
    gone = 1.0 - volume(left.mesh) / volume(sheet)
    assert components(left.mesh.tets).max() == 15 and gone < thin.MOST_BETWEEN
    monkeypatch.setattr(thin, "MOST_BETWEEN", 0.9 * gone)
    assert torn(sheet, 0.2, 0.1).mesh is sheet


def test_a_stump_is_no_lump(mesh):
    """A bead of 0.22 m on a neck that is thinner: that is what a neck looks like that has torn before."""
    positions = mesh.positions.copy()
    positions[:, 1:] *= np.where(positions[:, :1] > 0.1, 0.55, 1.0)
    stump = TetMesh(positions, mesh.tets)
    assert torn(stump, 0.2, SIZE).mesh is stump
    assert torn(mesh, 0.24, SIZE).mesh is not mesh


def test_nothing_small_is_torn_off(mesh):
    """A lump of some thousandth of the body stays on it."""
    positions = mesh.positions.copy()
    positions[positions[:, 0] > 0.15] *= 0.25
    assert torn(TetMesh(positions, mesh.tets), 0.06, 4.0 * SIZE).mesh.tets.shape == mesh.tets.shape


def test_pieces_get_tets_apart(mesh):
    left, (body,) = torn(mesh, 0.25, SIZE).mesh, scene(tear=0.25).bodies
    once = renewed_body(body, SIZE, mesh, dumbbell(), bind(mesh, dumbbell().positions).tets, np.eye(3))
    new = once.change.new
    assert components(new.tets).max() == 1 and is_manifold(new)
    assert volume(new) == pytest.approx(volume(left), rel=1e-9) and dihedral_angles(new).min() > 8.0
    again = renewed_body(body, SIZE, new, once.seen, once.surface.tets, np.eye(3))
    assert components(again.change.new.tets).max() == 1


def test_an_isosurface_is_closed_and_turned_outwards():
    grid = np.stack(np.meshgrid(*[np.arange(24)] * 3, indexing="ij"), axis=-1) - 11.3
    vertices, triangles = isosurface(8.0 - np.sqrt((grid**2).sum(axis=-1)))
    assert unpaired_edges(triangles) == 0
    assert signed_volumes(vertices, triangles).sum() == pytest.approx(4.0 / 3.0 * np.pi * 512.0, rel=0.01)
    field = np.full((14, 14, 14), -1.0)
    field[1:-1, 1:-1, 1:-1] = np.random.default_rng(0).normal(size=(12, 12, 12))
    assert unpaired_edges(isosurface(field)[1]) == 0
