"""Steps that are refused, backed up and halved, and that grow again (claim B25): each of the reasons, made to happen."""

from dataclasses import replace

import numpy as np
import pytest

from solver import simulate, step_length
from solver.fem import explicit_step, newton
from solver.fem.clock import LAST_LEVEL, LEVELS, MOST_PATIENCE, PATIENCE, PATIENT_LEVEL, RESIGNED, Clock
from solver.fem.step_control import refusal
from tests.physics.bars import swinging_bar
from tests.physics.scenes import Even, PlaneField, ball_mesh, box_mesh, make_scene, with_keys

JELLY = {"density": 1000.0, "young_modulus": 2e4, "poisson_ratio": 0.4, "yield_stress": 1e9}
SOUP = {"density": 1000.0, "young_modulus": 1e4, "poisson_ratio": 0.4, "yield_stress": 20.0, "flow_rate": 100.0}
WEIGHTLESS = {"gravity": (0.0, 0.0, 0.0)}
SHORT = {"integrator": "bdf2", "maximum_substep": 1.0 / 96.0}  # which calms down what has been struck so hard


class Wall(Even):
    """A wall that comes from x = -0.2 at a speed, hits what is below z = `low`, and stops at a time."""

    def __init__(self, speed, low=np.inf, stop=np.inf):
        self.speed, self.low, self.stop = speed, low, stop

    def query(self, points, time, margin, distance, normal, velocity):
        distance[:] = points[:, 0] + 0.2 - self.speed * min(time, self.stop)
        distance[(points[:, 2] > self.low) | (distance > margin)] = np.inf
        normal[:] = [1.0, 0.0, 0.0]
        velocity[:] = [self.speed if time <= self.stop else 0.0, 0.0, 0.0]


def drop():
    return make_scene([ball_mesh(4, 0.5, (0.0, 0.0, 1.0))], [SOUP]), [PlaneField()], 48


def hit():
    return make_scene([box_mesh((4, 4, 4))], [JELLY], **WEIGHTLESS, **SHORT), [Wall(40.0, stop=0.02)], 12


def kicked():  # and no harder: what spins faster than steps can follow is refused again and again
    bar = make_scene([box_mesh((2, 2, 8), (0.25, 0.25, 1.0))], [JELLY | {"young_modulus": 1e7}], **WEIGHTLESS, **SHORT)
    return bar, [Wall(4.0, low=0.3)], 16


def test_without_a_balance_a_step_is_halved_further_than_for_violence():
    """What contact's springs hold where no balance was found is anyone's guess: once ten times all that there was."""
    simulation = simulate.Simulation(*make_scene([box_mesh((1, 1, 1))], [JELLY]), fields=[])
    state, tiles = simulation.state, simulation.space.tiles
    attempt = simulation._solve(simulation.clock.step, simulation.ledger.nobody())
    calm, lost = attempt.outcome, replace(attempt.outcome, converged=False)
    expected = ((PATIENT_LEVEL - 1, True, True), (PATIENT_LEVEL, False, True), (LAST_LEVEL, False, False))
    for level, violent, unbalanced in expected:
        assert bool(refusal(calm, state, tiles, level, True, False, False)) == violent
        assert bool(refusal(lost, state, tiles, level, False, False, False)) == unbalanced


def test_a_step_that_is_the_smallest_is_taken_though_the_longest_is_short_too():
    """Before a fast collider, or a thin sheet, there are few halvings left: bakes failed there, as nothing was rough enough."""
    clock = Clock(1.0 / 48.0)
    assert clock.bound(clock.largest / 2**5)
    while clock.halve():
        assert clock.level == LEVELS or clock.halvings == clock.level - 5
    assert clock.level == LEVELS and clock.halvings == LAST_LEVEL


REASONS = {
    "too much flow": drop,
    "edges changed their length drastically": hit,
    "nodes were suddenly accelerated": kicked,
    "no balance of forces was found": hit,  # in two iterations
}


