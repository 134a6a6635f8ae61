"""Bodies that hit each other hard: contact stops them within the steps that it may take, and hands on what they bring."""

import numpy as np
import pytest

from solver.attempts import harmless
from solver.bake import prepare
from solver.contact.surfaces.meetings import FIRMEST
from solver.materials import Material
from solver.scene import Body, Scene, Settings, validated
from solver.simulate import Simulation
from tests.surface_contact.artists import flattened, simulated
from tests.surfaces import moved, sphere

SPEED = 12.0  # m/s


def test_a_hard_ball_hits_a_soft_one_and_no_momentum_is_lost():
    values = {"density": 1000.0, "poisson_ratio": 0.4, "yield_stress": 1e9}
    soft, hard = (Material("viscoplastic", {**values, "young_modulus": young}, {}) for young in (5e4, 4e6))
    bodies = (
        Body("soft", "Soft", sphere(8, 0.15), soft, resolution=8),
        Body("hard", "Hard", moved(sphere(8, 0.08), (-0.27, 0.0, 0.02)), hard, resolution=6, velocity=(SPEED, 0.0, 0.0)),
    )
    scene = validated(Scene(bodies, (), Settings(1, 20, 100.0, (0.0, 0.0, 0.0), threads=1)))
    prepared = prepare(scene)
    run = Simulation(scene, *([getattr(item, name) for item in prepared] for name in ("mesh", "surface", "contacts")))
    masses, frames = run.state.masses[:, None], [run.advance() for _ in range(8)]
    brought = masses[run.ranges.nodes[1] :].sum() * SPEED
    momentum = (masses * run.state.velocities).sum(axis=0)
    assert momentum == pytest.approx([brought, 0.0, 0.0], abs=1e-4 * brought)
    given = (masses * run.state.velocities)[: run.ranges.nodes[1], 0].sum()
    assert given > 0.5 * brought  # the blow is over, or nearly
    assert sum(frame.statistics["rough"] for frame in frames) == 0.0


def test_a_rough_step_that_is_cut_short_keeps_its_momentum(monkeypatch):
    """It goes a third of its way, as bodies would meet; what they bring is not a third of what they had."""
    goo = Material("viscoplastic", {"density": 1000.0, "poisson_ratio": 0.4, "yield_stress": 1e9, "young_modulus": 5e4}, {})
    bodies = (
        Body("a", "A", sphere(6, 0.15), goo, resolution=5, velocity=(0.0, 2.0, 0.0)),
        Body("b", "B", moved(sphere(6, 0.15), (-0.4, 0.0, 0.0)), goo, resolution=5, velocity=(SPEED, 0.0, 0.0)),
    )
    scene = validated(Scene(bodies, (), Settings(1, 20, 100.0, (0.0, 0.0, 0.0), threads=1)))
    prepared = prepare(scene)
    run = Simulation(scene, *([getattr(item, name) for item in prepared] for name in ("mesh", "surface", "contacts")))
    attempt = run._solve(run.clock.step, run.ledger.nobody())
    monkeypatch.setattr(run.surfaces, "reachable", lambda start, end: start + (end - start) / 3.0)
    calm = harmless(run, attempt)
    masses, begun = run.state.masses[:, None], run.state.positions
    brought = (masses * run.state.velocities).sum(axis=0)
    assert (masses * calm.velocities).sum(axis=0) == pytest.approx(brought, abs=1e-6 * np.abs(brought).max())
    way = attempt.outcome.positions - begun  # but for the turn that keeps the spin in backward Euler's step
    assert np.abs(3.0 * (calm.outcome.positions - begun) - way).max() < 1e-4 * np.abs(way).max()


@pytest.fixture(scope="module")
def run():
    return simulated(flattened(9, 5e-4))


def far_and_onto(run, apart, way):
    """Positions with one body away from the other by so much [m], and a direction in which it comes by so much [m]."""
    places, fall = run.state.positions.copy(), np.zeros_like(run.state.positions)
    above = slice(run.ranges.nodes[1], None)
    places[above, 2] += apart
    fall[above, 2] = -way
    return places, fall


