"""Shared by all tests."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def repository() -> Path:
    """The checkout, which is also the extension's source."""
    return ROOT


@pytest.fixture(autouse=True)
def one_thread_each() -> None:
    """Where several processes test (tools/test.py), threads of one would wait for cores that another has: a test that
    does not ask for more begins with one."""
    if "PYTEST_XDIST_WORKER" in os.environ and "numba" in sys.modules:
        sys.modules["numba"].set_num_threads(1)