@pytest.mark.parametrize("expected", REASONS)
def test_a_refused_step_is_backed_up_and_halved_and_steps_grow_again(expected, monkeypatch):
    usual = newton.MAXIMUM_ITERATIONS
    if expected == "no balance of forces was found":
        monkeypatch.setattr(newton, "MAXIMUM_ITERATIONS", 2)
    arguments, fields, frames = REASONS[expected]()
    simulation, seen = simulate.Simulation(*arguments, fields=fields), []

    def listening(*given):
        reason = refusal(*given)
        seen.append((reason, simulation.clock.level, simulation.clock.time, simulation.state.positions.tobytes()))
        return reason

    monkeypatch.setattr(step_length, "refusal", listening)
    for frame in range(frames):
        if 2 * frame == frames:  # with two iterations for ever it would go on between one step and its half
            monkeypatch.setattr(newton, "MAXIMUM_ITERATIONS", usual)
        simulation.advance()
    assert expected in [reason for reason, *_ in seen]
    for (reason, level, time, state), (_, next_level, next_time, next_state) in zip(seen[:-1], seen[1:], strict=True):
        if reason:
            assert (next_level, next_time, next_state) == (level + 1, time, state)
        else:
            assert next_level in (level, level - 1) and next_time > time
    assert max(level for _, level, *_ in seen) > 0 and np.isfinite(simulation.state.positions).all()
    began, longest = next((time, level) for reason, level, time, _ in seen if reason == expected)
    assert any(level <= longest and time > began for _, level, time, _ in seen), "steps grow again"


def test_the_clock_halves_and_doubles_on_its_own_grid():
    clock = Clock(1.0 / 96.0)
    assert clock.halve() and clock.halve() and clock.step == 1.0 / 384.0
    clock.tick()  # a quarter of the largest step is over
    for _ in range(PATIENCE - 1):
        clock.tick()
    assert (clock.step, clock.time) == (1.0 / 192.0, 1.0 / 96.0)
    for _ in range(PATIENCE):
        clock.tick()
    assert clock.level == 0 and clock.time == 3.0 / 96.0
    assert all(clock.halve() for _ in range(LEVELS)) and not clock.halve()


def _until_grown(clock, most=200):
    """After how many good steps it doubles the step."""
    level = clock.level
    for count in range(1, most):
        clock.tick()
        if clock.level < level:
            return count
    raise AssertionError("it never grows")


def test_a_step_that_fails_as_soon_as_it_has_grown_is_tried_less_and_less_often():
    """Each such trial may cost more than all the short steps between: half of a frame's time, where caramel falls in heaps."""
    clock = Clock(1.0 / 96.0)
    assert clock.halve() and clock.halve()
    waits = []
    for _ in range(5):
        waits.append(_until_grown(clock))
        assert clock.level == 1 and clock.halve()
    assert waits == sorted(waits) and waits[0] == PATIENCE and waits[1] >= 2 * PATIENCE
    assert waits[-1] == waits[-2] <= 2 * MOST_PATIENCE, "but it is tried again and again"
    assert clock.halve() and _until_grown(clock) <= 2 * PATIENCE, "shorter ones never failed"
    _until_grown(clock)
    for _ in range(PATIENCE):
        clock.tick()
    clock.halve()
    assert _until_grown(clock) <= 2 * PATIENCE, "nor does it now"


def test_what_no_step_balances_is_taken_in_longer_ones_by_and_by():
    clock = Clock(1.0 / 96.0)
    while clock.halvings < LAST_LEVEL:
        clock.halve()
    last = clock.level
    for _ in range(RESIGNED):
        assert clock.level == last or clock.halvings < LAST_LEVEL
        clock.level = last
        clock.tick(rough=True)
    clock.level = last - 1
    assert clock.halvings == LAST_LEVEL, "half as many of them a frame"
    clock.level = PATIENT_LEVEL - 1
    assert clock.halvings == PATIENT_LEVEL - 1, "but none that is not calmed"
    clock.level = last - 1
    clock.tick(rough=False)
    clock.level = last - 1
    assert clock.halvings == LAST_LEVEL - 1, "and with a balance all is as it was"


def test_a_frame_of_which_no_step_finds_a_balance_is_done_in_a_hundred_steps(monkeypatch):
    """At the last halving it would take 256 of them: minutes a frame where goo is caught in what does not give way."""
    simulation = simulate.Simulation(*make_scene([box_mesh((2, 2, 2))], [JELLY]), fields=[])
    solve = simulation._solve

    def unbalanced(step, calm):
        attempt = solve(step, calm)
        attempt.outcome.converged = False
        return attempt

    simulation.advance()
    monkeypatch.setattr(simulation, "_solve", unbalanced)
    done = [simulation.advance().statistics for _ in range(2)]
    longest = 1.0 / simulation.scene.settings.frames_per_second / simulation.clock.largest
    assert all(each["rough"] == each["substeps"] for each in done)
    assert longest * 2**PATIENT_LEVEL <= done[0]["substeps"] < 100 and done[1]["substeps"] <= longest * 2**PATIENT_LEVEL + 8