def law(gap, reach, soft):
    """Force [N] of the barrier of a pair at a gap [m]: a spring down to three quarters of its reach, then an inverse cube."""
    deep = soft * 0.25 * reach * (0.75 * reach / np.maximum(gap, 1e-100)) ** 3
    return np.where(gap > 0.75 * reach, soft * (reach - gap), deep)


def grown(run, met, ways):
    """By how much the gaps of pairs grow on the way [m]."""
    return np.einsum("km,kmi,ki->k", met.weights, run.surfaces.carried.places(ways)[met.points], met.normal)


def test_a_spring_that_a_blow_meets_reaches_where_the_barrier_pushes_as_hard(run):
    places, fall = far_and_onto(run, 0.02, 0.05)
    met = run.surfaces.meetings(places, fall)
    push = met.stiffness * (met.begin - met.gap - grown(run, met, fall))  # what the soft springs hold at the end of the way
    firm = met.firmed(met.left(fall))
    deep = firm.stiffness > met.stiffness
    assert deep.sum() > 10 and (push[deep] > 0.0).all() and not met.across.any()
    gap = met.begin - push / firm.stiffness  # where the firm ones hold as much
    assert law(gap, met.begin, met.stiffness)[deep] == pytest.approx(push[deep], rel=1e-9)
    assert firm.firmed(firm.left(fall * 0.1)).stiffness == pytest.approx(firm.stiffness)


def test_a_pair_that_is_crushed_gets_the_slope_of_the_chord(run):
    places, fall = far_and_onto(run, 0.0, 0.02)
    run.surfaces.begin_step(places)
    met = run.surfaces.meetings(places, fall)
    met = met.taken((met.slope > 0.0) & met.crushed(met.left(fall)))
    assert len(met) > 3 and (met.gap == met.begin).all()
    gradient = np.zeros_like(places)
    met.add_gradient(gradient)
    assert not gradient.any() and not len(met.others_than(met))  # what their barriers push with counts by itself
    push = met.force - met.slope * grown(run, met, fall)
    there = met.gap - (push - met.force) / (met.slope + met.stiffness)
    assert (there > 0.0).all() and (there < 0.5 * met.gap).all()
    assert there**3 * push == pytest.approx(met.held, rel=1e-9)
    again = met.firmed(met.left(fall))  # the way is still as long: the blow is one of a place to go to, not of a force
    assert (again.stiffness > 1.5 * met.stiffness).all() and again.much_firmer(met)


def test_no_spring_gets_firmer_than_float32_can_solve(run):
    """A way far too long, asked again and again, as it comes of a system that is too stiff already; nor any softer by that."""
    places, fall = far_and_onto(run, -4.9e-4, 0.02)
    run.surfaces.begin_step(places)
    met = run.surfaces.meetings(places, fall)
    assert (met.slope > 0.0).any()
    for _ in range(4):
        firm = met.firmed(met.left(fall))
        assert (firm.stiffness >= met.stiffness).all()
        assert (firm.stiffness + firm.slope <= np.maximum(1.0000001 * FIRMEST * met.spring, met.stiffness + met.slope)).all()
        met = firm
    assert np.isclose(met.stiffness + met.slope, FIRMEST * met.spring).sum() > 10


def test_what_would_slide_into_each_other_is_held_back_across_only(run):
    places, _ = far_and_onto(run, -4.9e-4, 0.0)
    run.surfaces.begin_step(places)
    assert 0.0 < run.surfaces.limit(places, far_and_onto(run, 0.0, 1e-4)[1]) < 0.2  # they all but touch
    fall = 0.01 * np.random.default_rng(1).normal(size=places.shape)
    met = run.surfaces.meetings(places, fall)
    held = met.taken(met.across > 0.0)
    assert len(held) and not held.crushed(held.left(fall)).any()
    blocks = held.blocks.reshape(-1, 3, 3)
    along = np.einsum("ki,kij,kj->k", held.normal, blocks, held.normal)
    assert along == pytest.approx(held.stiffness, abs=1e-9 * held.across.max())
    other = np.cross(held.normal, (0.3, -0.5, 0.8))
    assert np.einsum("ki,kij->kj", other, blocks) == pytest.approx(held.across[:, None] * other, rel=1e-9)
    assert held.pressed(held.left(fall)).all()
