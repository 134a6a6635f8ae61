"""A body that has become thinner than new tets keeps those that it has: with its weight in less room it would burst."""

import numpy as np
import pytest

from solver.remesh.discretization import Discretization
from solver.tetmesh.manifold import components
from tests.tearing.shapes import pulled, scene

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


@pytest.mark.parametrize("tear, parted", [(0.0, False), (0.01, True)])
def test_what_new_tets_would_part_keeps_its_own_unless_it_may_tear(tear, parted):
    """A neck a tenth of an element thick: without a tear thickness the body stays whole, and says that it is too thin."""
    simulation = pulled(scene(tear=tear))
    state = simulation.state
    thin = 1.0 - 0.95 * np.exp(-((state.positions[:, :1] / 0.1) ** 4))
    state.positions = state.positions * np.concatenate([np.ones_like(thin), thin, thin], axis=1)
    made = simulation.remeshing.renewed(Discretization(state, simulation.ranges, *simulation.bound), [0], 0.01)
    assert made.thin == (() if parted else (0,)) and len(made.cuts) == (1 if parted else 0)
    assert components(made.mesh.state.tets).max() == (1 if parted else 0)
