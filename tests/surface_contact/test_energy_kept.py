"""What a hard step may lose, what holds a body counts as, and what remeshes and merges leave of a ledger."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from solver.fem.clock import PATIENT_LEVEL, Clock
from solver.fem.convergence import Convergence
from solver.fem.energy_ledger import MOST_LOST, EnergyLedger, Gains
from solver.fem.momentum import company, gone_over, slowed
from solver.formulas import nodal_forces
from solver.pins.pin import Pin
from solver.simulate import Simulation
from solver.state import Ranges
from tests.physics.scenes import PlaneField, ball_mesh, box_mesh, make_scene, momentum
from tests.surface_contact.test_bodies import FAR, RUBBER, kinetic
from tests.surface_contact.test_energy_ledger import blow, flying, watched
from tests.surface_contact.test_pinned import FRAMES, pressed


@pytest.mark.parametrize(("young", "speed"), [(3e4, 8.0), (2e4, 6.0)])
def test_a_step_that_is_calm_loses_little(young, speed):
    """By backward Euler in the steps that gained, a fifth of all went in one of them."""
    run = blow(young, speed, 0.1)
    energies, calms = watched(run)
    for _ in range(6):
        run.advance()
    lost = -np.diff(energies) / np.array(energies[:-1])
    assert np.any(calms) and lost[np.any(calms, axis=1)].max() < 1.5 * MOST_LOST
    assert energies[-1] > 0.6 * energies[0]


def test_a_rough_step_that_loses_much_is_halved(monkeypatch):
    """No step longer than 1/3000 s finds a balance here: as long as it would stop what flies, it is not taken."""
    run = blow(3e4, 6.0, 0.1)
    energies, _ = watched(run)
    solve, accept, rejected, rough = run._solve, run._accept, [], [False]

    def accepted(attempt):
        rough.append(attempt.outcome.rough)
        accept(attempt)

    def stopped(step, calm):
        attempt = solve(step, calm)
        if step > 1.0 / 3000.0 and len(run.surfaces.pairs.nodes) and len(energies) > 8:
            outcome = attempt.outcome
            outcome.converged = False
            outcome.positions = run.state.positions + 0.3 * (outcome.positions - run.state.positions)
        return attempt

    monkeypatch.setattr(run, "_solve", stopped)
    monkeypatch.setattr(run, "_accept", accepted)
    for _ in range(3):
        rejected.append(run.advance().statistics["rejected"])
    assert sum(rejected) > 5
    kept = np.array(energies[1:]) / np.array(energies[:-1])
    assert kept[rough[1:]].min(initial=1.0) > 1.0 - 1.5 * MOST_LOST and energies[-1] > 0.7 * energies[0]


def test_rough_steps_keep_momentum_and_spin(monkeypatch):
    """Of bodies that nothing but each other acts on, whatever a solve that found no balance has left of their way."""
    run = blow(3e4, 6.0, 0.1)
    run.state.velocities += (1.0, 0.5, -0.3)
    run.state.previous_velocities[:] = run.state.velocities
    run.state.previous_positions[:] = run.state.positions - run.clock.step * run.state.velocities
    solve, rough = run._solve, 0.0

    def stopped(step, calm):
        attempt = solve(step, calm)
        if len(run.surfaces.pairs.nodes):
            outcome, way = attempt.outcome, np.linspace(0.9, 1.0, len(run.state.positions))[:, None]
            outcome.converged, outcome.positions = False, run.state.positions + way * (outcome.positions - run.state.positions)
        return attempt

    monkeypatch.setattr(run, "_solve", stopped)
    linear, angular = momentum(run)
    for _ in range(3):
        rough += run.advance().statistics["rough"]
        now, spin = momentum(run)
        assert np.abs(now - linear).max() < 1e-9 * run.state.masses.sum()
        assert np.abs(spin - angular).max() < 1e-3 * np.abs(angular).max()
    assert rough > 5


def test_rough_steps_gain_nothing(monkeypatch):
    """Solves that find no balance squeeze bodies by 2 % a step; what that gives, sixteen times what they had, slows them."""
    run = blow(3e4, 6.0, 0.1)
    energies, _ = watched(run)
    solve, rough = run._solve, 0.0

    def squeezed(step, calm):
        attempt = solve(step, calm)
        if len(energies) < 8:
            outcome = attempt.outcome
            outcome.converged, outcome.positions = False, outcome.positions.copy()
            for own in pairwise(run.ranges.nodes):
                places = outcome.positions[slice(*own)]
                places += 0.02 * (places.mean(axis=0) - places)
        return attempt

    monkeypatch.setattr(run, "_solve", squeezed)
    for _ in range(3):
        rough += run.advance().statistics["rough"]
    assert rough > 5 and max(energies) < 1.05 * energies[0]


def test_what_slows_takes_the_energy_asked_for_and_no_momentum_or_spin():
    random = np.random.default_rng(3)
    places, masses, own = random.normal(size=(9, 3)), random.uniform(0.5, 2.0, 9), np.arange(9) < 7
    before = random.normal(size=(9, 3))
    after = before.copy()

    def sums(velocities):
        moving = masses[own, None] * velocities[own]
        return moving.sum(axis=0), np.cross(places[own], moving).sum(axis=0), 0.5 * (moving * velocities[own]).sum()

    slowed(places, after, masses, own, 0.5)
    (momentum, spin, energy), (momentum_left, spin_left, left) = sums(before), sums(after)
    assert left == pytest.approx(energy - 0.5, rel=1e-12) and (after[~own] == before[~own]).all()
    assert momentum_left == pytest.approx(momentum, abs=1e-12) and spin_left == pytest.approx(spin, abs=1e-12)
    slowed(places, after, masses, own, 1e3)
    assert 0.0 < sums(after)[2] < left and sums(after)[1] == pytest.approx(spin, abs=1e-12)


def test_losses_are_shares_of_what_there_was():
    """As seen from the common centre: what flies on together is no energy that can be lost."""
    both, masses = np.array([True, True]), np.array([2.0, 1.0])
    momenta = masses[:, None] * np.array([[1.0, 0.0, 0.0], [4.0, 0.0, 0.0]])
    gains = Gains(np.zeros(2, dtype=int), both, np.array([-1.0, -2.0]), np.array([1.0, 8.0]), masses, momenta)
    assert gains.lost(both) == pytest.approx(3.0 / (9.0 - 6.0 + 3.0))


def test_which_steps_are_halved_for_what_they_lose():
    clock, ledger, calm = Clock(1.0 / 48.0), EnergyLedger(Ranges(np.arange(3), np.arange(3))), np.array([False, True])

    def lossy(share, rough, calm=calm):
        gained, had = np.array([0.0, -share]), np.array([1.0, 1.0 - share])
        ledger._gains = Gains(np.arange(2), np.ones(2, dtype=bool), gained, had, np.ones(2), np.zeros((2, 3)))
        return ledger.lossy(calm, rough, clock)

    assert lossy(1.1 * MOST_LOST, False) and not lossy(0.9 * MOST_LOST, True) and not lossy(0.5, False, ~calm)
    for _ in range(PATIENT_LEVEL):
        clock.halve()
    assert not lossy(0.5, False) and lossy(0.5, True, ~calm)
    while clock.halve():
        pass
    assert not lossy(0.5, True)


def test_what_nearly_balances_is_as_near_as_its_first_correction_is_large():
    progress = Convergence(1.0, 1.0 / 1536.0)
    progress.pushing = True
    for size, near in ((1e-4, False), (1e-5, False), (4e-6, True)):
        progress.take(np.full((3, 3), size))
        assert progress.nearing() == near


@pytest.mark.parametrize(("young", "speed", "off"), [(3e4, 3.0, 0.1), (1e5, 6.0, 0.4)])
def test_momentum_and_spin_stay_to_rounding(young, speed, off):
    """Forces are summed in single precision; what is balanced is inertia."""
    run = blow(young, speed, off)
    (linear, spin), size = momentum(run), run.state.masses.sum() * speed
    for _ in range(10):
        run.advance()
        now, turned = momentum(run)
        assert np.abs(now - linear).max() < 1e-12 * size and np.abs(turned - spin).max() < 1e-12 * size
    assert kinetic(run) < 0.9 * 0.5 * size * speed


def test_debts_go_over_to_what_bodies_become():
    before, after = (EnergyLedger(Ranges(np.arange(count + 1), np.arange(count + 1))) for count in (4, 2))
    before.credit = np.array([-1.0, 0.5, -2.0, 0.25])
    after.take_over(before, np.array([0, 1, 0, 1]))
    assert after.credit.tolist() == [-3.0, 0.75]


def test_company_goes_over_to_what_bodies_become():
    recent = np.array([[0, 1, 2, 3, 4], [0, 0, 2, 3, 3]])
    over = gone_over(recent, np.array([0, 1, 1, 2, 3]))
    assert over.tolist() == [[0, 1, 2, 3], [0, 0, 2, 2]]
    assert company(over).tolist() == [0, 0, 2, 2]


def struck(young, speed, off, stiffness, damping=0.0, **settings):
    """A ball flies at a box whose far side is pinned; what the pins' springs hold [J] at a time."""
    meshes = [ball_mesh(3, 0.5, (-0.55, 0.0, 0.0)), box_mesh((3, 3, 3), (0.9, 0.9, 0.9), (0.03, off - 0.4, -0.5))]
    settings = FAR | {"body_contact": "bodies", "threads": 1} | settings
    scene, *rest = make_scene(meshes, [RUBBER | {"young_modulus": young}] * 2, **settings)
    far = np.flatnonzero(meshes[1].positions[:, 0] > 0.9)
    places = meshes[1].positions[far]
    pin = Pin("pin", far.astype(np.int32), np.ones(len(far)), np.tile(places, (3, 1, 1)), stiffness=stiffness, damping=damping)
    bodies = scene.bodies[0], replace(scene.bodies[1], pins=(pin,))
    run = flying(Simulation(replace(scene, bodies=bodies), *rest, fields=[]), [speed, 0.0])
    nodes = run.ranges.nodes[1] + far

    def springs():
        return 0.5 * stiffness * float(run.state.masses[nodes] @ ((run.state.positions[nodes] - places) ** 2).sum(axis=1))

    return run, springs


