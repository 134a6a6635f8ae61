"""Which tets lie across which faces, against a dictionary of their corners."""

from collections import defaultdict

import numpy as np
import pytest
from scipy.spatial import Delaunay

from solver.tetmesh.boundary import face_table
from solver.tetmesh.face_pairs import pair_faces


def tets_of(points: int) -> np.ndarray:
    """Tets of points in a cube, numbered anyhow, some of them taken out."""
    rng = np.random.default_rng(points)
    tets = Delaunay(rng.random((points, 3))).simplices.astype(np.int32)
    tets = rng.permutation(points).astype(np.int32)[tets[rng.random(len(tets)) < 0.9]]
    return np.ascontiguousarray(rng.permuted(tets, axis=1))


def expected(tets: np.ndarray) -> np.ndarray:
    """neighbours (m, 4)."""
    sides, across = defaultdict(list), np.full(tets.shape, -1)
    for t, corners in enumerate(tets.tolist()):
        for i in range(4):
            sides[frozenset(corners[:i] + corners[i + 1 :])].append((t, i))
    for side in sides.values():
        if len(side) == 2:
            (t, i), (s, j) = side
            across[t, i], across[s, j] = s, t
    return across


@pytest.mark.parametrize("points", [5, 40, 600])
@pytest.mark.parametrize("parts", [1, 3])
def test_neighbours_are_those_with_the_same_three_corners(points, parts):
    tets = tets_of(points)
    found, wanted = np.full((len(tets), 4), -1, np.int32), expected(tets)
    for part in range(parts):
        pair_faces(points * part // parts, points * (part + 1) // parts, tets, found)
    np.testing.assert_array_equal(found, wanted)
    table = face_table(tets)
    np.testing.assert_array_equal(table.neighbours, wanted)
    alone = [frozenset(np.delete(tets[t], i).tolist()) for t, i in np.argwhere(wanted < 0).tolist()]
    assert [frozenset(face) for face in table.boundary.tolist()] == alone and (wanted >= 0).sum() >= points // 10
