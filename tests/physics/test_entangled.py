"""Beside a tet that is inside out no flow is made permanent, so that no rest shape learns where goo cannot be."""

import numpy as np
import pytest

from solver.fem.commit import ENTANGLED, commit_flow
from solver.fem.entangled import FLATTEST, entangled
from solver.formulas.sample import Sample
from solver.materials import Material

GOO = Material("viscoplastic", {"young_modulus": 1e5, "poisson_ratio": 0.3, "yield_stress": 100.0, "flow_rate": 20.0}, {})
# A tet, one across its base, one that shares a single node with the first, and one by itself
REST = np.array(
    [
        [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0],
        [-1.0, 0.0, 1.0], [0.0, -1.0, 1.0], [0.0, 0.0, 2.0],
        [5.0, 0.0, 0.0], [6.0, 0.0, 0.0], [5.0, 1.0, 0.0], [5.0, 0.0, 1.0],
    ]
)  # fmt: skip
TETS = np.array([[0, 1, 2, 3], [0, 2, 1, 4], [3, 5, 6, 7], [8, 9, 10, 11]], dtype=np.int32)
STRETCHED = np.array([1.3, 1.0, 1.0 / 1.3])  # but for the tip of the first tet


def flowed(height, steps=1):
    """The sample after steps in which all is stretched along x, the first tet's tip being at a height above its base."""
    sample, positions = Sample(REST, TETS, GOO, None, flows=True), REST * STRETCHED
    positions[3, 2] = height * STRETCHED[2]
    positions[5:8, 2] += (height - 1.0) * STRETCHED[2]  # what shares the tip goes with it
    for _ in range(steps):
        sample.respond(positions, 0.02)
        commit_flow(sample.state, sample.tiles, 0.02, positions)
    return sample, positions


@pytest.mark.parametrize("height", [-0.3, 0.0, 0.9 * FLATTEST])
def test_what_shares_a_node_with_an_inverted_or_flat_tet_keeps_its_rest_shape(height):
    state = flowed(height)[0].state
    assert (state.plastic_deformation[:3] == np.eye(3)).all() and (state.plastic_strain[:3] == 0.0).all()
    assert (state.worn == [0.0, ENTANGLED, ENTANGLED, 0.0]).all()  # the tet itself is too flat to flow
    alone = flowed(1.0)[0].state
    assert state.plastic_strain[3] == alone.plastic_strain[3] > 0.01


def test_what_is_not_flat_flows():
    state = flowed(1.1 * FLATTEST)[0].state
    assert (state.worn == 0.0).all() and (state.plastic_strain[1:] > 0.01).all()


def test_it_flows_on_once_the_tet_has_turned_back():
    sample, _ = flowed(-0.3, steps=5)
    sample.respond(REST * STRETCHED, 0.02)
    commit_flow(sample.state, sample.tiles, 0.02, REST * STRETCHED)
    fresh = flowed(1.0)[0].state
    assert (sample.state.worn == 0.0).all()
    assert np.allclose(sample.state.plastic_strain[:3], fresh.plastic_strain[:3], rtol=1e-6)


def test_nobody_is_asked_where_nothing_flows():
    stiff = Material(GOO.model, GOO.values | {"yield_stress": 1e12}, {})
    sample, positions = Sample(REST, TETS, stiff, None, flows=True), REST.copy()
    positions[3, 2] = -0.3
    sample.respond(positions, 0.02)
    assert not entangled(sample.state, sample.tiles, positions).any()
