"""Volume kept at the nodes: force and stiffness are those of the energy for any shape; the linear solve knows all of it."""

from types import SimpleNamespace

import numba
import numpy as np
import pytest

from solver.fem.assembly import build_pattern
from solver.fem.linear_solve import LinearSolve
from solver.fem.nodal_volume import NodalVolume
from solver.fem.stiffness import PAIRS
from solver.jit import TILE, use_threads
from solver.slots import MATERIAL_ROWS, NODAL_BULK
from tests.element_blocks import blocks_of, filling
from tests.physics.scenes import ball_mesh, box_mesh

BULK = 7.0


def built(mesh, bulk=BULK):
    """The state's arrays, the pattern, a linear solve and the nodes' volumes of a mesh at rest."""
    edges = mesh.positions[mesh.tets[:, 1:]] - mesh.positions[mesh.tets[:, :1]]
    material = np.zeros((MATERIAL_ROWS, len(mesh.tets)))
    material[NODAL_BULK] = bulk
    state = SimpleNamespace(
        positions=mesh.positions, tets=mesh.tets, volumes=np.linalg.det(edges) / 6.0, material=material
    )  # fmt: skip
    pattern = build_pattern(mesh.tets, len(mesh.positions))
    linear = LinearSolve.of(pattern, mesh.positions)
    return state, linear, NodalVolume.of(state, pattern, linear.layout)


def shapes(mesh):
    """Sheared, squashed flat, turned inside out, and anything."""
    rng = np.random.default_rng(2)
    noise = 0.02 * rng.normal(size=mesh.positions.shape)
    yield mesh.positions @ np.array([[1.1, 0.3, 0.0], [0.0, 0.9, 0.1], [0.2, 0.0, 1.05]]) + noise
    yield mesh.positions * [1.0, 1.0, 0.0]
    yield mesh.positions * [1.0, 1.0, -0.5] + noise
    yield rng.normal(size=mesh.positions.shape)


@pytest.mark.parametrize("shape", range(4))
def test_force_is_the_slope_of_the_energy(shape):
    mesh = box_mesh((2, 1, 1))
    _, _, volume = built(mesh)
    x = list(shapes(mesh))[shape]
    gradient, expected, h = np.zeros_like(x), np.zeros_like(x), 1e-6
    volume.add_gradient(x, gradient)
    for k in range(x.size):
        ends = []
        for sign in (h, -h):
            moved = x.copy()
            moved.flat[k] += sign
            ends.append(volume.pressures(moved)[0])
        expected.flat[k] = (ends[0] - ends[1]) / (2.0 * h)
    assert np.abs(expected).max() > 0.1
    assert np.abs(gradient - expected).max() < 1e-7 * np.abs(expected).max()


def dense(state, linear, volume, x):
    """What curvature adds to the matrix (3n, 3n), and B^T D B from what the linear solve multiplies with."""
    count = len(x)
    coupling, layout, nodes = volume.coupled(x), linear.layout, linear.layout.order
    values = layout.slabs.values()
    volume.add_curvature(x, values)
    full = np.zeros((count, 3, count, 3))
    for row, column, block in zip(*blocks_of(layout, values), strict=True):
        full[nodes[row], :, nodes[column]] = block
    for a in range(count):
        full[a, :, a] = -full[a].sum(axis=1)
    ties = np.zeros((count, count, 3))
    for row in range(count):
        for s in range(layout.row_offsets[row], layout.row_offsets[row + 1]):
            ties[nodes[row], nodes[layout.columns[s]]] = coupling.ahead[s, :3]
    ties[np.arange(count), np.arange(count)] = -ties.sum(axis=1)
    rows = ties.reshape(count, -1)
    return full.reshape(3 * count, -1), rows.T @ (volume.firmness[:, None] * rows), coupling


@pytest.mark.parametrize("shape", range(4))
def test_stiffness_is_the_slope_of_the_force(shape):
    mesh = box_mesh((2, 1, 1))
    state, linear, volume = built(mesh)
    x = list(shapes(mesh))[shape]
    expected, h = np.zeros((x.size, x.size)), 1e-6
    for k in range(x.size):
        ends = []
        for sign in (h, -h):
            moved, gradient = x.copy(), np.zeros_like(x)
            moved.flat[k] += sign
            volume.add_gradient(moved, gradient)
            ends.append(gradient.ravel())
        expected[k] = (ends[0] - ends[1]) / (2.0 * h)
    curvature, ties, _ = dense(state, linear, volume, x)
    assert np.abs(expected).max() > 0.1
    assert np.abs(curvature + ties - expected).max() < 1e-6 * np.abs(expected).max()


