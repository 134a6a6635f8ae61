"""Slivers go, and what is left is the same body."""

import numpy as np
import pytest
from scipy.spatial import Delaunay

from solver.tetmesh.boundary import face_table
from solver.tetmesh.compaction import compacted
from solver.tetmesh.mesh import TetMesh
from solver.tetmesh.quality import dihedral_angles, minimum_dihedrals, tet_volumes
from solver.tetmesh.slivers import Tets, ring_of_edge, tet_quality, without_edge, without_slivers


def scattered(seed, inside=200):
    """A unit cube of Delaunay tets between random points: many of them are slivers."""
    rng = np.random.default_rng(seed)
    side = np.linspace(0.0, 1.0, 5)
    lattice = np.stack(np.meshgrid(side, side, side, indexing="ij"), axis=-1).reshape(-1, 3)
    shell = lattice[((lattice == 0.0) | (lattice == 1.0)).any(axis=1)]
    points = np.concatenate([shell, rng.uniform(0.06, 0.94, (inside, 3))])
    return points, positive(points, Delaunay(points).simplices)


def positive(points, simplices):
    """The tets that have a volume, turned so that it is positive."""
    tets = simplices.astype(np.int32)
    volumes = tet_volumes(points, tets)
    tets[volumes < 0.0] = tets[volumes < 0.0][:, [0, 1, 3, 2]]
    return np.ascontiguousarray(tets[np.abs(volumes) > 1e-12])


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


def around_an_edge(ring, closed=True):
    """Tets around the edge between the vertices 0 and 1, and a ring (n, 2) seen from above, its vertices from 2 on."""
    points = np.array([(0.0, 0.0, -1.0), (0.0, 0.0, 1.0), *((x, y, 0.1 * x) for x, y in ring)])
    last = len(ring) if closed else len(ring) - 1
    tets = [(0, 1, 2 + i, 2 + (i + 1) % len(ring)) for i in range(last)]
    return Tets(points, np.array(tets, dtype=np.int32))


def triangulations(polygon):
    """All ways to cut a polygon into triangles."""
    if len(polygon) < 3:
        yield []
        return
    for k in range(1, len(polygon) - 1):
        for left in triangulations(polygon[: k + 1]):
            for right in triangulations(polygon[k:]):
                yield [(polygon[0], polygon[k], polygon[-1]), *left, *right]


def test_an_edge_is_taken_out_by_the_best_triangulation_of_its_ring():
    work = around_an_edge([(-1.0, -0.1), (0.2, -0.15), (1.5, -0.1), (1.2, 1.0), (0.1, 1.4), (-1.1, 0.8)])
    ring = ring_of_edge(work, 0, 1)
    assert ring == [2, 3, 4, 5, 6, 7]
    change = without_edge(work, 0, 1, ring)
    worst = []
    for cut in triangulations(ring):
        tets = [tet for i, j, k in cut for tet in ((i, j, k, 1), (i, k, j, 0))]
        worst.append(tet_quality(work.points, np.array(tets, dtype=np.int32)).min())
    assert len(worst) == 14 and min(worst) < 0.5 * max(worst)
    assert min(change.quality) == max(worst) and change.old == set(range(6)) and len(change.new) == 8


def test_an_edge_of_the_surface_is_only_taken_out_where_that_is_flat():
    flat, ridge = [(1.0, 0.0), (0.5, 1.0), (-1.0, 0.0)], [(1.0, 0.1), (0.5, 1.0), (-1.0, 0.1)]
    for ring, expected in ((flat, [2, 3, 4]), (ridge, [])):
        assert ring_of_edge(around_an_edge(ring, closed=False), 0, 1) == expected


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
