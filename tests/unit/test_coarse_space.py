"""The coarse level's own system, against numpy."""

import numpy as np
import pytest

from solver.fem.coarse_space import MODES, factor, solve_coarse

RANDOM = np.random.default_rng(11)


def solved(matrix, load):
    size = len(matrix)
    lower, upper = np.zeros((size, size), np.float32), np.zeros((size, size), np.float32)
    pivots, found = np.zeros(size, np.float32), load.astype(np.float32)
    factor(matrix.copy(), lower, upper, pivots)
    solve_coarse(lower, upper, pivots, found)
    return found


@pytest.mark.parametrize("parts", [1, 3, 8])
def test_the_triangles_solve_the_system(parts):
    modes = RANDOM.normal(size=(MODES * parts, MODES * parts))
    matrix, load = modes @ modes.T + len(modes) * np.eye(len(modes)), RANDOM.normal(size=len(modes))
    assert solved(matrix, load) == pytest.approx(np.linalg.solve(matrix, load), rel=1e-4, abs=1e-6)


def test_a_mode_that_depends_on_others_is_left_out():
    """What the others make of the load stays as it is."""
    modes = RANDOM.normal(size=(MODES, 2 * MODES))
    modes[7] = modes[2] - modes[5]
    load, others = modes @ RANDOM.normal(size=2 * MODES), np.delete(np.arange(MODES), 7)
    found = solved(modes @ modes.T, load)
    wanted = np.linalg.solve((modes @ modes.T)[np.ix_(others, others)], load[others])
    assert found[7] == 0.0 and found[others] == pytest.approx(wanted, rel=1e-3, abs=1e-5)
