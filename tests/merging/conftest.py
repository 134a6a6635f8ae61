"""Two balls that fly into each other, and what a bake prepares of them, once a file."""

import pytest

from solver.bake import PreparedBody, prepare
from solver.scene import Scene

from .shapes import pair


@pytest.fixture(scope="module")
def two() -> Scene:
    return pair()


@pytest.fixture(scope="module")
def prepared(two: Scene) -> list[PreparedBody]:
    return prepare(two)
