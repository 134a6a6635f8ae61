"""What Newton's method takes to be left of its corrections, against the sum of all that would follow."""

import numpy as np
import pytest

from solver.fem.convergence import LARGE, SHARE, Convergence


def left_when_done(factor: float, true_stiffness: bool = False, first: float = 1e-2) -> float:
    """The sum of what corrections that shrink by a factor each would still bring when they are said to be enough [m].

    With the true stiffness the factor itself shrinks by the square each time.
    """
    watched, size = Convergence(1.0, 1.0 / 96.0), first
    for _ in range(500):
        watched.take(np.full((4, 3), size / np.sqrt(3.0)))
        if watched.reached(true_stiffness):
            break
        size, factor = size * factor, factor**2 if true_stiffness else factor
    left, size = 0.0, size * factor
    while size > 1e-15:
        left, size, factor = left + size, size * factor, factor**2 if true_stiffness else factor
    return left


@pytest.mark.parametrize("factor", [0.05, 0.3, 0.6, 0.9])
def test_corrections_that_shrink_slowly_add_up(factor):
    """What is left is a share of the first, as promised, however slowly they shrink."""
    assert left_when_done(factor) < 1.01 * min(SHARE * 1e-2, LARGE[0])


def test_with_the_true_stiffness_fewer_are_made():
    assert left_when_done(0.2, true_stiffness=True) < min(SHARE * 1e-2, LARGE[0])


def test_a_correction_that_vanishes_is_no_balance_where_force_is_left():
    """What a matrix gave that was not positive passed for next to nothing: seed 865 of the soak gained 1.5 of all energy."""
    progress = Convergence(0.1, 1.0 / 768.0)
    progress.pushing = True
    for correction in (1e-2, 1e-17):
        progress.take(np.full((4, 3), correction))
    assert progress.near() and progress.nearing() and progress.reached(True)
    assert progress.stays(0.0005) and not progress.stays(0.0007) and not progress.stays(np.nan)


def test_what_is_left_in_a_short_step_gives_no_more_speed_than_in_a_long_one():
    """A step of 0.65 ms was taken that stopped two bodies at 10 m/s: it moved them by no more than was allowed in any step."""
    speeds = [next(v for v in np.arange(0.0, 60.0, 0.01) if not Convergence(0.2, h).stays(v * h)) for h in (1 / 96, 1 / 1536)]
    assert speeds == pytest.approx([0.96, 0.96], abs=0.011)
    assert Convergence(0.2, 1.0 / 20.0).stays(0.0099) and not Convergence(0.2, 1.0 / 20.0).stays(0.0101)
