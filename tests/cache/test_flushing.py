"""Frames are flushed to the disk beside what comes next: a slow disk holds nobody up, and nothing is gone on from too early."""

import errno
import os
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from solver.cache import FrameStore
from solver.cache.flushing import MOST_WAITING
from solver.errors import ResourceError

from .synthetic import BODY, frame, same

LONG = 60.0  # more than any disk takes [s]


class Disk:
    """Stands in for the system's flush: notes what it is asked for, waits while it is slow, and refuses some."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, refused: str = "") -> None:
        self.asked: list[str] = []
        self.quick, self.refused, self.real = threading.Event(), refused, os.fsync
        self.quick.set()
        monkeypatch.setattr(os, "fsync", self.flush)

    def flush(self, handle: int) -> None:
        name = Path(os.readlink(f"/proc/self/fd/{handle}")).name
        assert threading.current_thread() is threading.main_thread() or self.quick.wait(LONG)
        self.asked.append(name)
        if self.refused and self.refused in name:
            raise OSError(errno.EIO, "Input/output error")
        self.real(handle)


pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the names of open files are read from /proc")


def test_a_slow_disk_holds_no_frame_up(store: FrameStore, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(monkeypatch)
    disk.quick.clear()
    for number in range(1, MOST_WAITING):
        store.write_frame(frame(number))
        same(FrameStore.open(store.folder).read_body_frame(number, BODY), frame(number).bodies[0])
    assert not disk.asked
    disk.quick.set()
    store.close()
    assert [name for name in disk.asked if name.startswith("frame")] == [
        f"frame_{number:06d}.dollop.npz" for number in range(1, MOST_WAITING)
    ]
    assert disk.asked[-1] == store.folder.name


def test_no_more_frames_than_that_wait_for_it(store: FrameStore, monkeypatch: pytest.MonkeyPatch) -> None:
    disk = Disk(monkeypatch)
    disk.quick.clear()

    def write() -> None:
        for number in range(1, 3 * MOST_WAITING):
            store.write_frame(frame(number))

    writer = threading.Thread(target=write)
    writer.start()
    writer.join(1.0)
    assert writer.is_alive() and len(store.frames()) <= MOST_WAITING + 1
    disk.quick.set()
    writer.join(LONG)
    assert store.frames() == list(range(1, 3 * MOST_WAITING))


@pytest.mark.parametrize(
    "after",
    [lambda store: store.write_checkpoint(3, {"x": np.zeros(1)}), lambda store: store.update_manifest(status="done")],
    ids=["a checkpoint", "the manifest"],
)
def test_what_is_gone_on_from_comes_after_the_frames(
    store: FrameStore, monkeypatch: pytest.MonkeyPatch, after: Callable[[FrameStore], None]
) -> None:
    disk = Disk(monkeypatch)
    for number in (1, 2, 3):
        store.write_frame(frame(number))
    after(store)
    frames = [k for k, name in enumerate(disk.asked) if name.startswith("frame")]
    others = [k for k, name in enumerate(disk.asked) if name.endswith(".part")]
    assert len(frames) == 3 and len(others) == 1 and others[0] > frames[-1]


def test_a_disk_that_refuses_is_told_of_with_the_frame(store: FrameStore, monkeypatch: pytest.MonkeyPatch) -> None:
    Disk(monkeypatch, refused="frame_000002")
    store.write_frame(frame(1))
    with pytest.raises(ResourceError, match="frame 2"):
        for number in range(2, 100):
            store.write_frame(frame(number))
    store.write_frame(frame(100))
    store.close()
