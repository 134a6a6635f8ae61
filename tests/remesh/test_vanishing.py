"""A body that has become thinner than new tets keeps those that it has: with its weight in less room it would burst."""

import numpy as np
import pytest

from solver.remesh.discretization import Discretization

from .test_bakes import drop


@pytest.mark.parametrize("height, renewed", [(0.5, True), (0.08, False)])
def test_new_tets_come_only_where_they_hold_the_volume(height, renewed):
    simulation = drop("cornstarch", resolution=8)
    state, (before, wide) = simulation.state, (simulation.volume(), 1.0 / np.sqrt(height))
    state.positions = state.positions * (wide, wide, height)
    made = simulation.remeshing.renewed(Discretization(state, simulation.ranges, *simulation.bound), [0], 0.01)
    assert list(made.changes) == ([0] if renewed else [])
    assert made.mesh.state.volumes.sum() == pytest.approx(before, rel=0.02)
    if not renewed:
        assert made.mesh.state.positions.tobytes() == state.positions.tobytes()
        assert made.mesh.surfaces[0] is simulation.bound[0][0]
