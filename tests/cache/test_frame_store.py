"""The frame store: what is written comes back, and what is damaged says so."""

import json
import os
import shutil
import time
from pathlib import Path

import numpy as np
import pytest

from solver.cache import FrameStore, archive, versions
from solver.cache.topology import topology_of_triangles
from solver.errors import CacheError, ResourceError, VersionError

from .synthetic import BODY, files, frame, manifest, same


def test_frames_come_back_in_any_order(store: FrameStore) -> None:
    for number in (3, 1, 2, -7, 1234567):
        store.write_frame(frame(number))
    assert store.frames() == [-7, 1, 2, 3, 1234567]
    reader = FrameStore.open(store.folder)
    for number in store.frames():
        same(reader.read_body_frame(number, BODY), frame(number).bodies[0])
    assert reader.has_frame(-7) and not reader.has_frame(4)
    assert reader.journal()[3]["statistics"] == {"seconds": 0.5, "substeps": 4.0}
    assert reader.journal()[3]["warnings"] == ["It flows."]


def test_any_tool_that_reads_npz_reads_a_frame(store: FrameStore) -> None:
    store.write_frame(frame(1))
    with np.load(store.folder / "frame_000001.dollop.npz", allow_pickle=False) as arrays:
        assert (arrays[f"{BODY}.positions"] == frame(1).bodies[0].positions).all()


def test_the_same_frame_gives_the_same_bytes(store: FrameStore, tmp_path: Path) -> None:
    store.write_frame(frame(4))
    with FrameStore.create(tmp_path / "again", manifest()) as other:
        other.write_frame(frame(4))
        name = "frame_000004.dollop.npz"
        assert (store.folder / name).read_bytes() == (other.folder / name).read_bytes()


