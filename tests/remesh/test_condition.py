"""Claim B13: the condition of a basis matrix tells how far its tet is from a regular one, whatever size and turn it has."""

import numpy as np
import pytest

from solver.remesh.condition import conditions

from .shapes import rotation

REGULAR = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.5, 0.75**0.5, 0.0], [0.5, 0.75**0.5 / 3.0, (2.0 / 3.0) ** 0.5]])


def basis(corners: np.ndarray) -> np.ndarray:
    return np.linalg.inv((corners[1:] - corners[0]).T)


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (1, 0, 3, 2), (3, 1, 0, 2), (2, 3, 1, 0)])
def test_a_regular_tet_has_one_and_a_stretched_one_what_its_stretch_has(order):
    stretch = rotation([1, 2, 3], 0.7) @ np.diag([0.5, 1.5, 4.0]) @ rotation([3, -1, 1], 1.1)
    found = conditions(np.stack([basis(3.0 * REGULAR[list(order)]), basis(REGULAR[list(order)] @ stretch.T)]))
    expected = np.linalg.norm(stretch) * np.linalg.norm(np.linalg.inv(stretch)) / 3.0
    assert found == pytest.approx([1.0, expected], rel=1e-12)


def test_what_is_flat_is_endlessly_bad():
    flat = basis(REGULAR)
    flat[2] = flat[1]
    assert not conditions(flat[None])[0] < 1e12
