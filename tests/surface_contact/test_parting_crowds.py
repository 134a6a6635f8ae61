"""Bodies that start in each other: many in one place, and those that pins leave no room to part."""

from types import SimpleNamespace

import numpy as np

from solver.contact.surfaces import parting
from solver.contact.surfaces.parting import SWING
from tests.physics.scenes import box_mesh, momentum
from tests.surface_contact.test_bodies import FAR, RUBBER, simulation
from tests.surface_contact.test_parting import centers, pinned
from tests.surface_contact.watch import Watch


def cubes(count=8, cells=4):
    """Cubes of edge 1 some centimetres apart."""
    rng = np.random.default_rng(0)
    meshes = [box_mesh((cells,) * 3, origin=tuple(rng.uniform(-0.05, 0.05, 3))) for _ in range(count)]
    return simulation(meshes, "bodies", {**RUBBER, "damping": 5.0}, **FAR)


def test_many_bodies_in_one_place_part_in_few_iterations():
    """Eight: 28 pairs, which once worked against each other: up to 82 iterations in five steps, and 9 m/s."""
    run = cubes()
    watch, begun, speeds, effort = Watch(run, own=False), None, [], []
    for frame in range(40):
        found = run.advance().statistics
        effort.append(found["newton_iterations"] / max(found["substeps"], 1.0))
        speeds.append(max(np.linalg.norm(one - other) for one in centers(run)[1] for other in centers(run)[1]))
        if not run.surfaces.left_out:
            begun = frame if begun is None else begun
            assert not watch.crosses(run), frame
    assert begun is not None and begun < 34 and found["inverted"] == 0
    assert np.mean(effort[1:]) < 8.0 and np.max(effort) < 25.0
    assert max(speeds) < 3.0 * 2.0 * SWING / np.e * 1.3 and speeds[-1] < 2.0
    linear, _ = momentum(run)
    assert np.abs(linear).max() < 1e-9 * run.state.masses.sum()


def cores_held(young=1e7):
    """Two boxes half in each other, the middles of both held."""
    meshes = [box_mesh((6, 6, 6)), box_mesh((6, 6, 6), origin=(0.5, 0.1, 0.05))]
    goo = {**RUBBER, "young_modulus": young}
    return pinned(meshes, lambda k, x: (np.abs(x - (0.5 + 0.5 * k, 0.5, 0.5)) < 0.3).all(axis=1), goo=goo)


def test_stiff_bodies_held_in_each_other_come_to_rest_where_they_started():
    """Once shaken for ever, at meters a second: a firm force made anew in each step (sqrt(300) times as fast a swing)."""
    run = cores_held()
    begun, told = run.state.positions.copy(), []
    for _ in range(39):
        told += run.advance().warnings
    assert np.abs(run.state.velocities).max() < 1e-3 and np.abs(run.state.positions - begun).max() < 0.01
    assert len(told) == 2 and "still overlap" in told[1] and run.surfaces.parting[0].firm == 1.0


def test_a_bake_goes_on_from_a_checkpoint_amid_what_is_stalled():
    run, resumed = cores_held(), cores_held()
    for frame in range(9):
        run.advance()
        if frame == 6:
            kept = run.checkpoint()
            assert 1.0 < run.surfaces.parting[0].firm < parting.FIRM
    resumed.restore(kept)
    for _ in range(2):
        resumed.advance()
    assert resumed.state.positions.tobytes() == run.state.positions.tobytes()


def gripped(*pairs):
    """Grips of pairs of numbers of places, each of some nodes by shares, one firmness and bound for all."""
    rng, count = np.random.default_rng(3), 24
    rows = [(np.arange(6 * place, 6 * place + 6), np.array([0.3, 0.2, 0.2, 0.1, 0.1, 0.1])) for pair in pairs for place in pair]
    many, step = len(pairs), 0.01
    near, velocities, masses = rng.normal(size=(count, 3)), 0.05 * rng.normal(size=(count, 3)), rng.uniform(0.5, 2.0, count)
    past = SimpleNamespace(
        inertial=np.full(count, step), effective=np.full(count, step), base=near, targets=near + step * velocities
    )  # fmt: skip
    normal = np.tile([0.6, 0.0, 0.8], (many, 1))
    found = parting._grips(
        parting._carried(rows), normal, np.full(many, 0.1), np.full(many, 50.0), np.ones(many), np.full(many, 3.0),
        np.full(many, SWING), velocities, masses, past, step,
    )  # fmt: skip
    return found, near


def test_what_several_grips_do_that_hold_the_same_nodes_is_what_one_does():
    """Each with its share; those that hold others share nothing."""
    one, near = gripped((0, 1))
    other, _ = gripped((2, 3))
    for moved in (1e-4, 1e-2, 10.0, -10.0):  # within what springs yield at, and beyond, either way
        way = moved * np.random.default_rng(5).normal(size=near.shape)
        force = one.force(near + way)
        assert np.abs(force).max() > 0.0
        for count in (2, 5):
            np.testing.assert_allclose(gripped(*[(0, 1)] * count)[0].force(near + way).sum(axis=0), force[0], rtol=1e-12)
        both = gripped((0, 1), (2, 3))[0].force(near + way)
        np.testing.assert_allclose(both, np.concatenate([force, other.force(near + way)]), rtol=1e-12)
