"""Switching the extension on and off, in any order, loses nothing."""

import os
import subprocess
import sys

import bpy


def test_register_twice(extension, cube):
    bpy.ops.dollop.body_add()
    cube.dollop.resolution = 17
    extension.register()
    extension.unregister()
    extension.unregister()
    assert not hasattr(bpy.types.Object, "dollop")
    extension.register()
    assert cube.dollop.resolution == 17 and cube.dollop.is_body


def test_enabling_imports_no_compiler(repository):
    """In a process of its own: other tests here use what the solver is made of."""
    script = "import sys, bpy, source_extension; source_extension.load(); print({'numba', 'scipy'} & set(sys.modules))"
    tools = {**os.environ, "PYTHONPATH": str(repository / "tools")}
    said = subprocess.check_output([sys.executable, "-c", script], text=True, env=tools)
    assert said.splitlines()[-1] == "set()", said  # Blender 5.2 itself speaks before it


def test_handlers_once(extension):
    extension.register()
    for name in ("load_pre", "load_post", "save_pre", "save_post", "frame_change_pre"):
        own = [item.__name__ for item in getattr(bpy.app.handlers, name) if item.__module__.startswith("dollop")]
        assert len(own) == len(set(own)) > 0, name
