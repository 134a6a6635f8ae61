"""Shared by all tests."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout, which is also the extension's source."""
    return ROOT
