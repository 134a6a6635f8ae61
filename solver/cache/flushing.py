"""Files that are whole already, flushed to the disk beside whatever comes next.

To wait until a disk has a frame takes 5 to 30 ms, as long as a small frame takes to solve. Whoever plays it sees it without
that, and so does whoever comes after a kill: what was written and renamed is the system's to keep. A power cut alone may cost
what has not been flushed, which its seal tells; so what is gone on from, a checkpoint, waits until all before it is.
"""

import contextlib
import os
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from .atomic import artist_errors, flush_folder

MOST_WAITING = 8  # files: a disk that is slower than that is waited for


class Flushing:
    """Flushes files of one folder on a thread of its own, several in one go where the disk is slower than they come."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._waiting: deque[tuple[Path, int | None]] = deque()
        self._thread: ThreadPoolExecutor | None = None
        self._running: Future[None] | None = None

    def add(self, path: Path, frame: int | None = None) -> None:
        """Have a file flushed. Raises the ResourceError that an earlier one met."""
        self._waiting.append((path, frame))
        if self._running is not None and not self._running.done() and len(self._waiting) < MOST_WAITING:
            return
        self._settle()
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="dollop-flush")
        self._running = self._thread.submit(self._flush)

    def wait(self) -> None:
        """Return once all is on the disk. Raises the ResourceError that one of them met."""
        self._settle()
        self._flush()

    def close(self) -> None:
        """The same, and let go of the thread."""
        try:
            self.wait()
        finally:
            if self._thread is not None:
                self._thread.shutdown()
                self._thread = None

    def _settle(self) -> None:
        """Wait for what is under way."""
        running, self._running = self._running, None
        if running is not None:
            running.result()

    def _flush(self) -> None:
        """Flush all that waits, and then what the folder says of it."""
        flushed = False
        while self._waiting:
            path, frame = self._waiting.popleft()
            # What has been removed since need not be kept
            with artist_errors(path, frame), contextlib.suppress(FileNotFoundError), open(path, "r+b") as file:
                os.fsync(file.fileno())
            flushed = True
        if flushed:
            flush_folder(self._folder)
