"""The aggregates of the preconditioner, against dense products of the matrix that scipy has."""

import numpy as np
import pytest

from solver.fem import slabs
from solver.fem.aggregate_blocks import AggregateBlocks
from solver.fem.aggregates import FINE, SHARE, WIDE, Aggregates
from tests.element_blocks import filling
from tests.physics.scenes import ball_mesh, box_mesh
from tests.unit.test_linear_solve import System, single_tet, two_bodies

SYSTEMS = {
    "soft": lambda: System(ball_mesh(6), 1e4),
    "stiff": lambda: System(ball_mesh(6), 1e7),
    "two bodies": two_bodies,
    "nearly incompressible": lambda: System(box_mesh((5, 5, 5)), 1e6, poisson=0.499),
}


def owners_of(solver):
    """The fine and the wide aggregate (2, n) of each node."""
    each = solver.parts.aggregates
    found = np.empty((2, len(solver.layout.order)), int)
    for level, offsets in enumerate((each.fine_rows, each.fine_rows[each.wide_fines])):
        found[level, solver.layout.order] = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return found


def blocks_of(matrix, owners, free):
    """Blocks (m, 3, 3) of a dense matrix that aggregates meet by their free nodes."""
    count = len(owners)
    blocks = np.zeros((owners.max() + 1, 3, 3))
    whole = matrix.reshape(count, 3, count, 3)
    for aggregate in range(len(blocks)):
        own = np.flatnonzero((owners == aggregate) & free)
        blocks[aggregate] = whole[np.ix_(own, range(3), own, range(3))].sum(axis=(0, 2))
    return blocks


def preconditioned(matrix, owners, load, free):
    """M^-1 load (n, 3) as the text of aggregates.py has it, where free; blocks and all by numpy."""
    diagonal = blocks_of(matrix, np.arange(len(load)), np.ones(len(load), bool))
    found = np.linalg.solve(diagonal, load[..., None])[..., 0]
    for level in owners:
        sums = np.stack([np.bincount(level[free], load[free, axis], level.max() + 1) for axis in range(3)], axis=1)
        blocks = blocks_of(matrix, level, free)
        blocks[np.setdiff1d(np.arange(len(blocks)), level[free])] = np.eye(3)
        found += SHARE * np.linalg.solve(blocks, sums[..., None])[level, :, 0]
    found[~free] = 0.0
    return found


def first_direction(solver, load):
    """Where one iteration leads (3n,), of length one: the direction of M^-1 load."""
    assert solver.solve(load, 1e-9, 1) == 1
    return solver.direction.ravel() / np.linalg.norm(solver.direction)


@pytest.mark.parametrize("touched", [False, True])
@pytest.mark.parametrize("name", SYSTEMS)
def test_the_first_direction_is_that_of_the_formula(name, touched):
    system = SYSTEMS[name]()
    if touched:
        system.touch(1e2, inside=True)
    solver, load = system.solver(levels=2), system.load()
    owners, free = owners_of(solver), np.ones(len(load), bool)
    expected = preconditioned(system.matrix().toarray(), owners, load, free).ravel()
    assert np.abs(first_direction(solver, load) - expected / np.linalg.norm(expected)).max() < 1e-4 * SHARE
    alone = system.solver(levels=1)
    assert np.abs(first_direction(alone, load) - expected / np.linalg.norm(expected)).max() > 1e-2 * np.abs(expected).max()


def test_edges_between_slabs_count_too(monkeypatch):
    """Blocks are the same where an aggregate's edges are in one slab and where they are not."""
    found = []
    for rows in (2048, 5):
        monkeypatch.setattr(slabs, "SLAB", rows)
        found.append(list(inverses(SYSTEMS["nearly incompressible"]().solver())))
    for one, other in zip(*found, strict=True):
        assert np.abs(one - other).max() < 1e-5 * np.abs(one).max()


@pytest.mark.parametrize("name", ["soft", "stiff", "two bodies"])
def test_nodes_that_are_held_are_in_no_aggregate(name):
    """Also where others are held the next time."""
    system = SYSTEMS[name]()
    solver = system.solver(levels=2, held=system.low(0.6))
    for share in (0.3, 0.1):
        held, load = system.low(share), system.load()
        load[held] = 0.0
        free = ~np.isin(np.arange(len(load)), held)
        solver.assemble(filling(solver, system.blocks), system.diagonal, levels=2, held=held)
        expected = preconditioned(system.matrix().toarray(), owners_of(solver), load, free).ravel()
        assert np.abs(first_direction(solver, load) - expected / np.linalg.norm(expected)).max() < 1e-4


