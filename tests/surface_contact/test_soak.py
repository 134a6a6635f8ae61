"""The first scenes of the soak, small: surfaces never cross, no tet stays inside out, no energy comes from nowhere."""

import pytest

from tests.surface_contact.soak import soak


@pytest.mark.parametrize("seed", range(30))
def test_a_seed_of_the_soak(seed):
    found = soak(seed, 16, 4)
    assert "failed" not in found and found["finite"], found
    assert found["crossing"] == 0 and not found["left_out"], found
    assert found["inverted"] == 0, found
    assert found["gained"] < (1.0 if found["kind"] == "squeeze" else 0.01), found
