"""Shared by all tests."""

from pathlib import Path

import pytest

from solver.kernel_cache import choose_kernel_cache

choose_kernel_cache()  # before any test imports numba

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout, which is also the extension's source."""
    return ROOT
