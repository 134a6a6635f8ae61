"""The first scenes of the soak of bakes that go on from checkpoints, those that are quick: they go on to the same bytes."""

import numpy as np
import pytest

from solver.simulate import Simulation
from tests.surface_contact.soak_resumed import chosen, gone_on

FRAMES = 16


@pytest.mark.parametrize("seed", [1, 3, 4, 5, 9, 10, 19, 20])
def test_goes_on_with_the_same_bytes(seed):
    found = gone_on(*chosen(seed, FRAMES), FRAMES)
    assert "failed" not in found and found["from"] == [4, 8, 12], found
    assert not found["differs"] and not found["listed"], found


def test_a_last_digit_that_is_lost_is_found(monkeypatch):
    taken = Simulation.restore

    def lossy(run, arrays):
        taken(run, arrays)
        run.state.velocities[:] = np.nextafter(run.state.velocities, np.inf)

    monkeypatch.setattr(Simulation, "restore", lossy)
    assert gone_on(*chosen(1, 4), 4)["differs"] == [1, 2, 3]
