"""The volume that tets share is that of their intersection, to what single precision bears (claims B16, B20)."""

import numpy as np
from scipy.spatial import ConvexHull, HalfspaceIntersection, QhullError

from solver.remesh.overlap import overlaps
from solver.tetmesh.mesh import TetMesh
from solver.tetmesh.quality import tet_volumes
from tests.physics.scenes import box_mesh

from .shapes import rotation

ONE = np.array([[0, 1, 2, 3]], dtype=np.int32)
ROUNDING = 5e-5  # share of a well-shaped tet


def by_half_spaces(first: np.ndarray, second: np.ndarray) -> float:
    """The volume that two tets (4, 3) share, by Qhull."""
    planes = np.concatenate([ConvexHull(first).equations, ConvexHull(second).equations])
    # A point deepest inside both, by linear programming through random trials of the tets' own points
    rng = np.random.default_rng(0)
    weights = rng.dirichlet(np.ones(4), 4000)
    points = np.concatenate([weights @ first, weights @ second])
    depth = (points @ planes[:, :3].T + planes[:, 3]).max(axis=1)
    if depth.min() > -1e-4:
        return np.nan  # nothing is shared, or too little for Qhull
    try:
        return ConvexHull(HalfspaceIntersection(planes, points[depth.argmin()]).intersections).volume
    except QhullError:
        return np.nan


def test_random_pairs_agree_with_half_spaces():
    rng = np.random.default_rng(5)
    compared = 0
    for _ in range(150):
        first, second = rng.random((4, 3)), rng.random((4, 3))
        expected = by_half_spaces(first, second)
        if np.isnan(expected):
            continue
        start, _, volumes = overlaps(TetMesh(first, ONE), TetMesh(second, ONE))
        assert start[-1] == 1
        assert abs(volumes[0] - expected) < 5e-7
        compared += 1
    assert compared > 40


def test_two_fillings_of_one_box_share_all_of_it():
    turn = rotation([1, 1, 2], 0.4).T
    old, new = box_mesh((5, 4, 3), (1.0, 0.8, 0.7)), box_mesh((3, 7, 4), (1.0, 0.8, 0.7))
    start, sources, volumes = overlaps(old.moved(old.positions @ turn), new.moved(new.positions @ turn))
    mine = np.add.reduceat(volumes, start[:-1])
    theirs = np.bincount(sources, volumes, len(old.tets))
    assert np.abs(mine / tet_volumes(new.positions, new.tets) - 1.0).max() < ROUNDING
    assert np.abs(theirs / tet_volumes(old.positions, old.tets) - 1.0).max() < ROUNDING


def test_what_lies_on_a_face_but_for_rounding_shares_what_it_shares_a_little_further():
    rng = np.random.default_rng(2)
    for _ in range(400):
        first = rng.random((4, 3))
        weights = rng.random((3, 4))
        weights[:, 0] = 0.0
        weights /= weights.sum(axis=1, keepdims=True)
        second = np.concatenate([weights @ first, first.mean(axis=0)[None] + rng.random((1, 3))])
        here, there = (_shared_volume(first, second + way) for way in (0.0, 1e-9))
        assert abs(here - there) < 1e-7
        second[:2] += 2.0 * (second[1] - second[0]) * [[-1.0], [1.0]]  # an edge in the face's plane that goes through it
        here, there = (_shared_volume(first, second + way) for way in (0.0, 1e-9))
        assert abs(here - there) < 1e-7


def _shared_volume(first: np.ndarray, second: np.ndarray) -> float:
    return float(overlaps(TetMesh(second, ONE), TetMesh(first, ONE))[2].sum())


def test_a_mesh_shares_each_tet_with_itself_alone():
    mesh = box_mesh((3, 3, 3))
    start, sources, volumes = overlaps(mesh, mesh)
    assert (start == np.arange(len(mesh.tets) + 1)).all() and (sources == np.arange(len(mesh.tets))).all()
    assert np.allclose(volumes, tet_volumes(mesh.positions, mesh.tets), rtol=1e-12)


def test_tets_apart_and_flat_ones_share_nothing():
    corners = np.eye(4, 3)
    assert len(overlaps(TetMesh(corners, ONE), TetMesh(corners + 2.0, ONE))[1]) == 0
    assert len(overlaps(TetMesh(corners * [1.0, 1.0, 0.0], ONE), TetMesh(corners, ONE))[1]) == 0
