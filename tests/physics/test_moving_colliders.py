"""What a keyed mesh collider strikes, carries or throws gains no energy that the collider has not given."""

import pytest

from tests.physics.moving_colliders import FRAMES, SCENES

MOST = 1e-3  # of the most energy of motion and strain

# A fist at 30 m/s, the gear without friction and the cup with it give more: benchmarks/README.md, "Energy from colliders"
KEPT = [(name, friction) for name in ("stopping fist", "paddle", "tumbler") for friction in (0.0, 0.5)]
KEPT += [("turning gear", 0.5), ("shaken cup", 0.0)]


@pytest.mark.parametrize(("name", "friction"), KEPT)
def test_what_a_moving_collider_pushes_gains_no_more_than_its_work(name, friction):
    run = SCENES[name](friction)
    for _ in range(FRAMES):
        run.advance()
    assert max(run.excess) < MOST * run.moving
    assert run.moving > 10.0 and abs(run.work) > 0.1 * run.moving
