"""The half of a matrix that is kept, against the whole one, over meshes with one slab and with many."""

import numba
import numpy as np
import pytest

from solver.fem import slabs as slabs_file
from solver.fem.coarse_matrix import coarse_matrix
from solver.fem.slab_product import multiply_slab
from solver.fem.slab_sums import row_sums
from solver.jit import kernel
from solver.jit.simd_rows import ROWS
from solver.tetmesh.mesh import TetMesh
from tests.element_blocks import blocks_of, filling
from tests.physics.scenes import ball_mesh, box_mesh
from tests.unit.test_linear_solve import System, single_tet

MESHES = {
    "ball": lambda: System(ball_mesh(8), 1e6),
    "box": lambda: System(box_mesh((5, 4, 3)), 1e6),
    "single tet": single_tet,
    "fan": lambda: System(fan(21), 1e6),  # all rows have two neighbours in common: one slot names them eight times
}


def fan(count):
    """Tets around one edge."""
    angles = 1.9 * np.pi * np.arange(count) / count
    ring = np.stack([np.cos(angles), np.sin(angles), 0.0 * angles], axis=1)
    positions = np.concatenate([[[0.0, 0.0, -1.0], [0.0, 0.0, 1.0]], ring])
    near = 2 + np.arange(count - 1)
    return TetMesh(positions, np.stack([0 * near, 0 * near + 1, near, near + 1], axis=1).astype(np.int32))


@kernel
def product(arrays, values, inertia, own, touched, p, q):
    bounds, group_bounds, group_rows, slot_offsets, slot_columns, outer_offsets, outer_columns = arrays
    total = 0.0
    for slab in range(len(bounds) - 1):
        total += multiply_slab(
            slab, bounds, group_bounds, group_rows, slot_offsets, slot_columns, outer_offsets, outer_columns, values, inertia,
            own, touched, p, q,
        )  # fmt: skip
    return total


@pytest.fixture(params=[2048, 30, 9], ids=["one slab", "slabs of 30", "slabs of 9"])
def slab_rows(request, monkeypatch):
    monkeypatch.setattr(slabs_file, "SLAB", request.param)
    return request.param


def multiplied(solver, flat):
    found = np.full_like(flat, np.nan)
    total = product(solver.layout.slabs.arrays, solver._values, solver._inertia, solver._own, solver._touched, flat, found)
    return found.reshape(-1, 4)[:, :3].astype(float), total


