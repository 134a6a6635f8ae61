"""The frame store: what is written comes back, and what is damaged says so."""

import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.cache import FrameStore, NamedArray, SurfaceTopology, VertexGroups, versions
from solver.cache.topology import mirrored, topology_of_triangles
from solver.errors import CacheError, ResourceError, VersionError
from solver.frame import BodyFrame, Frame

ROOT = Path(__file__).resolve().parents[2]
BODY = "3f2a"


def manifest(last: int = 10, **more: Any) -> dict[str, Any]:
    bodies = [{"uid": BODY, "name": "Bun/☃ \\ ..", "vertices": 5}]
    return {
        "frames_per_second": 24.0,
        "frame_start": 1,
        "frame_end": last,
        "bodies": bodies,
        "versions": versions("0.1.0", "5.0.1"),
        "scene_hash": "abc",
        **more,
    }


def frame(number: int, count: int = 5, topology: int = 0) -> Frame:
    random = np.random.default_rng(number)
    attributes = {
        "velocity": random.random((count, 3), np.float32),
        "plastic_strain": random.random(count, np.float32),
        "odd name/☃": random.random(count, np.float32),
    }
    positions = random.random((count, 3), np.float32)
    body = BodyFrame(BODY, np.array([1e4, 2.0, 3.0]), positions, attributes, topology)
    return Frame(number, (body,), {"seconds": 0.5, "substeps": float(np.float64(4))}, ("It flows.",))


def same(actual: BodyFrame, expected: BodyFrame) -> None:
    assert (actual.uid, actual.topology) == (expected.uid, expected.topology)
    assert actual.origin.dtype == np.float64 and (actual.origin == expected.origin).all()
    assert actual.positions.dtype == np.float32 and (actual.positions == expected.positions).all()
    assert actual.attributes.keys() == expected.attributes.keys()
    for name, values in expected.attributes.items():
        assert actual.attributes[name].dtype == np.float32 and (actual.attributes[name] == values).all()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[FrameStore]:
    with FrameStore.create(tmp_path / "cache", manifest()) as opened:
        yield opened


