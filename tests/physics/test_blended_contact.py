"""Contact points that hang on more than four nodes: they push by the weights by which they are seen."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from solver.bake import prepare
from solver.contact.response import normal_forces
from solver.embedding import evaluate
from solver.fem.linear_solve import LinearSolve
from solver.fem.spring_coupling import add_springs
from solver.materials import Material
from solver.scene import Body, Collider, Scene, Settings
from solver.simulate import Simulation
from tests.element_blocks import filling
from tests.surfaces import moved, sphere, stored

DEEPER = np.array([0.01, 0.0, -0.2])  # than she lies [m]
RUBBER = {"density": 1000.0, "young_modulus": 1e5, "poisson_ratio": 0.3, "yield_stress": 1e9}


@pytest.fixture(scope="module")
def lying():
    """A coarse Suzanne who has been thrown down aslant and rubs on the ground: simulation, her points, positions (n, 3)."""
    head = stored("suzanne")
    head = moved(head, (0.0, 0.0, 0.01 - head.positions[:, 2].min()))
    body = Body("s", "Suzanne", head, Material("viscoplastic", RUBBER), resolution=8, velocity=(1.0, 0.3, -2.0))
    ground = Collider("g", "Ground", "plane", np.eye(4)[None], friction=0.5)
    scene = Scene((body,), (ground,), Settings(frame_end=8, threads=1))
    prepared = prepare(scene)
    lists = [[getattr(item, name) for item in prepared] for name in ("mesh", "surface", "contacts")]
    simulation = Simulation(scene, *lists)
    for _ in range(5):
        simulation.advance()
    return simulation, prepared[0].contacts, simulation.state.positions


@pytest.fixture
def entries(lying):
    """Her contacts, of both kinds, pressed a little deeper than they are so that many push and rub."""
    simulation, _, here = lying
    contacts = simulation.contacts
    contacts.awake[:] = True
    contacts.begin_step(here, here + DEEPER, contacts.time + 0.01, 0.01)
    found = contacts.linearize(here + DEEPER)
    assert len(found.carriers.nodes) > 3 and len(found.carriers.rows) > 20
    return found


def pressed(lying):
    """Her nodes (n, 3) where these contacts are asked for: bent a little, too."""
    here = lying[2]
    return here + DEEPER + 1e-3 * np.random.default_rng(1).normal(size=here.shape)


def test_gradient_and_rise_are_those_of_the_energy(lying, entries):
    here, rng = pressed(lying), np.random.default_rng(4)
    way, gradient = rng.normal(size=here.shape), np.zeros_like(here)
    energy, rise = entries.rise(here, way)
    assert energy == pytest.approx(entries.add_gradient(here, gradient), rel=1e-12) and energy > 0.0
    (above, _), (below, _) = (entries.rise(here + sign * 1e-8 * way, way) for sign in (1.0, -1.0))
    assert (gradient * way).sum() == pytest.approx((above - below) / 2e-8, rel=1e-5)
    assert rise == pytest.approx((gradient * way).sum(), rel=1e-9)


def test_stiffness_in_the_linear_solve_is_how_the_gradient_changes(lying, entries):
    """With all of friction's true stiffness."""
    simulation, _, _ = lying
    here, space, entries = pressed(lying), simulation.space, replace(entries, exact=1.0)
    way, changes = np.random.default_rng(5).normal(size=here.shape), np.zeros((2, *here.shape))
    for change, sign in zip(changes, (1.0, -1.0), strict=True):
        entries.add_gradient(here + sign * 1e-8 * way, change)
    expected = (changes[0] - changes[1]) / 2e-8
    linear, diagonal = LinearSolve.of(space.pattern, here), np.tile(np.eye(3).ravel(), (len(here), 1))
    contact = entries.add_stiffness(here, diagonal, linear.rank)
    assert len(contact.beside.blocks) > 10 and len(contact.blocks) > 3
    linear.assemble(filling(linear, np.zeros((space.tiles.lanes, 6, 9), np.float32)), diagonal, contact=contact)
    found = linear.times(way) - way
    np.testing.assert_allclose(found, expected, atol=2e-5 * np.abs(expected).max())
    linear_change, law = np.zeros((2, *here.shape))
    entries.add_linear_gradient(here, here + 1e-6 * way, linear_change)
    entries.add_gradient(here, law)
    np.testing.assert_allclose((linear_change - law) * 1e6, found, atol=2e-5 * np.abs(found).max())


def test_the_preconditioner_knows_it_and_forgets_it(lying, entries):
    """Its diagonal blocks are those of the whole matrix; contacts taken out again leave every byte as it was."""
    simulation, _, _ = lying
    here, space = pressed(lying), simulation.space
    linear, bare = LinearSolve.of(space.pattern, here), np.tile(1e3 * np.eye(3).ravel(), (len(here), 1))
    fill = filling(linear, np.zeros((space.tiles.lanes, 6, 9), np.float32))
    nothing = simulation.contacts.linearize(here + (0.0, 0.0, 1.0)).add_stiffness(here, bare, linear.rank)
    linear.assemble(fill, bare, contact=nothing)
    kept = linear._inverse, linear._values, linear._contact_sums, linear._aggregates.arrays.fine_inverse
    before = [array.tobytes() for array in kept]
    diagonal = bare.copy()
    linear.touch(diagonal, entries.add_stiffness(here, diagonal, linear.rank))
    node = int(entries.carriers.rows.nodes[np.abs(entries.carriers.rows.weights).argmax()])
    block = np.empty((3, 3))
    for axis in range(3):
        unit = np.zeros_like(here)
        unit[node, axis] = 1.0
        block[:, axis] = linear.times(unit)[node]
    inverse = np.linalg.inv(block)
    packed = linear._inverse.reshape(-1, 8)[linear.rank[node]]
    found = packed[[0, 4, 5, 4, 1, 6, 5, 6, 2]].reshape(3, 3)
    assert block[2, 2] > 2e3
    np.testing.assert_allclose(found, inverse, atol=1e-5 * np.abs(inverse).max())
    assert kept[3].tobytes() != before[3]
    linear.touch(bare, nothing)
    assert [array.tobytes() for array in kept] == before
    assert not len(linear._springs.rows)


