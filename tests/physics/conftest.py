"""What the physics tests fall on."""

import pytest

from tests.physics.scenes import PlaneField


@pytest.fixture
def plane() -> PlaneField:
    """The ground at z = 0."""
    return PlaneField()
