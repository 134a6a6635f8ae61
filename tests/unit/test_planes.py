"""What contacts take from their points."""

import numpy as np
import pytest

from solver.contact.planes import take_points
from solver.contact.response import normal_forces

RANDOM = np.random.default_rng(3)
REACH, SLIP, LENGTH, MOST = 0.01, 2e-5, 0.01, 0.9


def test_each_contact_has_the_numbers_of_its_own_point():
    count, chosen = 40, np.array([3, 4, 17, 39])
    nodes = RANDOM.integers(0, 99, (count, 4)).astype(np.int32)
    weights, size, stiffness = RANDOM.random((count, 4)), 0.1 + RANDOM.random(count), 1e3 * RANDOM.random(count)
    extent, gap = 100.0 * RANDOM.random(count), np.array([-0.01, 0.0, 5e-4, 1.0])
    held_nodes, held_weights = np.empty((3, 4), np.int32), np.empty((3, 4))  # the last one is blended
    reach, firm, push, slip, length = np.empty((5, 4))
    take_points(
        chosen, gap, nodes, weights, size, extent, stiffness, (REACH, SLIP, LENGTH, MOST), held_nodes, held_weights, reach,
        firm, push, slip, length,
    )  # fmt: skip
    wanted = np.empty(4)
    normal_forces(gap, REACH * size[chosen], stiffness[chosen], wanted)
    assert (held_nodes == nodes[chosen[:3]]).all() and (held_weights == weights[chosen[:3]]).all()
    assert (reach == REACH * size[chosen]).all() and (firm == stiffness[chosen]).all()
    assert push == pytest.approx(wanted, rel=1e-12) and push[0] > push[1] > 0.0 == push[3]
    assert (slip == SLIP * extent[chosen]).all()
    assert (length == np.minimum(LENGTH * extent[chosen], MOST * size[chosen])).all() and len(set(length)) == 4
