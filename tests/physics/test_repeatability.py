"""Identical bytes: on repeat, on one and two threads, and after a restart from a checkpoint."""

import numba
import numpy as np
import pytest

from solver.errors import StepError
from solver.jit import use_threads
from solver.simulate import Simulation
from tests.physics.scenes import Even, ball_mesh, make_scene

GOO = {"young_modulus": 2e4, "poisson_ratio": 0.4, "yield_stress": 200.0, "flow_rate": 30.0, "rate_stress": 2000.0}


def scene(cells):  # every kernel: flow, thickening, damping, contact
    return make_scene([ball_mesh(cells, 0.5, (0.0, 0.0, 0.52))], [GOO | {"damping": 0.5}])


def test_one_and_two_threads_give_the_same_bytes(plane):
    ends = []
    for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
        simulation = Simulation(*scene(6), fields=[plane])
        simulation.pace.hold(threads)
        for _ in range(4):
            simulation.advance()
        ends.append(simulation.checkpoint())
    use_threads(1)
    assert ends[0].keys() == ends[1].keys()
    for name in ends[0]:
        assert ends[0][name].tobytes() == ends[1][name].tobytes(), name


def test_a_checkpoint_goes_on_with_the_same_bytes(plane):
    whole = Simulation(*scene(4), fields=[plane])
    frames = [whole.advance() for _ in range(16)]
    first = Simulation(*scene(4), fields=[plane])
    for _ in range(9):
        first.advance()
    saved = {name: value.copy() for name, value in first.checkpoint().items()}
    second = Simulation(*scene(4), fields=[plane])
    second.restore(saved)
    for expected in frames[9:]:
        frame = second.advance()
        assert frame.number == expected.number
        assert frame.bodies[0].positions.tobytes() == expected.bodies[0].positions.tobytes()
        for name, values in expected.bodies[0].attributes.items():
            assert frame.bodies[0].attributes[name].tobytes() == values.tobytes()
    assert all(isinstance(value, np.ndarray) for value in saved.values())


class Broken(Even):
    """A collider that answers nonsense once the body is near."""

    friction = 0.5

    def query(self, points, time, margin, distance, normal, velocity):
        distance[:] = np.where(time > 0.1, -0.01, np.inf)
        normal[:] = np.nan


def test_a_step_that_cannot_be_solved_names_the_body_and_the_frame_and_keeps_the_state():
    simulation = Simulation(*scene(3), fields=[Broken()])
    with pytest.raises(StepError) as caught:
        for _ in range(12):
            simulation.advance()
    assert caught.value.body == "Body 0" and caught.value.frame == simulation.frame and caught.value.remedy
    assert np.isfinite(simulation.state.positions).all()
    assert 0.0 < simulation.clock.time <= 0.1
