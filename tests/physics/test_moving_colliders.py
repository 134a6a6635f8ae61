"""What a keyed mesh collider strikes, carries or throws gains no energy that the collider has not given."""

import numpy as np
import pytest

from solver.contact.edges.stored import Stored
from tests.physics.collider_ledger import meeting
from tests.physics.moving_colliders import FRAMES, SCENES
from tests.surface_contact.soak_scenes import placed, sized

MOST = 1e-3  # of the most energy of motion and strain


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("name", SCENES)
def test_what_a_moving_collider_pushes_gains_no_more_than_its_work(name, friction):
    run = SCENES[name](friction)
    for _ in range(FRAMES):
        run.advance()
    assert max(run.excess) < MOST * run.moving
    assert run.moving > 10.0 and run.worked > 0.1 * run.moving


def punched():
    """A fish that comes at Suzanne."""
    way = np.outer(17.0 * np.clip(np.arange(-1, 2) / 24.0, 0.0, None) - 0.9, [0.0, 1.0, 0.0])
    return meeting(sized("suzanne", 0.9), sized("fish", 0.5), placed(way), 0.3, resolution=4, young=5e4, frames=2)


def test_sharp_edges_all_over_a_fist_give_no_energy():
    """A fish, at 17 m/s, into Suzanne of soft rubber, which passes through herself: she had gained 30 % of all there was."""
    run = punched()
    for _ in range(2):
        run.advance()
    assert max(run.excess) < MOST * run.moving
    assert run.moving > 1000.0 and run.worked > 0.1 * run.moving


def test_what_edges_hold_is_in_a_checkpoint():
    run, resumed = punched(), punched()
    run.contacts.edges.stored = Stored(np.array([[0, 0, 3, -1]], np.int32), np.array([0.03]))
    resumed.restore(run.checkpoint())
    assert resumed.contacts.edges.stored.energies.tolist() == [0.03]
