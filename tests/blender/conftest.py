"""Blender as a module: the extension is loaded from the checkout as package `dollop`, every test gets an empty file."""

import atexit
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

# Before bpy is imported: nothing of the developer's own Blender is read or written
if "BLENDER_USER_RESOURCES" not in os.environ:
    os.environ["BLENDER_USER_RESOURCES"] = tempfile.mkdtemp(prefix="dollop_blender_")
    atexit.register(shutil.rmtree, os.environ["BLENDER_USER_RESOURCES"], ignore_errors=True)

bpy = pytest.importorskip("bpy")

ROOT = Path(__file__).resolve().parents[2]


def _load_extension() -> ModuleType:
    """Import the repository's root as `dollop`, as Blender imports it as bl_ext.<repository>.dollop."""
    if "dollop" not in sys.modules:
        spec = importlib.util.spec_from_file_location("dollop", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)])
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        sys.modules["dollop"] = module
        spec.loader.exec_module(module)
    return sys.modules["dollop"]


@pytest.fixture(scope="session")
def extension() -> Iterator[ModuleType]:
    """The registered extension."""
    module = _load_extension()
    module.register()
    yield module
    module.unregister()


@pytest.fixture(autouse=True)
def empty_file(extension: ModuleType) -> None:
    """No object, no leftover of the test before."""
    bpy.ops.wm.read_factory_settings(use_empty=True)


@pytest.fixture
def scene(empty_file: None) -> "bpy.types.Scene":
    """The scene of the empty file, ten frames long."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 10
    return scene


@pytest.fixture
def saved(scene: "bpy.types.Scene", tmp_path: Path) -> Path:
    """The empty file, saved, so that "//" has a place."""
    path = tmp_path / "shot.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


@pytest.fixture
def cube(scene: "bpy.types.Scene") -> "bpy.types.Object":
    """A cube two units wide, one unit above the ground, selected and active."""
    bpy.ops.mesh.primitive_cube_add(size=2, location=(0, 0, 2))
    return bpy.context.object
