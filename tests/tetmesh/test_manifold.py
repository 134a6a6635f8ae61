"""Tets that pinch the boundary go, the same ones however their faces were found."""

import numpy as np
import pytest

from solver.tetmesh import manifold
from solver.tetmesh.boundary import face_table, table_without
from solver.tetmesh.manifold import manifold_rows


def porous(seed: int, kept: float) -> np.ndarray:
    """A block of tets of which some are taken out by lot: pinched vertices, edges and hollows in plenty."""
    cells = np.stack(np.meshgrid(*[np.arange(7)] * 3, indexing="ij"), axis=-1).reshape(-1, 3)
    corner = lambda x, y, z: ((cells[:, 0] + x) * 8 + cells[:, 1] + y) * 8 + cells[:, 2] + z  # noqa: E731
    ways = [[0, 4, 6, 7], [0, 6, 2, 7], [0, 2, 3, 7], [0, 3, 1, 7], [0, 1, 5, 7], [0, 5, 4, 7]]
    corners = np.stack([corner(i >> 2, i >> 1 & 1, i & 1) for i in range(8)], axis=1)
    tets = corners[:, ways].reshape(-1, 4).astype(np.int32)
    return tets[np.random.default_rng(seed).random(len(tets)) < kept]


def by_full_rounds(tets: np.ndarray) -> np.ndarray:
    """What is left when each round asks all vertices of a table of faces made anew."""
    rows = np.arange(len(tets))
    while len(rows):
        left, drop = tets[rows], np.zeros(len(rows), dtype=np.bool_)
        table = face_table(left)
        every = np.ones(int(tets.max()) + 1, dtype=np.bool_)
        manifold._mark_pinched_vertices(left, table.neighbours, every, drop)
        if not drop.any():
            manifold._mark_pinched_edges(left, table.neighbours, *manifold._pinched_edges(table.boundary), drop)
        if not drop.any():
            manifold._mark_pinched_hollows(table.boundary, table.tet, len(every), drop)
        if not drop.any():
            break
        rows = rows[~drop]
    return rows


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kept", [0.5, 0.8, 0.95])
def test_later_rounds_ask_only_where_tets_went(seed, kept):
    tets = porous(seed, kept)
    rows = manifold_rows(tets)
    assert 0 < len(rows) < len(tets) and np.array_equal(rows, by_full_rounds(tets))


def test_a_table_of_what_is_left_is_that_of_its_tets():
    tets = porous(1, 0.9)
    gone = np.random.default_rng(2).random(len(tets)) < 0.2
    for found, expected in zip(table_without(tets, face_table(tets), gone), face_table(tets[~gone]), strict=True):
        assert found.dtype == expected.dtype and np.array_equal(found, expected)


def test_what_is_no_mesh_at_all_stays_so():
    assert not len(manifold_rows(np.zeros((0, 4), dtype=np.int32)))