def test_every_flipped_byte_and_every_truncation_is_found(store: FrameStore) -> None:
    store.write_frame(frame(2))
    path = store.folder / "frame_000002.dollop.npz"
    data = path.read_bytes()
    bad = [data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :] for place in range(0, len(data), 7)]
    bad += [data[:length] for length in (0, 1, 21, 100, len(data) // 2, len(data) - 1)] + [data + b"x"]
    for broken in bad:
        path.write_bytes(broken)
        with pytest.raises(CacheError) as caught:
            FrameStore.open(store.folder).read_body_frame(2, BODY)
        assert caught.value.frame == 2 and caught.value.place == path.name and caught.value.remedy
    path.write_bytes(data)
    same(FrameStore.open(store.folder).read_body_frame(2, BODY), frame(2).bodies[0])


def test_damage_behind_an_open_store_is_noticed(store: FrameStore) -> None:
    store.write_frame(frame(1))
    same(store.read_body_frame(1, BODY), frame(1).bodies[0])
    path = store.folder / "frame_000001.dollop.npz"
    time.sleep(0.02)
    path.write_bytes(path.read_bytes()[:-1] + b"g")
    with pytest.raises(CacheError):
        store.read_body_frame(1, BODY)


def test_a_missing_frame_and_a_missing_body_are_named(store: FrameStore) -> None:
    store.write_frame(frame(1))
    with pytest.raises(CacheError, match=r"frame_000009.*frame 9.*missing"):
        store.read_body_frame(9, BODY)
    with pytest.raises(CacheError, match="not in the frame"):
        store.read_body_frame(1, "other")


def test_the_whole_cache_is_judged_frame_by_frame(store: FrameStore) -> None:
    store.write_topology(BODY, 0, topology_of_triangles(np.array([[0, 1, 2]], np.int32), 5))
    for number in range(1, 11):
        store.write_frame(frame(number))
    assert list(store.damage()) == []
    (store.folder / "frame_000003.dollop.npz").unlink()
    shutil.copy(store.folder / "frame_000005.dollop.npz", store.folder / "frame_000006.dollop.npz")
    (store.folder / f"topology_{BODY}_000000.dollop.npz").unlink()
    messages = [str(error) for error in store.damage()]
    assert len(messages) == 3
    assert "frame 3" in messages[0] and "another bake" in messages[1] and "topology" in messages[2]


def test_it_may_be_moved_and_holds_no_absolute_path(store: FrameStore, tmp_path: Path) -> None:
    store.write_topology(BODY, 0, topology_of_triangles(np.array([[0, 1, 2]], np.int32), 5))
    store.write_frame(frame(1))
    store.write_checkpoint(1, {"positions": np.arange(3.0)})
    store.close()
    for entry in store.folder.iterdir():
        assert str(tmp_path).encode() not in entry.read_bytes(), entry
    moved = tmp_path / "elsewhere" / "ünï ☃"
    moved.parent.mkdir()
    store.folder.rename(moved)
    opened = FrameStore.open(moved)
    same(opened.read_body_frame(1, BODY), frame(1).bodies[0])
    assert opened.read_topology(BODY, 0).vertex_count == 5


def test_names_never_reach_the_disk_and_odd_identifiers_are_refused(store: FrameStore) -> None:
    store.write_frame(frame(1))
    assert all(name.isascii() and "Bun" not in name for name in files(store.folder))
    for uid in ("../../etc", "a/b", "", "a.b", "☃", "C:\\x"):
        with pytest.raises(ValueError, match="file-safe"):
            store.write_topology(uid, 0, topology_of_triangles(np.zeros((0, 3), np.int32), 0))
        with pytest.raises(ValueError, match="file-safe"):
            FrameStore.create(store.folder.parent / "other", manifest(bodies=[{"uid": uid, "name": "", "vertices": 0}]))


def test_clear_removes_its_own_files_and_no_other(store: FrameStore) -> None:
    store.write_topology(BODY, 0, topology_of_triangles(np.array([[0, 1, 2]], np.int32), 5))
    store.write_frame(frame(1))
    store.write_checkpoint(1, {"x": np.zeros(1)})
    foreign = [
        "render_0001.png",
        "frame_000001.npz",
        "frame_1.dollop.npz",
        "notes.json",
        "frame_000001.dollop.npz.bak",
        "a.part",
    ]
    for name in foreign:
        (store.folder / name).write_text("mine")
    (store.folder / "frame_000002.dollop.npz").mkdir()  # even a folder that is named like a frame
    (store.folder / "sub").mkdir()
    (store.folder / "sub" / "frame_000001.dollop.npz").write_text("mine")
    store.clear()
    assert files(store.folder) == sorted([*foreign, "frame_000002.dollop.npz", "sub"])
    assert (store.folder / "sub" / "frame_000001.dollop.npz").read_text() == "mine"


def test_clear_removes_the_folder_when_nothing_else_is_in_it(store: FrameStore) -> None:
    store.write_frame(frame(1))
    store.clear()
    assert not store.folder.exists()
    FrameStore.clear_folder(store.folder)


def test_a_cache_that_cannot_be_opened_can_be_cleared(store: FrameStore) -> None:
    store.write_frame(frame(1))
    store.close()
    (store.folder / "dollop_cache.json").write_text("{ torn")
    with pytest.raises(CacheError, match="Bake again"):
        FrameStore.open(store.folder)
    FrameStore.clear_folder(store.folder)
    assert not store.folder.exists()


def test_a_new_bake_clears_the_old_frames(store: FrameStore) -> None:
    store.write_frame(frame(8))
    (store.folder / "mine.txt").write_text("mine")
    store.close()
    with FrameStore.create(store.folder, manifest()) as again:
        assert again.frames() == [] and again.journal() == {}
        assert again.manifest["bake"] != store.manifest["bake"]
    assert (store.folder / "mine.txt").exists()


def test_other_formats_are_told_apart_from_damage(store: FrameStore) -> None:
    path = store.folder / "dollop_cache.json"
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "format_version": 99}))
    with pytest.raises(VersionError, match="format 99"):
        FrameStore.open(store.folder)
    path.write_text(json.dumps({"format": "something else"}))
    with pytest.raises(CacheError, match="not a Dollop cache"):
        FrameStore.open(store.folder)
    with pytest.raises(CacheError, match="no baked cache"):
        FrameStore.open(store.folder.parent / "nowhere")


def test_going_on_with_other_versions_is_refused(store: FrameStore) -> None:
    store.require_versions(versions("0.1.0", "4.2.0"))
    with pytest.raises(VersionError, match=r"dollop 0\.1\.0 instead of 0\.2\.0"):
        store.require_versions(versions("0.2.0"))


