"""numba's disk cache for several processes that compile at once: one compiles a kernel, the others wait and load it.

A first bake compiles in three processes (warm_up.py), which come to the same kernels by ways of their own. Each kernel stands
for a byte of one file, which the process that compiles it has locked; the system lets go of it when that process dies.
"""

import errno
import os
import time
import zlib
from collections.abc import Callable
from typing import IO, Any

from numba.core.caching import FunctionCache

from .kept_code import KeptCode
from .kernel_cache import root

if os.name == "nt":
    import msvcrt
else:
    import fcntl

PATIENCE = 120.0  # seconds that a process waits for another, of which others may take the cores, before it compiles by itself
PAUSE = 0.005  # seconds between two looks
_FAR = 1 << 30  # what is locked are bytes that are not there
_BUSY = {errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK}


class SharedCache(FunctionCache):  # type: ignore[misc]
    """Where a function's compiled code is kept, and who compiles it.

    Of all functions a bake asks for one in four: the folder is looked for then.
    """

    _impl_class = KeptCode

    def __init__(self, py_func: Callable[..., Any]) -> None:
        self._function, self._opened = py_func, False
        self._enabled = True

    def _open(self) -> None:
        if not self._opened:
            enabled = self._enabled
            super().__init__(self._function)
            self._enabled = enabled
            self._opened = True

    @property
    def cache_path(self) -> str:
        """The folder."""
        self._open()
        return str(self._cache_path)

    def flush(self) -> None:
        """Forget all that is kept."""
        self._open()
        super().flush()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is kept for a signature; None where this process is to compile it."""
        self._open()
        found = self._kept(sig, target_context)
        if found is None and _turns.take(self._place):
            found = self._kept(sig, target_context)
            if found is not None:
                _turns.give_back(self._place)
        if found is None:  # it is compiled now
            from .compiler_speed import hasten_compiling

            hasten_compiling()
            target_context.refresh()
        return found

    def _kept(self, sig: Any, target_context: Any) -> Any:
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep what has been compiled."""
        self._open()
        super().save_overload(sig, data)
        _turns.give_back(self._place)

    @property
    def _place(self) -> int:
        """The byte that stands for this function."""
        return _FAR + zlib.crc32(f"{self._cache_path}/{self._impl.filename_base}".encode()) % _FAR


class _Turns:
    """The kernels that this process has locked, and how often: one may be compiled for a type while it is for another."""

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        self._held: dict[int, int] = {}

    def take(self, place: int) -> bool:
        """Wait for a turn; False where files cannot be locked, or another process is not done in good time."""
        if place not in self._held and not self._waited_for(place):
            return False
        self._held[place] = self._held.get(place, 0) + 1
        return True

    def give_back(self, place: int) -> None:
        """Let others have the turn, if it was taken."""
        if place not in self._held:
            return
        self._held[place] -= 1
        if not self._held[place]:
            del self._held[place]
            _lock(self._opened(), place, False)

    def _waited_for(self, place: int) -> bool:
        file, ends = self._opened(), time.monotonic() + PATIENCE
        while time.monotonic() < ends:
            try:
                _lock(file, place, True)
                return True
            except OSError as error:
                if error.errno not in _BUSY:
                    return False
            time.sleep(PAUSE)
        return False

    def _opened(self) -> IO[bytes]:
        if self._file is None:
            root().mkdir(parents=True, exist_ok=True)
            self._file = open(root() / "compiling", "ab")  # noqa: SIM115  to close it would let go of all
        return self._file


def _lock(file: IO[bytes], place: int, take: bool) -> None:
    if os.name == "nt":
        file.seek(place)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK if take else msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined,unused-ignore]
    else:
        fcntl.lockf(file, (fcntl.LOCK_EX | fcntl.LOCK_NB) if take else fcntl.LOCK_UN, 1, place)


_turns = _Turns()