@pytest.mark.parametrize("again", ["touch", "assemble"])
def test_contact_counts_by_its_nodes_and_at_once(again):
    """Contact that comes to a matrix whose elastic part stays."""
    system = System(ball_mesh(6), 1e5)
    load, solver, stiffness = system.load(), system.solver(levels=2), system.matrix()
    _, diagonal, contact = system.contact(1e3, inside=True)
    if again == "touch":
        solver.touch(diagonal, contact)
    else:
        solver.assemble(filling(solver, system.blocks), diagonal, levels=2, contact=contact, renew=False)
    more = (diagonal - system.diagonal).reshape(-1, 3, 3)
    for level, inverse in zip(owners_of(solver), inverses(solver), strict=True):
        blocks = blocks_of(stiffness.toarray(), level, np.ones(len(load), bool))
        np.add.at(blocks, level, more)
        assert np.abs(inverse - SHARE * np.linalg.inv(blocks)).max() < 1e-4 * np.abs(inverse).max()
    assert 0 < solver.solve(load, 1e-4) < 100


def inverses(solver):
    """The inverted blocks (m, 3, 3) of fine and of wide aggregates, as they are used."""
    arrays = solver._aggregates.arrays
    for flat in (arrays.fine_inverse, arrays.wide_inverse):
        six = flat.reshape(-1, 8)[:, [0, 1, 2, 4, 5, 6]].astype(float)
        yield six[:, [0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(-1, 3, 3)


def test_an_aggregate_that_is_not_positive_does_not_move():
    system = System(ball_mesh(6), 1e5)
    system.blocks *= -1.0
    for inverse in inverses(system.solver()):
        assert (inverse == 0.0).all()


@pytest.mark.parametrize("young", [1e2, 1e10])
def test_what_holds_a_body_that_is_one_aggregate_is_its_inertia(young):
    """However much larger what holds it together is, which float32 does not take away to nothing."""
    system = single_tet()
    system.blocks *= young / 1e6
    solver, one = system.solver(), np.array([0, 1], np.int32)
    solver._aggregates = AggregateBlocks(Aggregates(one, one, 4 * one), solver.layout)
    solver.assemble(filling(solver, system.blocks), system.diagonal)
    whole = SHARE / system.diagonal[:, 0].sum()
    for inverse in inverses(solver):
        assert inverse.shape == (1, 3, 3) and (np.linalg.eigvalsh(inverse[0]) > 0.0).all()
        assert (np.diag(inverse[0]) < (1.0 + 1e-4) * whole).all()
        assert young > 1e6 or np.diag(inverse[0]) == pytest.approx(whole, rel=1e-3)


def test_aggregates_are_neighbours_of_about_as_many_nodes_each():
    system = System(ball_mesh(14), 1e5)
    solver = system.solver()
    each, chunks = solver.parts.aggregates, solver.parts.chunk_offsets
    wide_rows = each.fine_rows[each.wide_fines]
    assert (wide_rows[each.chunk_wides] == chunks).all()
    for offsets, size in ((each.fine_rows, FINE), (wide_rows, WIDE)):
        sizes = np.diff(offsets)
        assert sizes.min() > 0.5 * size and sizes.max() < 1.6 * size and sizes.sum() == len(system.positions)
    extents = [np.ptp(system.positions[own], axis=0).max() for own in np.split(solver.layout.order, each.fine_rows[1:-1])]
    spacing = (np.ptp(system.positions, axis=0).prod() / len(system.positions)) ** (1.0 / 3.0)
    assert np.median(extents) < 2.5 * spacing


def test_they_spare_a_stiff_mesh_a_third_of_the_iterations():
    system = System(box_mesh((12, 12, 12)), 1e7)
    load = system.load()
    alone, two = (system.solver(levels=levels).solve(load, 0.02) for levels in (1, 2))
    assert 0 < 3 * two < 2 * alone, (two, alone)
