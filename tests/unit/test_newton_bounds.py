"""What Newton's directions may be."""

import numpy as np
import pytest

from solver.fem.newton import FARTHEST, ImplicitStep


class Bound(ImplicitStep):
    """A step of which only the bound on directions is known."""

    def __init__(self, farthest):
        self.farthest = farthest


@pytest.mark.parametrize("most", [0.1, 1.0, 6e7])
def test_a_direction_leads_no_further_than_a_step_may(most):
    """An almost singular matrix gave ways of 6e7 m, on which every pair of surfaces meets."""
    direction = np.random.default_rng(1).uniform(-1.0, 1.0, (20, 3))
    direction *= most / np.abs(direction).max()
    shortened = Bound(FARTHEST * 0.05).shortened(direction)
    assert np.abs(shortened).max() == pytest.approx(min(most, FARTHEST * 0.05))
    assert shortened / np.abs(shortened).max() == pytest.approx(direction / np.abs(direction).max())
