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
    progress = Convergence(0.1, 1.0 / 768.0, pushing=True)
    for correction in (1e-2, 1e-17):
        progress.take(np.full((4, 3), correction))
    assert progress.near() and progress.nearing() and progress.reached(True)
    assert progress.stays(0.004) and not progress.stays(0.006) and not progress.stays(np.nan)
