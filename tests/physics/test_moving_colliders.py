"""What a keyed mesh collider strikes, carries or throws gains no energy that the collider has not given."""

import pytest

from tests.physics.moving_colliders import FRAMES, SCENES

MOST = 1e-3  # of the most energy of motion and strain


@pytest.mark.parametrize("friction", [0.0, 0.5])
@pytest.mark.parametrize("name", SCENES)
def test_what_a_moving_collider_pushes_gains_no_more_than_its_work(name, friction):
    run = SCENES[name](friction)
    for _ in range(FRAMES):
        run.advance()
    assert max(run.excess) < MOST * run.moving
    assert run.moving > 10.0 and run.worked > 0.1 * run.moving
