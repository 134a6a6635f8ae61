"""Bodies that strike each other hard bring all the energy that they leave with (solver/fem/energy_ledger.py)."""

import numba
import numpy as np
import pytest

from solver.fem.momentum import company
from solver.formulas import elastic_energy
from solver.jit import use_threads
from solver.slots import ENERGY, VOLUME
from tests.physics.scenes import PlaneField, ball_mesh, box_mesh, momentum
from tests.surface_contact.test_bodies import FAR, RUBBER, kinetic, simulation

BLOWS = [(3e4, 3.0, 0.1), (3e4, 6.0, 0.4), (1e5, 3.0, 0.4), (1e5, 6.0, 0.1)]  # E [Pa], speed [m/s], how far off the middle [m]


def blow(young, speed, off, **settings):
    """A ball and a box of few tets that fly at each other."""
    meshes = [ball_mesh(3, 0.5, (-0.55, 0.0, 0.0)), box_mesh((3, 3, 3), (0.9, 0.9, 0.9), (0.03, off - 0.4, -0.5))]
    run = simulation(meshes, material=RUBBER | {"young_modulus": young}, **(FAR | settings))
    return flying(run, [speed, -speed])


def flying(run, speeds):
    """A simulation whose bodies fly along x at speeds [m/s], as they did before."""
    bodies, state = run.ranges.bodies(), run.state
    state.velocities[:, 0] = np.array(speeds)[bodies]
    state.previous_velocities[:] = state.velocities - run.clock.step * run.gravity
    state.previous_positions[:] = state.positions - run.clock.step * state.velocities
    return run


def watched(run):
    """The most energy of motion and strain [J] at the end of any step from now on, and the bodies (b,) calm in each: two
    lists that fill."""
    energies, calms, accept, end_step = [kinetic(run)], [], run._accept, run.ledger.end_step

    def accepted(attempt):
        count = len(run.state.tets)
        stored = (run.space.tiles.unpack(ENERGY, 1, count) * run.space.tiles.unpack(VOLUME, 1, count)).sum()
        accept(attempt)
        energies.append(kinetic(run) + stored)

    def ended(attempt, calm):
        calms.append(calm.copy())
        end_step(attempt, calm)

    run._accept, run.ledger.end_step = accepted, ended
    return energies, calms


@pytest.mark.parametrize("integrator", ["generalized_alpha", "bdf2"])
@pytest.mark.parametrize(("young", "speed", "off"), BLOWS)
def test_a_blow_gives_no_energy_and_keeps_momentum(young, speed, off, integrator):
    """By generalized alpha alone these gain 4 to 30 %."""
    run = blow(young, speed, off, integrator=integrator)
    energies, _ = watched(run)
    linear, spin = momentum(run)
    for _ in range(6):
        run.advance()
    assert max(energies) < 1.0005 * energies[0]
    size = run.state.masses.sum() * speed
    now, turned = momentum(run)
    assert np.abs(now - linear).max() < 1e-6 * size and np.abs(turned - spin).max() < 1e-3 * size


@pytest.mark.parametrize(("young", "speed", "off"), BLOWS)
def test_what_a_blow_leaves_is_what_it_leaves_in_short_steps(young, speed, off):
    """By generalized alpha alone some leave a quarter of it more."""
    left = []
    for step in (1.0 / 48.0, 1.0 / 768.0):
        run = blow(young, speed, off, maximum_substep=step, calm_substep=step)
        before = kinetic(run)
        for _ in range(9):
            run.advance()
        left.append(kinetic(run) / before)
    assert left[0] == pytest.approx(left[1], abs=0.08)


def test_what_falls_falls_on_through_a_calm_step():
    run = blow(3e4, 3.0, 0.1, gravity=(0.0, 0.0, -9.81))
    _, calms = watched(run)
    linear, _ = momentum(run)
    for _ in range(6):
        run.advance()
    assert np.any(calms)
    fallen = np.array([0.0, 0.0, -9.81 * run.clock.time]) * run.state.masses.sum()
    assert np.abs(momentum(run)[0] - linear - fallen).max() < 1e-6 * run.state.masses.sum() * 3.0


