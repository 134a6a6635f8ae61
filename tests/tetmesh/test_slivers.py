"""Slivers go, and what is left is the same body."""

import numpy as np
import pytest
from scipy.spatial import Delaunay

from solver.tetmesh.boundary import face_table
from solver.tetmesh.compaction import compacted
from solver.tetmesh.mesh import TetMesh
from solver.tetmesh.quality import dihedral_angles, minimum_dihedrals, tet_volumes
from solver.tetmesh.slivers import tet_quality, without_slivers


def scattered(seed, inside=200):
    """A unit cube of Delaunay tets between random points: many of them are slivers."""
    rng = np.random.default_rng(seed)
    side = np.linspace(0.0, 1.0, 5)
    lattice = np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1).reshape(-1, 3)
    shell = lattice[((lattice == 0.0) | (lattice == 1.0)).any(axis=1)]
    points = np.concatenate([shell, rng.uniform(0.06, 0.94, (inside, 3))])
    tets = Delaunay(points).simplices.astype(np.int32)
    volumes = tet_volumes(points, tets)
    tets[volumes < 0.0] = tets[volumes < 0.0][:, [0, 1, 3, 2]]
    return points, tets[np.abs(volumes) > 1e-12]


@pytest.mark.parametrize("seed", range(3))
def test_the_same_cube_with_better_tets(seed):
    points, tets = scattered(seed)
    before = minimum_dihedrals(TetMesh(points, tets))
    assert before.min() < 1.0 and (before < 8.0).mean() > 0.03
    moved, better = without_slivers(points, tets)
    mesh = compacted(moved, better)
    after = minimum_dihedrals(mesh)
    assert after.min() > 8.0
    assert tet_volumes(mesh.positions, mesh.tets).min() > 0.0
    assert tet_volumes(mesh.positions, mesh.tets).sum() == pytest.approx(1.0, abs=1e-12)
    corners = mesh.positions[face_table(mesh.tets).boundary]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2.0
    assert areas.sum() == pytest.approx(6.0, abs=1e-12)
    assert np.abs(np.abs(corners.mean(axis=1) - 0.5).max(axis=1) - 0.5).max() < 1e-12, "the surface is the cube's"


def test_a_good_mesh_is_left_alone():
    points = np.array([[0, 0, 0], [1, 0, 0], [0.5, 0.87, 0], [0.5, 0.29, 0.82], [0.5, 0.29, -0.82]])
    tets = np.array([[0, 1, 2, 3], [0, 2, 1, 4]], dtype=np.int32)
    moved, kept = without_slivers(points, tets)
    assert np.array_equal(moved, points) and np.array_equal(kept, tets)


def test_the_same_bytes_again():
    one, two = (without_slivers(*scattered(5)) for _ in range(2))
    assert one[0].tobytes() == two[0].tobytes() and one[1].tobytes() == two[1].tobytes()


def test_quality_is_the_smallest_sine_of_a_dihedral_angle():
    points, tets = scattered(7)
    angles = np.radians(dihedral_angles(TetMesh(points, tets)))
    np.testing.assert_allclose(tet_quality(points, tets), np.sin(angles).min(axis=1), atol=1e-7)
    turned = np.ascontiguousarray(tets[:, [1, 0, 2, 3]])
    np.testing.assert_allclose(tet_quality(points, turned), -np.sin(angles).max(axis=1), atol=1e-7)