def solved(mesh, young, bulk):
    """The linear solve of gravity with inertia, a soft spring in place of elasticity, and volume; and its dense matrix."""
    state, linear, volume = built(mesh, bulk)
    x = mesh.positions @ np.array([[1.1, 0.3, 0.0], [0.0, 0.9, 0.1], [0.2, 0.0, 1.05]])
    curvature, ties, coupling = dense(state, linear, volume, x)
    blocks = np.zeros((-(-len(state.tets) // TILE) * TILE, 6, 9), np.float32)
    blocks[: len(state.tets), :, [0, 4, 8]] = -young
    matrix = ties + np.zeros_like(curvature)
    for tet in state.tets:
        for a, b in PAIRS:
            for i, j, sign in ((a, b, -1.0), (b, a, -1.0), (a, a, 1.0), (b, b, 1.0)):
                for axis in range(3):
                    matrix[3 * tet[i] + axis, 3 * tet[j] + axis] += sign * young
    matrix += 0.3 * np.eye(len(matrix))
    diagonal = np.zeros((len(x), 9))
    diagonal[:, [0, 4, 8]] = 0.3
    linear.assemble(filling(linear, blocks), diagonal, volume=coupling)
    load = np.random.default_rng(4).normal(size=x.shape)
    return linear, load, matrix, coupling


def test_the_linear_solve_knows_the_nodes_volumes():
    linear, load, matrix, coupling = solved(ball_mesh(4), 1e-2, 10.0)
    spent = linear.solve(load, 1e-5)
    exact = np.linalg.solve(matrix, load.ravel())
    error = linear.direction.ravel() - exact
    assert 0 < spent < 200
    assert error @ (matrix @ error) < (2e-3) ** 2 * (exact @ (matrix @ exact))
    blocks = matrix.reshape(len(load), 3, len(load), 3)[np.arange(len(load)), :, np.arange(len(load))]
    own = coupling.diagonal()[coupling.rank].reshape(-1, 3, 3)
    assert np.abs(blocks - own)[:, ~np.eye(3, dtype=bool)].max() < 1e-5 * np.abs(own).max()


def test_the_coarse_level_knows_them_too():
    """W^T B^T D B W of two parts, by dense products."""
    mesh = ball_mesh(8)
    state, linear, volume = built(mesh)
    _, ties, coupling = dense(state, linear, volume, mesh.positions @ np.diag([1.1, 0.8, 1.2]))
    parts, count = linear.parts, len(mesh.positions)
    assert len(parts.part_offsets) == 3
    motions = np.zeros((count, 3, 2, 4, 3))
    for row, node in enumerate(linear.layout.order):
        for axis in range(3):
            motions[node, axis, parts.node_parts[row], :, axis] = parts.modes[4 * row : 4 * row + 4]
    motions = motions.reshape(3 * count, -1)
    expected, found = motions.T @ ties @ motions, np.zeros((24, 24))
    coupling.add_coarse(parts, found)
    assert np.abs(expected[:12, 12:]).max() > 0.01 * np.abs(expected).max()
    assert np.abs(found - expected).max() < 1e-5 * np.abs(expected).max()


def test_aggregates_know_them_too():
    """What seven aggregates, each moved as one, meet in B^T D B, by dense products."""
    mesh = ball_mesh(5)
    state, linear, volume = built(mesh)
    _, ties, coupling = dense(state, linear, volume, mesh.positions @ np.diag([1.1, 0.8, 1.2]))
    owners = np.random.default_rng(6).integers(0, 7, len(mesh.positions)).astype(np.int32)
    among, found = np.kron(np.eye(7)[owners], np.eye(3)), np.zeros((7, 9))
    coupling.add_blocks(owners[linear.layout.order], found)
    expected = (among.T @ ties @ among).reshape(7, 3, 7, 3)[range(7), :, range(7)].reshape(7, 9)
    assert np.abs(found - expected).max() < 1e-5 * np.abs(expected).max()


def test_one_and_two_threads_give_the_same_bytes():
    ends = []
    for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        use_threads(threads)
        linear, load, _, _ = solved(ball_mesh(5), 1e-2, 10.0)
        linear.solve(load, 1e-4)
        ends.append(linear.direction.tobytes())
    use_threads(1)
    assert ends[0] == ends[1]


def test_uniform_strain_has_the_energy_of_the_whole_volume():
    mesh = ball_mesh(4)
    state, _, volume = built(mesh)
    x = mesh.positions @ np.diag([1.1, 1.0, 0.95])
    j = 1.1 * 0.95
    assert volume.pressures(x)[0] == pytest.approx(0.5 * BULK * (j - 1.0) ** 2 * state.volumes.sum(), rel=1e-9)
    assert np.allclose(volume.pressures(x)[1], BULK * (j - 1.0), rtol=1e-9)
