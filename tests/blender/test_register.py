"""Switching the extension on and off, in any order, loses nothing."""

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


def test_enabling_imports_no_compiler(extension):
    assert "numba" not in sys.modules and "scipy" not in sys.modules


def test_handlers_once(extension):
    extension.register()
    for name in ("load_pre", "load_post", "save_pre", "save_post", "frame_change_pre"):
        own = [item.__name__ for item in getattr(bpy.app.handlers, name) if item.__module__.startswith("dollop")]
        assert len(own) == len(set(own)) > 0, name
