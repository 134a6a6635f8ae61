"""The first scenes of the soak, small: surfaces never cross (claims B23 and I20), no tet stays inside out, no energy comes from
nowhere."""

import pytest

from tests.surface_contact.soak import soak

HELD = (314, 430, 432)  # tets stayed inside out there, held by tets that had flowed beside them (solver/fem/entangled.py)
SEEN_OUTSIDE = (726,)  # a point outside its tets pushed on other nodes than it was seen by: that gave 1.5e-3
PRESSED = (749,)  # the plate gives it 8 % of its energy; without the plate's work it would seem to gain 6 %


@pytest.mark.parametrize("seed", (*range(30), *HELD, *SEEN_OUTSIDE, *PRESSED))
def test_a_seed_of_the_soak(seed):
    found = soak(seed, 16, 4)
    assert "failed" not in found and found["finite"], found
    assert found["crossing"] == 0 and not found["left_out"], found
    assert found["inverted"] == 0, found
    assert found["gained"] < 0.001, found
