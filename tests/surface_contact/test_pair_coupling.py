"""Stiffness between nodes that share no tet, beside the matrix of the linear solve."""

import numpy as np
import pytest

from solver.fem.coarse_space import MODES, divide
from solver.fem.pair_coupling import PairStiffness, add_pairs
from tests.surface_contact.bodies import block


@pytest.fixture
def parts():
    positions, tets = block((8, 8, 16), 0.1)
    edges = np.unique(np.sort(tets[:, [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]].reshape(-1, 2), axis=1), axis=0)
    return divide(positions, edges.astype(np.int32))


@pytest.fixture
def pairs(parts):
    """Forty pairs of thirty points, which one to seven nodes carry, some of them inside a pair the same ones."""
    rng, count, points = np.random.default_rng(6), 40, 30
    corners = np.array([rng.choice(points, 4, replace=False) for _ in range(count)]).astype(np.int32)
    s, t = rng.uniform(size=(2, count))
    roots = rng.normal(size=(count, 3, 3))
    blocks = (roots @ np.swapaxes(roots, 1, 2)).reshape(-1, 9)
    carrying = rng.choice(len(parts.order), 60, replace=False)
    rows = [rng.choice(carrying, rng.integers(1, 8), replace=False) for _ in range(points)]
    shares = [rng.normal(size=len(own)) for own in rows]
    shares = np.concatenate([own - own.mean() + 1.0 / len(own) for own in shares])
    start = np.concatenate([[0], np.cumsum([len(own) for own in rows])])
    weights = np.stack([1.0 - s, s, t - 1.0, -t], axis=1)
    return PairStiffness(corners, weights, blocks, start, np.concatenate(rows).astype(np.int32), shares)


def matrix_of(pairs, count):
    matrix, carried = np.zeros((3 * count, 3 * count)), np.zeros((len(pairs.start) - 1, count))
    owner = np.repeat(np.arange(len(carried)), np.diff(pairs.start))
    carried[owner, pairs.rows] = pairs.shares
    for points, weights, block_ in zip(pairs.points, pairs.weights, pairs.blocks.reshape(-1, 3, 3), strict=True):
        moved = weights @ carried[points]
        matrix += np.kron(np.outer(moved, moved), block_)
    return matrix


def test_product_and_diagonal_are_the_matrixs(parts, pairs):
    count = len(parts.order)
    matrix = matrix_of(pairs, count)
    p = np.zeros((count, 4), np.float32)
    p[:, :3] = np.random.default_rng(7).normal(size=(count, 3))
    q = np.zeros(4 * count, np.float32)
    square = add_pairs(pairs.arrays, p.reshape(-1), q)
    flat = p[:, :3].astype(float).ravel()
    assert np.abs(q.reshape(-1, 4)[:, :3].ravel() - matrix @ flat).max() < 1e-5 * np.abs(matrix @ flat).max()
    assert square == pytest.approx(flat @ matrix @ flat, rel=1e-6) and (q.reshape(-1, 4)[:, 3] == 0.0).all()
    diagonal = np.zeros((count, 9))
    pairs.add_diagonal(diagonal)
    expected = np.array([matrix[3 * i : 3 * i + 3, 3 * i : 3 * i + 3].ravel() for i in range(count)])
    assert np.abs(diagonal - expected).max() < 1e-12 * np.abs(expected).max()
    owners = np.random.default_rng(8).integers(0, 9, count).astype(np.int32)
    blocks, among = np.zeros((9, 9)), np.kron(np.eye(9)[owners], np.eye(3))
    pairs.add_blocks(owners, blocks)
    expected = (among.T @ matrix @ among).reshape(9, 3, 9, 3)[range(9), :, range(9)].reshape(9, 9)
    assert np.abs(blocks - expected).max() < 1e-12 * np.abs(expected).max()


def test_what_moves_together_costs_nothing(parts, pairs):
    p, q = np.tile(np.array([3.0, -2.0, 7.0, 0.0], np.float32), len(parts.order)), np.zeros(4 * len(parts.order), np.float32)
    assert abs(add_pairs(pairs.arrays, p, q)) < 1e-12 and np.abs(q).max() < 1e-12


def test_the_coarse_matrix_is_that_of_the_parts_motions(parts, pairs):
    count, number = len(parts.order), len(parts.part_offsets) - 1
    assert number > 2
    modes = np.zeros((3 * count, MODES * number))
    shapes = parts.modes[: 4 * count].reshape(-1, 4)
    for row in range(count):
        for m in range(4):
            for axis in range(3):
                modes[3 * row + axis, MODES * parts.node_parts[row] + 3 * m + axis] = shapes[row, m]
    coarse = np.ones((MODES * number, MODES * number))
    pairs.add_coarse(parts, coarse)
    expected = 1.0 + modes.T @ matrix_of(pairs, count) @ modes
    assert np.abs(coarse - expected).max() < 1e-6 * np.abs(expected).max()