def files(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


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


def test_topology_records_come_back_whole(store: FrameStore) -> None:
    random = np.random.default_rng(0)
    topology = SurfaceTopology(
        vertex_count=5,
        face_offsets=np.array([0, 3, 7], np.int32),
        corner_vertices=np.array([0, 1, 2, 1, 3, 4, 2], np.int32),
        material_index=np.array([1, 0], np.int32),
        sharp_faces=np.array([True, False]),
        uv_layers={"UVMap": random.random((7, 2), np.float32), "Zweite/☃": random.random((7, 2), np.float32)},
        attributes=(
            NamedArray("tint", "POINT", "FLOAT_COLOR", random.random((5, 4), np.float32)),
            NamedArray("é", "EDGE", "BOOLEAN", np.array([True, False])),
        ),
        vertex_groups=VertexGroups(
            ("a", "b/☃"), np.array([0, 1, 1, 2, 2, 2], np.int32), np.int32([0, 1]), np.float32([0.5, 1])
        ),
        materials=("Skin", ""),
        active_uv="Zweite/☃",
    )
    store.write_topology(BODY, 12, topology)
    read = store.read_topology(BODY, 12)
    assert list(read.uv_layers) == list(topology.uv_layers) and read.materials == ("Skin", "")
    assert (read.active_uv, read.active_color) == ("Zweite/☃", "")
    for name in ("face_offsets", "corner_vertices", "material_index", "sharp_faces", "edges", "corner_normals"):
        assert (getattr(read, name) == getattr(topology, name)).all() and getattr(read, name).dtype == getattr(
            topology, name
        ).dtype
    assert all((read.uv_layers[name] == uv).all() for name, uv in topology.uv_layers.items())
    assert [(a.name, a.domain, a.type, a.values.tolist()) for a in read.attributes] == [
        (a.name, a.domain, a.type, a.values.tolist()) for a in topology.attributes
    ]
    assert read.vertex_groups is not None and topology.vertex_groups is not None
    assert read.vertex_groups.names == ("a", "b/☃") and (read.vertex_groups.weights == topology.vertex_groups.weights).all()
    with pytest.raises(CacheError, match="topology 13"):
        store.read_topology(BODY, 13)


def test_mirroring_turns_faces_over_and_twice_is_nothing(store: FrameStore) -> None:
    corners = np.array([0, 1, 2, 1, 3, 4, 2], np.int32)
    edges = np.array([[0, 1], [1, 2], [2, 0], [1, 3], [3, 4], [4, 2]], np.int32)
    corner_edges = np.array([0, 1, 2, 3, 4, 5, 1], np.int32)
    topology = SurfaceTopology(5, np.array([0, 3, 7], np.int32), corners, edges=edges, corner_edges=corner_edges)
    turned = mirrored(topology)
    assert turned.corner_vertices.tolist() == [2, 1, 0, 2, 4, 3, 1]
    for first, last in ((0, 3), (3, 7)):
        loop = turned.corner_vertices[first:last]
        for corner, edge in enumerate(turned.corner_edges[first:last]):
            assert set(edges[edge]) == {loop[corner], loop[(corner + 1) % len(loop)]}
    again = mirrored(turned)
    assert (again.corner_vertices == corners).all() and (again.corner_edges == corner_edges).all()


# Accidents


def child(code: str, *arguments: str, **options: Any) -> "subprocess.Popen[str]":
    """Run a script that finds `solver` and this file's helpers."""
    prelude = f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(Path(__file__).parent)!r}]\nfrom test_frame_store import *\n"
    command = [sys.executable, "-c", prelude + textwrap.dedent(code), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is POSIX")
def test_a_kill_at_any_moment_leaves_a_readable_cache(tmp_path: Path) -> None:
    code = """
        store = FrameStore.create(sys.argv[1], manifest(100000))
        print("started", flush=True)
        for number in range(1, 100000):
            store.write_frame(frame(number, 20000))
    """
    random = np.random.default_rng(5)
    for attempt in range(4):
        folder = tmp_path / str(attempt)
        process = child(code, str(folder))
        assert process.stdout is not None and process.stdout.readline() == "started\n"
        time.sleep(0.1 + 0.1 * random.random())
        process.send_signal(signal.SIGKILL)
        process.communicate()
        with FrameStore.open(folder, writable=True) as store:  # the dead process's lock is no obstacle
            done = store.frames()
            assert done == list(range(1, len(done) + 1)) and len(done) > 2
            for number in done:
                same(store.read_body_frame(number, BODY), frame(number, 20000).bodies[0])
            assert not [name for name in files(folder) if name.endswith(".part")]
            store.write_frame(frame(len(done) + 1))
            assert len(store.journal()) in (len(done), len(done) + 1)


def test_a_torn_journal_line_costs_that_line_only(store: FrameStore) -> None:
    store.write_frame(frame(1))
    with open(store.folder / "dollop_journal.jsonl", "ab") as file:
        file.write(b'{"frame": 2, "byt')
    store.write_frame(frame(3))
    assert sorted(store.journal()) == [1, 3]


def test_a_full_disk_keeps_the_finished_frames(tmp_path: Path) -> None:
    """A limit on the file's size makes the system refuse a frame half-way, as a full disk does."""
    code = """
        resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        store = FrameStore.create(sys.argv[1], manifest())
        store.write_frame(frame(1))
        try:
            store.write_frame(frame(2, 100000))
        except ResourceError as error:
            print(error.exit_code, error)
        store.write_frame(frame(3))
        store.close()
    """
    assert resource.RLIMIT_FSIZE is not None
    out, err = child(code, str(tmp_path / "cache")).communicate()
    assert out.startswith("6 ") and "full" in out and "frame 2" in out, out + err
    store = FrameStore.open(tmp_path / "cache")
    assert store.frames() == [1, 3]
    same(store.read_body_frame(3, BODY), frame(3).bodies[0])
    assert not [name for name in files(store.folder) if name.endswith(".part")]


def test_a_really_full_disk(tmp_path: Path) -> None:
    """The same on a file system of one megabyte, where this user may mount one."""
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(small)], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("mounting a small file system needs root")
    try:
        with FrameStore.create(small / "cache", manifest()) as store:
            with pytest.raises(ResourceError, match="full"):
                for number in range(1, 100):
                    store.write_frame(frame(number, 2000))
            done = store.frames()
            assert 5 < len(done) < 99
            for number in done:
                same(store.read_body_frame(number, BODY), frame(number, 2000).bodies[0])
            assert not [name for name in files(store.folder) if name.endswith(".part")]
            with pytest.raises(ResourceError):
                store.write_checkpoint(1, {"x": np.zeros(200000)})
            store.clear()
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_a_folder_that_cannot_be_written_is_refused_in_words(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ResourceError):
        FrameStore.create(tmp_path / "file" / "cache", manifest())
    if os.geteuid() == 0:
        code = """
            os.setuid(65534)
            try:
                FrameStore.create(sys.argv[1], manifest())
            except ResourceError as error:
                print(error.exit_code, error)
        """
        tmp_path.chmod(0o555)
        folder = Path("/") / "dollop_cache_that_nobody_may_make"
        out, err = child(code, str(folder)).communicate()
        assert out.startswith("6 ") and "Choose a cache folder" in out, out + err
    else:
        tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
        with pytest.raises(ResourceError, match="Choose a cache folder"):
            FrameStore.create(tmp_path / "cache", manifest())
        tmp_path.chmod(stat.S_IRWXU)


def test_the_cost_of_a_frame_does_not_grow_with_their_number(tmp_path: Path) -> None:
    """Counted, not timed: bytes written for frame 400 are those for frame 4."""
    with FrameStore.create(tmp_path, manifest(1000)) as store:
        sizes = []
        for number in range(1, 401):
            store.write_frame(frame(number))
            if number in (3, 4, 399, 400):
                sizes.append((tmp_path / "dollop_journal.jsonl").stat().st_size)
        early, late = sizes[1] - sizes[0], sizes[3] - sizes[2]
        assert late - early < 20
        assert (tmp_path / "dollop_cache.json").stat().st_size < 2000


def test_it_is_read_without_numba() -> None:
    code = "from solver.cache import FrameStore\nprint([n for n in ('numba', 'scipy', 'bpy') if n in sys.modules])"
    out, err = child(code).communicate()
    assert out == "[]\n", err
