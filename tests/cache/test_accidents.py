"""A kill, a full disk, a folder that cannot be written: the finished frames stay and nothing is left half done."""

import errno
import os
import signal
import stat
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from solver.cache import FrameStore
from solver.cache.atomic import artist_errors
from solver.errors import ResourceError

from .synthetic import BODY, files, frame, manifest, same

ROOT = Path(__file__).resolve().parents[2]
IMPORTS = """
import os, resource, signal
from solver.cache import FrameStore
from solver.errors import ResourceError
from synthetic import frame, manifest
"""


def child(code: str, *arguments: str, **options: Any) -> "subprocess.Popen[str]":
    """Run a script that finds `solver` and synthetic.py."""
    prelude = f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(Path(__file__).parent)!r}]\n{IMPORTS}"
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
        assert FrameStore.open(folder).status == "baking"
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert FrameStore.open(folder).status == "interrupted"
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
            content = manifest()  # before the right to read Python's own folder is gone
            os.setuid(65534)
            try:
                FrameStore.create(sys.argv[1], content)
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


def test_what_refuses_to_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may write anything, so the system's answers are given here."""
    lock = tmp_path / "dollop.lock"
    lock.touch()

    def refusal(path: Path) -> str:
        with pytest.raises(ResourceError) as caught, artist_errors(path):
            raise PermissionError(errno.EACCES, "Permission denied")
        return str(caught.value)

    monkeypatch.setattr(os, "access", lambda path, mode: True)
    assert refusal(lock).startswith(f"{lock}: This file cannot be written.")
    assert refusal(tmp_path / "new" / "folder").startswith(f"{tmp_path}: This folder cannot be written.")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert refusal(lock).startswith(f"{tmp_path}: This folder cannot be written.")
