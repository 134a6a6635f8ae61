"""The number of threads follows what is fastest, and follows it when that changes."""

import numba
import numpy as np
import pytest

from solver.jit.pace import LATEST, SOONEST, Pace
from tests.physics.scenes import ball_mesh
from tests.unit.test_linear_solve import System


def run(pace, seconds_of, pieces):
    """How many of so many pieces of work were done with each number of threads."""
    counts = dict.fromkeys(pace.choices, 0)
    for _ in range(pieces):
        counts[pace.threads] += 1
        pace.note(10.0 * seconds_of[pace.threads], 10)
    return counts


@pytest.fixture
def many_cores(monkeypatch):
    monkeypatch.setattr(numba.config, "NUMBA_NUM_THREADS", 12)


def test_all_numbers_are_powers_of_two_and_what_there_is(many_cores):
    assert Pace(0, 10**5).choices == [1, 2, 4, 8, 12]
    assert Pace(99, 10**5).choices == [1, 2, 4, 8, 12]
    assert Pace(4, 10**5).choices == [1, 2, 4]
    assert Pace(1, 10**5).choices == [1]


def test_a_large_mesh_begins_with_all_threads_and_a_small_one_with_one(many_cores):
    assert Pace(0, 10**5).threads == 12
    assert Pace(0, 10**2).threads == 1


@pytest.mark.parametrize("nodes", [100, 10**5])
@pytest.mark.parametrize("best", [1, 4, 12])
def test_it_finds_the_fastest_and_seldom_tries_another(many_cores, best, nodes):
    pace = Pace(0, nodes)
    seconds = {n: 1.0 + abs(pace.choices.index(n) - pace.choices.index(best)) for n in pace.choices}
    run(pace, seconds, 500)
    counts = run(pace, seconds, 40 * LATEST)
    assert pace.choices[pace.chosen] == best
    assert counts[best] >= 39 * LATEST - 40


def test_it_changes_when_the_machine_gets_another_job_and_back(many_cores):
    pace = Pace(2, 10**5)
    run(pace, {1: 1.9, 2: 1.0}, 200)
    assert pace.choices[pace.chosen] == 2
    run(pace, {1: 2.0, 2: 6.0}, 2 * LATEST)
    assert pace.choices[pace.chosen] == 1
    run(pace, {1: 1.9, 2: 1.0}, 4 * LATEST)
    assert pace.choices[pace.chosen] == 2


def test_a_number_that_is_held_stays(many_cores):
    pace = Pace(0, 10**5)
    pace.hold(2)
    assert run(pace, {2: 1.0}, 300) == {2: 300}


def test_another_number_is_tried_on_what_is_measured_alone(many_cores, monkeypatch):
    """What comes between two pieces of work goes on with the number that has been fastest."""
    given = []
    monkeypatch.setattr("solver.jit.pace.use_threads", given.append)
    pace = Pace(2, 10**5)
    for _ in range(SOONEST):
        pace.note(1.0, 1)
    pace.set()
    pace.set(measured=True)
    assert pace.tried is not None and given == [2, 1]


def test_after_a_trial_it_goes_back_and_else_asks_numba_for_nothing(monkeypatch):
    """To set the number of threads takes 50 us, which is done once a step, and before and after a trial."""
    given = []
    monkeypatch.setattr(numba.config, "NUMBA_NUM_THREADS", 2)
    monkeypatch.setattr("solver.jit.pace.use_threads", given.append)
    system = System(ball_mesh(4), 1e5)
    solver = system.solver()
    solver.pace, load = Pace(2, 10**5), np.ones_like(system.positions)
    for _ in range(SOONEST):
        solver.solve(load, 1e-3)
    assert solver.pace.tried is not None and given == []
    solver.solve(load, 1e-3)
    assert solver.pace.tried is None and given == [1, solver.pace.choices[solver.pace.chosen]]
