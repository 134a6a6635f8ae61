"""The child process that solves: started, listened to without ever waiting, asked to stop, and stopped (docs/worker.md)."""

import atexit
import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import bpy

from .folders import EXTENSION_ROOT, numba_cache_folder
from .priority import CREATION_FLAGS, put_behind_window

Event = dict[str, Any]

# Written into a Blender that has no Python program of its own to run the solver
_INSIDE_BLENDER = (
    "import runpy, sys; sys.path[:0] = {path!r}; sys.argv = {argv!r}; runpy.run_module('solver', run_name='__main__')"
)
_GRACE = 2.0  # seconds that a child gets to end by itself before it is killed


class SolverProcess:
    """One run of `python -m solver`, started in a thread: neither that nor anything else here makes the caller wait.

    before : what has to be done first, such as writing the job; as all in that thread it does not touch bpy
    beside_window : it gets only the time that the window leaves
    """

    def __init__(
        self, arguments: list[str], before: Callable[[], None] = lambda: None, *, beside_window: bool = False
    ) -> None:
        self.failure: Exception | None = None  # why it could not be started
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._last_words: deque[str] = deque(maxlen=12)
        self._command, self._environment = solver_command(arguments), solver_environment()
        self._beside_window = beside_window
        self._process: subprocess.Popen[str] | None = None
        self._unwanted = False
        self._started = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(before,), daemon=True)]
        self._threads[0].start()
        atexit.register(self.stop_now)

    def _run(self, before: Callable[[], None]) -> None:
        try:
            before()
            if not self._unwanted:
                self._process = self._launched()
                self._threads.append(threading.Thread(target=self._read_errors, args=(self._process.stderr,), daemon=True))
                self._threads[-1].start()
        except Exception as error:
            self.failure = error
        self._started.set()
        if self._process is not None:
            if self._unwanted:  # by now
                self.kill()
            assert self._process.stdout
            self._read_events(self._process.stdout)

    def _launched(self) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=EXTENSION_ROOT,
            env=self._environment,
            text=True,
            encoding="utf-8",
            errors="replace",
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0) | (CREATION_FLAGS if self._beside_window else 0),
            # Ctrl-C and a farm's signals are meant for Blender, which then asks the child to stop in good order
            start_new_session=True,
        )
        if self._beside_window:
            put_behind_window(process.pid)
        return process

    def require_start(self) -> None:
        """Wait until the child runs. Raises what kept it from starting."""
        self._started.wait()
        if self.failure is not None:
            raise self.failure

    @property
    def finished(self) -> bool:
        """True once the child has ended, or has failed to start, and all that it said can be had from events()."""
        running = self._process is not None and self._process.poll() is None
        return not running and not any(thread.is_alive() for thread in self._threads)

    @property
    def returncode(self) -> int | None:
        return None if self._process is None else self._process.poll()

    def events(self) -> list[Event]:
        """Return what has arrived since the last call; never waits."""
        arrived = []
        while True:
            try:
                arrived.append(self._events.get_nowait())
            except queue.Empty:
                return arrived

    def ask_to_stop(self) -> None:
        """Let it stop before its next step, write a checkpoint and end; one that has not started yet is not started."""
        if self._process is None:
            self.kill()
            return
        stdin = self._process.stdin
        with contextlib.suppress(OSError):  # it may have ended already
            if stdin is not None and not stdin.closed:
                stdin.write("cancel\n")
                stdin.close()

    def kill(self) -> None:
        """End it at once. Finished frames are whole files; what was computed since the last checkpoint is lost."""
        self._unwanted = True
        if self._process is None or self._process.poll() is not None:
            return
        if hasattr(os, "killpg"):  # with the process that compiles beside it
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()

    def stop_now(self) -> None:
        """Ask, wait a moment, kill: for closing a file and for quitting."""
        atexit.unregister(self.stop_now)
        self.ask_to_stop()
        if not self.wait(_GRACE):
            self.kill()
            self.wait(_GRACE)

    def wait(self, timeout: float) -> bool:
        """Wait at most `timeout` seconds for the end; True when it has ended."""
        until = time.monotonic() + timeout
        while not self.finished and time.monotonic() < until:
            time.sleep(0.01)
        return self.finished

    def close(self) -> None:
        """Forget the child; it must have ended."""
        atexit.unregister(self.stop_now)
        if self._process is None:
            return
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):  # a pipe to a child that died
                    stream.close()

    def death_notice(self) -> str:
        """Say how a child ended that did not say so itself."""
        code = self.returncode
        how = f"was ended by signal {-code}" if code is not None and code < 0 else f"ended with code {code}"
        said = f" It said last: {self._last_words[-1].rstrip(chr(46))}." if self._last_words else ""
        return f"The solver {how}.{said}"

    def _read_events(self, stream: IO[str]) -> None:
        for line in stream:
            try:
                event = json.loads(line)
            except ValueError:
                continue  # Blender's own chatter, when it stands in for Python
            if isinstance(event, dict) and "event" in event:
                self._events.put(event)

    def _read_errors(self, stream: IO[str]) -> None:
        for line in stream:
            if line.strip():
                self._last_words.append(line.rstrip())


def solver_command(arguments: list[str]) -> list[str]:
    """Return the command line: Blender's own Python, or Blender itself where there is no Python program."""
    python = Path(sys.executable or "")
    if python.is_file() and python.stem.lower().startswith("python"):
        return [str(python), "-m", "solver", *arguments]
    code = _INSIDE_BLENDER.format(path=_search_path(), argv=["solver", *arguments])
    start = ["-b", "--factory-startup", "--python-exit-code", "1"]
    return [bpy.app.binary_path, *start, "--python-expr", code]


def solver_environment() -> dict[str, str]:
    """Return the child's environment: where the modules are, where compiled kernels go, plain UTF-8 on the pipes.

    Python keeps what it makes of the sources, a good part of a child's start, beside them; where it must not write, beside the
    kernels.
    """
    numba_cache = numba_cache_folder()
    numba_cache.mkdir(parents=True, exist_ok=True)
    # A Python of the user's own must not be mixed in, as Blender itself sees to
    inherited = {name: value for name, value in os.environ.items() if name not in ("PYTHONHOME", "PYTHONSTARTUP")}
    bytecode = {} if os.access(EXTENSION_ROOT / "solver", os.W_OK) else {"PYTHONPYCACHEPREFIX": str(numba_cache / "bytecode")}
    return {
        **bytecode,
        **inherited,
        "PYTHONNOUSERSITE": "1",
        "PYTHONPATH": os.pathsep.join(_search_path()),
        "PYTHONUTF8": "1",
        "PYTHONUNBUFFERED": "1",
        "NUMBA_CACHE_DIR": str(numba_cache),
    }


def _search_path() -> list[str]:
    """The extension's folder, then every folder of packages that this Blender sees, its extensions' wheels included."""
    packages = [entry for entry in sys.path if Path(entry).name in ("site-packages", "dist-packages") and Path(entry).is_dir()]
    return [str(EXTENSION_ROOT), *dict.fromkeys(packages)]
