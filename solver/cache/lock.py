"""One writer a cache: a lock that the system lets go of when its holder dies, so that none is ever stale."""

import errno
import json
import os
import socket
from pathlib import Path
from typing import IO

from ..errors import ResourceError
from .atomic import artist_errors

if os.name == "nt":
    import msvcrt
else:
    import fcntl

_FAR = 1 << 30  # Windows locks bytes, and nobody may read a locked one: lock one that is not there
_BUSY = {errno.EACCES, errno.EAGAIN, errno.EWOULDBLOCK, errno.EDEADLK}


class CacheLock:
    """Held from construction to `release`. Raises ResourceError naming the process that holds it already."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with artist_errors(path):
            self._file: IO[str] | None = open(path, "a+", encoding="utf-8")  # noqa: SIM115  held open on purpose
        try:
            _lock(self._file)
        except OSError as error:
            owner = _owner(path)
            self._file.close()
            if error.errno in _BUSY:
                raise ResourceError(
                    f"Another bake writes this cache ({owner}).",
                    place=str(path.parent),
                    remedy="Wait for it, cancel it, or choose another cache folder.",
                ) from error
            raise ResourceError(
                f"This disk cannot lock files ({error.strerror}), so a second bake could mix into this one.",
                place=str(path.parent),
                remedy="Choose a cache folder on another disk.",
            ) from error
        self._file.truncate(0)
        self._file.write(json.dumps({"process": os.getpid(), "host": socket.gethostname()}))
        self._file.flush()

    def release(self) -> None:
        """Let go; harmless when done already."""
        if self._file is None:
            return
        self._file.truncate(0)  # the file stays: removing it would race with the next holder's opening it
        self._file.close()
        self._file = None


def is_held(path: Path) -> bool:
    """Tell whether a bake holds the lock at this moment; where that cannot be asked, on some network disks, it does not.

    Shared, so that two who ask do not see each other.
    """
    try:
        with open(path, encoding="utf-8") as file:
            _lock(file, shared=True)
    except OSError as error:
        return error.errno in _BUSY
    return False


def _lock(file: IO[str], *, shared: bool = False) -> None:
    if os.name == "nt":
        file.seek(_FAR)
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        file.seek(0)
    else:
        fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def _owner(path: Path) -> str:
    try:
        owner = json.loads(path.read_text(encoding="utf-8"))
        return f"process {owner['process']} on {owner['host']}"
    except (OSError, ValueError, KeyError, TypeError):
        return "unknown process"
