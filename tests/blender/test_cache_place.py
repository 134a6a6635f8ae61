"""Where the frames of a scene lie."""

import os
from pathlib import Path

import bpy
import pytest

from .reading import add_cube, bridge


@pytest.fixture
def folders(extension):
    return bridge("folders")


@pytest.fixture
def body(scene):
    cube = add_cube()
    bpy.ops.dollop.body_add()
    return cube


def test_beside_the_file(body, folders, tmp_path):
    scene = bpy.context.scene
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert folders.cache_folder(scene) == (tmp_path / "dollop_cache" / scene.dollop.uid, "")


def test_typed_path(body, folders, tmp_path):
    scene = bpy.context.scene
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    scene.dollop.cache_path = "//frames\\of shot 🍞"
    assert folders.cache_folder(scene)[0] == tmp_path / "frames" / "of shot 🍞"
    scene.dollop.cache_path = str(tmp_path / "elsewhere") + os.sep
    assert folders.cache_folder(scene)[0] == tmp_path / "elsewhere"


def test_unsaved_file_has_a_stand_in_that_moves_on_saving(body, folders, tmp_path):
    scene = bpy.context.scene
    folder, sentence = folders.cache_folder(scene)
    assert folder.is_relative_to(folders.user_folder("unsaved", create=False)) and folder.name == scene.dollop.uid
    assert "never saved" in sentence
    folder.mkdir(parents=True)
    (folder / "frame").write_text("kept")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    moved, sentence = folders.cache_folder(scene)
    assert moved == tmp_path / "dollop_cache" / scene.dollop.uid and sentence == ""
    assert (moved / "frame").read_text() == "kept" and not folder.exists()


def test_stand_in_stays_where_the_place_is_taken(body, folders, tmp_path):
    scene = bpy.context.scene
    folder, _ = folders.cache_folder(scene)
    folder.mkdir(parents=True)
    taken = tmp_path / "dollop_cache" / scene.dollop.uid
    taken.mkdir(parents=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert folders.cache_folder(scene)[0] == taken and folder.exists()


def test_frames_that_cannot_be_moved_are_kept_whole_where_they_are(body, folders, tmp_path, monkeypatch):
    """The disk is full half-way through the copy."""
    scene = bpy.context.scene
    folder, sentence = folders.cache_folder(scene)
    folder.mkdir(parents=True)
    (folder / "frame").write_text("kept")
    status = bridge("bake_status")
    status.keep_status(scene.dollop.uid, status.BakeStatus(cache_note=sentence))

    def full(source, target):
        Path(target).mkdir()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(bridge("unsaved_cache").shutil, "move", full)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert folders.cache_folder(scene)[0] == folder and (folder / "frame").read_text() == "kept"
    assert list((tmp_path / "dollop_cache").iterdir()) == [] and "could not be moved" in scene.dollop.warnings


def test_two_scenes_two_folders(body, folders):
    first = bpy.context.scene
    bpy.ops.scene.new(type="NEW")
    add_cube()
    bpy.ops.dollop.body_add()
    second = bpy.context.scene
    assert folders.cache_folder(first)[0] != folders.cache_folder(second)[0]


def test_numba_cache(folders, monkeypatch):
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert folders.numba_cache_folder().parts[-2:] == ("dollop", "numba")
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/chosen")
    assert folders.numba_cache_folder() == Path("/chosen")