def test_a_clock_goes_on_from_its_arrays():
    one, other = Clock(1.0 / 96.0), Clock(1.0 / 96.0)
    for clock in (one, other):
        clock.halve(), clock.halve()
    for rough in (False, False, True, False, False, True):
        one.tick(rough=rough)
        if one.level == 1:
            one.halve()
    other.restore(one.array())
    for _ in range(40):
        one.tick(), other.tick()
        assert one.array().tobytes() == other.array().tobytes()


def test_steps_beyond_the_largest_come_with_the_calm_and_go_with_it():
    clock = Clock(1.0 / 96.0, -2)
    for _ in range(4 * PATIENCE):
        clock.tick(calm=False, restless=False)
    assert clock.step == 1.0 / 96.0
    for _ in range(6 * PATIENCE):
        clock.tick(calm=True, restless=False)
    assert clock.step == 1.0 / 24.0
    clock.tick(calm=False, restless=False)
    assert clock.step == 1.0 / 24.0
    clock.tick(calm=False, restless=True)
    assert clock.step == 1.0 / 48.0
    assert clock.halve() and clock.halve() and clock.step == 1.0 / 192.0


CREEP = {"density": 1000.0, "young_modulus": 3e4, "yield_stress": 500.0, "flow_rate": 5.0, "damping": 20.0}


def crept(calm_substep, fields, frames=72, **keys):
    """Where a slumping ball is after some frames, its steps, and the simulation."""
    arguments = make_scene([ball_mesh(5, 0.5, (0.0, 0.0, 0.51))], [CREEP], calm_substep=calm_substep)
    simulation = simulate.Simulation(*with_keys(arguments, **keys), fields=fields)
    shown = [simulation.advance() for _ in range(frames)]
    steps = sum(frame.statistics["substeps"] for frame in shown)
    return np.array([frame.bodies[0].positions for frame in shown]), steps, simulation


def test_creeping_goo_is_stepped_through_quickly_and_creeps_the_same():
    slow, many, _ = crept(1.0 / 48.0, [PlaneField()])
    quick, few, simulation = crept(1.0 / 24.0, [PlaneField()])
    assert few < 0.75 * many and simulation.clock.step == 1.0 / 24.0
    height = slow[:, :, 2].max(axis=1)
    assert height[40] - height[-1] > 0.05  # it is not at rest
    assert np.abs(quick - slow).max() < 0.02 * (height[0] - height[-1])
    jerks = [np.abs(np.diff(places[40:], 2, axis=0)).max() for places in (quick, slow)]
    assert jerks[0] < 1.2 * jerks[1]  # and frames between steps do not jerk


STIRRED = {
    "a moving collider": ([PlaneField(speed=(0.0, 0.0, 1e-9))], {}),
    "keys": ([PlaneField()], {"damping": np.full(72, 20.0)}),
}


@pytest.mark.parametrize("fields, keys", STIRRED.values(), ids=STIRRED)
def test_steps_stay_short_where_colliders_move_or_something_is_keyed(fields, keys):
    _, steps, simulation = crept(1.0 / 24.0, fields, 40, **keys)
    assert steps >= 2 * 39 and simulation.clock.step <= 1.0 / 48.0


def test_a_blow_ends_the_calm_at_once():
    """The long step in which a ball that lies is struck is refused."""
    _, _, simulation = crept(1.0 / 24.0, [PlaneField()])
    simulation.state.velocities[:, 2] -= 0.4
    reasons, refusal = [], step_length.refusal
    time, step = simulation.clock.time, simulation.clock.step
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(step_length, "refusal", lambda *given: reasons.append(refusal(*given)) or reasons[-1])
        simulation.advance()
    assert step == 1.0 / 24.0 and "the calm is over" in reasons
    assert simulation.clock.step < step and simulation.clock.time > time


def test_a_bounded_clock_does_not_grow_beyond_its_bound():
    clock = Clock(1.0 / 96.0)
    assert clock.bound(1.0 / 300.0) and clock.step == 1.0 / 384.0
    for _ in range(40):
        clock.tick()
    assert clock.step == 1.0 / 384.0
    assert clock.bound(1.0) and not clock.bound(1e-9)


def test_explicit_steps_that_are_too_long_are_refused(monkeypatch):
    """With a stability bound that is far too loose, edges and accelerations tell."""
    monkeypatch.setattr(explicit_step, "SAFETY", 20.0)
    simulation = swinging_bar(integrator="newmark", maximum_substep=1.0 / 48.0)
    rejected = sum(simulation.advance().statistics["rejected"] for _ in range(12))
    assert rejected > 0 and np.isfinite(simulation.state.positions).all()
