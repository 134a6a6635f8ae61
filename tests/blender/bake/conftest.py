"""The bake around the solver: started, followed, cancelled, resumed, shown; the physics is left out here (falling_child)."""

import sys
from pathlib import Path

import bpy
import pytest

from ..reading import add_cube, bridge

CHILD = Path(__file__).parents[1] / "falling_child.py"


@pytest.fixture(autouse=True)
def falling(extension, monkeypatch):
    """Let the falling child solve."""
    command = lambda arguments: [sys.executable, str(CHILD), *arguments]  # noqa: E731
    monkeypatch.setattr(bridge("solver_process"), "solver_command", command)


@pytest.fixture
def body(saved):
    """A cube made of goo, thirty units up, with a name that no file system likes."""
    cube = add_cube(size=2, location=(1, 2, 30))
    cube.name = "Bun / 🍞"
    bpy.ops.dollop.body_add()
    return cube