@pytest.mark.parametrize("touched", [False, True])
@pytest.mark.parametrize("name", MESHES)
def test_product_is_that_of_the_whole_matrix(name, touched, slab_rows):
    system = MESHES[name]()
    if touched:
        system.touch(1e2, inside=True)
    solver = system.solver()
    count = len(system.positions)
    sizes = np.diff(solver.parts.part_offsets)
    assert len(solver.layout.slabs.arrays.bounds) - 1 == np.maximum(sizes // slab_rows, 1).sum()
    x = np.zeros((count, 4), np.float32)
    x[:, :3] = system.random.normal(size=(count, 3))
    found, total = multiplied(solver, x.ravel())
    nodes = solver.layout.order
    there = np.empty((count, 3))
    there[nodes] = x[:, :3]
    whole = (system.matrix() @ there.ravel()).reshape(-1, 3)[nodes]
    assert np.abs(found - whole).max() < 1e-5 * np.abs(whole).max()
    assert total == pytest.approx((found * x[:, :3]).sum(), rel=1e-5)


@pytest.mark.parametrize("name", MESHES)
def test_a_translation_costs_inertia_alone_to_the_last_bit(name, slab_rows):
    solver = MESHES[name]().solver()
    move = np.zeros((len(solver._inertia), 4), np.float32)
    move[:, :3] = np.array([0.3, -7.0, 1e3], np.float32)
    found, _ = multiplied(solver, move.ravel())
    assert (found == solver._inertia[:, None].astype(np.float32) * move[:, :3]).all()


@pytest.mark.parametrize("name", MESHES)
def test_an_edge_within_a_slab_is_there_once_and_one_between_slabs_twice(name, slab_rows):
    layout = MESHES[name]().solver().layout
    arrays = layout.slabs.arrays
    slab = np.searchsorted(arrays.bounds, np.arange(len(layout.order)), side="right") - 1
    rows = np.repeat(np.arange(len(layout.order)), np.diff(layout.row_offsets))
    same = slab[rows] == slab[layout.columns]
    wanted = {(i, j) for i, j in zip(rows[same], layout.columns[same], strict=True) if i < j}
    groups = np.repeat(np.arange(len(arrays.slot_offsets) - 1), np.diff(arrays.slot_offsets))
    owners = arrays.group_rows.reshape(-1, ROWS)[groups].ravel()
    real = owners != arrays.slot_columns
    kept = list(zip(owners[real], arrays.slot_columns[real], strict=True))
    assert len(kept) == len(set(kept)) and {(min(a, b), max(a, b)) for a, b in kept} == wanted
    leading_out = np.repeat(np.arange(len(layout.order)), np.diff(arrays.outer_offsets))
    assert (leading_out == rows[~same]).all() and (arrays.outer_columns == layout.columns[~same]).all()


@pytest.mark.parametrize("name", MESHES)
def test_sums_of_rows_are_those_of_all_blocks(name, slab_rows):
    system = MESHES[name]()
    solver = system.solver()
    sums = np.full_like(solver._sums, np.nan)
    row_sums(solver.layout.slabs.arrays, solver._values, sums)
    count = len(system.positions)
    expected = np.zeros((count, 3, 3))
    rows, _, blocks = blocks_of(solver.layout, solver._values)
    np.add.at(expected, rows, blocks)
    found = sums.reshape(2, count, 4)
    assert np.abs(found[0, :, :3] - expected[:, [0, 1, 2], [0, 1, 2]]).max() < 1e-5 * np.abs(expected).max()
    assert np.abs(found[1, :, :3] - expected[:, [0, 0, 1], [1, 2, 2]]).max() < 1e-5 * np.abs(expected).max()
    assert (found[..., 3] == 0.0).all()


@pytest.mark.parametrize("name", ["ball", "box"])
def test_all_else_that_is_asked_of_the_blocks_does_not_depend_on_slabs(name, monkeypatch):
    """The product in float64, the coarse level, another's weights, and nodes that are held and in contact."""
    found = []
    for rows in (2048, 30, 9):
        monkeypatch.setattr(slabs_file, "SLAB", rows)
        system = MESHES[name]()
        _, diagonal, contact = system.contact(1e3, inside=True)
        x, weights = system.random.normal(size=system.positions.shape), 1.0 + system.random.random(len(system.masses))
        solver = system.solver()
        values = coarse_matrix(
            solver.parts, solver.layout, solver._values, solver._inertia, solver._own, solver._touched
        )  # fmt: skip
        scaled, own = solver.summed(filling(solver, system.blocks)).weighed(weights)
        answers = [solver.times(x), values, scaled.times(x) + np.einsum("nij,nj->ni", own.reshape(-1, 3, 3), x)]
        solver.assemble(filling(solver, system.blocks), diagonal, contact=contact, held=system.low(0.3))
        answers.append(solver.times(x))
        found.append(answers)
    for answers in found[1:]:
        for answer, expected in zip(answers, found[0], strict=True):
            assert np.abs(answer - expected).max() < 1e-6 * np.abs(expected).max() > 0.0


def test_solutions_are_the_same_bytes_on_one_thread_and_two(slab_rows):
    system, ends = System(ball_mesh(10), 1e6), []
    load = system.load()
    for threads in (1, 2):
        before = numba.get_num_threads()
        numba.set_num_threads(threads)
        try:
            solver = system.solver()
            solver.solve(load, 1e-4)
        finally:
            numba.set_num_threads(before)
        ends.append(solver.direction.tobytes())
    assert ends[0] == ends[1]


def test_slots_are_nearly_full():
    """A row lies beside seven with nearly as many edges: what is read in vain is a few hundredths."""
    layout = System(ball_mesh(14), 1e6).solver().layout
    arrays = layout.slabs.arrays
    edges = len(layout.columns) // 2
    assert len(arrays.slot_columns) < 1.05 * edges and len(arrays.outer_columns) < 0.3 * edges