def test_aggregates_know_it_too(lying, entries):
    """What those of fifty nodes, each moved as one, meet in its springs: their product with that motion."""
    here, space = pressed(lying), lying[0].space
    springs = entries.add_stiffness(here, np.zeros((len(here), 9)), space.linear.rank).beside
    owners, blocks = (np.arange(len(here)) // 50).astype(np.int32), np.zeros((len(here) // 50 + 1, 9))
    springs.add_blocks(owners, blocks)
    for owner in np.unique(owners[springs.rows]):
        for axis in range(3):
            motion, product = np.zeros((2, len(here), 4), np.float32)
            motion[owners == owner, axis] = 1.0
            add_springs(springs.arrays, motion.ravel(), product.ravel())
            expected = product[owners == owner, :3].sum(axis=0, dtype=float)
            np.testing.assert_allclose(blocks[owner, axis::3], expected, atol=1e-5 * np.abs(blocks).max())
    assert np.abs(blocks).max() > 1e2


def test_the_push_is_that_on_what_is_seen(lying, entries):
    """Force and moment are those on the points as the artist sees them, and so is the work for any way of the nodes."""
    simulation, binding, _ = lying
    here, tets, points = pressed(lying), simulation.state.tets, entries.places
    places = simulation.contacts.points.positions(here)
    np.testing.assert_allclose(places[: len(binding.tets)], evaluate(binding, tets, here), atol=1e-12)
    smooth, gradient = replace(entries, grip=0.0 * entries.grip), np.zeros_like(here)
    smooth.add_gradient(here, gradient)
    push = np.empty(len(points))
    normal_forces((smooth.normal * places[points]).sum(axis=1) - smooth.level, smooth.reach, smooth.stiffness, push)
    force = push[:, None] * smooth.normal
    assert push.max() > 1.0
    np.testing.assert_allclose(-gradient.sum(axis=0), force.sum(axis=0), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        -np.cross(here, gradient).sum(axis=0), np.cross(places[points], force).sum(axis=0), atol=1e-9 * np.abs(force).sum()
    )
    way = np.random.default_rng(6).normal(size=here.shape)
    moved_by = simulation.contacts.points.positions(way)[points]
    assert -(gradient * way).sum() == pytest.approx((force * moved_by).sum(), rel=1e-9)


def test_settled_contacts_balance_their_springs(lying, entries):
    """What is pressed down on springs comes to where contact's force, by its own law, is that of the springs."""
    simulation, _, _ = lying
    start = pressed(lying)
    hold = np.full(len(start), 1e9)  # firm against contacts pressed as deep as these, or sweeps creep
    positions = start.copy()
    smooth = replace(entries, grip=0.0 * entries.grip, friction=0.0 * entries.friction)
    after = np.zeros_like(start)
    smooth.settle_guess(positions, np.zeros_like(start), hold)
    smooth.add_gradient(positions, after)
    left = hold[:, None] * (positions - start) + after
    assert np.abs(after).max() > 1e4 and np.linalg.norm(left) < 0.01 * np.linalg.norm(after)


def test_who_touches_is_who_carries(lying, entries):
    """All nodes of the rows, each with its element size; and some of the contacts are carried as all are."""
    rows, carriers = entries.carriers.rows, entries.carriers
    nodes, sizes = entries.touching
    every = np.concatenate([carriers.nodes[carriers.weights != 0.0], rows.nodes])
    assert (nodes == np.unique(every)).all() and (sizes == lying[0].contacts.points.size[0]).all()
    matrix = csr_matrix((rows.weights, rows.nodes, rows.start), shape=(len(rows), len(lying[2])))
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0, atol=1e-12)
    which = np.arange(len(entries.level)) % 3 == 0
    some = carriers.taken(which)
    np.testing.assert_allclose(some.places(lying[2]), carriers.places(lying[2])[which], atol=1e-15)


def test_one_and_many_threads_give_the_same_bytes():
    """Of a ball that is seen outside its coarse tets."""
    found = []
    for threads in (1, 2):
        run = thrown(threads)
        for _ in range(6):
            run.advance()
        found.append(run.state.positions.tobytes())
    assert found[0] == found[1]


def thrown(threads):
    ball, rubber = sphere(10, 0.3, (0.0, 0.0, 0.5)), Material("viscoplastic", RUBBER)
    body = Body("b", "Ball", ball, rubber, resolution=6, velocity=(1.0, 0.0, -4.0))
    ground = Collider("g", "Ground", "plane", np.eye(4)[None], friction=0.5)
    scene = Scene((body,), (ground,), Settings(frame_end=8, threads=threads))
    prepared = prepare(scene)
    lists = [[getattr(item, name) for item in prepared] for name in ("mesh", "surface", "contacts")]
    return Simulation(scene, *lists)