def test_only_those_that_hang_together_are_calm():
    meshes = [
        ball_mesh(3, 0.5, (-0.55, 0.0, 0.0)), box_mesh((3, 3, 3), (0.9, 0.9, 0.9), (0.03, -0.3, -0.5)),
        ball_mesh(3, 0.5, (0.0, 5.0, 0.0)),
    ]  # fmt: skip
    run = flying(simulation(meshes, material=RUBBER | {"young_modulus": 3e4}, **FAR), [3.0, -3.0, 1.0])
    _, calms = watched(run)
    for _ in range(6):
        run.advance()
    assert np.any(calms) and not np.any(calms, axis=0)[2]
    assert all(calm[0] == calm[1] for calm in calms)  # or a force between them is weighted in two ways


def judged(run, frames):
    """The last step of a run that had pairs which push: its start (x, v), the attempt and what was counted."""
    found, accept = [], run._accept

    def accepted(attempt):
        counted = run.ledger._counted(run, attempt)
        if counted is not None:
            state = run.state
            found.append((state.positions.copy(), state.velocities.copy(), attempt, counted))
        accept(attempt)

    run._accept = accepted
    for _ in range(frames):
        run.advance()
    return found


def test_what_is_counted_is_motion_strain_and_barriers_less_gravitys_work():
    goo = RUBBER | {"young_modulus": 3e4}
    run = blow(3e4, 3.0, 0.1, gravity=(0.0, 0.0, -9.81), friction=0.0)
    rest, surfaces = run.state.positions.copy(), run.surfaces
    assert run.scene.bodies[0].material.values["young_modulus"] == goo["young_modulus"]
    steps, masses = judged(run, 6), run.state.masses[:, None]
    assert len(steps) > 5
    for start, before, attempt, counted in steps:
        end, after = attempt.outcome.positions, attempt.moving
        expected = 0.5 * (masses * (after**2 - before**2)).sum() - (masses * np.array([0.0, 0.0, -9.81]) * (end - start)).sum()
        for sign, places in ((1.0, end), (-1.0, start)):
            expected += sign * elastic_energy(places, run.state.tets, rest, run.scene.bodies[0].material)
            surfaces.cover(places, places)
            surfaces.begin_step(places)  # no friction
            expected += sign * surfaces.add_gradient(places, np.zeros_like(places))
        # What is not balanced is not to be told from a collider's force
        left = (attempt.outcome.gradient * (end - start)).sum()
        assert counted.gained.sum() == pytest.approx(expected - left, abs=1e-4 * counted.energy(np.array([True, True])))
        assert (company(attempt.company) == 0).all() == (counted.together == 0).all()


def test_colliders_may_give_energy():
    """A plate lifts a block with a ball on it at 2 m/s: they get it all, and no step is taken again for it."""
    meshes = [box_mesh((3, 3, 2), (0.9, 0.9, 0.5), (0.0, 0.0, 0.001)), ball_mesh(3, 0.4, (0.45, 0.45, 0.92))]
    run = simulation(meshes, material=RUBBER | {"damping": 20.0}, fields=[PlaneField(speed=(0.0, 0.0, 2.0))])
    energies, calms = watched(run)
    for _ in range(13):
        run.advance()
    assert run.state.velocities[:, 2].mean() == pytest.approx(2.0, abs=0.5) and energies[-1] > 1e3
    assert np.any(calms, axis=1).sum() <= 0.1 * len(calms)


def test_a_blow_has_the_same_bytes_on_two_threads_and_from_a_checkpoint():
    whole, owed = blow(*BLOWS[0]), []
    frames = []
    for _ in range(6):
        frames.append(whole.advance())
        owed.append(whole.checkpoint())
    middle = next(k for k, kept in enumerate(owed) if kept["credit"].any())
    assert middle < 5
    ends = [owed[-1]]
    for threads, begun in ((min(2, numba.config.NUMBA_NUM_THREADS), None), (1, middle)):
        run = blow(*BLOWS[0])
        run.pace.hold(threads)
        if begun is not None:
            run.restore(owed[begun])
            assert run.ledger.credit.tobytes() == owed[begun]["credit"].tobytes()
        while run.frame < 6:
            run.advance()
        ends.append(run.checkpoint())
    use_threads(1)
    for end in ends[1:]:
        for name in ends[0]:
            assert end[name].tobytes() == ends[0][name].tobytes(), name
