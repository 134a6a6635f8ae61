"""The linear solve against scipy's sparse direct solver, on elastic tets with inertia and contact."""

import numba
import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.linalg import spsolve

from solver.fem.assembly import build_pattern
from solver.fem.coarse_matrix import coarse_matrix
from solver.fem.contact_coupling import ContactStiffness
from solver.fem.linear_solve import LinearSolve
from solver.fem.stiffness import PAIRS
from solver.jit import TILE, use_threads
from solver.tetmesh.mesh import TetMesh
from tests.element_blocks import filling
from tests.physics.scenes import ball_mesh, box_mesh

STEP = 1.0 / 96.0
DENSITY = 1000.0


class System:
    """Linear elastic tets with Young's moduli (m,) [Pa] and inertia; blocks and diagonal as newton.py hands them over."""

    def __init__(self, mesh, young, poisson=0.45, seed=5):
        self.positions, self.tets = mesh.positions, mesh.tets
        self.random = np.random.default_rng(seed)
        edges = self.positions[self.tets[:, 1:]] - self.positions[self.tets[:, :1]]
        volumes = np.linalg.det(edges) / 6.0
        gradients = np.zeros((len(self.tets), 4, 3))
        gradients[:, 1:] = np.swapaxes(np.linalg.inv(edges), 1, 2)
        gradients[:, 0] = -gradients[:, 1:].sum(axis=1)
        young = np.broadcast_to(young, len(self.tets))
        mu = (young / (2.0 * (1.0 + poisson)) * volumes)[:, None, None, None]
        lam = (young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)) * volumes)[:, None, None, None]
        a, b = gradients[:, PAIRS[:, 0]], gradients[:, PAIRS[:, 1]]
        outer = a[..., :, None] * b[..., None, :]
        blocks = lam * outer + mu * np.swapaxes(outer, 2, 3) + mu * (a * b).sum(axis=-1)[..., None, None] * np.eye(3)
        self.blocks = np.zeros((-(-len(self.tets) // TILE) * TILE, 6, 9), np.float32)
        self.blocks[: len(self.tets)] = blocks.reshape(-1, 6, 9)
        masses = np.bincount(self.tets.ravel(), np.repeat(DENSITY * volumes / 4.0, 4), minlength=len(self.positions))
        self.masses = masses
        self.diagonal = np.zeros((len(masses), 9))
        self.diagonal[:, [0, 4, 8]] = masses[:, None] / STEP**2

    def contact(self, factor, *, inside, first=0):
        """Contacts along random normals in every twentieth tet, so many times as stiff as it, at a node or inside."""
        tets = np.arange(first, len(self.tets), 20)
        diagonal, blocks = self.diagonal.copy(), np.zeros((len(tets), 6, 9), np.float32)
        for k, tet in enumerate(tets):
            normal = self.random.normal(size=3)
            h = factor * np.abs(self.blocks[tet]).mean() * np.outer(normal, normal).ravel() / (normal @ normal)
            weights = self.random.random(4) if inside else np.array([1.0, 0.0, 0.0, 0.0])
            weights /= weights.sum()
            diagonal[self.tets[tet]] += weights[:, None] * h
            for pair, (a, b) in enumerate(PAIRS):
                blocks[k, pair] = weights[a] * weights[b] * h
        return tets, diagonal, ContactStiffness(np.unique(self.tets[tets]), self.tets[tets], blocks)

    def touch(self, factor, *, inside):
        """The same, put into the element blocks and the diagonal."""
        tets, self.diagonal, contact = self.contact(factor, inside=inside)
        self.blocks[tets] += contact.blocks

    def matrix(self):
        """The matrix for scipy, in float64."""
        i, j = self.tets[:, PAIRS[:, 0]].ravel(), self.tets[:, PAIRS[:, 1]].ravel()
        blocks = self.blocks[: len(self.tets)].astype(float).reshape(-1, 3, 3)
        rows, columns = np.concatenate([i, j]), np.concatenate([j, i])
        values = np.concatenate([blocks, np.swapaxes(blocks, 1, 2)])
        own = self.diagonal.reshape(-1, 3, 3).copy()
        np.subtract.at(own, rows, values)
        rows, columns = np.concatenate([rows, np.arange(len(own))]), np.concatenate([columns, np.arange(len(own))])
        values = np.concatenate([values, own])
        axis = np.arange(3)
        where = (3 * rows[:, None, None] + axis[:, None] + 0 * axis, 3 * columns[:, None, None] + axis + 0 * axis[:, None])
        size = 3 * len(own)
        return coo_array((values.ravel(), (where[0].ravel(), where[1].ravel())), shape=(size, size)).tocsc()

    def load(self):
        """Gravity and noise (n, 3) [N]."""
        return self.masses[:, None] * (np.array([0.0, 0.0, -9.81]) + self.random.normal(size=self.positions.shape) * 3.0)

    def solver(self, **options):
        """The solver with the matrix assembled."""
        solver = LinearSolve.of(build_pattern(self.tets, len(self.positions)), self.positions)
        solver.assemble(filling(solver, self.blocks), self.diagonal, **options)
        return solver

    def low(self, share):
        """The nodes in so much of the height."""
        height = self.positions[:, 2] - self.positions[:, 2].min()
        return np.flatnonzero(height <= share * height.max())


def joined(*meshes):
    starts = np.cumsum([0] + [len(mesh.positions) for mesh in meshes])
    tets = np.concatenate([mesh.tets + start for mesh, start in zip(meshes, starts, strict=False)]).astype(np.int32)
    return TetMesh(np.concatenate([mesh.positions for mesh in meshes]), tets)


def two_bodies():
    mesh = joined(box_mesh((5, 5, 5)), ball_mesh(6, 0.5, (3.0, 0.0, 0.0)))
    young = np.where(np.arange(len(mesh.tets)) < 750, 1e3, 1e9)
    return System(mesh, young)


def crowd():
    mesh = joined(*[box_mesh((1, 1, 1), origin=(2.0 * k, 0.0, 0.0)) for k in range(50)])
    return System(mesh, 1e7)


def single_tet():
    return System(TetMesh(np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]), np.array([[0, 1, 2, 3]], np.int32)), 1e6)


SYSTEMS = {
    "soft": lambda: System(ball_mesh(8), 1e4),
    "stiff": lambda: System(ball_mesh(8), 1e8),
    "nearly incompressible": lambda: System(box_mesh((6, 6, 6)), 1e6, poisson=0.499),
    "two bodies": two_bodies,
    "more bodies than parts": crowd,
    "single tet": single_tet,
    "a millimetre": lambda: System(ball_mesh(6, 1e-3), 1e5),
    "a kilometre": lambda: System(ball_mesh(6, 1e3), 1e9),
    "a flat sheet": lambda: System(box_mesh((12, 12, 1), (1.0, 1.0, 0.05)), 1e6),
}


@pytest.mark.parametrize("contact", [None, (1e2, True), (1e6, False)], ids=["free", "touched inside", "touched at nodes"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_solution_is_scipys(name, contact):
    system = SYSTEMS[name]()
    if contact:
        system.touch(contact[0], inside=contact[1])
    matrix, load, solver = system.matrix(), system.load(), system.solver()
    spent = solver.solve(load, 1e-4)
    exact = spsolve(matrix, load.ravel())
    error = solver.direction.ravel() - exact
    assert 0 < spent < 400
    assert error @ (matrix @ error) < (3e-3) ** 2 * (exact @ (matrix @ exact))


@pytest.mark.parametrize("touched", [False, True])
@pytest.mark.parametrize("name", ["stiff", "two bodies", "more bodies than parts"])
def test_the_coarse_matrix_is_what_the_parts_affine_motions_meet(name, touched):
    """W^T A W, by scipy."""
    system = SYSTEMS[name]()
    if touched:
        system.touch(1e3, inside=True)
    solver = system.solver()
    parts, layout = solver.parts, solver.layout
    found = coarse_matrix(parts, layout, solver._values, solver._inertia, solver._own, solver._touched)
    modes, count = parts.modes[:-4].reshape(-1, 4).astype(float), len(parts.part_offsets) - 1
    motions = np.zeros((len(parts.order), 3, count, 4, 3))
    for axis in range(3):
        motions[np.arange(len(parts.order)), axis, parts.node_parts, :, axis] = modes
    motions[parts.order] = motions.copy()
    motions = motions.reshape(3 * len(parts.order), 12 * count)
    expected = motions.T @ (system.matrix() @ motions)
    assert np.abs(found - expected).max() < 1e-6 * np.abs(expected).max()


@pytest.mark.parametrize("touched", [False, True])
@pytest.mark.parametrize("name", ["soft", "stiff", "two bodies", "a flat sheet"])
def test_held_nodes_stay_and_the_others_answer_as_if_they_were_walls(name, touched):
    system = SYSTEMS[name]()
    if touched:
        system.touch(1e4, inside=True)
    held = system.low(0.3)
    free = np.setdiff1d(np.arange(3 * len(system.positions)), (3 * held[:, None] + np.arange(3)).ravel())
    matrix, load, solver = system.matrix()[free][:, free], system.load(), system.solver(held=held)
    load[held] = 0.0
    assert 0 < solver.solve(load, 1e-4) < 400
    assert (solver.direction[held] == 0.0).all()
    exact = spsolve(matrix, load.ravel()[free])
    error = solver.direction.ravel()[free] - exact
    assert error @ (matrix @ error) < (3e-3) ** 2 * (exact @ (matrix @ exact))


def test_a_stiff_body_that_is_held_at_one_end_takes_no_more_iterations():
    system = System(box_mesh((6, 6, 24), (0.25, 0.25, 1.0)), 1e9)
    load = system.load()
    load[system.low(0.05)] = 0.0
    coarse, alone = (system.solver(held=system.low(0.05), levels=levels).solve(load, 0.05) for levels in (3, 1))
    assert 0 < coarse <= 40 and 2 * coarse < alone


def test_product_is_scipys():
    system = System(ball_mesh(8), 1e6)
    system.touch(1e2, inside=True)
    x = system.random.normal(size=system.positions.shape)
    product = system.matrix() @ x.ravel()
    assert np.abs(system.solver().times(x).ravel() - product).max() < 1e-5 * np.abs(product).max()


@pytest.mark.parametrize("stiff", [False, True])
def test_one_and_two_threads_give_the_same_bytes(stiff):
    system, ends = System(ball_mesh(10), 1e8 if stiff else 1e4), []
    system.touch(1e3, inside=True)
    load = system.load()
    for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        use_threads(threads)
        solver = system.solver()
        spent = solver.solve(load, 1e-3)
        assert solver.coarse == stiff
        ends.append((spent, solver.direction.tobytes(), solver.summed(filling(solver, system.blocks)).times(load).tobytes()))
    use_threads(1)
    assert ends[0] == ends[1]


@pytest.mark.parametrize("young", [1e7, 1e9, 1e11])
def test_iterations_do_not_grow_with_stiffness(young):
    system = System(box_mesh((12, 12, 12)), young)
    solver = system.solver()
    assert solver.coarse
    assert 0 < solver.solve(system.load(), 0.05) <= 30


@pytest.mark.parametrize("held", [False, True], ids=["pushed", "held"])
def test_iterations_hardly_grow_with_size_where_those_of_blocks_alone_do(held):
    """Stiff boxes of 1, 10 and 35 thousand tets, pushed from below by as much as they weigh, or held there."""
    spent = []
    for cells in (6, 12, 18):
        system = System(box_mesh((cells, cells, cells)), 1e9)
        load, low = system.load(), system.low(0.01)
        if held:
            load[low] = 0.0
        else:
            load[low, 2] += 9.81 * system.masses.sum() / len(low)
        options = {"held": low} if held else {}
        spent.append([system.solver(levels=levels, **options).solve(load, 1e-3, 2000) for levels in (1, 3)])
    alone, two = np.array(spent).T
    assert alone[0] > 50 and alone[2] > 2.0 * alone[0], alone
    assert two.min() > 10 and two.max() < 1.6 * two[0] and 5 * two[2] < alone[2], (two, alone)


@pytest.mark.parametrize("most", [0, 1, 2, 3, 7])
def test_so_many_iterations_and_no_fewer_are_in_the_solution(most):
    """Each takes the energy x A x / 2 - f x to its least along one more direction: there x A x = f x, and it falls."""
    system = System(ball_mesh(8), 1e6)
    matrix, load, solver = system.matrix(), system.load(), system.solver()
    energies = []
    for count in (max(most - 1, 0), most):
        assert solver.solve(load, 1e-6, count) == count
        x = solver.direction.ravel().copy()
        energies.append(0.5 * x @ (matrix @ x) - load.ravel() @ x)
        assert x @ (matrix @ x) == pytest.approx(load.ravel() @ x, rel=1e-4)
    assert (not x.any() and energies[1] == 0.0) if most == 0 else energies[1] < energies[0]


def test_a_matrix_that_is_not_positive_is_told():
    system = System(ball_mesh(6), 1e5)
    system.blocks *= -1.0
    solver = system.solver()
    assert solver.solve(system.load(), 1e-3) < 0
    assert np.isfinite(solver.direction).all()


def test_elastic_stiffness_resists_everything_but_translation():
    system = System(ball_mesh(6), 1e5)
    solver = system.solver()
    stiffness = solver.summed(filling(solver, system.blocks))
    assert (stiffness.times(np.broadcast_to([0.3, -0.7, 0.1], system.positions.shape)) == 0.0).all()
    moved = system.random.normal(size=system.positions.shape)
    matrix = system.matrix() @ moved.ravel() - (system.diagonal[:, :1] * moved).ravel()
    assert np.abs(stiffness.times(moved).ravel() - matrix).max() < 1e-5 * np.abs(matrix).max()


def test_a_stiffness_weighed_by_nodes():
    """W K W, taken apart into off-diagonal blocks and the rest of the diagonal, against scipy's product."""
    system = System(ball_mesh(5), 1e5)
    weights = np.where(system.random.random(len(system.masses)) < 0.3, 0.7, 1.0)
    system.diagonal[:] = 0.0
    solver = LinearSolve.of(build_pattern(system.tets, len(weights)), system.positions)
    scaled, own = solver.summed(filling(solver, system.blocks)).weighed(weights)
    x = system.random.normal(size=system.positions.shape)
    product = scaled.times(x) + np.einsum("nij,nj->ni", own.reshape(-1, 3, 3), x)
    expected = weights[:, None] * (system.matrix() @ (weights[:, None] * x).ravel()).reshape(-1, 3)
    assert np.abs(product - expected).max() < 1e-5 * np.abs(expected).max()
    assert np.abs(expected - (system.matrix() @ x.ravel()).reshape(-1, 3)).max() > 0.1 * np.abs(expected).max()


def state_of(solver):
    """All that a solution depends on, as bytes; numbers of a row that has its own block in inertia's place mean nothing."""
    arrays = (
        solver._values, solver._own, solver._touched, solver._inverse, solver._inertia, *solver._aggregates.arrays[3:5]
    )  # fmt: skip
    return [array.tobytes() for array in arrays]


@pytest.mark.parametrize("inside", [False, True])
def test_other_contacts_leave_nothing_of_those_before(inside):
    """Contact that comes and goes beside a matrix that stays: the bytes of one that is assembled with it at once."""
    system = System(ball_mesh(8), 1e5)
    _, diagonal, contact = system.contact(1e4, inside=inside)
    _, other_diagonal, other = system.contact(1e2, inside=True, first=7)
    solver, fresh, load = system.solver(), system.solver(), system.load()
    system.diagonal, bare = diagonal, system.diagonal
    alone = state_of(solver)
    solver.solve(load, 1e-3)
    solver.touch(diagonal, contact)
    fresh.assemble(filling(fresh, system.blocks), diagonal, contact=contact)
    assert state_of(solver) == state_of(fresh) != alone
    solver.touch(other_diagonal, other)
    fresh.assemble(filling(fresh, system.blocks), other_diagonal, contact=other)
    assert state_of(solver) == state_of(fresh)
    assert not solver.coarse and not fresh.coarse  # which would stay as it was, and differ
    assert solver.solve(load, 1e-3) == fresh.solve(load, 1e-3) > 0
    assert (solver.direction == fresh.direction).all()
    solver.touch(bare, ContactStiffness(np.zeros(0, np.int32), np.zeros((0, 4), np.int32), np.zeros((0, 6, 9), np.float32)))
    assert state_of(solver) == alone


@pytest.mark.parametrize("contact", [(1e2, True), (1e6, False)], ids=["inside", "at nodes"])
def test_contact_put_in_apart_is_that_in_the_blocks(contact):
    apart, together = System(ball_mesh(8), 1e5), System(ball_mesh(8), 1e5)
    together.touch(contact[0], inside=contact[1])
    _, diagonal, stiffness = apart.contact(contact[0], inside=contact[1])
    solver = apart.solver()
    solver.assemble(filling(solver, apart.blocks), diagonal, contact=stiffness)
    x = apart.random.normal(size=apart.positions.shape)
    product = together.matrix() @ x.ravel()
    assert np.abs(solver.times(x).ravel() - product).max() < 1e-5 * np.abs(product).max()
