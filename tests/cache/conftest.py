"""An open cache."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from solver.cache import FrameStore

from .synthetic import manifest


@pytest.fixture
def store(tmp_path: Path) -> Iterator[FrameStore]:
    with FrameStore.create(tmp_path / "cache", manifest()) as opened:
        yield opened