def test_the_manifest_keeps_what_it_is_given(store: FrameStore) -> None:
    store.update_manifest(status="done", meshes={BODY: {"tets": np.int64(7), "quality": np.array([1.5, 2.5])}})
    again = FrameStore.open(store.folder).manifest
    assert again["status"] == "done" and again["meshes"][BODY] == {"tets": 7, "quality": [1.5, 2.5]}
    assert again["versions"]["numpy"] == np.__version__ and again["format_version"] == 1
    with pytest.raises(ValueError, match="frame_end"):
        FrameStore.create(store.folder.parent / "x", {k: v for k, v in manifest().items() if k != "frame_end"})


def test_two_bakes_cannot_write_one_cache(store: FrameStore) -> None:
    for attempt in (lambda: FrameStore.create(store.folder, manifest()), lambda: FrameStore.open(store.folder, writable=True)):
        with pytest.raises(ResourceError, match=f"process {os.getpid()} on"):
            attempt()
    store.write_frame(frame(1))
    assert FrameStore.open(store.folder).frames() == [1]  # reading needs no lock
    store.close()
    with FrameStore.open(store.folder, writable=True) as again:
        again.write_frame(frame(2))


def test_a_store_opened_for_playing_refuses_to_write(store: FrameStore) -> None:
    with pytest.raises(RuntimeError, match="writable"):
        FrameStore.open(store.folder).write_frame(frame(1))


def test_the_last_two_checkpoints_are_kept_and_a_damaged_one_is_passed_over(store: FrameStore) -> None:
    assert store.read_checkpoint() is None
    for number in (3, 6, 9):
        store.write_checkpoint(number, {"velocities": np.full((4, 3), float(number)), "step": np.array(number)})
    assert [name for name in files(store.folder) if "checkpoint" in name] == [
        "checkpoint_000006.dollop.npz",
        "checkpoint_000009.dollop.npz",
    ]
    read = store.read_checkpoint()
    assert read is not None and read[0] == 9 and (read[1]["velocities"] == 9.0).all() and read[1]["step"].shape == ()
    for name, expected in (("checkpoint_000009.dollop.npz", 6), ("checkpoint_000006.dollop.npz", None)):
        path = store.folder / name
        path.write_bytes(path.read_bytes()[:-3])
        if expected:
            read = store.read_checkpoint()
            assert read is not None and read[0] == expected
        else:
            with pytest.raises(CacheError, match="frame 9"):
                store.read_checkpoint()


def test_python_objects_are_refused(store: FrameStore) -> None:
    with pytest.raises(TypeError, match="Python objects"):
        store.write_checkpoint(1, {"bad": np.array([{}], dtype=object)})


def test_later_frames_can_be_forgotten(store: FrameStore) -> None:
    for number in range(1, 7):
        store.write_frame(frame(number))
    store.remove_frames_after(4)
    assert store.frames() == [1, 2, 3, 4]


def test_sealed_nonsense_is_damage_too(store: FrameStore) -> None:
    """A file with a proper seal may still have been written by something else."""
    for arrays in (
        {f"{BODY}.positions": np.zeros((4, 3), np.float32)},
        {f"{BODY}.positions": np.zeros(4), f"{BODY}.origin": np.zeros(3), f"{BODY}.topology": np.array(0)},
        {
            f"{BODY}.positions": np.zeros((4, 3), np.float32),
            f"{BODY}.origin": np.zeros(3),
            f"{BODY}.topology": np.array(0),
            f"{BODY}.attribute.stress": np.zeros(5, np.float32),
        },
    ):
        (store.folder / "frame_000001.dollop.npz").write_bytes(archive.pack(arrays))
        time.sleep(0.01)
        with pytest.raises(CacheError, match="fit together"):
            store.read_body_frame(1, BODY)
    (store.folder / f"topology_{BODY}_000000.dollop.npz").write_bytes(archive.pack({"x": np.zeros(2)}))
    with pytest.raises(CacheError, match="lacks"):
        store.read_topology(BODY, 0)