@pytest.mark.parametrize("stiffness", [0.0, 1e4])
@pytest.mark.parametrize(("young", "speed", "off"), [(3e4, 6.0, 0.1), (1e5, 6.0, 0.4)])
def test_what_strikes_a_pinned_body_gains_nothing(young, speed, off, stiffness):
    """With pinned bodies left out, 28 of 36 such blows gained, up to 21 %."""
    run, springs = struck(young, speed, off, stiffness)
    energies, calms = watched(run)
    held, accept = [0.0], run._accept

    def accepted(attempt):
        accept(attempt)
        held.append(springs())

    run._accept = accepted
    for _ in range(8):
        run.advance()
    assert (np.array(energies) + held).max() < 1.0005 * energies[0] and np.any(calms)
    assert energies[-1] + held[-1] > 0.5 * energies[0]


@pytest.mark.parametrize("stiffness", [0.0, 1e4])
def test_pins_may_give_energy(stiffness):
    """They press a ball flat and let go: hardly a step is taken again for it."""
    run, _, _ = pressed(stiffness)
    _, calms = watched(run)
    for _ in range(FRAMES):
        run.advance()
    assert np.any(calms, axis=1).sum() <= 0.1 * len(calms)


@pytest.mark.parametrize(("stiffness", "damping"), [(0.0, 0.0), (1e4, 0.0), (1e4, 50.0)])
def test_what_pins_do_is_what_balances_each_node(stiffness, damping):
    """Mass times the change of speed is strain's force, the springs', and what is told of grips and drag."""
    run, _ = struck(1e5, 6.0, 0.1, stiffness, damping, integrator="backward_euler")
    rest, rng, step = run.state.positions.copy(), np.random.default_rng(2), run.clock.step
    run.state.velocities[:] = rng.normal(size=rest.shape)
    before = run.state.velocities.copy()
    attempt = run._solve(step, run.ledger.nobody())
    end, masses = attempt.outcome.positions, run.state.masses[:, None]
    strain = nodal_forces(end, run.state.tets, rest, run.scene.bodies[0].material)
    rate = masses * (attempt.velocities - before) / step
    left = rate - strain - run.held.forces(end)
    assert np.abs(left - attempt.outer).max() < 3e-3 * np.abs(rate).max()
    assert np.abs(attempt.outer).max() > 0.01 * np.abs(rate).max() or (stiffness and not damping)
    way, small = rng.normal(size=end.shape), 1e-5
    slope = (np.sum(run.held.energies(end + small * way)) - np.sum(run.held.energies(end - small * way))) / (2.0 * small)
    assert slope == pytest.approx(-(run.held.forces(end) * way).sum(), rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_what_falls_on_a_plane_gains_nothing(friction, number):
    """So bodies that touch nothing but colliders are not asked (docs/solver/time.md: 120 drops on six kinds of them)."""
    rng = np.random.default_rng(number)
    material = RUBBER | {"young_modulus": 10 ** rng.uniform(4.0, 6.0), "poisson_ratio": rng.uniform(0.2, 0.45)}
    meshes = [ball_mesh(4, 0.5, (0.0, 0.0, 0.55))]
    velocity, spin = (rng.uniform(-2.0, 2.0), 0.0, -rng.uniform(3.0, 15.0)), tuple(rng.normal(size=3))
    arguments = make_scene(meshes, [material], velocity=velocity, spin=spin, threads=1)
    run = Simulation(*arguments, fields=[PlaneField(friction=friction)])
    energies, _ = watched(run)
    heights, accept = [9.81 * run.state.masses @ run.state.positions[:, 2]], run._accept

    def accepted(attempt):
        accept(attempt)
        heights.append(9.81 * run.state.masses @ run.state.positions[:, 2])

    run._accept = accepted
    for _ in range(10):
        run.advance()
    total = np.array(energies) + heights
    assert total.max() <= total[0] * (1.0 + 1e-6) and total.min() < 0.98 * total[0]
