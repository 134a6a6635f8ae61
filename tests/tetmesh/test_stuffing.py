"""The guarantee of isosurface stuffing: whatever the signs and the cut points, every tet is well shaped."""

import numpy as np
import pytest

from solver.tetmesh.boundary import face_table
from solver.tetmesh.cuts import find_cuts
from solver.tetmesh.lattice_points import Lattice, lattice_points
from solver.tetmesh.mesh import TetMesh
from solver.tetmesh.quality import dihedral_angles, tet_volumes
from solver.tetmesh.stuffing import WARP_LONG, WARP_SHORT, stuff

CUBES = 12
LATTICE = Lattice(np.zeros(3), 1.0, CUBES, CUBES, CUBES)


def random_inside(rng, points, kind):
    if kind == 0:
        inside = rng.random(len(points)) < rng.choice([0.3, 0.5, 0.7])
    elif kind == 1:
        inside = np.sin(points @ (1.5 * rng.normal(size=3)) + 6 * rng.random()) + 0.3 * rng.normal(size=len(points)) > 0
    else:
        centres = CUBES * rng.random((20, 3))
        inside = (np.linalg.norm(points[:, None] - centres, axis=2) < 2.2).any(axis=1)
    return inside & ((points > 1) & (points < CUBES - 1)).all(axis=1)


def random_shares(rng, cuts):
    """Anywhere on the edge, and often just at the limits of warping, where the worst tets arise."""
    corners = (CUBES + 1) ** 3
    limit = np.where((cuts.inner < corners) == (cuts.outer < corners), WARP_LONG, WARP_SHORT)
    shares = rng.random(len(limit))
    at = [limit + 1e-6, limit - 1e-6, 1 - limit + 1e-6, 1 - limit - 1e-6]
    pick = rng.integers(0, 7, len(limit))
    return np.select([pick == k for k in range(4)], at, shares)


@pytest.mark.parametrize("seed", range(12))
def test_random_signs_and_cuts(seed):
    rng = np.random.default_rng(seed)
    points = lattice_points(LATTICE)
    inside = random_inside(rng, points, seed % 3)
    cuts = find_cuts(LATTICE, inside)
    shares = random_shares(rng, cuts)[:, None]
    cut_points = points[cuts.inner] * (1 - shares) + points[cuts.outer] * shares
    mesh = stuff(LATTICE, points.copy(), inside, cuts, cut_points)
    positions, tets = mesh.positions, mesh.tets
    angles = dihedral_angles(TetMesh(positions, tets))
    assert tet_volumes(positions, tets).min() > 0
    assert angles.min() > 10.5
    assert angles.max() < 163.0
    # Tets on both sides of a cut face chose the same diagonal: each boundary edge has an even number of faces.
    boundary = face_table(tets).boundary
    ends = np.sort(np.stack([boundary, np.roll(boundary, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
    assert (np.unique(ends, axis=0, return_counts=True)[1] % 2 == 0).all()


def test_equal_cuts_everywhere_leave_no_crack():
    points = lattice_points(LATTICE)
    for kind in range(3):
        inside = random_inside(np.random.default_rng(100 + kind), points, kind)
        cuts = find_cuts(LATTICE, inside)
        for share in (0.4, 0.5, 0.6):
            cut_points = points[cuts.inner] * (1 - share) + points[cuts.outer] * share
            tets = stuff(LATTICE, points.copy(), inside, cuts, cut_points).tets
            boundary = face_table(tets).boundary
            ends = np.sort(np.stack([boundary, np.roll(boundary, -1, axis=1)], axis=2).reshape(-1, 2), axis=1)
            assert (np.unique(ends, axis=0, return_counts=True)[1] % 2 == 0).all()
